package pgfile

import (
	"fmt"
	"math/bits"
)

// Attr is what deforming needs to know about one attribute of a row type.
type Attr struct {
	Len     int16 // attlen: >0 fixed, -1 varlena, -2 cstring
	Align   byte  // attalign: c s i d
	ByVal   bool
	Dropped bool   // still stored: a dropped column keeps its length and alignment
	Missing []byte // attmissingval's element as it would be stored (varlena with its header), nil: NULL
}

// Datum is one attribute as stored: nil is NULL; fixed width: exactly attlen
// bytes; varlena: with its header (short, plain, compressed or an external
// pointer), exactly its size; cstring: without the NUL. It aliases the tuple
// (or the plan, for missing values).
type Datum []byte

// deformStep is one attribute on the way to the last wanted one.
type deformStep struct {
	len  int16
	mask uint8 // alignment - 1
	slot int32 // where in dst it goes, -1 when it is only passed
	off  int32 // cached start, for the attributes of the fixed prefix
}

// directStep is a wanted attribute of the fixed prefix.
type directStep struct{ attr, slot, off, end int32 }

// slotPair copies dst[from] to dst[to], or names a missing value's slot.
type slotPair struct{ from, to int32 }

// DeformPlan knows how to find some attributes of a row type; safe for
// concurrent use, and immutable.
//
// The row's attributes fall in two parts:
//
//	attribute  0     1     2     3     4     5
//	           int4  int8  bool  text  int4  text
//	           0     8     16    ?     ?     ?
//	           └── fixed prefix ─┘└──── walked ────┘
//
// Offsets in the fixed prefix are known when planning, and hold up to the
// tuple's first null. Wanted attributes there are cut out directly; from where
// the known offsets end, attributes are walked one by one.
type DeformPlan struct {
	total   int          // attributes of the row type
	steps   []deformStep // attributes 0 to the last wanted
	fixed   int          // steps[:fixed] have a cached off
	ends    []int32      // ends[i] is where attribute i of the fixed prefix ends
	direct  []directStep // wanted attributes of the fixed prefix, ascending
	repeats []slotPair
	missing []Datum // by attribute, nil when no attribute has one
	width   int     // length of dst

	simple    bool // all steps are in the fixed prefix and none is wanted twice
	simpleEnd int  // where the last of them ends
}

// NewDeformPlan plans to find the wanted attributes (indexes into attrs,
// ascending or not, repeated or not). The steps stop at the last wanted one.
// attrs and their Missing values are kept by reference and must not change.
func NewDeformPlan(attrs []Attr, wanted []int) (*DeformPlan, error) {
	if len(attrs) > MaxTupleAttributes {
		return nil, fmt.Errorf("row type of %d attributes, at most %d are possible", len(attrs), MaxTupleAttributes)
	}
	p := &DeformPlan{total: len(attrs), width: len(wanted)}
	last := -1
	for _, w := range wanted {
		if w < 0 || w >= len(attrs) {
			return nil, fmt.Errorf("attribute %d of a row type of %d is wanted", w, len(attrs))
		}
		last = max(last, w)
	}
	p.steps = make([]deformStep, last+1)
	for i := range p.steps {
		mask, ok := alignMask(attrs[i].Align)
		if l := attrs[i].Len; !ok || l == 0 || l < -2 {
			return nil, fmt.Errorf("attribute %d has length %d and alignment %q: %w", i, l, attrs[i].Align, ErrUnsupported)
		}
		p.steps[i] = deformStep{len: attrs[i].Len, mask: mask, slot: -1}
		if attrs[i].Missing != nil && p.missing == nil {
			p.missing = make([]Datum, last+1)
		}
		if p.missing != nil {
			p.missing[i] = attrs[i].Missing
		}
	}
	for slot, w := range wanted {
		if s := &p.steps[w]; s.slot < 0 {
			s.slot = int32(slot)
		} else {
			p.repeats = append(p.repeats, slotPair{from: s.slot, to: int32(slot)})
		}
	}
	p.cacheOffsets()
	if p.simple = p.fixed == len(p.steps) && p.fixed > 0 && p.repeats == nil; p.simple {
		p.simpleEnd = int(p.ends[p.fixed-1])
	}
	return p, nil
}

// alignMask is attalign's alignment less one.
func alignMask(align byte) (uint8, bool) {
	switch align {
	case 'c':
		return 0, true
	case 's':
		return 1, true
	case 'i':
		return 3, true
	case 'd':
		return 7, true
	}
	return 0, false
}

// cacheOffsets fills in the fixed prefix.
func (p *DeformPlan) cacheOffsets() {
	off := 0
	for i := range p.steps {
		s := &p.steps[i]
		if s.len < 0 {
			break
		}
		off = (off + int(s.mask)) &^ int(s.mask)
		s.off = int32(off)
		off += int(s.len)
		p.ends = append(p.ends, int32(off))
		if s.slot >= 0 {
			p.direct = append(p.direct, directStep{attr: int32(i), slot: s.slot, off: s.off, end: int32(off)})
		}
		p.fixed++
	}
}

// Width is the number of wanted attributes: the length that dst must have.
func (p *DeformPlan) Width() int { return p.width }

// FixedOffset says where attribute attr of the row type (not of the wanted
// list) starts in the tuple's data and how wide it is. It holds in tuples that
// store the attribute and have no null before it. ok is false when a
// variable-width attribute comes first, or when attr is past the last wanted
// attribute.
func (p *DeformPlan) FixedOffset(attr int) (off, width int, ok bool) {
	if attr < 0 || attr >= p.fixed {
		return 0, 0, false
	}
	return int(p.steps[attr].off), int(p.steps[attr].len), true
}

// Deform sets dst[i] to wanted attribute i. It never reads outside t, which
// need not have been validated. Errors are *CorruptError with the offset in the
// tuple; dst is then undefined. An attribute past the tuple's own count gets
// the catalog's missing value, or NULL. len(dst) must be at least Width.
func (p *DeformPlan) Deform(t HeapTuple, dst []Datum) error {
	if len(t) < 24 {
		return Corruptf(0, "tuple of %d bytes is shorter than its header", len(t))
	}
	natts, hoff := t.Natts(), t.Hoff()
	if hoff < 24 || hoff > len(t) || hoff&7 != 0 {
		return ValidateHeapTuple(t)
	}
	if p.simple && natts >= len(p.steps) && natts <= p.total && !t.HasNulls() {
		// Every wanted attribute lies at a known offset.
		if data := t[hoff:]; p.simpleEnd <= len(data) {
			for i := range p.direct {
				d := &p.direct[i]
				dst[d.slot] = Datum(data[d.off:d.end])
			}
			return nil
		}
	}
	var nulls []byte
	if t.HasNulls() {
		end := HeapTupleHeaderSize + (natts+7)/8
		if end > hoff {
			return ValidateHeapTuple(t)
		}
		nulls = t[HeapTupleHeaderSize:end]
	}
	return p.deform(natts, nulls, t[hoff:], dst, hoff)
}

// Simple says that every wanted attribute has a FixedOffset: DataStart then
// saves Deform for most tuples.
func (p *DeformPlan) Simple() bool { return p.simple }

// DataStart returns where the data of t begin when every wanted attribute is
// stored at its FixedOffset from there, which it checks; 0 when the tuple needs
// Deform. Only for plans that are Simple.
func (p *DeformPlan) DataStart(t HeapTuple) int {
	if len(t) < 24 {
		return 0
	}
	natts, hoff := t.Natts(), t.Hoff()
	if hoff < 24 || hoff&7 != 0 || hoff+p.simpleEnd > len(t) || natts < len(p.steps) || natts > p.total || t.HasNulls() {
		return 0
	}
	return hoff
}

// DeformData is Deform over loose parts (index tuples, composite values):
// natts stored attributes, null bitmap (nil: none; bit set: not null), data
// bytes starting aligned. Offsets in errors are in data.
func (p *DeformPlan) DeformData(natts int, nulls, data []byte, dst []Datum) error {
	if natts < 0 || nulls != nil && len(nulls) < (natts+7)/8 {
		return Corruptf(0, "null bitmap of %d bytes is too short for %d attributes", len(nulls), natts)
	}
	if data == nil {
		data = []byte{}
	}
	return p.deform(natts, nulls, data, dst, 0)
}

// deform does the work of both; base is added to offsets in errors.
func (p *DeformPlan) deform(natts int, nulls, data []byte, dst []Datum, base int) error {
	if natts > p.total {
		return Corruptf(-1, "tuple has %d attributes, its table only %d", natts, p.total)
	}
	dst = dst[:p.width]
	stored := min(natts, len(p.steps))
	known := min(stored, p.fixed)
	if nulls != nil && known > 0 {
		known = min(known, leadingOnes(nulls))
	}
	start := 0
	if known > 0 {
		if start = int(p.ends[known-1]); start > len(data) {
			return Corruptf(base, "tuple of %d data bytes is too short for its first %d attributes", len(data), known)
		}
		for i := range p.direct {
			d := &p.direct[i]
			if int(d.attr) >= known {
				break
			}
			dst[d.slot] = Datum(data[d.off:d.end])
		}
	}
	if known < stored {
		var err error
		if nulls == nil {
			err = p.walk(known, stored, start, data, dst, base)
		} else {
			err = p.walkNulls(known, stored, start, nulls, data, dst, base)
		}
		if err != nil {
			return err
		}
	}
	if stored < len(p.steps) {
		p.fillMissing(stored, dst)
	}
	for _, r := range p.repeats {
		dst[r.to] = dst[r.from]
	}
	return nil
}

// leadingOnes counts the attributes before the first null.
func leadingOnes(nulls []byte) int {
	n := 0
	for _, b := range nulls {
		if b != 0xff {
			return n + bits.TrailingZeros8(^b)
		}
		n += 8
	}
	return n
}

// fillMissing gives the attributes that the tuple does not store their value.
func (p *DeformPlan) fillMissing(from int, dst []Datum) {
	for i := from; i < len(p.steps); i++ {
		slot := p.steps[i].slot
		switch {
		case slot < 0:
		case p.missing != nil:
			dst[slot] = p.missing[i]
		default:
			dst[slot] = nil
		}
	}
}
