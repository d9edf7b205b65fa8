package qual

import (
	"bytes"
	"encoding/binary"
	"math"

	"github.com/pipescan/pipescan/catalog"
	"github.com/pipescan/pipescan/pgfile"
)

// Limits of arrays (utils/array.h).
const (
	maxArrayDims  = 6
	maxArrayItems = 0x3fffffff / 8
)

// arrayValue is an array's payload taken apart; package datum draws it.
type arrayValue struct {
	elem  catalog.OID
	ndim  int
	dims  [maxArrayDims]int32
	lower [maxArrayDims]int32
	items int
	nulls []byte // nil: none
	data  []byte
	off   int // of data in the payload, for alignment
}

func errArray() error { return sqlErrorf("XX001", "an array value is damaged") }

func readArray(v []byte) (arrayValue, error) {
	const fixed = 12
	var h arrayValue
	if len(v) < fixed {
		return h, errArray()
	}
	ndim, dataOff := int(int32(getUint32(v))), int(int32(getUint32(v[4:])))
	h.elem = getUint32(v[8:])
	if ndim < 0 || ndim > maxArrayDims || len(v) < fixed+8*ndim {
		return h, errArray()
	}
	h.ndim, h.off = ndim, fixed+8*ndim
	if ndim > 0 {
		h.items = 1
	}
	for i := range ndim {
		h.dims[i] = int32(getUint32(v[fixed+4*i:]))
		h.lower[i] = int32(getUint32(v[fixed+4*(ndim+i):]))
		if h.dims[i] < 0 || int64(h.lower[i])+int64(h.dims[i]) > math.MaxInt32 {
			return h, errArray()
		}
		if h.items *= int(h.dims[i]); h.items > maxArrayItems {
			return h, errArray()
		}
	}
	if dataOff != 0 && h.items > 0 {
		dataOff -= varlenaHeader
		if dataOff < h.off+(h.items+7)/8 || dataOff > len(v) {
			return h, errArray()
		}
		h.nulls = v[h.off : h.off+(h.items+7)/8]
		h.off = dataOff
	}
	h.data = v
	return h, nil
}

// elemType is how the elements of an array lie.
type elemType struct {
	oid   catalog.OID
	len   int
	align int
	a     *analyzer
}

func (a *analyzer) elemType(oid catalog.OID) elemType {
	t := a.typ(oid)
	align := map[byte]int{'c': 1, 's': 2, 'i': 4, 'd': 8}[t.align]
	return elemType{oid: oid, len: int(t.len), align: max(align, 1), a: a}
}

// alike says whether elements of another type lie as those of t do: an array of
// varchar may be used as one of text.
func (t elemType) alike(oid catalog.OID) bool {
	o := t.a.elemType(oid)
	return o.len == t.len && o.align == t.align
}

// each calls f for each element in storage order, nil for NULL, until f
// returns false.
func (h *arrayValue) each(t elemType, f func(i int, v []byte) bool) error {
	if h.items > 0 && h.elem != t.oid && !t.alike(h.elem) {
		return errArray()
	}
	off := h.off
	for i := range h.items {
		if h.nulls != nil && h.nulls[i>>3]&(1<<(i&7)) == 0 {
			if !f(i, nil) {
				return nil
			}
			continue
		}
		v, next, err := t.cut(h.data, off)
		if err != nil {
			return err
		}
		off = next
		if !f(i, v) {
			return nil
		}
	}
	return nil
}

// alignUp aligns an offset of the payload, counted from the header on.
func alignUp(off, align int) int { return (off+varlenaHeader+align-1)&^(align-1) - varlenaHeader }

// cut returns the payload of the element at an offset, and where it ends.
func (t elemType) cut(b []byte, off int) ([]byte, int, error) {
	off = alignUp(off, t.align)
	if off > len(b) {
		return nil, 0, errArray()
	}
	rest := b[off:]
	switch {
	case t.len == -1:
		size, err := pgfile.VarlenaSize(rest)
		if err != nil {
			return nil, 0, err
		}
		v, err := pgfile.ParseVarlena(rest[:size])
		if err != nil {
			return nil, 0, err
		}
		data := v.Data
		if v.Kind != pgfile.VarlenaPlain {
			if t.a.Env.Detoast == nil {
				return nil, 0, errArray()
			}
			if data, err = t.a.Env.Detoast(nil, rest[:size]); err != nil {
				return nil, 0, err
			}
		}
		if data == nil {
			data = noBytes
		}
		return data, off + size, nil
	case t.len == -2:
		n := bytes.IndexByte(rest, 0)
		if n < 0 {
			return nil, 0, errArray()
		}
		return rest[:n:n], off + n + 1, nil
	case t.len > len(rest):
		return nil, 0, errArray()
	}
	return rest[:t.len:t.len], off + t.len, nil
}

// elements are all elements; nil is NULL.
func (h *arrayValue) elements(t elemType, dst [][]byte) ([][]byte, error) {
	err := h.each(t, func(_ int, v []byte) bool {
		dst = append(dst, v)
		return true
	})
	return dst, err
}

// appendArray appends the payload of an array of these elements. No elements
// are the empty array.
func appendArray(dst []byte, t elemType, dims, lower []int32, elems [][]byte) ([]byte, error) {
	le := binary.LittleEndian
	if len(elems) == 0 {
		return le.AppendUint32(le.AppendUint64(dst, 0), t.oid), nil
	}
	if len(elems) > maxArrayItems {
		return nil, sqlErrorf("54000", "array size exceeds the maximum allowed (%d)", maxArrayItems)
	}
	start := len(dst)
	dst = le.AppendUint32(dst, uint32(len(dims)))
	dst = le.AppendUint32(dst, 0)
	dst = le.AppendUint32(dst, t.oid)
	for _, d := range dims {
		dst = le.AppendUint32(dst, uint32(d))
	}
	for _, l := range lower {
		dst = le.AppendUint32(dst, uint32(l))
	}
	hasNull := false
	for _, e := range elems {
		hasNull = hasNull || e == nil
	}
	if hasNull {
		dst = appendNullBitmap(dst, elems)
	}
	dst = padTo(dst, start, 8)
	if hasNull {
		le.PutUint32(dst[start+4:], uint32(len(dst)-start+varlenaHeader))
	}
	for _, e := range elems {
		if e == nil {
			continue
		}
		dst = padTo(dst, start, t.align)
		switch t.len {
		case -1:
			dst = append(le.AppendUint32(dst, uint32(len(e)+varlenaHeader)<<2), e...)
		case -2:
			dst = append(append(dst, e...), 0)
		default:
			dst = append(dst, e...)
		}
		if len(dst)-start > maxText {
			return nil, sqlErrorf("54000", "array size exceeds the maximum allowed (%d)", maxText)
		}
	}
	return padTo(dst, start, t.align), nil
}

func appendNullBitmap(dst []byte, elems [][]byte) []byte {
	for i := 0; i < len(elems); i += 8 {
		b := byte(0)
		for j := i; j < min(i+8, len(elems)); j++ {
			if elems[j] != nil {
				b |= 1 << (j - i)
			}
		}
		dst = append(dst, b)
	}
	return dst
}

// padTo appends zeros until the offset is aligned.
func padTo(dst []byte, start, align int) []byte {
	for want := start + alignUp(len(dst)-start, align); len(dst) < want; {
		dst = append(dst, 0)
	}
	return dst
}
