package datum

import (
	"encoding/binary"
	"math"
	"math/big"
	"math/bits"
	"strconv"
)

// float4 and float8 are IEEE 754 numbers. PostgreSQL prints the shortest
// decimal that reads back as the same number, and among these the closest
// (extra_float_digits 1, the default since 12). It differs from Go's shortest
// form in one respect: a decimal that lies exactly half way between two
// numbers is not accepted, though rounding to even would read it correctly.
// 1e23 is such a decimal; PostgreSQL prints 9.999999999999999e+22.
//
// Plain notation is used for decimal exponents from -4 to 14 (float8) or 5
// (float4), and d.ddde±XX for all others. The bounds need no look at the
// digits: 1e15 and 1e6 are numbers themselves, and of 1e-4 the nearest number
// prints as 0.0001.

// layout tells the two widths apart.
type layout struct {
	bits, mantBits, bias int
	plainEnd             float64 // plain notation below this
	midpointsFrom        float64 // half-way decimals occur from here on: 2^(mantBits+1)
	maxDigits            int     // enough for a round trip
	plainStart           float64
}

var (
	layout64 = layout{64, 52, 1075, 1e15, 1 << 53, 17, 1e-4}
	layout32 = layout{32, 23, 150, 1e6, 1 << 24, 9, float64(float32(1e-4))}
)

func textFloat4(dst, v []byte, _ *Env) ([]byte, error) {
	if len(v) != 4 {
		return dst, wrongLength("real", 4, v)
	}
	return appendFloat4(dst, math.Float32frombits(binary.LittleEndian.Uint32(v))), nil
}

func valueFloat4(v []byte, _ *Env) (any, error) {
	if len(v) != 4 {
		return nil, wrongLength("real", 4, v)
	}
	return math.Float32frombits(binary.LittleEndian.Uint32(v)), nil
}

func textFloat8(dst, v []byte, _ *Env) ([]byte, error) {
	if len(v) != 8 {
		return dst, wrongLength("double precision", 8, v)
	}
	return appendFloat8(dst, math.Float64frombits(binary.LittleEndian.Uint64(v))), nil
}

func valueFloat8(v []byte, _ *Env) (any, error) {
	if len(v) != 8 {
		return nil, wrongLength("double precision", 8, v)
	}
	return math.Float64frombits(binary.LittleEndian.Uint64(v)), nil
}

func appendFloat8(dst []byte, f float64) []byte {
	return appendFloat(dst, f, math.Float64bits(f), &layout64)
}

func appendFloat4(dst []byte, f float32) []byte {
	return appendFloat(dst, float64(f), uint64(math.Float32bits(f)), &layout32)
}

// appendFloat appends f, whose bits in the layout's width are raw.
func appendFloat(dst []byte, f float64, raw uint64, l *layout) []byte {
	abs := math.Abs(f)
	switch {
	case abs >= l.plainStart && abs < l.plainEnd || f == 0:
		return strconv.AppendFloat(dst, f, 'f', -1, l.bits)
	case math.IsNaN(f):
		return append(dst, "NaN"...)
	case math.IsInf(f, 1):
		return append(dst, "Infinity"...)
	case math.IsInf(f, -1):
		return append(dst, "-Infinity"...)
	}
	start := len(dst)
	dst = strconv.AppendFloat(dst, f, 'e', -1, l.bits)
	if abs < l.midpointsFrom {
		return dst
	}
	mant := raw&(1<<l.mantBits-1) | 1<<l.mantBits
	exp := int(raw>>l.mantBits)&(1<<(l.bits-1-l.mantBits)-1) - l.bias
	digits, pow10 := decimalOf(dst[start:])
	if !isMidpoint(digits, pow10, mant, exp, l) {
		return dst
	}
	dst = dst[:start]
	if f < 0 {
		dst = append(dst, '-')
	}
	return appendInsideInterval(dst, mant, exp, l)
}

// decimalOf reads text of the form [-]d.ddde+XX as digits * 10^pow10.
func decimalOf(text []byte) (digits uint64, pow10 int) {
	fraction := 0
	seenPoint := false
	for i, c := range text {
		switch {
		case c >= '0' && c <= '9':
			digits = digits*10 + uint64(c-'0')
			if seenPoint {
				fraction++
			}
		case c == '.':
			seenPoint = true
		case c == 'e':
			for _, d := range text[i+2:] {
				pow10 = pow10*10 + int(d-'0')
			}
			return digits, pow10 - fraction
		}
	}
	return digits, -fraction
}

// isMidpoint says whether digits * 10^pow10 is exactly the upper or lower
// bound of the decimals that read back as mant * 2^exp. A bound is an odd
// number times a power of two, so comparing odd parts settles it.
func isMidpoint(digits uint64, pow10 int, mant uint64, exp int, l *layout) bool {
	if digits == 0 || pow10 < 0 || pow10 > 27 {
		return false // 5^28 exceeds any bound's odd part
	}
	zeros := bits.TrailingZeros64(digits)
	odd, twos := digits>>zeros, zeros+pow10
	for range pow10 {
		hi, lo := bits.Mul64(odd, 5)
		if hi != 0 {
			return false
		}
		odd = lo
	}
	if twos == exp-1 && (odd == 2*mant+1 || odd == 2*mant-1) {
		return true
	}
	// Below a power of two the numbers lie twice as dense.
	return mant == 1<<l.mantBits && twos == exp-2 && odd == 4*mant-1
}

// appendInsideInterval appends the shortest decimal strictly between the
// bounds of mant * 2^exp, the closest one if there are several. It is needed
// for a few numbers only and is not fast.
func appendInsideInterval(dst []byte, mant uint64, exp int, l *layout) []byte {
	// All in quarters, so that the bounds are integers: exp is at least 1 from
	// midpointsFrom on.
	scale := func(n uint64) *big.Int {
		x := new(big.Int).SetUint64(n)
		return x.Lsh(x, uint(exp))
	}
	low := 4*mant - 2
	if mant == 1<<l.mantBits {
		low = 4*mant - 1
	}
	x, lo, hi := scale(4*mant), scale(low), scale(4*mant+2)
	length := len(new(big.Int).Rsh(x, 2).String())
	for n := 1; n <= l.maxDigits; n++ {
		pow10 := length - n
		unit := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(pow10)), nil)
		unit.Lsh(unit, 2)
		down := new(big.Int).Quo(x, unit)
		up := new(big.Int).Add(down, big.NewInt(1))
		below, above := new(big.Int).Mul(down, unit), new(big.Int).Mul(up, unit)
		downFits, upFits := below.Cmp(lo) > 0, above.Cmp(hi) < 0
		if downFits && upFits {
			upFits = above.Sub(above, x).Cmp(below.Sub(x, below)) < 0
		}
		switch {
		case upFits:
			return appendScientific(dst, up, pow10)
		case downFits:
			return appendScientific(dst, down, pow10)
		}
	}
	return dst // not reached: maxDigits digits always tell numbers apart
}

// appendScientific appends n * 10^pow10 as d.ddde+XX; the exponent is not
// negative.
func appendScientific(dst []byte, n *big.Int, pow10 int) []byte {
	s := n.String()
	exp := pow10 + len(s) - 1
	for len(s) > 1 && s[len(s)-1] == '0' {
		s = s[:len(s)-1]
	}
	dst = append(dst, s[0])
	if len(s) > 1 {
		dst = append(append(dst, '.'), s[1:]...)
	}
	dst = append(dst, 'e', '+')
	if exp < 10 {
		dst = append(dst, '0')
	}
	return strconv.AppendInt(dst, int64(exp), 10)
}
