package datum

import (
	"encoding/binary"
	"strconv"

	"github.com/pipescan/pipescan/catalog"
	"github.com/pipescan/pipescan/pgfile"
)

// Limits of arrays (utils/array.h).
const (
	maxArrayDims  = 6
	maxArrayItems = 0x3fffffff / 8
)

// Array is the Go value of an array.
type Array struct {
	Dims  []Dim // outermost first; empty for an array without elements
	Elems []any // in storage order: the last subscript runs fastest; nil is NULL
}

// Dim is one dimension of an Array.
type Dim struct {
	Length int32
	Lower  int32 // the first subscript, 1 unless said otherwise
}

// arrayNode is an array type. elem is the declared element type, 0 for
// anyarray.
type arrayNode struct {
	e    *Env
	elem catalog.OID
}

// arrayHeader is the parsed head of an array. Offsets are in the payload,
// which starts 4 bytes into the ArrayType:
//
//	payload 0      4            8          12          12+4n        12+8n
//	        +------+------------+----------+-----------+------------+-----------------+---------+
//	        | ndim | dataoffset | elemtype | n lengths | n lower    | null bitmap     | values  |
//	        | i4   | i4         | oid      | i4 each   | bounds, i4 | if dataoffset≠0 | aligned |
//	        +------+------------+----------+-----------+------------+-----------------+---------+
//
// dataoffset counts from the start of the ArrayType. In the bitmap, low bit
// first, 1 means not null.
type arrayHeader struct {
	elem  catalog.OID
	ndim  int
	dims  [maxArrayDims]Dim
	items int
	nulls []byte // nil: no nulls
	data  int
}

func parseArray(v []byte) (h arrayHeader, err error) {
	const fixed = 12
	if len(v) < fixed {
		return h, pgfile.Corruptf(0, "array of %d bytes is shorter than its header", len(v))
	}
	ndim := int(int32(binary.LittleEndian.Uint32(v)))
	offset := int(int32(binary.LittleEndian.Uint32(v[4:])))
	h.elem = binary.LittleEndian.Uint32(v[8:])
	if ndim < 0 || ndim > maxArrayDims {
		return h, pgfile.Corruptf(0, "array of %d dimensions", ndim)
	}
	h.ndim, h.data = ndim, fixed+8*ndim
	if h.data > len(v) {
		return h, pgfile.Corruptf(0, "array of %d bytes has no room for its %d dimensions", len(v), ndim)
	}
	if err := h.readDims(v[fixed:h.data]); err != nil {
		return h, err
	}
	if offset == 0 || h.items == 0 {
		return h, nil
	}
	bitmap := (h.items + 7) / 8
	if offset -= varlenaHeader; offset < h.data+bitmap || offset > len(v) {
		return h, pgfile.Corruptf(4, "array of %d bytes and %d items says its values start at %d", len(v), h.items, offset)
	}
	h.nulls = v[h.data : h.data+bitmap]
	h.data = offset
	return h, nil
}

// readDims reads the lengths and lower bounds and counts the items.
func (h *arrayHeader) readDims(v []byte) error {
	if h.ndim == 0 {
		return nil
	}
	h.items = 1
	for i := range h.ndim {
		d := Dim{
			Length: int32(binary.LittleEndian.Uint32(v[4*i:])),
			Lower:  int32(binary.LittleEndian.Uint32(v[4*(h.ndim+i):])),
		}
		if d.Length < 0 || int64(d.Lower)+int64(d.Length) > maxInt32 {
			return pgfile.Corruptf(12+4*i, "array dimension of length %d from %d", d.Length, d.Lower)
		}
		h.dims[i] = d
		if h.items *= int(d.Length); h.items > maxArrayItems {
			return pgfile.Corruptf(12, "array of more than %d items", maxArrayItems)
		}
	}
	return nil
}

// isNull says whether item i is null.
func (h *arrayHeader) isNull(i int) bool {
	return h.nulls != nil && h.nulls[i>>3]&(1<<(i&7)) == 0
}

// elemInfo is the type of the elements: the header's word counts, as it does
// for the server, but where it differs from the declared type it must be a
// scalar that lies alike. (Else a damaged header could nest types in themselves.)
func (n *arrayNode) elemInfo(h *arrayHeader) (*typeInfo, error) {
	info, err := n.e.resolve(h.elem)
	if err != nil || n.elem == 0 || n.elem == h.elem {
		return info, err
	}
	want, err := n.e.resolve(n.elem)
	if err != nil {
		return nil, err
	}
	if _, scalar := info.node.(scalarNode); !scalar || info.typ.Len != want.typ.Len || info.align != want.align {
		return nil, pgfile.Corruptf(8, "array says that its elements are of type %q, its column that they are of type %q", info.typ.Name, want.typ.Name)
	}
	return info, nil
}

// arrayStyle is one of the two ways to write an array.
type arrayStyle struct {
	open, closed byte
	null         string
	json         bool
}

var (
	textArrayStyle = &arrayStyle{open: '{', closed: '}', null: "NULL"}
	jsonArrayStyle = &arrayStyle{open: '[', closed: ']', null: "null", json: true}
)

// appendItem appends one item that is not null.
func (s *arrayStyle) appendItem(dst []byte, info *typeInfo, item []byte, depth int) ([]byte, error) {
	if s.json {
		return info.node.json(dst, item, depth)
	}
	start := len(dst)
	dst, err := info.node.text(dst, item, depth)
	if err == nil && arrayNeedsQuotes(dst[start:], info.typ.Delim) {
		dst = quoteTail(dst, start, false)
	}
	return dst, err
}

// text is array_out.
func (n *arrayNode) text(dst, v []byte, depth int) ([]byte, error) {
	return n.render(dst, v, depth, textArrayStyle)
}

// render writes an array in a style.
func (n *arrayNode) render(dst, v []byte, depth int, style *arrayStyle) ([]byte, error) {
	h, err := parseArray(v)
	if err != nil {
		return dst, err
	}
	if h.items == 0 {
		return append(dst, style.open, style.closed), nil
	}
	if depth >= maxDepth {
		return dst, errDepth()
	}
	info, err := n.elemInfo(&h)
	if err != nil {
		return dst, err
	}
	begin := len(dst)
	delim := byte(',')
	if !style.json {
		dst, delim = h.appendBounds(dst), info.typ.Delim
	}
	strides := h.strides()
	off := h.data
	for i := range h.items {
		dst = appendBraces(dst, strides[:h.ndim], i, style.open)
		if h.isNull(i) {
			dst = append(dst, style.null...)
		} else {
			var item []byte
			if item, off, err = info.cut(n.e, v, alignUp(off, info.align)); err != nil {
				return dst, err
			}
			if dst, err = style.appendItem(dst, info, item, depth+1); err != nil {
				return dst, err
			}
		}
		if err := checkTextLen(dst, begin); err != nil {
			return dst, err
		}
		dst = appendBraces(dst, strides[:h.ndim], i+1, style.closed)
		if i+1 < h.items {
			dst = append(dst, delim)
		}
	}
	return dst, nil
}

// appendBraces appends a brace for every dimension of which n items are a
// whole number.
func appendBraces(dst []byte, strides []int, n int, brace byte) []byte {
	for _, s := range strides {
		if n%s == 0 {
			dst = append(dst, brace)
		}
	}
	return dst
}

// appendBounds appends the subscripts, which are printed when one does not
// start at 1.
func (h *arrayHeader) appendBounds(dst []byte) []byte {
	plain := true
	for _, d := range h.dims[:h.ndim] {
		plain = plain && d.Lower == 1
	}
	if plain {
		return dst
	}
	for _, d := range h.dims[:h.ndim] {
		dst = strconv.AppendInt(append(dst, '['), int64(d.Lower), 10)
		dst = strconv.AppendInt(append(dst, ':'), int64(d.Lower)+int64(d.Length)-1, 10)
		dst = append(dst, ']')
	}
	return append(dst, '=')
}

// strides says after how many items each dimension's brace opens anew.
func (h *arrayHeader) strides() (s [maxArrayDims]int) {
	n := 1
	for i := h.ndim - 1; i >= 0; i-- {
		n *= int(h.dims[i].Length)
		s[i] = n
	}
	return s
}

// value returns an Array.
func (n *arrayNode) value(v []byte, depth int) (any, error) {
	h, err := parseArray(v)
	if err != nil {
		return nil, err
	}
	a := Array{Dims: append([]Dim(nil), h.dims[:h.ndim]...)}
	if h.items == 0 {
		return a, nil
	}
	if depth >= maxDepth {
		return nil, errDepth()
	}
	info, err := n.elemInfo(&h)
	if err != nil {
		return nil, err
	}
	// Every item but a null takes a byte, and every null a bit.
	a.Elems = make([]any, 0, min(h.items, 8*len(v)))
	off := h.data
	for i := range h.items {
		if h.isNull(i) {
			a.Elems = append(a.Elems, nil)
			continue
		}
		var item []byte
		if item, off, err = info.cut(n.e, v, alignUp(off, info.align)); err != nil {
			return nil, err
		}
		elem, err := info.node.value(item, depth+1)
		if err != nil {
			return nil, err
		}
		a.Elems = append(a.Elems, elem)
	}
	return a, nil
}
