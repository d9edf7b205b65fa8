package pgfile

import "encoding/binary"

// SequenceMagic marks a sequence's page.
const SequenceMagic = 0x1717

// Sequence is the state of a sequence.
type Sequence struct {
	LastValue int64
	LogCnt    int64 // values that WAL already covers
	IsCalled  bool
}

// ParseSequence parses block 0 of a sequence: one tuple, and the magic number
// in the special space.
//
//	tuple data  0             8           16          17
//	            +-------------+-----------+-----------+
//	            | last_value  | log_cnt   | is_called |
//	            +-------------+-----------+-----------+
func ParseSequence(p Page) (Sequence, error) {
	if err := ValidatePage(p); err != nil {
		return Sequence{}, err
	}
	special := p.Special()
	if p.IsNew() || special > PageSize-4 || binary.LittleEndian.Uint32(p[special:]) != SequenceMagic {
		return Sequence{}, Corruptf(16, "the page's special space does not mark a sequence")
	}
	if _, err := ValidateItems(p); err != nil {
		return Sequence{}, err
	}
	if p.NumItems() < 1 || p.Item(1).State() != ItemNormal {
		return Sequence{}, Corruptf(PageHeaderSize, "sequence without a row")
	}
	t := p.Tuple(1)
	d := t.Data()
	if t.HasNulls() || len(d) < 17 {
		return Sequence{}, Corruptf(p.Item(1).Off(), "sequence's row of %d data bytes, want 17 and no nulls", len(d))
	}
	return Sequence{
		LastValue: int64(binary.LittleEndian.Uint64(d)),
		LogCnt:    int64(binary.LittleEndian.Uint64(d[8:])),
		IsCalled:  d[16] != 0,
	}, nil
}
