package qual

import (
	"encoding/binary"
	"math"
)

// Floats (utils/adt/float.c): results that overflow or underflow are errors.

func errOverflow() error  { return sqlErrorf("22003", "value out of range: overflow") }
func errUnderflow() error { return sqlErrorf("22003", "value out of range: underflow") }

func appendFloat64(dst []byte, f float64) []byte {
	return binary.LittleEndian.AppendUint64(dst, math.Float64bits(f))
}

func appendFloat32(dst []byte, f float32) []byte {
	return binary.LittleEndian.AppendUint32(dst, math.Float32bits(f))
}

// floatOp computes and says whether the result may be infinite and may be zero.
type floatOp func(major int, a, b float64) (f float64, infOK, zeroOK bool, err error)

var floatOps = map[string]floatOp{
	"pl": func(_ int, a, b float64) (float64, bool, bool, error) { return a + b, isInf(a) || isInf(b), true, nil },
	"mi": func(_ int, a, b float64) (float64, bool, bool, error) { return a - b, isInf(a) || isInf(b), true, nil },
	"mul": func(_ int, a, b float64) (float64, bool, bool, error) {
		return a * b, isInf(a) || isInf(b), a == 0 || b == 0, nil
	},
	"div": func(major int, a, b float64) (float64, bool, bool, error) {
		if b == 0 && !(math.IsNaN(a) && major >= 14) {
			return 0, false, false, errDivision()
		}
		return a / b, isInf(a), a == 0 || isInf(b) && major >= 14, nil
	},
}

func isInf(f float64) bool { return math.IsInf(f, 0) }

// checkFloat is the check of a result.
func checkFloat(f float64, infOK, zeroOK bool) error {
	if isInf(f) && !infOK {
		return errOverflow()
	}
	if f == 0 && !zeroOK {
		return errUnderflow()
	}
	return nil
}

func init() {
	for name, op := range floatOps {
		kernels["float8"+name] = float8Op(op, getFloat64, getFloat64)
		kernels["float48"+name] = float8Op(op, getFloat32, getFloat64)
		kernels["float84"+name] = float8Op(op, getFloat64, getFloat32)
		kernels["float4"+name] = float4Op(op)
	}
	unary := map[string]func(float64) float64{
		"um": func(f float64) float64 { return -f }, "up": func(f float64) float64 { return f }, "abs": math.Abs,
	}
	for name, f := range unary {
		kernels["float8"+name] = func(_ *fctx, dst []byte, args [][]byte) ([]byte, error) {
			return appendFloat64(dst, f(getFloat64(args[0]))), nil
		}
		kernels["float4"+name] = func(_ *fctx, dst []byte, args [][]byte) ([]byte, error) {
			return appendFloat32(dst, float32(f(getFloat32(args[0])))), nil
		}
	}
	for name, f := range float8Functions {
		kernels[name] = func(_ *fctx, dst []byte, args [][]byte) ([]byte, error) {
			r, err := f(getFloat64(args[0]))
			if err != nil {
				return nil, err
			}
			return appendFloat64(dst, r), nil
		}
	}
	kernels["dpow"] = func(c *fctx, dst []byte, args [][]byte) ([]byte, error) {
		a := getFloat64(args[0])
		r, err := power(a, getFloat64(args[1]))
		if err == nil && r == 0 && a != 0 && c.env.Major < 14 {
			err = errUnderflow() // of infinities, too
		}
		if err != nil {
			return nil, err
		}
		return appendFloat64(dst, r), nil
	}
	kernels["dpi"] = func(_ *fctx, dst []byte, _ [][]byte) ([]byte, error) { return appendFloat64(dst, math.Pi), nil }
	floatCasts()
}

func float8Op(op floatOp, l, r func([]byte) float64) rowFunc {
	return func(c *fctx, dst []byte, args [][]byte) ([]byte, error) {
		f, infOK, zeroOK, err := op(c.env.Major, l(args[0]), r(args[1]))
		if err == nil {
			err = checkFloat(f, infOK, zeroOK)
		}
		if err != nil {
			return nil, err
		}
		return appendFloat64(dst, f), nil
	}
}

// float4Op computes in single precision: rounding the double's result to
// single is exact for these four.
func float4Op(op floatOp) rowFunc {
	return func(c *fctx, dst []byte, args [][]byte) ([]byte, error) {
		f, infOK, zeroOK, err := op(c.env.Major, getFloat32(args[0]), getFloat32(args[1]))
		f = float64(float32(f))
		if err == nil {
			err = checkFloat(f, infOK, zeroOK)
		}
		if err != nil {
			return nil, err
		}
		return appendFloat32(dst, float32(f)), nil
	}
}

// float8Functions are the functions over one double that Go computes exactly as
// the C library does. (Those that it may not, such as exp, ln and sin, are left
// out: their last bit differs between libraries.)
var float8Functions = map[string]func(float64) (float64, error){
	"dround": func(f float64) (float64, error) { return math.RoundToEven(f), nil },
	"dceil":  func(f float64) (float64, error) { return math.Ceil(f), nil },
	"dfloor": func(f float64) (float64, error) { return math.Floor(f), nil },
	"dtrunc": func(f float64) (float64, error) { return math.Trunc(f), nil },
	"dsign": func(f float64) (float64, error) {
		switch {
		case f > 0:
			return 1, nil
		case f < 0:
			return -1, nil
		}
		return 0, nil
	},
	"dsqrt": func(f float64) (float64, error) {
		if f < 0 {
			return 0, sqlErrorf("2201F", "cannot take square root of a negative number")
		}
		return math.Sqrt(f), nil
	},
	"degrees": func(f float64) (float64, error) {
		r := f / (math.Pi / 180)
		return r, checkFloat(r, isInf(f), true)
	},
	"radians": func(f float64) (float64, error) { return f * (math.Pi / 180), nil },
}

// power is dpow. Values whose power is not exact in doubles depend on the C
// library's rounding; they are computed where that cannot matter: when the
// power is a whole number small enough for exact multiplication.
func power(a, b float64) (float64, error) {
	switch {
	case math.IsNaN(a):
		if b == 0 {
			return 1, nil
		}
		return a, nil
	case math.IsNaN(b):
		if a == 1 {
			return 1, nil
		}
		return b, nil
	case a == 0 && b < 0:
		return 0, sqlErrorf("2201F", "zero raised to a negative power is undefined")
	case a < 0 && math.Floor(b) != b:
		return 0, sqlErrorf("2201F", "a negative number raised to a non-integer power yields a complex result")
	case isInf(a) || isInf(b):
		return math.Pow(a, b), nil
	}
	r, exact := exactPower(a, b)
	if !exact {
		return 0, unsupportedf("%v ^ %v, whose last digit depends on the server's C library,", a, b)
	}
	return r, checkFloat(r, false, a == 0)
}

// exactPower computes a ^ b when the result is certain.
func exactPower(a, b float64) (float64, bool) {
	switch {
	case b == 0 || a == 1:
		return 1, true
	case a == 0:
		return math.Pow(a, b), true
	case b == 1:
		return a, true
	case b == -1:
		return 1 / a, true
	case b == 0.5 && a > 0:
		return math.Sqrt(a), true
	case b == 2:
		return a * a, true
	}
	return exactIntegerPower(a, b)
}
