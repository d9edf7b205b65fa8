package pgfile

import "encoding/binary"

// Sizes of PostgreSQL's default build; a cluster of other sizes is refused by
// ParseControl's caller.
const (
	PageSize         = 8192   // BLCKSZ
	PageHeaderSize   = 24     // SizeOfPageHeaderData
	BlocksPerSegment = 131072 // RELSEG_SIZE: 1 GB
	MaxTuplesPerPage = 291    // MaxHeapTuplesPerPage
)

// Flags of pd_flags.
const (
	PageHasFreeLines = 0x0001
	PageFull         = 0x0002
	PageAllVisible   = 0x0004
)

// Page is one 8192-byte page, aliasing the buffer it was read into.
// Its accessors do not validate: call ValidatePage first.
type Page []byte

// LSN is pd_lsn.
func (p Page) LSN() uint64 {
	return uint64(binary.LittleEndian.Uint32(p))<<32 | uint64(binary.LittleEndian.Uint32(p[4:]))
}

// Checksum is pd_checksum, 0 when the page has none.
func (p Page) Checksum() uint16 { return binary.LittleEndian.Uint16(p[8:]) }

// Flags is pd_flags.
func (p Page) Flags() uint16 { return binary.LittleEndian.Uint16(p[10:]) }

// Lower is pd_lower: the end of the line pointers.
func (p Page) Lower() int { return int(binary.LittleEndian.Uint16(p[12:])) }

// Upper is pd_upper: the start of tuple space; 0 on a new page.
func (p Page) Upper() int { return int(binary.LittleEndian.Uint16(p[14:])) }

// Special is pd_special: the start of the access method's own space.
func (p Page) Special() int { return int(binary.LittleEndian.Uint16(p[16:])) }

// SizeVersion is pd_pagesize_version (8192|4 on every supported version).
func (p Page) SizeVersion() uint16 { return binary.LittleEndian.Uint16(p[18:]) }

// PruneXID is pd_prune_xid.
func (p Page) PruneXID() uint32 { return binary.LittleEndian.Uint32(p[20:]) }

// IsNew says that the page was never initialised (pd_upper is 0).
func (p Page) IsNew() bool { return p.Upper() == 0 }

// AllVisible says that PD_ALL_VISIBLE is set.
func (p Page) AllVisible() bool { return p.Flags()&PageAllVisible != 0 }

// NumItems is the number of line pointers; 0 on a new page.
func (p Page) NumItems() int {
	if n := (p.Lower() - PageHeaderSize) / 4; n > 0 {
		return n
	}
	return 0
}

// Item returns line pointer n, counted from 1 as PostgreSQL does.
func (p Page) Item(n int) ItemID {
	return ItemID(binary.LittleEndian.Uint32(p[PageHeaderSize+4*(n-1):]))
}

// Tuple returns the bytes of item n, aliasing the page. The item must be one
// that ValidateItems accepted as LP_NORMAL.
func (p Page) Tuple(n int) HeapTuple {
	id := p.Item(n)
	return HeapTuple(p[id.Off() : id.Off()+id.Len()])
}
