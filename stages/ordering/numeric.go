package ordering

import (
	"cmp"
)

// decimal is a numeric taken apart: see package datum for its bytes.
type decimal struct {
	rank   int // -2 -Infinity, -1 negative, 0 zero, 1 positive, 2 Infinity, 3 NaN
	weight int
	digits []byte // two bytes each, no zeros at either end
}

func parse(v []byte) (d decimal) {
	if len(v) < 2 {
		return d
	}
	head := le.Uint16(v)
	neg := head&0x2000 != 0
	switch head & 0xC000 {
	case 0xC000:
		d.rank = map[uint16]int{0xD000: 2, 0xF000: -2}[head&0xF000]
		if d.rank == 0 {
			d.rank = 3
		}
		return d
	case 0x8000:
		d.weight, d.digits = int(int8(head<<1))>>1, v[2:]
	default:
		if len(v) < 4 {
			return d
		}
		neg = head&0x4000 != 0
		d.weight, d.digits = int(int16(le.Uint16(v[2:]))), v[4:]
	}
	d.digits = d.digits[:len(d.digits)&^1]
	for len(d.digits) > 0 && le.Uint16(d.digits) == 0 {
		d.digits = d.digits[2:]
		d.weight--
	}
	for n := len(d.digits); n > 0 && le.Uint16(d.digits[n-2:]) == 0; n = len(d.digits) {
		d.digits = d.digits[:n-2]
	}
	switch {
	case len(d.digits) == 0:
		d.weight = 0
	case neg:
		d.rank = -1
	default:
		d.rank = 1
	}
	return d
}

// compareNumeric compares by value; NaN is equal to itself and greater than
// everything else.
func compareNumeric(a, b []byte) int {
	x, y := parse(a), parse(b)
	if x.rank != y.rank || x.rank != 1 && x.rank != -1 {
		return cmp.Compare(x.rank, y.rank)
	}
	c := cmp.Compare(x.weight, y.weight)
	for i := 0; c == 0 && (i < len(x.digits) || i < len(y.digits)); i += 2 {
		switch {
		case i >= len(x.digits):
			c = -1
		case i >= len(y.digits):
			c = 1
		default:
			c = cmp.Compare(le.Uint16(x.digits[i:]), le.Uint16(y.digits[i:]))
		}
	}
	return c * x.rank
}

// keyNumeric leaves the number of decimals shown out.
func keyNumeric(dst, v []byte) []byte {
	d := parse(v)
	dst = append(dst, byte(d.rank))
	if len(d.digits) == 0 {
		return dst
	}
	dst = le.AppendUint16(dst, uint16(d.weight))
	return append(dst, d.digits...)
}
