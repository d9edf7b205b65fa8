package pgfile

import "encoding/binary"

// Bits of an index tuple's t_info, and of the offset number that nbtree uses
// for its own ends when indexAltTID is set.
const (
	indexSizeMask = 0x1fff
	indexAltTID   = 0x2000
	indexHasNulls = 0x8000

	btreeOffsetCount  = 0x0fff // of a posting list: TIDs; of a pivot: attributes
	btreePivotHeapTID = 0x1000
	btreeIsPosting    = 0x2000
)

// tidSize is the size of a stored TID.
const tidSize = 6

// IndexTuple is a parsed index tuple; the slices alias the page.
type IndexTuple struct {
	TID      TID    // heap TID of a plain leaf tuple, the first of a posting list; in an internal page its Block is the downlink
	Posting  []byte // 6 bytes a TID, ascending, for a posting list
	Pivot    bool   // of version 4: a high key or an item of an internal page
	Natts    int    // attributes present in a pivot tuple (those cut off are minus infinity); -1: all the index has
	PivotTID TID    // the heap TID that ends a pivot's key, Offset 0 when it was cut off
	Nulls    []byte // null bitmap of 4 bytes (bit set: not null), nil when there is none
	Data     []byte // key bytes, without posting list or heap TID
	Dead     bool   // the line pointer is LP_DEAD: a server found the row dead for everybody
}

// PostingTID returns TID i of a posting list, which must have more than i.
func (t IndexTuple) PostingTID(i int) TID { return ParseTID(t.Posting[tidSize*i:]) }

// NumTIDs is the number of heap TIDs of a leaf tuple: 1, or a posting list's.
func (t IndexTuple) NumTIDs() int {
	if t.Posting == nil {
		return 1
	}
	return len(t.Posting) / tidSize
}

// ParseIndexTuple parses the item at line pointer n of an nbtree page that
// ParseBTreePage accepted. Offsets in errors are in the page.
//
//	0        4        6       8              8 or 16
//	+--------+--------+-------+--------------+------------+-------------------------+
//	| block  | offset | info  | null bits 4  | key data   | posting list or heap TID|
//	+--------+--------+-------+--------------+------------+-------------------------+
//	                     └ size 13 bits, 0x2000 offset is nbtree's own, 0x8000 has nulls
//
// With info's 0x2000 set, offset's 0x2000 marks a posting list (its low 12 bits
// count TIDs, block is where the list starts); otherwise the tuple is a pivot
// (low 12 bits count attributes, 0x1000: a heap TID ends the key).
func ParseIndexTuple(p Page, n int) (IndexTuple, error) {
	if n < 1 || n > p.NumItems() {
		return IndexTuple{}, indexError(n, 12, "the page has %d line pointers", p.NumItems())
	}
	id := p.Item(n)
	off, l := id.Off(), id.Len()
	if s := id.State(); s != ItemNormal && s != ItemDead || l < 8 || off < p.Upper() || off+l > p.Special() {
		return IndexTuple{}, indexError(n, PageHeaderSize+4*(n-1), "%s line pointer to %d bytes at %d", ItemStateString(s), l, off)
	}
	b := p[off : off+l]
	info := binary.LittleEndian.Uint16(b[6:])
	size := int(info & indexSizeMask)
	start := 8
	if info&indexHasNulls != 0 {
		start = 16
	}
	if size < start || size > l {
		return IndexTuple{}, indexError(n, off+6, "index tuple claims %d bytes, its line pointer %d", size, l)
	}
	t := IndexTuple{TID: ParseTID(b), Natts: -1, Dead: id.State() == ItemDead}
	if start == 16 {
		t.Nulls = b[8:12]
	}
	end := size
	if info&indexAltTID != 0 {
		var err error
		if end, err = t.parseAlternative(b[:size], n, off, start); err != nil {
			return IndexTuple{}, err
		}
	}
	t.Data = b[start:end]
	return t, nil
}

// parseAlternative reads what nbtree keeps in the TID field of a posting list
// or a pivot, and returns where the key data end.
func (t *IndexTuple) parseAlternative(b []byte, n, off, start int) (end int, err error) {
	offset := t.TID.Offset
	count := int(offset & btreeOffsetCount)
	if offset&btreeIsPosting == 0 {
		t.Pivot, t.Natts = true, count
		if offset&btreePivotHeapTID == 0 {
			return len(b), nil
		}
		if len(b)-tidSize < start {
			return 0, indexError(n, off+4, "pivot tuple of %d bytes has no room for a heap TID", len(b))
		}
		t.PivotTID = ParseTID(b[len(b)-tidSize:])
		return len(b) - tidSize, nil
	}
	list := int64(t.TID.Block)
	if list < int64(start) || count == 0 || list+int64(count)*tidSize > int64(len(b)) {
		return 0, indexError(n, off, "posting list of %d TIDs at %d does not fit %d bytes", count, list, len(b))
	}
	end = int(list)
	t.Posting = b[end : end+count*tidSize]
	t.TID = t.PostingTID(0)
	return end, nil
}

func indexError(n, offset int, format string, args ...any) error {
	e := Corruptf(offset, format, args...)
	e.Item = uint16(min(max(n, 0), 0xffff))
	return e
}
