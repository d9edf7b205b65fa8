package datum

import (
	"encoding/binary"
	"math"
	"strconv"
)

// float4 and float8 are IEEE 754 numbers. PostgreSQL prints the shortest
// decimal that reads back as the same number, and among these the closest
// (extra_float_digits 1, the default since 12). Package strconv does the same
// but for two rare cases, see floatcases.go.
//
// Plain notation is used for decimal exponents from -4 to 14 (float8) or 5
// (float4), and d.ddde±XX for all others. The bounds need no look at the
// digits: 1e15 and 1e6 are numbers themselves, and of 1e-4 the nearest number
// prints as 0.0001.

// layout tells the two widths apart.
type layout struct {
	bits, mantBits, bias int
	plainStart, plainEnd float64 // plain notation between these
	plainDigits          int     // plainEnd is 10 to this power
	midpointsFrom        float64 // 2^(mantBits+1): decimals half way between numbers occur from here on
	maxDigits            int     // enough for a round trip
	tieFrom, tieTo       uint64  // exact decimals whose rounding may be a tie, without point, lie between these
}

var (
	layout64 = layout{64, 52, 1075, 1e-4, 1e15, 15, 1 << 53, 17, 5 << 53, 1e18}
	layout32 = layout{32, 23, 150, float64(float32(1e-4)), 1e6, 6, 1 << 24, 9, 5 << 24, 1e10}
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
	format := byte('e')
	switch {
	case abs >= l.plainStart && abs < l.plainEnd:
		format = 'f'
	case f == 0:
		return strconv.AppendFloat(dst, f, 'f', -1, l.bits)
	case math.IsNaN(f):
		return append(dst, "NaN"...)
	case math.IsInf(f, 1):
		return append(dst, "Infinity"...)
	case math.IsInf(f, -1):
		return append(dst, "-Infinity"...)
	}
	start := len(dst)
	dst = strconv.AppendFloat(dst, f, format, -1, l.bits)
	b := split(raw, l)
	if abs >= l.midpointsFrom {
		return b.avoidMidpoint(dst, start, l)
	}
	if exact, places := b.exactDecimal(l); exact != 0 {
		return b.roundTie(dst, start, exact, places, l)
	}
	return dst
}
