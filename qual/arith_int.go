package qual

import (
	"encoding/binary"
	"math"
	"math/bits"
)

// kernels are the functions by their C names, for all but comparisons.
var kernels = map[string]rowFunc{}

// integer is PostgreSQL's integer types.
type integer interface{ ~int16 | ~int32 | ~int64 }

func errDivision() error { return sqlErrorf("22012", "division by zero") }

func outOfRange[T integer]() error {
	var t T
	switch any(t).(type) {
	case int16:
		return sqlErrorf("22003", "smallint out of range")
	case int32:
		return sqlErrorf("22003", "integer out of range")
	}
	return sqlErrorf("22003", "bigint out of range")
}

// getInt reads an integer of any of the types.
func getInt[T integer](b []byte) T {
	var t T
	switch any(t).(type) {
	case int16:
		return T(getInt16(b))
	case int32:
		return T(getInt32(b))
	}
	return T(getInt64(b))
}

func appendInt[T integer](dst []byte, n T) []byte {
	var t T
	switch any(t).(type) {
	case int16:
		return binary.LittleEndian.AppendUint16(dst, uint16(n))
	case int32:
		return binary.LittleEndian.AppendUint32(dst, uint32(n))
	}
	return binary.LittleEndian.AppendUint64(dst, uint64(n))
}

// fitInt appends n if T holds it.
func fitInt[T integer](dst []byte, n int64) ([]byte, error) {
	if int64(T(n)) != n {
		return nil, outOfRange[T]()
	}
	return appendInt(dst, T(n)), nil
}

// arithInt registers + - * / of two integer types; R is the wider one, which
// is the result's.
func arithInt[L, R, T integer](name string) {
	op := func(f func(a, b int64) (int64, bool)) rowFunc {
		return func(_ *fctx, dst []byte, args [][]byte) ([]byte, error) {
			n, ok := f(int64(getInt[L](args[0])), int64(getInt[R](args[1])))
			if !ok {
				return nil, outOfRange[T]()
			}
			return fitInt[T](dst, n)
		}
	}
	kernels[name+"pl"] = op(addInt64)
	kernels[name+"mi"] = op(subInt64)
	kernels[name+"mul"] = op(mulInt64)
	kernels[name+"div"] = func(_ *fctx, dst []byte, args [][]byte) ([]byte, error) {
		a, b := int64(getInt[L](args[0])), int64(getInt[R](args[1]))
		switch {
		case b == 0:
			return nil, errDivision()
		case b == -1 && a == math.MinInt64:
			return nil, outOfRange[T]()
		}
		return fitInt[T](dst, a/b)
	}
}

func addInt64(a, b int64) (int64, bool) {
	c := a + b
	return c, (c > a) == (b > 0)
}

func subInt64(a, b int64) (int64, bool) {
	c := a - b
	return c, (c < a) == (b > 0)
}

func mulInt64(a, b int64) (int64, bool) {
	hi, lo := bits.Mul64(uint64(a), uint64(b))
	// From the unsigned product's high word to the signed one's.
	h := int64(hi)
	if a < 0 {
		h -= b
	}
	if b < 0 {
		h -= a
	}
	c := int64(lo)
	return c, h == c>>63
}

// oneInt registers the functions over one integer type.
func oneInt[T integer](name string, width int) {
	two := func(f func(a, b T) T) rowFunc {
		return func(_ *fctx, dst []byte, args [][]byte) ([]byte, error) {
			return appendInt(dst, f(getInt[T](args[0]), getInt[T](args[1]))), nil
		}
	}
	one := func(f func(a T) (T, bool)) rowFunc {
		return func(_ *fctx, dst []byte, args [][]byte) ([]byte, error) {
			n, ok := f(getInt[T](args[0]))
			if !ok {
				return nil, outOfRange[T]()
			}
			return appendInt(dst, n), nil
		}
	}
	shift := func(f func(a T, by uint) T) rowFunc {
		mask := uint(31)
		if width == 8 {
			mask = 63
		}
		return func(_ *fctx, dst []byte, args [][]byte) ([]byte, error) {
			return appendInt(dst, f(getInt[T](args[0]), uint(getInt32(args[1]))&mask)), nil
		}
	}
	kernels[name+"and"] = two(func(a, b T) T { return a & b })
	kernels[name+"or"] = two(func(a, b T) T { return a | b })
	kernels[name+"xor"] = two(func(a, b T) T { return a ^ b })
	kernels[name+"not"] = one(func(a T) (T, bool) { return ^a, true })
	kernels[name+"up"] = one(func(a T) (T, bool) { return a, true })
	kernels[name+"um"] = one(func(a T) (T, bool) { return -a, a == 0 || -a != a })
	kernels[name+"abs"] = one(func(a T) (T, bool) { return max(a, -a), a == 0 || -a != a })
	kernels[name+"shl"] = shift(func(a T, by uint) T { return T(int64(a) << by) })
	kernels[name+"shr"] = shift(func(a T, by uint) T { return T(int64(a) >> by) })
	kernels[name+"mod"] = func(_ *fctx, dst []byte, args [][]byte) ([]byte, error) {
		a, b := getInt[T](args[0]), getInt[T](args[1])
		switch b {
		case 0:
			return nil, errDivision()
		case -1:
			return appendInt(dst, T(0)), nil
		}
		return appendInt(dst, a%b), nil
	}
	kernels[name+"larger"] = two(func(a, b T) T { return max(a, b) })
	kernels[name+"smaller"] = two(func(a, b T) T { return min(a, b) })
}

// castInt registers a cast between integer types.
func castInt[F, T integer](name string) {
	kernels[name] = func(_ *fctx, dst []byte, args [][]byte) ([]byte, error) {
		return fitInt[T](dst, int64(getInt[F](args[0])))
	}
}

func init() {
	oneInt[int16]("int2", 2)
	oneInt[int32]("int4", 4)
	oneInt[int64]("int8", 8)
	arithInt[int16, int16, int16]("int2")
	arithInt[int32, int32, int32]("int4")
	arithInt[int64, int64, int64]("int8")
	arithInt[int16, int32, int32]("int24")
	arithInt[int32, int16, int32]("int42")
	arithInt[int16, int64, int64]("int28")
	arithInt[int64, int16, int64]("int82")
	arithInt[int32, int64, int64]("int48")
	arithInt[int64, int32, int64]("int84")
	castInt[int16, int32]("i2toi4")
	castInt[int16, int64]("int28")
	castInt[int32, int64]("int48")
	castInt[int32, int16]("i4toi2")
	castInt[int64, int16]("int82")
	castInt[int64, int32]("int84")
	kernels["i8tooid"] = func(_ *fctx, dst []byte, args [][]byte) ([]byte, error) {
		n := getInt64(args[0])
		if int64(uint32(n)) != n {
			return nil, sqlErrorf("22003", "OID out of range")
		}
		return binary.LittleEndian.AppendUint32(dst, uint32(n)), nil
	}
	kernels["oidtoi8"] = func(_ *fctx, dst []byte, args [][]byte) ([]byte, error) {
		return appendInt(dst, int64(getUint32(args[0]))), nil
	}
	kernels["int4_bool"] = func(_ *fctx, dst []byte, args [][]byte) ([]byte, error) {
		return appendBoolByte(dst, getInt32(args[0]) != 0), nil
	}
	kernels["bool_int4"] = func(_ *fctx, dst []byte, args [][]byte) ([]byte, error) {
		return appendInt(dst, int32(args[0][0])), nil
	}
	kernels["int4gcd"] = gcdInt[int32]
	kernels["int8gcd"] = gcdInt[int64]
	kernels["int4lcm"] = lcmInt[int32]
	kernels["int8lcm"] = lcmInt[int64]
	kernels["to_hex32"] = toHex(func(b []byte) uint64 { return uint64(getUint32(b)) })
	kernels["to_hex64"] = toHex(func(b []byte) uint64 { return uint64(getInt64(b)) })
}

// gcdOf is the greatest common divisor without sign.
func gcdOf(a, b int64) uint64 {
	x, y := magnitude(a), magnitude(b)
	for y != 0 {
		x, y = y, x%y
	}
	return x
}

func magnitude(a int64) uint64 {
	if a < 0 {
		return -uint64(a)
	}
	return uint64(a)
}

func gcdInt[T integer](_ *fctx, dst []byte, args [][]byte) ([]byte, error) {
	g := gcdOf(int64(getInt[T](args[0])), int64(getInt[T](args[1])))
	if g > math.MaxInt64 {
		return nil, outOfRange[T]()
	}
	return fitInt[T](dst, int64(g))
}

func lcmInt[T integer](_ *fctx, dst []byte, args [][]byte) ([]byte, error) {
	a, b := int64(getInt[T](args[0])), int64(getInt[T](args[1]))
	if a == 0 || b == 0 {
		return appendInt(dst, T(0)), nil
	}
	hi, lo := bits.Mul64(magnitude(a)/gcdOf(a, b), magnitude(b))
	if hi != 0 || lo > math.MaxInt64 {
		return nil, outOfRange[T]()
	}
	return fitInt[T](dst, int64(lo))
}

func toHex(get func([]byte) uint64) rowFunc {
	return func(_ *fctx, dst []byte, args [][]byte) ([]byte, error) {
		const digits = "0123456789abcdef"
		var room [16]byte
		n, i := get(args[0]), len(room)
		for {
			i--
			room[i] = digits[n&15]
			if n >>= 4; n == 0 {
				return append(dst, room[i:]...), nil
			}
		}
	}
}
