package datum

import (
	"encoding/binary"
	"strconv"

	"github.com/pipescan/pipescan/pgfile"
)

// Integers and the types that are integers underneath. All are little-endian
// two's complement of their typlen.

// wrongLength is the error of a value whose payload does not have the length
// that its type demands.
func wrongLength(typ string, want int, value []byte) error {
	return pgfile.Corruptf(-1, "a value of type %s has %d bytes, not %d", typ, len(value), want)
}

func textBool(dst, v []byte, _ *Env) ([]byte, error) {
	if len(v) != 1 {
		return dst, wrongLength("boolean", 1, v)
	}
	if v[0] != 0 {
		return append(dst, 't'), nil
	}
	return append(dst, 'f'), nil
}

func valueBool(v []byte, _ *Env) (any, error) {
	if len(v) != 1 {
		return nil, wrongLength("boolean", 1, v)
	}
	return v[0] != 0, nil
}

func textInt2(dst, v []byte, _ *Env) ([]byte, error) {
	if len(v) != 2 {
		return dst, wrongLength("smallint", 2, v)
	}
	return strconv.AppendInt(dst, int64(int16(binary.LittleEndian.Uint16(v))), 10), nil
}

func valueInt2(v []byte, _ *Env) (any, error) {
	if len(v) != 2 {
		return nil, wrongLength("smallint", 2, v)
	}
	return int16(binary.LittleEndian.Uint16(v)), nil
}

func textInt4(dst, v []byte, _ *Env) ([]byte, error) {
	if len(v) != 4 {
		return dst, wrongLength("integer", 4, v)
	}
	return strconv.AppendInt(dst, int64(int32(binary.LittleEndian.Uint32(v))), 10), nil
}

func valueInt4(v []byte, _ *Env) (any, error) {
	if len(v) != 4 {
		return nil, wrongLength("integer", 4, v)
	}
	return int32(binary.LittleEndian.Uint32(v)), nil
}

func textInt8(dst, v []byte, _ *Env) ([]byte, error) {
	if len(v) != 8 {
		return dst, wrongLength("bigint", 8, v)
	}
	return strconv.AppendInt(dst, int64(binary.LittleEndian.Uint64(v)), 10), nil
}

func valueInt8(v []byte, _ *Env) (any, error) {
	if len(v) != 8 {
		return nil, wrongLength("bigint", 8, v)
	}
	return int64(binary.LittleEndian.Uint64(v)), nil
}

// textUint4 renders oid, xid and cid.
func textUint4(dst, v []byte, _ *Env) ([]byte, error) {
	if len(v) != 4 {
		return dst, wrongLength("oid, xid or cid", 4, v)
	}
	return strconv.AppendUint(dst, uint64(binary.LittleEndian.Uint32(v)), 10), nil
}

func valueUint4(v []byte, _ *Env) (any, error) {
	if len(v) != 4 {
		return nil, wrongLength("oid, xid or cid", 4, v)
	}
	return binary.LittleEndian.Uint32(v), nil
}

func textXid8(dst, v []byte, _ *Env) ([]byte, error) {
	if len(v) != 8 {
		return dst, wrongLength("xid8", 8, v)
	}
	return strconv.AppendUint(dst, binary.LittleEndian.Uint64(v), 10), nil
}

// valueUint8 is the value of xid8 and pg_lsn.
func valueUint8(v []byte, _ *Env) (any, error) {
	if len(v) != 8 {
		return nil, wrongLength("xid8 or pg_lsn", 8, v)
	}
	return binary.LittleEndian.Uint64(v), nil
}

func textLSN(dst, v []byte, _ *Env) ([]byte, error) {
	if len(v) != 8 {
		return dst, wrongLength("pg_lsn", 8, v)
	}
	lsn := binary.LittleEndian.Uint64(v)
	dst = append(appendUpperHex(dst, uint32(lsn>>32)), '/')
	return appendUpperHex(dst, uint32(lsn)), nil
}

// appendUpperHex appends n in upper-case hexadecimal without leading zeros.
func appendUpperHex(dst []byte, n uint32) []byte {
	shift := 28
	for shift > 0 && n>>shift == 0 {
		shift -= 4
	}
	for ; shift >= 0; shift -= 4 {
		dst = append(dst, "0123456789ABCDEF"[n>>shift&15])
	}
	return dst
}

// decodeTID reads an ItemPointerData: the block number as two 16-bit halves,
// the high one first, then the line pointer number.
func decodeTID(v []byte) (TID, error) {
	if len(v) != 6 {
		return TID{}, wrongLength("tid", 6, v)
	}
	le := binary.LittleEndian
	return TID{Block: uint32(le.Uint16(v))<<16 | uint32(le.Uint16(v[2:])), Offset: le.Uint16(v[4:])}, nil
}

func appendTID(dst []byte, t TID) []byte {
	dst = strconv.AppendUint(append(dst, '('), uint64(t.Block), 10)
	dst = strconv.AppendUint(append(dst, ','), uint64(t.Offset), 10)
	return append(dst, ')')
}

func textTID(dst, v []byte, _ *Env) ([]byte, error) {
	t, err := decodeTID(v)
	if err != nil {
		return dst, err
	}
	return appendTID(dst, t), nil
}

func valueTID(v []byte, _ *Env) (any, error) {
	t, err := decodeTID(v)
	if err != nil {
		return nil, err
	}
	return t, nil
}

func textMoney(dst, v []byte, _ *Env) ([]byte, error) {
	if len(v) != 8 {
		return dst, wrongLength("money", 8, v)
	}
	return appendMoney(dst, int64(binary.LittleEndian.Uint64(v))), nil
}

func valueMoney(v []byte, _ *Env) (any, error) {
	if len(v) != 8 {
		return nil, wrongLength("money", 8, v)
	}
	return Money(binary.LittleEndian.Uint64(v)), nil
}

// appendMoney writes the C locale's form: two decimals, groups of three, the
// sign before the dollar.
func appendMoney(dst []byte, cents int64) []byte {
	abs := uint64(cents)
	if cents < 0 {
		dst = append(dst, '-')
		abs = -abs
	}
	dst = append(dst, '$')
	whole := abs / 100
	group := uint64(1)
	for whole/group >= 1000 {
		group *= 1000
	}
	dst = strconv.AppendUint(dst, whole/group, 10)
	for group > 1 {
		whole %= group
		group /= 1000
		n := whole / group
		dst = append(dst, ',', byte('0'+n/100), byte('0'+n/10%10), byte('0'+n%10))
	}
	return append2(append(dst, '.'), int(abs%100))
}

// pairs are the numbers 00 to 99.
const pairs = "00010203040506070809101112131415161718192021222324" +
	"25262728293031323334353637383940414243444546474849" +
	"50515253545556575859606162636465666768697071727374" +
	"75767778798081828384858687888990919293949596979899"

// append2 appends n, 0 to 99, as two digits.
func append2(dst []byte, n int) []byte { return append(dst, pairs[2*n], pairs[2*n+1]) }
