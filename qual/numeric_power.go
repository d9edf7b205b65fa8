package qual

import (
	"math"
	"math/big"
)

func init() {
	kernels["numeric_power"] = func(c *fctx, dst []byte, args [][]byte) ([]byte, error) {
		x, y, err := twoNums(args)
		if err != nil {
			return nil, err
		}
		if x.special != 0 || y.special != 0 {
			return specialPower(dst, &x, &y)
		}
		return c.powerNum(dst, &x, &y)
	}
}

// isOne says whether a number is 1.
func isOne(x *num) bool {
	v, ok := x.small(x.scale())
	return ok && x.special == 0 && !x.neg && v == int64(math.Pow10(x.scale()))
}

// isWhole says whether a number has no digits behind the point.
func isWhole(x *num) bool { return x.ndigits() == 0 || x.ndigits() <= x.weight+1 }

// isOdd says whether a whole number is odd.
func isOdd(x *num) bool {
	return x.ndigits() > 0 && x.weight == x.ndigits()-1 && x.digit(x.ndigits()-1)%2 == 1
}

// specialPower follows the C library's pow for NaN and infinities (14 and
// later; before, only NaN exists).
func specialPower(dst []byte, x, y *num) ([]byte, error) {
	nan := func() ([]byte, error) { return appendSpecial(dst, headNaN), nil }
	one := func() ([]byte, error) { return appendInt64Num(dst, 1), nil }
	switch {
	case x.special == headNaN:
		if y.special == 0 && y.isZero() {
			return one()
		}
		return nan()
	case y.special == headNaN:
		if isOne(x) {
			return one()
		}
		return nan()
	case x.sign() == 0 && y.sign() < 0:
		return nil, sqlErrorf("2201F", "zero raised to a negative power is undefined")
	case isOne(x), y.special == 0 && y.isZero():
		return one()
	}
	if x.special == 0 && x.neg && y.special != 0 {
		m := negated(x)
		if isOne(m) {
			return one()
		}
		x = m
	}
	if x.special == 0 { // y is infinite
		var unit num
		unit, _ = parseNum(appendInt64Num(nil, 1))
		if (compareNum(x, &unit) > 0) == (y.sign() > 0) {
			return appendSpecial(dst, headPlusInf), nil
		}
		return appendHead(dst, false, 0, 0), nil
	}
	switch {
	case y.sign() < 0:
		return appendHead(dst, false, 0, 0), nil
	case x.special == headNegInf && y.special == 0 && !isWhole(y):
		return nil, sqlErrorf("2201F", "a negative number raised to a non-integer power yields a complex result")
	case x.special == headNegInf && y.special == 0 && isOdd(y):
		return appendSpecial(dst, headNegInf), nil
	}
	return appendSpecial(dst, headPlusInf), nil
}

// powerNum is numeric ^ whole number. Other exponents need logarithms, whose
// last digits are the server's own.
func (c *fctx) powerNum(dst []byte, x, y *num) ([]byte, error) {
	switch {
	case x.isZero() && y.sign() < 0:
		return nil, sqlErrorf("2201F", "zero raised to a negative power is undefined")
	case x.isZero() && !isWhole(y):
		return appendNum(dst, new(big.Int), 0, minSigDigits)
	case x.isZero():
		scale, err := c.powerScale(x, y, 0)
		if err != nil {
			return nil, err
		}
		n := int64(0)
		if y.isZero() {
			n = 1
		}
		return appendNum(dst, big.NewInt(n), 0, scale)
	case x.neg && !isWhole(y):
		return nil, sqlErrorf("2201F", "a negative number raised to a non-integer power yields a complex result")
	}
	n, ok := y.small(y.scale())
	if !isWhole(y) || !ok {
		return nil, unsupportedf("a numeric power that is not a whole number")
	}
	n /= int64(math.Pow10(y.scale()))
	if int64(int32(n)) != n {
		return nil, unsupportedf("a numeric power beyond integers")
	}
	weight := float64(n) * log10Of(x)
	scale, err := c.powerScale(x, y, weight)
	if err != nil {
		return nil, err
	}
	if weight+1 < -float64(scale) {
		return appendNum(dst, new(big.Int), 0, scale)
	}
	v, err := wholePower(x, n, scale, weight)
	if err != nil {
		return nil, err
	}
	return appendNum(dst, v, scale, scale)
}

// log10Of is the logarithm of a number's size, from 16 digits.
func log10Of(x *num) float64 {
	f, p := float64(x.digit(0)), x.weight*baseDigits
	for i := 1; i < x.ndigits() && i*baseDigits < 16; i++ {
		f = f*numericBase + float64(x.digit(i))
		p -= baseDigits
	}
	return math.Log10(f) + float64(p)
}

// powerScale is how many decimals a power shows: 16, or from 16 on those that
// make 16 significant digits.
func (c *fctx) powerScale(x, y *num, weight float64) (int, error) {
	if weight > (maxWeight+1)*baseDigits {
		return 0, errNumericFormat()
	}
	scale := max(minSigDigits, x.dscale)
	if c.env.Major >= 16 {
		if weight+1 < -maxShownScale {
			return maxShownScale, nil
		}
		scale = max(minSigDigits-int(weight), x.dscale, y.dscale)
	}
	return min(max(scale, 0), maxShownScale), nil
}

// wholePower is x^n times 10^scale, rounded.
func wholePower(x *num, n int64, scale int, weight float64) (*big.Int, error) {
	digits := math.Abs(weight) + float64(scale) + 40
	e := n
	if e < 0 {
		e = -e
	}
	exact := float64(x.ndigits()*baseDigits)*float64(e) < 4000
	if !exact {
		if digits > 40000 {
			return nil, unsupportedf("a numeric power of %d digits", int(digits))
		}
		return roundedPower(x, n, e, scale, uint(digits*3.33)+128), nil
	}
	s := x.scale()
	p := new(big.Int).Exp(x.big(s), big.NewInt(e), nil)
	q := pow10(s * int(e))
	if n < 0 {
		p, q = q, p
		if q.Sign() < 0 {
			p.Neg(p)
			q.Neg(q)
		}
	}
	return roundQuo(p.Mul(p, pow10(scale)), q), nil
}

// roundedPower computes in floating point with many more bits than are shown.
func roundedPower(x *num, n, e int64, scale int, precision uint) *big.Int {
	s := x.scale()
	f := new(big.Float).SetPrec(precision).SetInt(x.big(s))
	f.Quo(f, new(big.Float).SetPrec(precision).SetInt(pow10(s)))
	p := new(big.Float).SetPrec(precision).SetInt64(1)
	for ; e > 0; e >>= 1 {
		if e&1 == 1 {
			p.Mul(p, f)
		}
		f.Mul(f, f)
	}
	if n < 0 {
		p.Quo(new(big.Float).SetPrec(precision).SetInt64(1), p)
	}
	p.Mul(p, new(big.Float).SetPrec(precision).SetInt(pow10(scale+1)))
	v, _ := p.Int(nil)
	return roundQuo(v, big.NewInt(10))
}
