package datum

import (
	"encoding/binary"

	"github.com/pipescan/pipescan/pgfile"
)

// bit and varbit: a 32-bit count of bits, then the bits from the highest of
// the first byte on.

func decodeBits(v []byte) (n int, data []byte, err error) {
	if len(v) < 4 {
		return 0, nil, pgfile.Corruptf(-1, "a bit string has %d bytes, too few for its length", len(v))
	}
	n, data = int(int32(binary.LittleEndian.Uint32(v))), v[4:]
	if n < 0 || (n+7)/8 != len(data) {
		return 0, nil, pgfile.Corruptf(-1, "a bit string of %d bits has %d bytes", n, len(data))
	}
	return n, data, nil
}

// appendBits appends n binary digits, or as many as data holds.
func appendBits(dst []byte, n int, data []byte) []byte {
	for i := range min(n, 8*len(data)) {
		dst = append(dst, '0'+data[i/8]>>(7-i%8)&1)
	}
	return dst
}

func textBits(dst, v []byte, _ *Env) ([]byte, error) {
	n, data, err := decodeBits(v)
	if err != nil {
		return dst, err
	}
	return appendBits(dst, n, data), nil
}

func valueBits(v []byte, _ *Env) (any, error) {
	n, data, err := decodeBits(v)
	if err != nil {
		return nil, err
	}
	return Bits{n, append([]byte{}, data...)}, nil
}
