package pgfile

import "encoding/binary"

// Figures of an nbtree.
const (
	btreeMagic       = 0x053162
	btreeSpecialSize = 16
	btreeMinVersion  = 2
	btreeMaxVersion  = 4

	BTreeNone = 0 // P_NONE: no sibling, no root
)

// BTreeMeta is the metapage of an nbtree.
type BTreeMeta struct {
	Version, Root, Level, FastRoot, FastLevel uint32 // Root 0: the index is empty
	AllEqualImage                             bool   // equal keys are equal bytes (deduplication is safe)
}

// ParseBTreeMeta parses block 0 of an nbtree.
//
//	24      28        32     36      40         44          …  56               64
//	+-------+---------+------+-------+----------+-----------+--+----------------+---------------+
//	| magic | version | root | level | fastroot | fastlevel |  | heap tuples f8 | all-equal u1  |
//	+-------+---------+------+-------+----------+-----------+--+----------------+---------------+
func ParseBTreeMeta(p Page) (BTreeMeta, error) {
	bp, err := ParseBTreePage(p)
	if err != nil {
		return BTreeMeta{}, err
	}
	u32 := func(off int) uint32 { return binary.LittleEndian.Uint32(p[off:]) }
	if bp.Flags&BTreeMetaPage == 0 || u32(24) != btreeMagic {
		return BTreeMeta{}, Corruptf(24, "block 0 is not the metapage of a btree")
	}
	m := BTreeMeta{
		Version: u32(28), Root: u32(32), Level: u32(36), FastRoot: u32(40), FastLevel: u32(44),
		AllEqualImage: p[64] != 0,
	}
	if m.Version < btreeMinVersion || m.Version > btreeMaxVersion {
		return BTreeMeta{}, Corruptf(28, "btree of version %d, want %d to %d", m.Version, btreeMinVersion, btreeMaxVersion)
	}
	if m.Version < 4 {
		m.AllEqualImage = false
	}
	return m, nil
}

// BTreePage is the special space of an nbtree page.
type BTreePage struct {
	Prev, Next uint32
	Level      uint32 // 0 on leaves; on a deleted page of version 13 an xid
	Flags      uint16
	CycleID    uint16
}

// Flags of an nbtree page.
const (
	BTreeLeaf            = 0x0001
	BTreeRoot            = 0x0002
	BTreeDeleted         = 0x0004
	BTreeMetaPage        = 0x0008
	BTreeHalfDead        = 0x0010
	BTreeSplitEnd        = 0x0020
	BTreeHasGarbage      = 0x0040
	BTreeIncompleteSplit = 0x0080
	BTreeHasFullXID      = 0x0100
)

// IsLeaf says that the page's items point to the heap.
func (b BTreePage) IsLeaf() bool { return b.Flags&BTreeLeaf != 0 }

// Ignore says that a scan must pass the page over: it is deleted or half dead.
func (b BTreePage) Ignore() bool { return b.Flags&(BTreeDeleted|BTreeHalfDead) != 0 }

// Rightmost says that the page has no right sibling, hence no high key; on
// other pages item 1 is the high key and data start at item 2.
func (b BTreePage) Rightmost() bool { return b.Next == BTreeNone }

// FirstDataItem is the line pointer number of the first item after the high key.
func (b BTreePage) FirstDataItem() int {
	if b.Rightmost() {
		return 1
	}
	return 2
}

// ParseBTreePage validates the page and parses its special space; an
// all-zero page is corrupt here, as it is for the server.
//
//	8176   8180   8184    8188    8190      8192
//	+------+------+-------+-------+---------+
//	| prev | next | level | flags | cycleid |
//	+------+------+-------+-------+---------+
func ParseBTreePage(p Page) (BTreePage, error) {
	if err := ValidatePage(p); err != nil {
		return BTreePage{}, err
	}
	if p.IsNew() {
		return BTreePage{}, Corruptf(14, "page of zeros in a btree")
	}
	if p.Special() != PageSize-btreeSpecialSize {
		return BTreePage{}, Corruptf(16, "special space of %d bytes is not a btree's", PageSize-p.Special())
	}
	s := p[PageSize-btreeSpecialSize:]
	return BTreePage{
		Prev:    binary.LittleEndian.Uint32(s),
		Next:    binary.LittleEndian.Uint32(s[4:]),
		Level:   binary.LittleEndian.Uint32(s[8:]),
		Flags:   binary.LittleEndian.Uint16(s[12:]),
		CycleID: binary.LittleEndian.Uint16(s[14:]),
	}, nil
}
