package qual

import (
	"math"
	"math/big"
	"strconv"

	"github.com/pipescan/pipescan/catalog"
	"github.com/pipescan/pipescan/datum"
)

func numericRounding() {
	scaled := func(round bool) rowFunc {
		return func(c *fctx, dst []byte, args [][]byte) ([]byte, error) {
			x, err := parseNum(args[0])
			if err != nil {
				return nil, err
			}
			if x.special != 0 {
				return appendSpecial(dst, x.special), nil
			}
			scale := int(getInt32(args[1]))
			scale = min(max(scale, -(maxWeight+1)*baseDigits-1), maxStoredScale)
			return roundTo(dst, &x, scale, round)
		}
	}
	kernels["numeric_round"] = scaled(true)
	kernels["numeric_trunc"] = scaled(false)
	kernels["numeric"] = func(c *fctx, dst []byte, args [][]byte) ([]byte, error) {
		return applyNumericTypmod(c.env.Major, dst, args[0], int32(getInt32(args[1])))
	}
}

// roundTo rounds or cuts to decimals, negative ones to tens and so on.
func roundTo(dst []byte, x *num, scale int, round bool) ([]byte, error) {
	have := x.scale()
	if scale >= have {
		y := *x
		y.dscale = scale
		return appendParsed(dst, &y)
	}
	v, unit := x.big(have), pow10(min(have-scale, have+(x.weight+2)*baseDigits))
	if round {
		v = roundQuo(v, unit)
	} else {
		v.Quo(v, unit)
	}
	if scale < 0 {
		v.Mul(v, pow10(-scale))
		return appendNum(dst, v, 0, 0)
	}
	return appendNum(dst, v, scale, scale)
}

// applyNumericTypmod rounds to the scale of a modifier and checks its
// precision.
func applyNumericTypmod(major int, dst, value []byte, typmod int32) ([]byte, error) {
	x, err := parseNum(value)
	if err != nil || typmod < varlenaHeader || x.special == headNaN {
		return append(dst, value...), err
	}
	n := int(typmod - varlenaHeader)
	precision, scale := n>>16&0xffff, n&0xffff
	if major >= 15 {
		scale = (n&0x7ff ^ 0x400) - 0x400
	}
	overflow := func() error {
		return sqlErrorf("22003", "numeric field overflow")
	}
	if x.special != 0 {
		return nil, overflow()
	}
	start := len(dst)
	if dst, err = roundTo(dst, &x, scale, true); err != nil {
		return nil, err
	}
	if y, err := parseNum(dst[start:]); err != nil || decimalDigits(&y) > precision-scale {
		return nil, overflow()
	}
	return dst, nil
}

// decimalDigits is how many digits a number has before the point; it is
// negative when zeros follow the point. Zero has fewer than any limit.
func decimalDigits(x *num) int {
	if x.ndigits() == 0 {
		return math.MinInt32
	}
	return x.weight*baseDigits + len(strconv.Itoa(int(x.digit(0))))
}

// wholeNum is ceil or floor.
func wholeNum(dst []byte, x *num, up bool) ([]byte, error) {
	if x.special != 0 {
		return appendSpecial(dst, x.special), nil
	}
	scale := x.scale()
	q, r := new(big.Int).QuoRem(x.big(scale), pow10(scale), new(big.Int))
	if up && r.Sign() > 0 {
		q.Add(q, big.NewInt(1))
	}
	if !up && r.Sign() < 0 {
		q.Sub(q, big.NewInt(1))
	}
	return appendNum(dst, q, 0, 0)
}

// minScale is how many decimals a number needs.
func minScale(x *num) int {
	if x.ndigits() == 0 {
		return 0
	}
	scale := max((x.ndigits()-1-x.weight)*baseDigits, 0)
	for last := x.digit(x.ndigits() - 1); scale > 0 && last%10 == 0; last /= 10 {
		scale--
	}
	return scale
}

func scaleOf(f func(*num) int) func(dst []byte, x *num) ([]byte, error) {
	return func(dst []byte, x *num) ([]byte, error) {
		if x.special != 0 {
			return nil, nil
		}
		return appendInt(dst, int32(f(x))), nil
	}
}

// sqrtNum shows at least 16 significant digits.
func sqrtNum(dst []byte, x *num) ([]byte, error) {
	if x.special == headNegInf || x.special == 0 && x.sign() < 0 {
		return nil, sqlErrorf("2201F", "cannot take square root of a negative number")
	}
	if x.special != 0 {
		return appendSpecial(dst, x.special), nil
	}
	// The root's first digit counts about 10^weight.
	weight := (x.weight+1)*baseDigits/2 - 1
	scale := min(max(minSigDigits-weight, x.dscale, 0), maxShownScale)
	if x.isZero() {
		return appendNum(dst, new(big.Int), 0, scale)
	}
	// The root of x * 10^(2*(scale+1)), with one digit more to round by; what
	// is cut off behind it cannot make a tie.
	v := x.big(max(x.scale(), 0))
	if exp := 2*(scale+1) - x.scale(); exp >= 0 {
		v.Mul(v, pow10(exp))
	} else {
		v.Quo(v, pow10(-exp))
	}
	return appendNum(dst, v.Sqrt(v), scale+1, scale)
}

func numericCasts() {
	fromInt := func(get func([]byte) int64) rowFunc {
		return func(_ *fctx, dst []byte, args [][]byte) ([]byte, error) {
			return appendInt64Num(dst, get(args[0])), nil
		}
	}
	kernels["int2_numeric"], kernels["int4_numeric"], kernels["int8_numeric"] = fromInt(getInt16), fromInt(getInt32), fromInt(getInt64)
	kernels["numeric_int2"] = numToInt[int16]("smallint")
	kernels["numeric_int4"] = numToInt[int32]("integer")
	kernels["numeric_int8"] = numToInt[int64]("bigint")
	kernels["float4_numeric"] = floatToNum(getFloat32, 6)
	kernels["float8_numeric"] = floatToNum(getFloat64, 15)
	kernels["numeric_float4"] = numToFloat(catalog.Float4OID)
	kernels["numeric_float8"] = numToFloat(catalog.Float8OID)
}

func numToInt[T integer](name string) rowFunc {
	return func(_ *fctx, dst []byte, args [][]byte) ([]byte, error) {
		x, err := parseNum(args[0])
		if err != nil {
			return nil, err
		}
		switch {
		case x.special == headNaN:
			return nil, sqlErrorf("0A000", "cannot convert NaN to %s", name)
		case x.special != 0:
			return nil, sqlErrorf("0A000", "cannot convert infinity to %s", name)
		case x.weight > 5:
			return nil, outOfRange[T]()
		}
		v := roundQuo(x.big(x.scale()), pow10(x.scale()))
		if !v.IsInt64() {
			return nil, outOfRange[T]()
		}
		return fitInt[T](dst, v.Int64())
	}
}

// floatToNum goes through the float's text with a number of significant
// digits.
func floatToNum(get func([]byte) float64, digits int) rowFunc {
	return func(c *fctx, dst []byte, args [][]byte) ([]byte, error) {
		f := get(args[0])
		switch {
		case math.IsNaN(f):
			return appendSpecial(dst, headNaN), nil
		case isInf(f) && c.env.Major < 14:
			return nil, sqlErrorf("0A000", "cannot convert infinity to numeric")
		case f > math.MaxFloat64:
			return appendSpecial(dst, headPlusInf), nil
		case f < -math.MaxFloat64:
			return appendSpecial(dst, headNegInf), nil
		}
		v, err := datum.ParseText(catalog.NumericOID, -1, strconv.AppendFloat(nil, f, 'g', digits, 64), c.env)
		return append(dst, v...), inputError(err)
	}
}

// numToFloat goes through the text, as the server does.
func numToFloat(oid catalog.OID) rowFunc {
	return func(c *fctx, dst []byte, args [][]byte) ([]byte, error) {
		codec, err := datum.For(catalog.NumericOID, -1, c.env)
		if err != nil {
			return nil, err
		}
		text, err := codec.AppendText(nil, args[0])
		if err != nil {
			return nil, err
		}
		v, err := datum.ParseText(oid, -1, text, c.env)
		if err != nil {
			return nil, inputError(err)
		}
		return append(dst, v...), nil
	}
}
