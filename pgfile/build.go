package pgfile

import (
	"encoding/binary"
	"fmt"
)

// Writers of heap pages: what heap_form_tuple and PageAddItem of a server make,
// byte for byte.
//
//	f, err := NewTupleFormer(attrs, storage)
//	InitPage(page)
//	tuple, err := f.Form(buf, values, header)   one row
//	item, ok := page.AddTuple(tuple, block)     until it no longer fits
//	page.SetChecksum(block)

// MaxHeapTupleSize is the most bytes a stored tuple has, header included.
const MaxHeapTupleSize = PageSize - (PageHeaderSize+itemIDSize+maxAlignment-1)&^(maxAlignment-1)

const (
	itemIDSize        = 4
	pageLayoutVersion = 4
	shortVarlenaMax   = 0x7f // bytes, the header included
	maxAlignment      = 8
)

// maxAlignUp is MAXALIGN.
func maxAlignUp(n int) int { return (n + maxAlignment - 1) &^ (maxAlignment - 1) }

// InitPage makes p, of PageSize bytes, an empty heap page.
func InitPage(p Page) {
	clear(p)
	binary.LittleEndian.PutUint16(p[12:], PageHeaderSize)
	binary.LittleEndian.PutUint16(p[14:], PageSize)
	binary.LittleEndian.PutUint16(p[16:], PageSize)
	binary.LittleEndian.PutUint16(p[18:], PageSize|pageLayoutVersion)
}

// Room is the bytes that a further tuple may have: what PageGetHeapFreeSpace
// says. It is 0 when the page has as many line pointers as it may.
func (p Page) Room() int {
	free := p.Upper() - p.Lower() - itemIDSize
	if free < 0 || p.NumItems() >= MaxTuplesPerPage {
		return 0
	}
	return free
}

// AddTuple puts a tuple on the page as its next line pointer, and block and
// that number into the tuple's t_ctid. ok is false, and nothing done, when it
// does not fit. p must be a page that InitPage made, or ValidatePage accepted.
func (p Page) AddTuple(t HeapTuple, block uint32) (item uint16, ok bool) {
	lower, upper := p.Lower(), p.Upper()
	size := maxAlignUp(len(t))
	n := p.NumItems() + 1
	if lower+itemIDSize > upper-size || n > MaxTuplesPerPage {
		return 0, false
	}
	upper -= size
	copy(p[upper:], t)
	PutTID(p[upper+12:], TID{Block: block, Offset: uint16(n)})
	binary.LittleEndian.PutUint32(p[lower:], uint32(MakeItemID(upper, ItemNormal, len(t))))
	binary.LittleEndian.PutUint16(p[12:], uint16(lower+itemIDSize))
	binary.LittleEndian.PutUint16(p[14:], uint16(upper))
	return uint16(n), true
}

// MakeItemID is the line pointer of a tuple.
func MakeItemID(off, state, length int) ItemID {
	return ItemID(uint32(off)&0x7fff | uint32(state&3)<<15 | uint32(length)<<17)
}

// PutTID writes the six bytes of a tid.
func PutTID(b []byte, t TID) {
	_ = b[5]
	binary.LittleEndian.PutUint16(b, uint16(t.Block>>16))
	binary.LittleEndian.PutUint16(b[2:], uint16(t.Block))
	binary.LittleEndian.PutUint16(b[4:], t.Offset)
}

// SetFlags sets pd_flags.
func (p Page) SetFlags(flags uint16) { binary.LittleEndian.PutUint16(p[10:], flags) }

// SetChecksum computes and sets pd_checksum of the page at a block.
func (p Page) SetChecksum(block uint32) {
	binary.LittleEndian.PutUint16(p[8:], PageChecksum(p, block))
}

// SetVMBits sets the bits of a heap block in the page of the map that
// VMLocation names.
func SetVMBits(p Page, heapBlock uint32, bits VMBits) {
	_, off, shift := VMLocation(heapBlock)
	p[off] = p[off]&^(3<<shift) | byte(bits)<<shift
}

// TupleHeader is what a new tuple's header says of transactions.
type TupleHeader struct {
	Xmin     uint32
	CID      uint32
	Infomask uint16 // HeapXmaxInvalid, perhaps HeapXminFrozen; the rest is Form's
}

// TupleFormer makes tuples of a row type; safe for concurrent use.
type TupleFormer struct {
	attrs               []formAttr
	nullHoff, plainHoff int // t_hoff with and without a null bitmap
}

type formAttr struct {
	len   int
	mask  int
	short bool // a varlena may have a short header
}

// NewTupleFormer makes a former. attrs are the row type; storage says whether
// each one's varlena may have a short header (attstorage is not 'p').
func NewTupleFormer(attrs []Attr, storage []byte) (*TupleFormer, error) {
	if len(attrs) > MaxTupleAttributes {
		return nil, fmt.Errorf("row type of %d attributes, at most %d are possible", len(attrs), MaxTupleAttributes)
	}
	f := &TupleFormer{plainHoff: maxAlignUp(HeapTupleHeaderSize), nullHoff: maxAlignUp(HeapTupleHeaderSize + (len(attrs)+7)/8)}
	for i, a := range attrs {
		mask, ok := alignMask(a.Align)
		if !ok || a.Len == 0 || a.Len < -2 {
			return nil, fmt.Errorf("attribute %d has length %d and alignment %q: %w", i, a.Len, a.Align, ErrUnsupported)
		}
		f.attrs = append(f.attrs, formAttr{len: int(a.Len), mask: int(mask), short: a.Len == -1 && storage[i] != 'p'})
	}
	return f, nil
}

// Form appends a tuple to dst, whose length must be a multiple of 8, and
// returns it. values holds a payload for each attribute, nil for NULL: exactly
// its length of a fixed-width one, what follows the header of a varlena,
// what comes before the NUL of a cstring. An error is a payload of another
// length; dst is then as it was.
func (f *TupleFormer) Form(dst []byte, values []Datum, h TupleHeader) ([]byte, error) {
	start := len(dst)
	if len(values) != len(f.attrs) {
		return dst, fmt.Errorf("a row of %d values for %d attributes", len(values), len(f.attrs))
	}
	hoff, mask := f.plainHoff, h.Infomask
	for _, v := range values {
		if v == nil {
			hoff = f.nullHoff
			mask |= HeapHasNull
			break
		}
	}
	if hoff > 255 {
		return dst, fmt.Errorf("a row of %d attributes with nulls has no room for its header: %w", len(values), ErrUnsupported)
	}
	dst = appendZeros(dst, hoff)
	head := dst[start:]
	for i, v := range values {
		if v == nil {
			continue
		}
		a := &f.attrs[i]
		if mask&HeapHasNull != 0 {
			head[HeapTupleHeaderSize+i/8] |= 1 << (i % 8)
		}
		if a.len < 0 {
			mask |= HeapHasVarWidth
		}
		var ok bool
		if dst, ok = a.append(dst, start+hoff, v); !ok {
			return dst[:start], fmt.Errorf("attribute %d: a payload of %d bytes does not fit", i+1, len(v))
		}
		head = dst[start:]
	}
	binary.LittleEndian.PutUint32(head, h.Xmin)
	binary.LittleEndian.PutUint32(head[8:], h.CID)
	binary.LittleEndian.PutUint16(head[18:], uint16(len(values)))
	binary.LittleEndian.PutUint16(head[20:], mask)
	head[22] = byte(hoff)
	return dst, nil
}

// append appends one value to the tuple whose data start at base of dst.
func (a *formAttr) append(dst []byte, base int, v Datum) ([]byte, bool) {
	align := func() {
		if off := len(dst) - base; off&a.mask != 0 {
			dst = appendZeros(dst, (off+a.mask)&^a.mask-off)
		}
	}
	switch {
	case a.len > 0:
		align()
		return append(dst, v...), len(v) == a.len
	case a.len == -2:
		return append(append(dst, v...), 0), true
	case a.short && len(v)+1 <= shortVarlenaMax:
		dst = append(dst, byte(len(v)+1)<<1|1)
		return append(dst, v...), true
	case len(v)+4 > varlenaSizeMask:
		return dst, false
	}
	align()
	dst = binary.LittleEndian.AppendUint32(dst, uint32(len(v)+4)<<2)
	return append(dst, v...), true
}

// appendZeros appends n zero bytes.
func appendZeros(dst []byte, n int) []byte {
	var zeros [256]byte
	for n > len(zeros) {
		dst = append(dst, zeros[:]...)
		n -= len(zeros)
	}
	return append(dst, zeros[:n]...)
}
