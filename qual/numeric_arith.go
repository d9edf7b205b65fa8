package qual

import (
	"math/big"
)

// numOp is an operator over two numbers that are not special.
type numOp func(dst []byte, x, y *num) ([]byte, error)

// numOps registers the operators; special decides when an operand is special.
func init() {
	binary := func(name string, f numOp, special func(x, y *num) (uint16, error)) {
		kernels[name] = func(_ *fctx, dst []byte, args [][]byte) ([]byte, error) {
			x, y, err := twoNums(args)
			if err != nil {
				return nil, err
			}
			if x.special != 0 || y.special != 0 {
				return specialResult(dst, &x, &y, special)
			}
			return f(dst, &x, &y)
		}
	}
	binary("numeric_add", addNum, specialAdd)
	binary("numeric_sub", subNum, func(x, y *num) (uint16, error) { return specialAdd(x, negated(y)) })
	binary("numeric_mul", mulNum, specialMul)
	binary("numeric_div", divNum, specialDiv)
	binary("numeric_div_trunc", divTruncNum, specialDiv)
	binary("numeric_mod", modNum, specialMod)
	binary("numeric_gcd", gcdNum, func(*num, *num) (uint16, error) { return headNaN, nil })
	binary("numeric_lcm", lcmNum, func(*num, *num) (uint16, error) { return headNaN, nil })
	kernels["numeric_larger"] = pickNum(1)
	kernels["numeric_smaller"] = pickNum(-1)
	unary := func(name string, f func(dst []byte, x *num) ([]byte, error)) {
		kernels[name] = func(_ *fctx, dst []byte, args [][]byte) ([]byte, error) {
			x, err := parseNum(args[0])
			if err != nil {
				return nil, err
			}
			return f(dst, &x)
		}
	}
	unary("numeric_uminus", func(dst []byte, x *num) ([]byte, error) { return appendParsed(dst, negated(x)) })
	unary("numeric_uplus", appendParsed)
	unary("numeric_abs", func(dst []byte, x *num) ([]byte, error) {
		if x.sign() < 0 {
			x = negated(x)
		}
		return appendParsed(dst, x)
	})
	unary("numeric_sign", func(dst []byte, x *num) ([]byte, error) {
		if x.special == headNaN {
			return appendSpecial(dst, headNaN), nil
		}
		return appendInt64Num(dst, int64(x.sign())), nil
	})
	unary("numeric_ceil", func(dst []byte, x *num) ([]byte, error) { return wholeNum(dst, x, true) })
	unary("numeric_floor", func(dst []byte, x *num) ([]byte, error) { return wholeNum(dst, x, false) })
	unary("numeric_sqrt", sqrtNum)
	unary("numeric_scale", scaleOf(func(x *num) int { return x.dscale }))
	unary("numeric_min_scale", scaleOf(minScale))
	unary("numeric_trim_scale", func(dst []byte, x *num) ([]byte, error) {
		y := *x
		y.dscale = min(y.dscale, minScale(x))
		return appendParsed(dst, &y)
	})
	kernels["numeric_fac"] = factorial
	numericRounding()
	numericCasts()
}

func twoNums(args [][]byte) (x, y num, err error) {
	if x, err = parseNum(args[0]); err == nil {
		y, err = parseNum(args[1])
	}
	return x, y, err
}

// specialResult is an operator's result when an operand is NaN or infinite.
// A special result of 0 is the number zero.
func specialResult(dst []byte, x, y *num, f func(x, y *num) (uint16, error)) ([]byte, error) {
	if x.special == headNaN || y.special == headNaN {
		return appendSpecial(dst, headNaN), nil
	}
	head, err := f(x, y)
	if err != nil {
		return nil, err
	}
	switch head {
	case 0:
		return appendHead(dst, false, 0, 0), nil
	case headLeft:
		return appendParsed(dst, x)
	}
	return appendSpecial(dst, head), nil
}

// negated is -x.
func negated(x *num) *num {
	y := *x
	switch x.special {
	case headPlusInf:
		y.special = headNegInf
	case headNegInf:
		y.special = headPlusInf
	case 0:
		y.neg = !x.neg && len(x.digits) > 0
	}
	return &y
}

func specialAdd(x, y *num) (uint16, error) {
	if x.special != 0 && y.special != 0 && x.special != y.special {
		return headNaN, nil
	}
	if x.special != 0 {
		return x.special, nil
	}
	return y.special, nil
}

func infinity(sign int) uint16 {
	switch {
	case sign > 0:
		return headPlusInf
	case sign < 0:
		return headNegInf
	}
	return headNaN
}

func specialMul(x, y *num) (uint16, error) { return infinity(x.sign() * y.sign()), nil }

func specialDiv(x, y *num) (uint16, error) {
	switch {
	case x.special != 0 && y.special != 0:
		return headNaN, nil
	case x.special != 0 && y.isZero():
		return 0, errDivision()
	case x.special != 0:
		return infinity(x.sign() * y.sign()), nil
	}
	return 0, nil
}

// specialMod: an infinite dividend has no remainder; a number divided by
// infinity is its own.
func specialMod(x, y *num) (uint16, error) {
	switch {
	case x.special == 0:
		return headLeft, nil
	case y.isZero():
		return 0, errDivision()
	}
	return headNaN, nil
}

// headLeft stands for "the left operand" among special results.
const headLeft = 1

// appendParsed appends a number as it is.
func appendParsed(dst []byte, x *num) ([]byte, error) {
	if x.special != 0 {
		return appendSpecial(dst, x.special), nil
	}
	dst = appendHead(dst, x.neg, x.dscale, x.weight)
	return append(dst, x.digits...), nil
}

func addNum(dst []byte, x, y *num) ([]byte, error) { return sumNum(dst, x, y, false) }
func subNum(dst []byte, x, y *num) ([]byte, error) { return sumNum(dst, x, y, true) }

func sumNum(dst []byte, x, y *num, sub bool) ([]byte, error) {
	scale, dscale := max(x.scale(), y.scale()), max(x.dscale, y.dscale)
	a, okA := x.small(scale)
	b, okB := y.small(scale)
	if okA && okB {
		if sub {
			b = -b
		}
		return appendSmall(dst, a+b, scale, dscale) // at most 19 digits
	}
	p, q := x.big(scale), y.big(scale)
	if sub {
		q.Neg(q)
	}
	return appendNum(dst, p.Add(p, q), scale, dscale)
}

func mulNum(dst []byte, x, y *num) ([]byte, error) {
	dscale := min(x.dscale+y.dscale, maxStoredScale)
	a, okA := x.small(x.scale())
	b, okB := y.small(y.scale())
	if okA && okB {
		if v, ok := mulInt64(a, b); ok {
			return appendSmall(dst, v, x.scale()+y.scale(), dscale)
		}
	}
	p := x.big(x.scale())
	return appendNum(dst, p.Mul(p, y.big(y.scale())), x.scale()+y.scale(), dscale)
}

// divScale is select_div_scale: enough decimals for 16 significant digits.
func divScale(x, y *num) int {
	first := func(n *num) (weight, digit int) {
		if n.ndigits() == 0 {
			return 0, 0
		}
		return n.weight, int(n.digit(0))
	}
	wx, dx := first(x)
	wy, dy := first(y)
	q := wx - wy
	if dx <= dy {
		q--
	}
	scale := max(minSigDigits-q*baseDigits, x.dscale, y.dscale, 0)
	return min(scale, maxShownScale)
}

func divNum(dst []byte, x, y *num) ([]byte, error) {
	if y.isZero() {
		return nil, errDivision()
	}
	dscale := divScale(x, y)
	q := quotient(x, y, dscale, true)
	return appendNum(dst, q, dscale, dscale)
}

// quotient is x / y times 10^scale, rounded or cut.
func quotient(x, y *num, scale int, round bool) *big.Int {
	p, q := x.big(x.scale()), y.big(y.scale())
	exp := scale + y.scale() - x.scale()
	if exp >= 0 {
		p.Mul(p, pow10(exp))
	} else {
		q.Mul(q, pow10(-exp))
	}
	if q.Sign() < 0 {
		p.Neg(p)
		q.Neg(q)
	}
	if round {
		return roundQuo(p, q)
	}
	return p.Quo(p, q)
}

func divTruncNum(dst []byte, x, y *num) ([]byte, error) {
	if y.isZero() {
		return nil, errDivision()
	}
	return appendNum(dst, quotient(x, y, 0, false), 0, 0)
}

func modNum(dst []byte, x, y *num) ([]byte, error) {
	if y.isZero() {
		return nil, errDivision()
	}
	scale := max(x.scale(), y.scale())
	p := x.big(scale)
	return appendNum(dst, p.Rem(p, y.big(scale)), scale, max(x.dscale, y.dscale))
}

func gcdNum(dst []byte, x, y *num) ([]byte, error) {
	scale := max(x.scale(), y.scale())
	g := new(big.Int).GCD(nil, nil, new(big.Int).Abs(x.big(scale)), new(big.Int).Abs(y.big(scale)))
	return appendNum(dst, g, scale, max(x.dscale, y.dscale))
}

func lcmNum(dst []byte, x, y *num) ([]byte, error) {
	scale, dscale := max(x.scale(), y.scale()), max(x.dscale, y.dscale)
	p, q := new(big.Int).Abs(x.big(scale)), new(big.Int).Abs(y.big(scale))
	if p.Sign() == 0 || q.Sign() == 0 {
		return appendNum(dst, new(big.Int), 0, dscale)
	}
	g := new(big.Int).GCD(nil, nil, p, q)
	return appendNum(dst, p.Mul(p.Quo(p, g), q), scale, dscale)
}

// pickNum is the larger (1) or the smaller (-1) of two.
func pickNum(sign int) rowFunc {
	return func(c *fctx, dst []byte, args [][]byte) ([]byte, error) {
		n, err := compareNumerics(c, args[0], args[1])
		if err != nil {
			return nil, err
		}
		if n*sign > 0 {
			return append(dst, args[0]...), nil
		}
		return append(dst, args[1]...), nil
	}
}

// factorial is bounded as the server bounds it: 32177! is the largest that
// fits.
func factorial(c *fctx, dst []byte, args [][]byte) ([]byte, error) {
	n := getInt64(args[0])
	switch {
	case n < 0 && c.env.Major < 14:
		n = 1
	case n < 0:
		return nil, sqlErrorf("22003", "factorial of a negative number is undefined")
	case n > 32177:
		return nil, errNumericFormat()
	}
	return appendNum(dst, new(big.Int).MulRange(1, n), 0, 0)
}
