package ordering

import (
	"bytes"
	"cmp"
	"math"
	"math/bits"
	"slices"

	"github.com/pipescan/pipescan/catalog"
)

// compareTID compares by block, whose upper half is stored first, then by line
// pointer.
func compareTID(a, b []byte) int {
	place := func(v []byte) uint64 {
		if len(v) < 6 {
			return 0
		}
		return uint64(le.Uint16(v))<<32 | uint64(le.Uint16(v[2:]))<<16 | uint64(le.Uint16(v[4:]))
	}
	return cmp.Compare(place(a), place(b))
}

// compareFloats puts NaN after everything else; NaNs are equal, as are 0 and
// -0.
func compareFloats(a, b float64) int {
	switch aNaN, bNaN := math.IsNaN(a), math.IsNaN(b); {
	case aNaN && bNaN:
		return 0
	case aNaN:
		return 1
	case bNaN:
		return -1
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

func float4(v []byte) float64 {
	if len(v) < 4 {
		return 0
	}
	return float64(math.Float32frombits(le.Uint32(v)))
}

func float8(v []byte) float64 {
	if len(v) < 8 {
		return 0
	}
	return math.Float64frombits(le.Uint64(v))
}

func compareFloat4(a, b []byte) int { return compareFloats(float4(a), float4(b)) }
func compareFloat8(a, b []byte) int { return compareFloats(float8(a), float8(b)) }

func keyFloat4(dst, v []byte) []byte { return keyFloat(dst, float4(v)) }
func keyFloat8(dst, v []byte) []byte { return keyFloat(dst, float8(v)) }

// keyFloat writes one of all NaNs, and 0 for -0.
func keyFloat(dst []byte, x float64) []byte {
	switch {
	case math.IsNaN(x):
		x = math.NaN()
	case x == 0:
		x = 0
	}
	return le.AppendUint64(dst, math.Float64bits(x))
}

// rankFloat is the bits, turned so that they compare as the numbers do.
func rankFloat(x float64) uint64 {
	switch {
	case math.IsNaN(x):
		return math.MaxUint64
	case x == 0:
		x = 0 // one of two zeros
	}
	u := math.Float64bits(x)
	if u>>63 != 0 {
		return ^u
	}
	return u | 1<<63
}

// compareTimetz compares the moments, then the zones: the value is
// microseconds of the day and seconds west of UTC.
func compareTimetz(a, b []byte) int {
	moment := func(v []byte) (int64, int32) {
		if len(v) < 12 {
			return 0, 0
		}
		zone := int32(le.Uint32(v[8:]))
		return int64(le.Uint64(v)) + int64(zone)*1_000_000, zone
	}
	aTime, aZone := moment(a)
	bTime, bZone := moment(b)
	return cmp.Or(cmp.Compare(aTime, bTime), cmp.Compare(aZone, bZone))
}

// span is an interval as one number of microseconds, of 128 bits: a month has
// 30 days, a day 24 hours (interval_cmp_value).
type span struct {
	hi int64
	lo uint64
}

func spanOf(v []byte) span {
	if len(v) < 16 {
		return span{}
	}
	micros, day, month := int64(le.Uint64(v)), int32(le.Uint32(v[8:])), int32(le.Uint32(v[12:]))
	days := int64(month)*30 + int64(day)
	hi, lo := bits.Mul64(uint64(max(days, -days)), 86_400_000_000)
	if days < 0 {
		lo = -lo
		hi = ^hi
		if lo == 0 {
			hi++
		}
	}
	lo, carry := bits.Add64(lo, uint64(micros), 0)
	return span{int64(hi) + micros>>63 + int64(carry), lo}
}

func compareInterval(a, b []byte) int {
	x, y := spanOf(a), spanOf(b)
	return cmp.Or(cmp.Compare(x.hi, y.hi), cmp.Compare(x.lo, y.lo))
}

func keyInterval(dst, v []byte) []byte {
	x := spanOf(v)
	return le.AppendUint64(le.AppendUint64(dst, x.lo), uint64(x.hi))
}

// compareInet compares family, the bits both networks have, the lengths of the
// networks, then the addresses (network_cmp). The value is family, length of
// the network in bits, address.
func compareInet(a, b []byte) int {
	if len(a) < 2 || len(b) < 2 || a[0] != b[0] {
		return bytes.Compare(a[:min(len(a), 1)], b[:min(len(b), 1)])
	}
	return cmp.Or(
		compareBitPrefix(a[2:], b[2:], int(min(a[1], b[1]))),
		cmp.Compare(a[1], b[1]),
		bytes.Compare(a[2:], b[2:]),
	)
}

// compareBitPrefix compares the first n bits.
func compareBitPrefix(a, b []byte, n int) int {
	whole := min(n/8, len(a), len(b))
	if c := bytes.Compare(a[:whole], b[:whole]); c != 0 {
		return c
	}
	rest := n % 8
	if rest == 0 || whole >= len(a) || whole >= len(b) || whole < n/8 {
		return 0
	}
	mask := byte(0xFF) << (8 - rest)
	return cmp.Compare(a[whole]&mask, b[whole]&mask)
}

// compareBits compares the bytes both have, then the numbers of bits. The
// value is the number of bits (32 bits), then the bits.
func compareBits(a, b []byte) int {
	if len(a) < 4 || len(b) < 4 {
		return cmp.Compare(len(a), len(b))
	}
	n := min(len(a), len(b))
	return cmp.Or(bytes.Compare(a[4:n], b[4:n]), cmp.Compare(int32(le.Uint32(a)), int32(le.Uint32(b))))
}

// trimSpaces takes off what character(n) is filled up with.
func trimSpaces(v []byte) []byte { return bytes.TrimRight(v, " ") }

func compareBpchar(a, b []byte) int  { return bytes.Compare(trimSpaces(a), trimSpaces(b)) }
func rankBpchar(v []byte) uint64     { return rankBytes(trimSpaces(v)) }
func keyBpchar(dst, v []byte) []byte { return append(dst, trimSpaces(v)...) }

// trimName is a name without the zeros it is filled up with.
func trimName(v []byte) []byte {
	if i := bytes.IndexByte(v, 0); i >= 0 {
		return v[:i]
	}
	return v
}

func compareName(a, b []byte) int  { return bytes.Compare(trimName(a), trimName(b)) }
func rankName(v []byte) uint64     { return rankBytes(trimName(v)) }
func keyName(dst, v []byte) []byte { return append(dst, trimName(v)...) }

// enumOrdering orders by the place of the label, which its OID stands for.
func enumOrdering(typ catalog.OID, types Types) (*Ordering, error) {
	if types.EnumLabels == nil {
		return nil, unsupported("comparing values of the enum type %d", typ)
	}
	labels, err := types.EnumLabels(typ)
	if err != nil {
		return nil, err
	}
	labels = slices.Clone(labels)
	slices.SortFunc(labels, func(a, b catalog.EnumLabel) int { return cmp.Compare(a.Order, b.Order) })
	rank := make(map[uint32]int, len(labels))
	for i, l := range labels {
		rank[l.OID] = i
	}
	return &Ordering{
		Key: plainKey,
		Compare: func(a, b []byte) int {
			if len(a) < 4 || len(b) < 4 {
				return cmp.Compare(len(a), len(b))
			}
			return cmp.Compare(rank[le.Uint32(a)], rank[le.Uint32(b)])
		},
	}, nil
}
