package qual

import (
	"math"
	"math/big"
)

// exactIntegerPower computes a to a whole power by exact arithmetic and one
// rounding, as a correctly rounding library does. glibc's pow errs by less
// than 0.52 units in the last place, so it rounds to the nearest, too, unless
// the exact result lies very near the middle of two doubles; then exact is
// false.
func exactIntegerPower(a, b float64) (r float64, exact bool) {
	const most = 1100 // beyond this every power but of 1 over- or underflows, or is near 1
	if math.Floor(b) != b || math.Abs(b) > most {
		return 0, false
	}
	const precision = 53*3 + 64
	p := new(big.Float).SetPrec(precision).SetInt64(1)
	x := new(big.Float).SetPrec(precision).SetFloat64(a)
	for n := int(math.Abs(b)); n > 0; n >>= 1 {
		if n&1 == 1 {
			p.Mul(p, x)
		}
		x.Mul(x, x)
	}
	if b < 0 {
		p.Quo(new(big.Float).SetPrec(precision).SetInt64(1), p)
	}
	r, _ = p.Float64()
	if isInf(r) || r == 0 || math.Abs(r) < 0x1p-1022 {
		return r, isInf(r) || r == 0
	}
	// How far from r, in units of its last place?
	diff := new(big.Float).SetPrec(precision).Sub(p, new(big.Float).SetFloat64(r))
	ulp := math.Nextafter(math.Abs(r), math.Inf(1)) - math.Abs(r)
	d, _ := diff.Float64()
	return r, math.Abs(d)/ulp < 0.48
}

// floatCasts registers the casts between floats and integers.
func floatCasts() {
	toFloat := func(get func([]byte) int64, wide bool) rowFunc {
		return func(_ *fctx, dst []byte, args [][]byte) ([]byte, error) {
			if wide {
				return appendFloat64(dst, float64(get(args[0]))), nil
			}
			return appendFloat32(dst, float32(get(args[0]))), nil
		}
	}
	kernels["i2tof"], kernels["i2tod"] = toFloat(getInt16, false), toFloat(getInt16, true)
	kernels["i4tof"], kernels["i4tod"] = toFloat(getInt32, false), toFloat(getInt32, true)
	kernels["i8tof"], kernels["i8tod"] = toFloat(getInt64, false), toFloat(getInt64, true)
	kernels["ftoi2"], kernels["dtoi2"] = floatToInt[int16](getFloat32), floatToInt[int16](getFloat64)
	kernels["ftoi4"], kernels["dtoi4"] = floatToInt[int32](getFloat32), floatToInt[int32](getFloat64)
	kernels["ftoi8"], kernels["dtoi8"] = floatToInt[int64](getFloat32), floatToInt[int64](getFloat64)
	kernels["ftod"] = func(_ *fctx, dst []byte, args [][]byte) ([]byte, error) {
		return appendFloat64(dst, getFloat32(args[0])), nil
	}
	kernels["dtof"] = func(_ *fctx, dst []byte, args [][]byte) ([]byte, error) {
		f := getFloat64(args[0])
		r := float32(f)
		if err := checkFloat(float64(r), isInf(f), f == 0); err != nil {
			return nil, err
		}
		return appendFloat32(dst, r), nil
	}
}

// floatToInt rounds to the nearest, ties to even.
func floatToInt[T integer](get func([]byte) float64) rowFunc {
	var t T
	limit := 0x1p63
	switch any(t).(type) {
	case int16:
		limit = 0x1p15
	case int32:
		limit = 0x1p31
	}
	return func(_ *fctx, dst []byte, args [][]byte) ([]byte, error) {
		f := math.RoundToEven(get(args[0]))
		if !(f >= -limit && f < limit) {
			return nil, outOfRange[T]()
		}
		return appendInt(dst, T(f)), nil
	}
}
