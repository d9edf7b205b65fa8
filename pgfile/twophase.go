package pgfile

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
)

// twoPhaseMagic opens a state file of any supported version.
const twoPhaseMagic = 0x57f94534

// TwoPhase is a prepared transaction's state file.
type TwoPhase struct {
	XID      uint32
	Database uint32
	GID      string
	Children []uint32 // committed subtransactions: in progress as the transaction is
	Owner    uint32   // role that prepared it
	Prepared int64    // microseconds since 2000-01-01 UTC
}

// TwoPhaseFileName is the name of a prepared transaction's file in
// pg_twophase: 8 hexadecimal digits of the xid to version 16, 16 of the full
// xid from 17 on.
func TwoPhaseFileName(fullXID uint64, major int) string {
	if major >= 17 {
		return fmt.Sprintf("%016X", fullXID)
	}
	return fmt.Sprintf("%08X", uint32(fullXID))
}

// ParseTwoPhase parses a file of pg_twophase of the given major version and
// checks its CRC. b must be the whole file. Each part starts 8-aligned:
//
//	0      4       8     12        16           24      28            32
//	+------+-------+-----+---------+------------+-------+-------------+------------------
//	| magic| length| xid | database| prepared i8| owner | children i4 | numbers of the rest
//	+------+-------+-----+---------+------------+-------+-------------+------------------
//	… | gid length u2 @46 (13, 14), @54 (15 on) | origin LSN, time | header ends @64, @72
//	gid with its NUL | children × u4 | relations, statistics, invalidations, records | crc u4
func ParseTwoPhase(b []byte, major int) (*TwoPhase, error) {
	gidLenOff, headerSize := 54, 72
	switch {
	case major < 13 || major > 18:
		return nil, fmt.Errorf("prepared transaction of PostgreSQL %d: %w", major, ErrUnsupported)
	case major <= 14:
		gidLenOff, headerSize = 46, 64
	}
	if len(b) < headerSize+4 {
		return nil, Corruptf(0, "prepared transaction's file of %d bytes is shorter than its header", len(b))
	}
	u32 := func(off int) uint32 { return binary.LittleEndian.Uint32(b[off:]) }
	if u32(0) != twoPhaseMagic {
		return nil, Corruptf(0, "prepared transaction's file begins with 0x%x, want 0x%x", u32(0), twoPhaseMagic)
	}
	if int64(u32(4)) != int64(len(b)) {
		return nil, Corruptf(4, "prepared transaction's file claims %d bytes and has %d", u32(4), len(b))
	}
	crcOff := len(b) - 4
	if got, want := crc32.Checksum(b[:crcOff], crc32c), u32(crcOff); got != want {
		return nil, Corruptf(crcOff, "prepared transaction's checksum is 0x%08x, its bytes give 0x%08x", want, got)
	}
	t := &TwoPhase{
		XID: u32(8), Database: u32(12), Owner: u32(24),
		Prepared: int64(binary.LittleEndian.Uint64(b[16:])),
	}
	gidLen := int(binary.LittleEndian.Uint16(b[gidLenOff:]))
	children := int64(u32(28))
	pos := headerSize
	if gidLen == 0 || pos+gidLen > crcOff || b[pos+gidLen-1] != 0 {
		return nil, Corruptf(gidLenOff, "prepared transaction's name of %d bytes does not fit", gidLen)
	}
	t.GID = string(b[pos : pos+gidLen-1])
	pos = (pos + gidLen + 7) &^ 7
	if int64(pos)+4*children > int64(crcOff) {
		return nil, Corruptf(28, "prepared transaction's %d children do not fit", children)
	}
	for i := range int(children) {
		t.Children = append(t.Children, u32(pos+4*i))
	}
	return t, nil
}
