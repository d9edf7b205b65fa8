package store

import (
	"encoding/binary"
	"errors"
	"hash/crc32"
	"math"

	"github.com/pipescan/pipescan/fileio"
)

// Source is a file that a fact was read from, and what it was then.
type Source struct {
	Name string // path inside the data directory
	ID   fileio.Identity
}

// valueForm is the version of the layout in doc.go and of all payloads: raise
// it when either changes, and older values are read again.
const valueForm = 1

const (
	valueHeader = 13
	sourceSize  = 2 + 5*8 // without the name
)

// errValue is any value that parseValue refuses.
var errValue = errors.New("store: damaged value")

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// appendValue lays a fact out as doc.go shows.
func appendValue(dst []byte, sources []Source, payload []byte) ([]byte, error) {
	if uint64(len(payload)) > math.MaxUint32 {
		return nil, errors.New("store: payload too long")
	}
	start := len(dst)
	dst = append(dst, 0, 0, 0, 0, valueForm)
	dst = binary.LittleEndian.AppendUint32(dst, uint32(len(payload)))
	dst = binary.LittleEndian.AppendUint32(dst, uint32(len(sources)))
	for _, s := range sources {
		if len(s.Name) > math.MaxUint16 {
			return nil, errors.New("store: file name too long")
		}
		dst = binary.LittleEndian.AppendUint16(dst, uint16(len(s.Name)))
		dst = append(dst, s.Name...)
		for _, v := range [...]uint64{s.ID.Dev, s.ID.Ino, uint64(s.ID.Size), uint64(s.ID.MtimeNs), uint64(s.ID.CtimeNs)} {
			dst = binary.LittleEndian.AppendUint64(dst, v)
		}
	}
	dst = append(dst, payload...)
	seal(dst[start:])
	return dst, nil
}

// seal writes the CRC of a value into its first four bytes.
func seal(v []byte) { binary.LittleEndian.PutUint32(v, crc32.Checksum(v[4:], castagnoli)) }

// parseValue reads what appendValue wrote. The payload aliases b.
func parseValue(b []byte) (sources []Source, payload []byte, err error) {
	if len(b) < valueHeader || b[4] != valueForm || binary.LittleEndian.Uint32(b) != crc32.Checksum(b[4:], castagnoli) {
		return nil, nil, errValue
	}
	size, count := uint64(binary.LittleEndian.Uint32(b[5:])), uint64(binary.LittleEndian.Uint32(b[9:]))
	rest := b[valueHeader:]
	if count*sourceSize > uint64(len(rest)) {
		return nil, nil, errValue
	}
	sources = make([]Source, 0, count)
	for range count {
		if len(rest) < sourceSize {
			return nil, nil, errValue
		}
		n := int(binary.LittleEndian.Uint16(rest))
		if len(rest) < sourceSize+n {
			return nil, nil, errValue
		}
		s := Source{Name: string(rest[2 : 2+n])}
		u := func(i int) uint64 { return binary.LittleEndian.Uint64(rest[2+n+8*i:]) }
		s.ID = fileio.Identity{Dev: u(0), Ino: u(1), Size: int64(u(2)), MtimeNs: int64(u(3)), CtimeNs: int64(u(4))}
		sources = append(sources, s)
		rest = rest[sourceSize+n:]
	}
	if uint64(len(rest)) != size {
		return nil, nil, errValue
	}
	return sources, rest, nil
}
