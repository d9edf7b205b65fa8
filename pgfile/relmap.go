package pgfile

import (
	"encoding/binary"
	"hash/crc32"
)

// crc32c is the polynomial of every checksum in PostgreSQL's small files.
var crc32c = crc32.MakeTable(crc32.Castagnoli)

// relMapMagic opens a relation map of any supported version.
const relMapMagic = 0x592717

// RelMap is a parsed pg_filenode.map: oid of a mapped relation to its file node.
type RelMap map[uint32]uint32

// ParseRelMap parses the relation map of either layout and checks magic, count
// and CRC (CRC-32C of all before it). b must be the whole file, whose size
// tells the layouts apart:
//
//	0       4       8                                504    508
//	+-------+-------+--------------------------------+------+-----+
//	| magic | count | 62 × (oid u4, node u4)         | crc  | pad |    versions 13 to 15: 512 bytes
//	+-------+-------+--------------------------------+------+-----+
//	+-------+-------+-----------------------------------------+------+
//	| magic | count | 64 × (oid u4, node u4)                  | crc  |  versions 16 on: 524 bytes, crc at 520
//	+-------+-------+-----------------------------------------+------+
func ParseRelMap(b []byte) (RelMap, error) {
	slots := 0
	switch len(b) {
	case 512:
		slots = 62
	case 524:
		slots = 64
	default:
		return nil, Corruptf(0, "relation map of %d bytes, want 512 or 524", len(b))
	}
	if m := binary.LittleEndian.Uint32(b); m != relMapMagic {
		return nil, Corruptf(0, "relation map begins with 0x%x, want 0x%x", m, relMapMagic)
	}
	crcOff := 8 + 8*slots
	if got, want := crc32.Checksum(b[:crcOff], crc32c), binary.LittleEndian.Uint32(b[crcOff:]); got != want {
		return nil, Corruptf(crcOff, "relation map's checksum is 0x%08x, its bytes give 0x%08x", want, got)
	}
	n := binary.LittleEndian.Uint32(b[4:])
	if n > uint32(slots) {
		return nil, Corruptf(4, "relation map claims %d entries, it has room for %d", n, slots)
	}
	m := make(RelMap, n)
	for i := range int(n) {
		e := b[8+8*i:]
		m[binary.LittleEndian.Uint32(e)] = binary.LittleEndian.Uint32(e[4:])
	}
	return m, nil
}
