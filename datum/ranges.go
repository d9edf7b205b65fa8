package datum

import (
	"encoding/binary"
	"sync/atomic"

	"github.com/pipescan/pipescan/catalog"
	"github.com/pipescan/pipescan/pgfile"
)

// Flags of a range (utils/rangetypes.h).
const (
	rangeEmpty    = 0x01
	rangeLowerInc = 0x02
	rangeUpperInc = 0x04
	rangeLowerInf = 0x08
	rangeUpperInf = 0x10
)

// Range is the Go value of a range.
type Range struct {
	Empty              bool
	Lower, Upper       any // nil where the range has no bound
	LowerInc, UpperInc bool
}

// Multirange is the Go value of a multirange: ranges in order.
type Multirange []Range

// rangeType is what ranges and multiranges share. typ is the range's or the
// multirange's own type.
type rangeType struct {
	e       *Env
	typ     *catalog.Type
	subtype atomic.Pointer[typeInfo]
}

// bounds resolves the type of the bounds and checks the type that a value says
// it is of.
func (r *rangeType) bounds(v []byte) (*typeInfo, error) {
	if oid := binary.LittleEndian.Uint32(v); oid != r.typ.OID {
		return nil, pgfile.Corruptf(0, "range says that it is of type %d, its column that it is of type %q", oid, r.typ.Name)
	}
	if info := r.subtype.Load(); info != nil {
		return info, nil
	}
	row, ok, err := r.e.Lookup.Range(r.typ.OID)
	if err != nil {
		return nil, err
	}
	if !ok {
		return nil, pgfile.Corruptf(-1, "range type %q is not in pg_range", r.typ.Name)
	}
	info, err := r.e.resolve(row.Subtype)
	if err == nil {
		r.subtype.Store(info)
	}
	return info, err
}

// rangeBounds are the payloads of a range's bounds, nil where it has none.
type rangeBounds struct {
	flags        byte
	lower, upper []byte
}

// cutBounds reads the bounds that flags promise from v[off:]. The lower bound
// starts at off, the upper one after it, aligned unless it is a varlena with a
// short header.
func (r *rangeType) cutBounds(info *typeInfo, flags byte, v []byte, off int) (b rangeBounds, end int, err error) {
	b.flags = flags
	if flags&(rangeEmpty|rangeLowerInf) == 0 {
		if b.lower, off, err = info.cut(r.e, v, off); err != nil {
			return b, 0, err
		}
	}
	if flags&(rangeEmpty|rangeUpperInf) == 0 {
		if info.typ.Len != -1 || off < len(v) && v[off] == 0 {
			off = alignUp(off, info.align)
		}
		if b.upper, off, err = info.cut(r.e, v, off); err != nil {
			return b, 0, err
		}
	}
	return b, off, nil
}

// appendRange is range_out's text of cut bounds.
func (r *rangeType) appendRange(dst []byte, info *typeInfo, b rangeBounds, depth int) (_ []byte, err error) {
	if b.flags&rangeEmpty != 0 {
		return append(dst, "empty"...), nil
	}
	open, closed := byte('('), byte(')')
	if b.flags&rangeLowerInc != 0 {
		open = '['
	}
	if b.flags&rangeUpperInc != 0 {
		closed = ']'
	}
	dst = append(dst, open)
	if b.flags&rangeLowerInf == 0 {
		if dst, err = appendBound(dst, info, b.lower, depth); err != nil {
			return dst, err
		}
	}
	dst = append(dst, ',')
	if b.flags&rangeUpperInf == 0 {
		if dst, err = appendBound(dst, info, b.upper, depth); err != nil {
			return dst, err
		}
	}
	return append(dst, closed), nil
}

func appendBound(dst []byte, info *typeInfo, bound []byte, depth int) ([]byte, error) {
	start := len(dst)
	dst, err := info.node.text(dst, bound, depth+1)
	if err == nil && rangeNeedsQuotes(dst[start:]) {
		dst = quoteTail(dst, start, true)
	}
	return dst, err
}

func (r *rangeType) rangeValue(info *typeInfo, b rangeBounds, depth int) (v Range, err error) {
	if b.flags&rangeEmpty != 0 {
		return Range{Empty: true}, nil
	}
	v.LowerInc, v.UpperInc = b.flags&rangeLowerInc != 0, b.flags&rangeUpperInc != 0
	if b.flags&rangeLowerInf == 0 {
		if v.Lower, err = info.node.value(b.lower, depth+1); err != nil {
			return v, err
		}
	}
	if b.flags&rangeUpperInf == 0 {
		v.Upper, err = info.node.value(b.upper, depth+1)
	}
	return v, err
}

// rangeNode is a range type. A payload is the type's OID, the bounds from
// offset 4 on (8 in the varlena) and, in the last byte, the flags.
type rangeNode struct{ rangeType }

func (n *rangeNode) parse(v []byte, depth int) (*typeInfo, rangeBounds, error) {
	if len(v) < 5 {
		return nil, rangeBounds{}, pgfile.Corruptf(0, "range of %d bytes is shorter than its header", len(v))
	}
	if depth >= maxDepth {
		return nil, rangeBounds{}, errDepth()
	}
	info, err := n.bounds(v)
	if err != nil {
		return nil, rangeBounds{}, err
	}
	last := len(v) - 1
	b, _, err := n.cutBounds(info, v[last], v[:last], 4)
	return info, b, err
}

// text is range_out.
func (n *rangeNode) text(dst, v []byte, depth int) ([]byte, error) {
	info, b, err := n.parse(v, depth)
	if err != nil {
		return dst, err
	}
	return n.appendRange(dst, info, b, depth)
}

// value returns a Range.
func (n *rangeNode) value(v []byte, depth int) (any, error) {
	info, b, err := n.parse(v, depth)
	if err != nil {
		return nil, err
	}
	r, err := n.rangeValue(info, b, depth)
	if err != nil {
		return nil, err
	}
	return r, nil
}

// multirangeNode is a multirange type (14 and later):
//
//	payload 0           4       8                  4+4n       4+5n
//	        +-----------+-------+------------------+----------+------------------+
//	        | type, oid | n, u4 | n-1 items, u4    | n flags, | bounds of each,  |
//	        |           |       | (lengths of the  | u1 each  | each range's     |
//	        |           |       | ranges before)   |          | start aligned    |
//	        +-----------+-------+------------------+----------+------------------+
//
// Reading the ranges in order needs no items.
type multirangeNode struct{ rangeType }

// each calls f with the bounds of every range.
func (n *multirangeNode) each(v []byte, depth int, f func(*typeInfo, rangeBounds) error) error {
	if len(v) < 8 {
		return pgfile.Corruptf(0, "multirange of %d bytes is shorter than its header", len(v))
	}
	if depth >= maxDepth {
		return errDepth()
	}
	info, err := n.bounds(v)
	if err != nil {
		return err
	}
	count := int(binary.LittleEndian.Uint32(v[4:]))
	if count == 0 {
		return nil
	}
	flags := 4 + 4*count
	off := alignUp(flags+count, info.align)
	if flags+count > len(v) {
		return pgfile.Corruptf(4, "multirange of %d bytes says it has %d ranges", len(v), count)
	}
	for i := range count {
		b, end, err := n.cutBounds(info, v[flags+i], v, off)
		if err != nil {
			return err
		}
		if err := f(info, b); err != nil {
			return err
		}
		off = alignUp(end, info.align)
	}
	return nil
}

// text is multirange_out.
func (n *multirangeNode) text(dst, v []byte, depth int) ([]byte, error) {
	dst = append(dst, '{')
	first := true
	err := n.each(v, depth, func(info *typeInfo, b rangeBounds) (err error) {
		if !first {
			dst = append(dst, ',')
		}
		first = false
		dst, err = n.appendRange(dst, info, b, depth)
		return err
	})
	return append(dst, '}'), err
}

// value returns a Multirange.
func (n *multirangeNode) value(v []byte, depth int) (any, error) {
	m := Multirange{}
	err := n.each(v, depth, func(info *typeInfo, b rangeBounds) error {
		r, err := n.rangeValue(info, b, depth)
		m = append(m, r)
		return err
	})
	if err != nil {
		return nil, err
	}
	return m, nil
}
