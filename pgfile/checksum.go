package pgfile

import "encoding/binary"

// checksumPrime is the FNV-1a prime of 32 bits.
const checksumPrime = 16777619

// checksumSeeds start the 32 lanes. They are part of the disk format.
var checksumSeeds = [32]uint32{
	0x5b1f36e9, 0xb8525960, 0x02ab50aa, 0x1de66d2a, 0x79ff467a, 0x9bb9f8a3, 0x217e7cd2, 0x83e13d2c,
	0xf8d4474f, 0xe39eb970, 0x42c6ae16, 0x993216fa, 0x7b093b5d, 0x98daff3c, 0xf718902a, 0x0b1c9cdb,
	0xe58f764b, 0x187636bc, 0x5d7b3bb1, 0xe73de7de, 0x92bec979, 0xcca6c0b2, 0x304a0979, 0x85aa43d4,
	0x783125bb, 0x6ca8eaa2, 0xe407eac6, 0x4b5cfc3e, 0x9fbf8c76, 0x15ca20be, 0xf2ca9fd3, 0x959bd756,
}

// PageChecksum computes the checksum of a page at fork-absolute block blkno
// (block + segment × BlocksPerSegment); the stored checksum is ignored. It is
// never 0, which on disk means "no checksum". p must have PageSize bytes; the
// result for a shorter one is 0, which no page's checksum equals.
//
// The page is a matrix of 64 rows of 32 words; each column is hashed by itself:
//
//	         lane 0   lane 1   lane 2            …   lane 31
//	row 0    lsn      lsn      checksum|flags    …             ← checksum taken as 0
//	row 1    …
//	row 63   …
//	2 more rows of zeros
//	result = XOR of the lanes, XOR blkno, modulo 65535, plus 1
//
// Eight lanes at a time stay in registers, which hides the multiplication's
// latency without any assembly.
func PageChecksum(p Page, blkno uint32) uint16 {
	if len(p) < PageSize {
		return 0
	}
	q := (*[PageSize]byte)(p)
	var sum uint32
	for lane := 0; lane < 32; lane += 8 {
		sum ^= checksumLanes(q, lane)
	}
	return uint16((sum^blkno)%65535 + 1)
}

func checksumMix(h, v uint32) uint32 {
	t := h ^ v
	return t*checksumPrime ^ t>>17
}

// checksumLanes hashes eight neighbouring lanes and folds them.
func checksumLanes(q *[PageSize]byte, lane int) uint32 {
	s := (*[8]uint32)(checksumSeeds[lane:])
	a, b, c, d, e, f, g, h := s[0], s[1], s[2], s[3], s[4], s[5], s[6], s[7]
	// The stored checksum is the low half of word 2 in row 0, and counts as 0.
	mask := uint32(0xffffffff)
	if lane == 0 {
		mask = 0xffff0000
	}
	for off := lane * 4; off <= PageSize-32; off += 128 {
		r := (*[32]byte)(q[off:])
		a = checksumMix(a, binary.LittleEndian.Uint32(r[0:]))
		b = checksumMix(b, binary.LittleEndian.Uint32(r[4:]))
		c = checksumMix(c, binary.LittleEndian.Uint32(r[8:])&mask)
		d = checksumMix(d, binary.LittleEndian.Uint32(r[12:]))
		e = checksumMix(e, binary.LittleEndian.Uint32(r[16:]))
		f = checksumMix(f, binary.LittleEndian.Uint32(r[20:]))
		g = checksumMix(g, binary.LittleEndian.Uint32(r[24:]))
		h = checksumMix(h, binary.LittleEndian.Uint32(r[28:]))
		mask = 0xffffffff
	}
	for range 2 {
		a, b, c, d = checksumMix(a, 0), checksumMix(b, 0), checksumMix(c, 0), checksumMix(d, 0)
		e, f, g, h = checksumMix(e, 0), checksumMix(f, 0), checksumMix(g, 0), checksumMix(h, 0)
	}
	return a ^ b ^ c ^ d ^ e ^ f ^ g ^ h
}
