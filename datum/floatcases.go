package datum

import (
	"math/big"
	"math/bits"
	"strconv"
)

// Two cases in which PostgreSQL's shortest decimal is not strconv's.
//
// Midpoints. PostgreSQL does not accept a decimal that lies exactly half way
// between two numbers, though rounding to even would read it correctly. 1e23
// is one; PostgreSQL prints 9.999999999999999e+22. Such a decimal of at most
// 17 digits (9 for float4) is an integer from 2^53 (2^24) on.
//
// Ties. If two decimals of the shortest length are equally close, PostgreSQL
// takes the one with the even last digit; strconv does not always. 2^-12 as a
// float4 is 0.000244140625 exactly and 0.00024414062 in print. This needs an
// exact decimal of one digit more than the shortest, which bounds it from
// both sides: see exactDecimal.

// binary64 is a number mant * 2^exp. mant has its top bit set unless
// the number is subnormal; neg is its sign.
type binary64 struct {
	mant uint64
	exp  int
	neg  bool
}

// split takes the bits of a finite number apart.
func split(raw uint64, l *layout) binary64 {
	b := binary64{
		mant: raw & (1<<l.mantBits - 1),
		exp:  int(raw>>l.mantBits)&(1<<(l.bits-1-l.mantBits)-1) - l.bias,
		neg:  raw>>(l.bits-1) != 0,
	}
	if b.exp == -l.bias {
		b.exp++ // subnormal
	} else {
		b.mant |= 1 << l.mantBits
	}
	return b
}

// isPowerOfTwo says whether the numbers below b lie twice as dense as above.
func (b binary64) isPowerOfTwo(l *layout) bool { return b.mant == 1<<l.mantBits }

// avoidMidpoint replaces the decimal in text[start:] if it is a midpoint.
func (b binary64) avoidMidpoint(text []byte, start int, l *layout) []byte {
	digits, pow10 := decimalOf(text[start:])
	if !b.isMidpoint(digits, pow10, l) {
		return text
	}
	return b.appendInside(b.sign(text[:start]), l)
}

func (b binary64) sign(dst []byte) []byte {
	if b.neg {
		return append(dst, '-')
	}
	return dst
}

// decimalOf reads text of the form [-]d.ddd or [-]d.ddde+XX as digits *
// 10^pow10.
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
			if text[i+1] == '-' {
				pow10 = -pow10
			}
			return digits, pow10 - fraction
		}
	}
	return digits, -fraction
}

// isMidpoint says whether digits * 10^pow10 is exactly the upper or lower
// bound of the decimals that read back as b. A bound is an odd number times a
// power of two, so comparing odd parts settles it.
func (b binary64) isMidpoint(digits uint64, pow10 int, l *layout) bool {
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
	if twos == b.exp-1 && (odd == 2*b.mant+1 || odd == 2*b.mant-1) {
		return true
	}
	return b.isPowerOfTwo(l) && twos == b.exp-2 && odd == 4*b.mant-1
}

// appendInside appends the shortest decimal strictly between the bounds of b,
// the closest one if there are several. b.exp is at least 1. It is needed for
// a few numbers only and is not fast.
func (b binary64) appendInside(dst []byte, l *layout) []byte {
	quarters := func(n uint64) *big.Int { // so that the bounds are integers
		x := new(big.Int).SetUint64(n)
		return x.Lsh(x, uint(b.exp))
	}
	low := 4*b.mant - 2
	if b.isPowerOfTwo(l) {
		low = 4*b.mant - 1
	}
	x, lo, hi := quarters(4*b.mant), quarters(low), quarters(4*b.mant+2)
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
			return appendDecimal(dst, up.String(), pow10, l)
		case downFits:
			return appendDecimal(dst, down.String(), pow10, l)
		}
	}
	return dst // not reached: maxDigits digits always tell numbers apart
}

// exactDecimal returns b as exact * 10^-places if this is an odd multiple of 5
// in the range where rounding its last digit away may leave two equally close
// decimals that both read back as b; otherwise exact is 0.
//
// With b = odd * 2^-places, exact is odd * 5^places. The tie lies 5 units of
// 10^-places from b, which must be less than half the distance of numbers; so
// exact is more than 5 * 2^(mantBits+1). And it has at most one digit more
// than the longest shortest decimal.
func (b binary64) exactDecimal(l *layout) (exact uint64, places int) {
	zeros := bits.TrailingZeros64(b.mant)
	places = -(b.exp + zeros)
	if places < 2 || places > 25 {
		return 0, 0
	}
	exact = b.mant >> zeros
	for range places {
		hi, lo := bits.Mul64(exact, 5)
		if hi != 0 || lo >= l.tieTo {
			return 0, 0
		}
		exact = lo
	}
	if exact <= l.tieFrom {
		return 0, 0
	}
	return exact, places
}

// roundTie makes the decimal in text[start:] the even one of the two that are
// closest to exact * 10^-places, if it is one of them.
func (b binary64) roundTie(text []byte, start int, exact uint64, places int, l *layout) []byte {
	digits, pow10 := decimalOf(text[start:])
	for ; pow10 > 1-places && digits < l.tieTo; pow10-- {
		digits *= 10
	}
	down := exact / 10
	if pow10 != 1-places || digits != down && digits != down+1 {
		return text
	}
	best := down + down&1
	if b.isPowerOfTwo(l) && exact/5 < 2<<(l.mantBits+1) {
		best = down + 1 // down is beyond the bound, which is closer on this side
	}
	return appendDecimal(b.sign(text[:start]), strconv.FormatUint(best, 10), pow10, l)
}

// appendDecimal appends digits * 10^pow10 in the notation of its exponent.
func appendDecimal(dst []byte, digits string, pow10 int, l *layout) []byte {
	exp := pow10 + len(digits) - 1
	for len(digits) > 1 && digits[len(digits)-1] == '0' {
		digits = digits[:len(digits)-1]
	}
	switch {
	case exp < -4 || exp >= l.plainDigits:
		return appendScientific(dst, digits, exp)
	case exp < 0:
		dst = append(append(dst, '0', '.'), "000"[:-exp-1]...)
		return append(dst, digits...)
	case len(digits) <= exp+1:
		dst = append(dst, digits...)
		for range exp + 1 - len(digits) {
			dst = append(dst, '0')
		}
		return dst
	}
	dst = append(append(dst, digits[:exp+1]...), '.')
	return append(dst, digits[exp+1:]...)
}

func appendScientific(dst []byte, digits string, exp int) []byte {
	dst = append(dst, digits[0])
	if len(digits) > 1 {
		dst = append(append(dst, '.'), digits[1:]...)
	}
	sign := byte('+')
	if exp < 0 {
		sign, exp = '-', -exp
	}
	dst = append(dst, 'e', sign)
	if exp < 10 {
		dst = append(dst, '0')
	}
	return strconv.AppendInt(dst, int64(exp), 10)
}
