package pgfile

import (
	"encoding/binary"
	"fmt"
)

// Bits of t_infomask.
const (
	HeapHasNull       = 0x0001
	HeapHasVarWidth   = 0x0002
	HeapHasExternal   = 0x0004
	HeapHasOIDOld     = 0x0008
	HeapXmaxKeyShr    = 0x0010
	HeapComboCID      = 0x0020
	HeapXmaxExcl      = 0x0040
	HeapXmaxLockOnly  = 0x0080
	HeapXminCommitted = 0x0100
	HeapXminInvalid   = 0x0200
	HeapXminFrozen    = 0x0300
	HeapXmaxCommitted = 0x0400
	HeapXmaxInvalid   = 0x0800
	HeapXmaxIsMulti   = 0x1000
	HeapUpdated       = 0x2000
	HeapMovedOff      = 0x4000
	HeapMovedIn       = 0x8000
)

// Bits of t_infomask2.
const (
	HeapNattsMask   = 0x07ff
	HeapKeysUpdated = 0x2000
	HeapHotUpdated  = 0x4000
	HeapOnly        = 0x8000
)

// HeapTupleHeaderSize is SizeofHeapTupleHeader: the null bitmap starts here.
const HeapTupleHeaderSize = 23

// MaxTupleAttributes is MaxTupleAttributeNumber: the most attributes of a stored
// row, dropped ones included.
const MaxTupleAttributes = 1664

// TID is the physical place of a tuple: block and line pointer number.
type TID struct {
	Block  uint32
	Offset uint16
}

// String prints the TID as the type tid does: (block,offset).
func (t TID) String() string { return fmt.Sprintf("(%d,%d)", t.Block, t.Offset) }

// HeapTuple is a heap tuple with its header, aliasing its page. Accessors do
// not validate: a tuple from a validated page has at least 23 bytes, and
// ValidateHeapTuple checks the rest.
//
//	0      4      8       12        18    20    22   23
//	+------+------+-------+---------+-----+-----+----+-----------+-----+------
//	| xmin | xmax | field3| ctid(6) | im2 | im  |hoff| null bits | pad | data
//	+------+------+-------+---------+-----+-----+----+-----------+-----+------
type HeapTuple []byte

// Xmin is the inserting transaction, frozen or not.
func (t HeapTuple) Xmin() uint32 { return binary.LittleEndian.Uint32(t) }

// Xmax is the deleting or locking transaction, or multixact.
func (t HeapTuple) Xmax() uint32 { return binary.LittleEndian.Uint32(t[4:]) }

// Field3 is t_cid, or t_xvac of a tuple moved by an ancient VACUUM FULL.
func (t HeapTuple) Field3() uint32 { return binary.LittleEndian.Uint32(t[8:]) }

// CTID is the tuple's own place, or its next version's.
func (t HeapTuple) CTID() TID {
	return ParseTID(t[12:18])
}

// Infomask2 is t_infomask2.
func (t HeapTuple) Infomask2() uint16 { return binary.LittleEndian.Uint16(t[18:]) }

// Infomask is t_infomask.
func (t HeapTuple) Infomask() uint16 { return binary.LittleEndian.Uint16(t[20:]) }

// Natts is the number of attributes stored.
func (t HeapTuple) Natts() int { return int(t.Infomask2() & HeapNattsMask) }

// Hoff is t_hoff: where the data start.
func (t HeapTuple) Hoff() int { return int(t[22]) }

// HasNulls says that a null bitmap follows the header.
func (t HeapTuple) HasNulls() bool { return t.Infomask()&HeapHasNull != 0 }

// NullBitmap is the null bitmap (bit set: not null), nil when the tuple has
// none. It aliases the tuple, which ValidateHeapTuple must have accepted.
func (t HeapTuple) NullBitmap() []byte {
	if !t.HasNulls() {
		return nil
	}
	return t[HeapTupleHeaderSize : HeapTupleHeaderSize+(t.Natts()+7)/8]
}

// Data is what follows the header, aliasing the tuple.
func (t HeapTuple) Data() []byte { return t[t.Hoff():] }

// ParseTID reads the 6 bytes of a tid: the block's high half, its low half,
// the offset number. b must have 6 bytes.
func ParseTID(b []byte) TID {
	_ = b[5]
	return TID{
		Block:  uint32(binary.LittleEndian.Uint16(b))<<16 | uint32(binary.LittleEndian.Uint16(b[2:])),
		Offset: binary.LittleEndian.Uint16(b[4:]),
	}
}
