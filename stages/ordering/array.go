package ordering

import (
	"bytes"
	"cmp"

	"github.com/pipescan/pipescan/catalog"
)

// arrayOrdering compares element by element, NULL after everything else, then
// by number of elements, of dimensions, by their lengths and lower bounds
// (array_cmp).
func arrayOrdering(elem catalog.OID, text Text, types Types) (*Ordering, error) {
	t, ok, err := types.Lookup(elem)
	if err != nil {
		return nil, err
	}
	if !ok {
		return nil, unsupported("comparing arrays of type %d", elem)
	}
	inner, err := For(elem, text, types)
	if err != nil {
		return nil, err
	}
	a := &arrays{inner: inner, size: int(t.Len), align: alignments[t.Align]}
	o := &Ordering{Key: a.key}
	if inner.Compare != nil {
		o.Compare = a.compare
	}
	return o, nil
}

// alignments are typalign's.
var alignments = map[byte]int{'c': 1, 's': 2, 'i': 4, 'd': 8}

type arrays struct {
	inner       *Ordering
	size, align int
}

// array is an array being read. Its payload: number of dimensions, offset of
// the values (0 without NULLs), element type, lengths, lower bounds, bitmap,
// values.
type array struct {
	ndim  int
	dims  []byte // lengths, then lower bounds
	items int
	nulls []byte
	data  []byte // from the first value on
	at    int    // payload offset of data
}

// arrayHeader is the header that a payload lacks: offsets count from it.
const arrayHeader = 4

// open reads an array's head; what makes no sense is an array without items.
func open(v []byte) (a array) {
	if len(v) < 12 {
		return a
	}
	ndim, offset := int(le.Uint32(v)), int(le.Uint32(v[4:]))
	if ndim <= 0 || ndim > 6 || len(v) < 12+8*ndim {
		return a
	}
	a.ndim, a.dims, a.items = ndim, v[12:12+8*ndim], 1
	for i := range ndim {
		n := int(le.Uint32(a.dims[4*i:]))
		if a.items *= n; n > 1<<27 || a.items > 1<<27 {
			return array{}
		}
	}
	a.at = 12 + 8*ndim
	if offset != 0 {
		bitmap := (a.items + 7) / 8
		if offset -= arrayHeader; offset < a.at+bitmap || offset > len(v) {
			return array{}
		}
		a.nulls, a.at = v[a.at:a.at+bitmap], offset
	}
	a.data = v[a.at:]
	return a
}

// next returns item i; ok is false for NULL, and more is false when the bytes
// end before it. Items are read in order.
func (a *array) next(i int, t *arrays) (v []byte, ok, more bool) {
	if a.nulls != nil && a.nulls[i>>3]&(1<<(i&7)) == 0 {
		return nil, false, true
	}
	short := t.size == -1 && len(a.data) > 0 && a.data[0]&1 != 0 // needs no alignment
	if !short && t.align > 1 {
		pad := -(a.at + arrayHeader) & (t.align - 1)
		a.skip(pad)
	}
	n, head := t.size, 0
	switch {
	case t.size == -2:
		if n = bytes.IndexByte(a.data, 0) + 1; n == 0 {
			return nil, false, false
		}
	case short:
		n, head = int(a.data[0]>>1), 1
	case t.size == -1:
		if len(a.data) < 4 {
			return nil, false, false
		}
		n, head = int(le.Uint32(a.data)>>2), 4
	}
	if n < head || n > len(a.data) || n == 0 {
		return nil, false, false
	}
	v = a.data[head:n]
	a.skip(n)
	return v, true, true
}

func (a *array) skip(n int) {
	n = min(n, len(a.data))
	a.data, a.at = a.data[n:], a.at+n
}

func (t *arrays) compare(x, y []byte) int {
	a, b := open(x), open(y)
	for i := range min(a.items, b.items) {
		v, vOK, more := a.next(i, t)
		w, wOK, moreToo := b.next(i, t)
		switch {
		case !more || !moreToo:
			return bytes.Compare(x, y)
		case !vOK && !wOK:
		case !vOK:
			return 1
		case !wOK:
			return -1
		default:
			if c := t.inner.Compare(v, w); c != 0 {
				return c
			}
		}
	}
	c := cmp.Or(cmp.Compare(a.items, b.items), cmp.Compare(a.ndim, b.ndim))
	for i := 0; c == 0 && i < len(a.dims); i += 4 {
		c = cmp.Compare(int32(le.Uint32(a.dims[i:])), int32(le.Uint32(b.dims[i:])))
	}
	return c
}

func (t *arrays) key(dst, x []byte) []byte {
	a := open(x)
	dst = append(dst, byte(a.ndim))
	dst = append(dst, a.dims...)
	for i := range a.items {
		v, ok, more := a.next(i, t)
		if !more {
			return append(dst, x...)
		}
		if !ok {
			dst = append(dst, 0)
			continue
		}
		start := len(dst)
		dst = append(dst, 1, 0, 0, 0, 0)
		dst = t.inner.Key(dst, v)
		le.PutUint32(dst[start+1:], uint32(len(dst)-start-5))
	}
	return dst
}
