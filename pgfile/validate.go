package pgfile

import (
	"encoding/binary"
	"fmt"
)

// pageValidFlags are the bits that pd_flags may have.
const pageValidFlags = PageHasFreeLines | PageFull | PageAllVisible

// remedyPage is the advice of every error about a page's structure.
const remedyPage = "the page is damaged; restore it from a backup, or go on without it with --on-corruption skip"

// ValidatePage checks the header of a page of any kind, so that its accessors
// may be trusted. It accepts exactly what a server accepts when it reads a
// page: a page of zeros, or one with no unknown flag and
// lower ≤ upper ≤ special ≤ 8192 with special 8-aligned. (The page size and
// version in pd_pagesize_version are not looked at, nor is lower's minimum: a
// page with lower under 24 has no items.) The checksum is not checked here.
// Errors are *CorruptError with the offset of the field.
func ValidatePage(p Page) error {
	if len(p) != PageSize {
		return Corruptf(0, "page of %d bytes, want %d", len(p), PageSize)
	}
	if p.IsNew() {
		return validateNewPage(p)
	}
	lower, upper, special := p.Lower(), p.Upper(), p.Special()
	if p.Flags()&^pageValidFlags == 0 && lower <= upper && upper <= special && special <= PageSize && special&7 == 0 {
		return nil
	}
	return pageHeaderError(p)
}

// pageHeaderError says what is wrong in a header; apart from ValidatePage so
// that its good path is short.
func pageHeaderError(p Page) error {
	var e *CorruptError
	switch lower, upper, special := p.Lower(), p.Upper(), p.Special(); {
	case p.Flags()&^pageValidFlags != 0:
		e = Corruptf(10, "page flags 0x%04x have unknown bits", p.Flags())
	case lower > upper:
		e = Corruptf(12, "pd_lower %d is past pd_upper %d", lower, upper)
	case upper > special:
		e = Corruptf(14, "pd_upper %d is past pd_special %d", upper, special)
	case special > PageSize:
		e = Corruptf(16, "pd_special %d is past the page's end", special)
	default:
		e = Corruptf(16, "pd_special %d is not a multiple of 8", special)
	}
	e.Remedy = remedyPage
	return e
}

// validateNewPage accepts a page of zeros only: pd_upper 0 with anything else
// set is a torn or damaged page.
func validateNewPage(p Page) error {
	for off := 0; off < PageSize; off += 8 {
		if binary.LittleEndian.Uint64(p[off:]) == 0 {
			continue
		}
		for p[off] == 0 {
			off++
		}
		e := Corruptf(off, "pd_upper is 0 as on a new page, but the page is not all zeros")
		e.Remedy = remedyPage
		return e
	}
	return nil
}

// ValidateItems checks every line pointer of a heap page whose header
// ValidatePage accepted, and the header length of the tuples they point to.
// After it, p.Tuple(n) of each LP_NORMAL item n lies between upper and special
// and holds its whole header:
//
//	LP_NORMAL    upper ≤ off, off+len ≤ special, off 8-aligned,
//	             t_hoff 8-aligned and 24 ≤ t_hoff ≤ len
//	LP_REDIRECT  the target is an item of this page
//	LP_UNUSED, LP_DEAD   anything: such an item may keep its old storage
//
// bad is the first bad item, counted from 1 (0 when all are good, or when the
// error is about the page), so that a skipping reader can say what it lost.
// Null bitmaps are checked by Deform and ValidateHeapTuple, not here.
func ValidateItems(p Page) (bad int, err error) {
	return validateItems(p, true)
}

// ValidateLinePointers is ValidateItems without a look at the tuples: it reads
// only the line pointers' cache lines. LP_NORMAL items are within bounds after
// it, but their t_hoff is not checked.
func ValidateLinePointers(p Page) (bad int, err error) {
	return validateItems(p, false)
}

func validateItems(p Page, tuples bool) (int, error) {
	if len(p) != PageSize {
		return 0, Corruptf(0, "page of %d bytes, want %d", len(p), PageSize)
	}
	lower, upper, special := p.Lower(), p.Upper(), p.Special()
	n := p.NumItems()
	if n > MaxTuplesPerPage || lower > upper || special > PageSize {
		return 0, itemCountError(p)
	}
	q, items := (*[PageSize]byte)(p), p[PageHeaderSize:PageHeaderSize+4*n]
	if tuples && goodTuples(q, items, upper, special) || !tuples && goodItems(items, upper, special) {
		return 0, nil
	}
	for i := 1; i <= n; i++ {
		one := items[4*(i-1) : 4*i]
		if p.Item(i).State() == ItemRedirect {
			if target := p.Item(i).Off(); target < 1 || target > n {
				return i, itemError(p, i)
			}
		} else if tuples && !goodTuples(q, one, upper, special) || !tuples && !goodItems(one, upper, special) {
			return i, itemError(p, i)
		}
	}
	return 0, nil // not reached: a bad page has a first bad item
}

// goodTuples judges all items at once, without a branch for each condition: a
// condition that fails makes its difference negative, and the differences'
// signs are collected in neg, the low bits that must be 0 in low.
func goodTuples(q *[PageSize]byte, items []byte, upper, special int) bool {
	neg, low := 0, 0
	for pos := 0; pos <= len(items)-4; pos += 4 {
		id := ItemID(binary.LittleEndian.Uint32(items[pos : pos+4 : pos+4]))
		if id.State() == ItemNormal {
			off, l := id.Off(), id.Len()
			// Masking keeps the read inside the page without a bounds check;
			// for an offset within bounds it changes nothing.
			hoff := int(q[(off+22)&(PageSize-1)])
			neg |= (off - upper) | (special - off - l) | (hoff - 24) | (l - hoff)
			low |= off | hoff
		} else if id.State() == ItemRedirect {
			neg |= (id.Off() - 1) | (len(items)/4 - id.Off())
		}
	}
	return neg >= 0 && low&7 == 0
}

// goodItems is goodTuples without a look at the tuples.
func goodItems(items []byte, upper, special int) bool {
	neg, low := 0, 0
	for pos := 0; pos <= len(items)-4; pos += 4 {
		id := ItemID(binary.LittleEndian.Uint32(items[pos : pos+4 : pos+4]))
		if id.State() == ItemNormal {
			off, l := id.Off(), id.Len()
			neg |= (off - upper) | (special - off - l) | (l - 24)
			low |= off
		} else if id.State() == ItemRedirect {
			neg |= (id.Off() - 1) | (len(items)/4 - id.Off())
		}
	}
	return neg >= 0 && low&7 == 0
}

// itemCountError explains why a page's line pointers cannot be walked at all.
func itemCountError(p Page) error {
	e := Corruptf(12, "%d line pointers, at most %d fit a heap page", p.NumItems(), MaxTuplesPerPage)
	if p.NumItems() <= MaxTuplesPerPage {
		e = Corruptf(12, "pd_lower %d, pd_upper %d, pd_special %d are out of order", p.Lower(), p.Upper(), p.Special())
	}
	e.Remedy = remedyPage
	return e
}

// itemError explains why item n was refused.
func itemError(p Page, n int) error {
	id := p.Item(n)
	off, l := id.Off(), id.Len()
	e := Corruptf(PageHeaderSize+4*(n-1), "")
	switch {
	case id.State() == ItemRedirect:
		e.Reason = fmt.Sprintf("redirect to line pointer %d, the page has %d", off, p.NumItems())
	case off&7 != 0:
		e.Reason = fmt.Sprintf("tuple offset %d is not a multiple of 8", off)
	case off < p.Upper():
		e.Reason = fmt.Sprintf("tuple offset %d lies before pd_upper %d", off, p.Upper())
	case off+l > p.Special():
		e.Reason = fmt.Sprintf("tuple at %d of %d bytes ends past pd_special %d", off, l, p.Special())
	case l < 24:
		e.Reason = fmt.Sprintf("tuple of %d bytes is shorter than its header", l)
	default:
		e.Offset = off + 22
		e.Reason = fmt.Sprintf("tuple header length %d is impossible in a tuple of %d bytes", p[off+22], l)
	}
	e.Item = uint16(n)
	e.Remedy = remedyPage
	return e
}

// ValidateHeapTuple checks t_hoff against the null bitmap and the tuple's
// length, as Deform does. A header longer than needed is accepted: tables that
// once had OIDs, in versions before 12, keep tuples with room for one. Offsets
// in errors are in the tuple.
func ValidateHeapTuple(t HeapTuple) error {
	if len(t) < 24 {
		return Corruptf(0, "tuple of %d bytes is shorter than its header", len(t))
	}
	hoff := t.Hoff()
	if hoff < 24 || hoff > len(t) || hoff&7 != 0 {
		return Corruptf(22, "tuple header length %d is impossible in a tuple of %d bytes", hoff, len(t))
	}
	if t.HasNulls() && HeapTupleHeaderSize+(t.Natts()+7)/8 > hoff {
		return Corruptf(18, "null bitmap of %d attributes does not fit a tuple header of %d bytes", t.Natts(), hoff)
	}
	if t.Natts() > MaxTupleAttributes {
		return Corruptf(18, "tuple has %d attributes, at most %d are possible", t.Natts(), MaxTupleAttributes)
	}
	return nil
}
