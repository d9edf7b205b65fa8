package qual

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"math"

	"github.com/pipescan/pipescan/catalog"
)

// cmpOp is one of the six comparisons.
type cmpOp uint8

const (
	opEq cmpOp = iota
	opNe
	opLt
	opLe
	opGt
	opGe
)

// String is the operator.
func (o cmpOp) String() string { return [...]string{"=", "<>", "<", "<=", ">", ">="}[o] }

// holds says whether the operator is true of a three-way comparison.
func (o cmpOp) holds(n int) bool {
	switch o {
	case opEq:
		return n == 0
	case opNe:
		return n != 0
	case opLt:
		return n < 0
	case opLe:
		return n <= 0
	case opGt:
		return n > 0
	}
	return n >= 0
}

// cmpFunc compares two values of the types its function is declared for.
type cmpFunc func(c *fctx, a, b []byte) (int, error)

// physical is how the values of a fixed-width type are read as numbers.
type physical uint8

const (
	phNone physical = iota
	phInt16
	phInt32
	phInt64
	phUint32
	phFloat32
	phFloat64
)

// comparison is a comparison function.
type comparison struct {
	op          cmpOp
	cmp         cmpFunc
	left, right physical // phNone: only through cmp
}

// row is the function over two values.
func (s *comparison) row() rowFunc {
	return func(c *fctx, dst []byte, args [][]byte) ([]byte, error) {
		n, err := s.cmp(c, args[0], args[1])
		if err != nil {
			return nil, err
		}
		return appendBoolByte(dst, s.op.holds(n)), nil
	}
}

// comparisons are the comparison functions by their C names.
var comparisons = map[string]*comparison{}

// collationSensitive are the functions that look at their collation.
var collationSensitive = map[string]bool{}

var cmpSuffixes = [...]string{"eq", "ne", "lt", "le", "gt", "ge"}

// family registers six functions named prefix + suffix.
func family(prefix string, l, r physical, f cmpFunc) { familyAs(prefix, "", l, r, f) }

// familyAs is family with something behind the suffix.
func familyAs(prefix, behind string, l, r physical, f cmpFunc) {
	for op, s := range cmpSuffixes {
		comparisons[prefix+s+behind] = &comparison{op: cmpOp(op), cmp: f, left: l, right: r}
	}
}

func init() {
	type side struct {
		name string
		ph   physical
		get  func([]byte) int64
	}
	ints := []side{{"2", phInt16, getInt16}, {"4", phInt32, getInt32}, {"8", phInt64, getInt64}}
	for _, l := range ints {
		for _, r := range ints {
			name := "int" + l.name + r.name
			if l.name == r.name {
				name = "int" + l.name
			}
			family(name, l.ph, r.ph, func(_ *fctx, a, b []byte) (int, error) { return cmp.Compare(l.get(a), r.get(b)), nil })
		}
	}
	floats := map[string]func([]byte) float64{"4": getFloat32, "8": getFloat64}
	for l, lf := range floats {
		for r, rf := range floats {
			name := "float" + l + r
			if l == r {
				name = "float" + l
			}
			family(name, floatPhysical(l), floatPhysical(r), func(_ *fctx, a, b []byte) (int, error) { return compareFloats(lf(a), rf(b)), nil })
		}
	}
	family("oid", phUint32, phUint32, func(_ *fctx, a, b []byte) (int, error) {
		return cmp.Compare(getUint32(a), getUint32(b)), nil
	})
	int32s := func(_ *fctx, a, b []byte) (int, error) { return cmp.Compare(getInt32(a), getInt32(b)), nil }
	int64s := func(_ *fctx, a, b []byte) (int, error) { return cmp.Compare(getInt64(a), getInt64(b)), nil }
	family("date_", phInt32, phInt32, int32s)
	family("time_", phInt64, phInt64, int64s)
	family("timestamp_", phInt64, phInt64, int64s)
	family("cash_", phInt64, phInt64, int64s)
	asBytes := func(_ *fctx, a, b []byte) (int, error) { return bytes.Compare(a, b), nil }
	for _, name := range []string{"bool", "char", "bytea", "uuid_"} {
		family(name, phNone, phNone, asBytes)
	}
	family("macaddr_", phNone, phNone, asBytes)
	family("macaddr8_", phNone, phNone, asBytes)
	family("bit", phNone, phNone, compareBits)
	family("network_", phNone, phNone, compareInet)
	family("interval_", phNone, phNone, compareIntervals)
	family("timetz_", phNone, phNone, compareTimeTZ)
	family("numeric_", phNone, phNone, compareNumerics)
	family("enum_", phNone, phNone, compareEnums)
	comparisons["xideq"] = &comparison{op: opEq, cmp: int32s}
	comparisons["cideq"] = &comparison{op: opEq, cmp: int32s}
	comparisons["xidneq"] = &comparison{op: opNe, cmp: int32s}
}

func floatPhysical(name string) physical {
	if name == "4" {
		return phFloat32
	}
	return phFloat64
}

func getInt16(b []byte) int64   { return int64(int16(binary.LittleEndian.Uint16(b))) }
func getInt32(b []byte) int64   { return int64(int32(binary.LittleEndian.Uint32(b))) }
func getInt64(b []byte) int64   { return int64(binary.LittleEndian.Uint64(b)) }
func getUint32(b []byte) uint32 { return binary.LittleEndian.Uint32(b) }
func getFloat32(b []byte) float64 {
	return float64(math.Float32frombits(binary.LittleEndian.Uint32(b)))
}
func getFloat64(b []byte) float64 { return math.Float64frombits(binary.LittleEndian.Uint64(b)) }

// compareFloats orders NaN after everything, equal to itself.
func compareFloats(a, b float64) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	case a == b:
		return 0
	}
	aNaN, bNaN := a != a, b != b
	switch {
	case aNaN && bNaN:
		return 0
	case aNaN:
		return 1
	}
	return -1
}

// compareBits orders by bytes, then by length in bits: the payload is the
// length and the bytes.
func compareBits(_ *fctx, a, b []byte) (int, error) {
	if len(a) < 4 || len(b) < 4 {
		return 0, errShort("bit string")
	}
	if n := bytes.Compare(a[4:], b[4:]); n != 0 {
		return n, nil
	}
	return cmp.Compare(getInt32(a), getInt32(b)), nil
}

// compareInet: family, then the common bits of the network, then its length,
// then the whole address. The payload is family (2: IPv4), bits, address.
func compareInet(_ *fctx, a, b []byte) (int, error) {
	if len(a) < 6 || len(b) < 6 {
		return 0, errShort("inet")
	}
	if a[0] != b[0] {
		return cmp.Compare(a[0], b[0]), nil
	}
	if n := compareBitPrefix(a[2:], b[2:], int(min(a[1], b[1]))); n != 0 {
		return n, nil
	}
	if a[1] != b[1] {
		return cmp.Compare(a[1], b[1]), nil
	}
	return bytes.Compare(a[2:], b[2:]), nil
}

// compareBitPrefix compares the first n bits.
func compareBitPrefix(a, b []byte, n int) int {
	whole := min(n/8, len(a), len(b))
	if c := bytes.Compare(a[:whole], b[:whole]); c != 0 || n%8 == 0 || whole >= len(a) || whole >= len(b) {
		return c
	}
	mask := byte(0xff) << (8 - n%8)
	return cmp.Compare(a[whole]&mask, b[whole]&mask)
}

// compareEnums orders labels as pg_enum does; the value is a label's OID.
func compareEnums(c *fctx, a, b []byte) (int, error) {
	if bytes.Equal(a, b) {
		return 0, nil
	}
	if c.a.EnumLabels == nil {
		return 0, unsupportedf("order of an enum without its labels")
	}
	labels, err := c.a.EnumLabels(c.a.base(c.x.args[0].typ))
	if err != nil {
		return 0, err
	}
	place := func(v []byte) (float32, bool) {
		for i := range labels {
			if labels[i].OID == getUint32(v) {
				return labels[i].Order, true
			}
		}
		return 0, false
	}
	x, okX := place(a)
	y, okY := place(b)
	if !okX || !okY {
		return 0, sqlErrorf("XX000", "enum label is not in pg_enum")
	}
	return cmp.Compare(x, y), nil
}

// errShort says that a value has fewer bytes than its type needs.
func errShort(what string) error { return sqlErrorf("XX001", "a value of type %s is cut short", what) }

// compareOf is the comparison behind a type's < operator, for functions that
// compare values of any type.
func compareOf(fn *proc, a *analyzer) (cmpFunc, error) {
	if s, ok := comparisons[fn.src]; ok {
		return s.cmp, nil
	}
	return nil, unsupportedf("a comparison by function %s", a.callText(fn.name, fn.args))
}

// compareFor finds the comparison of a type, with the collation to use.
func (a *analyzer) compareFor(typ catalog.OID) (cmpFunc, error) {
	o, err := a.operatorFor("<", []catalog.OID{typ, typ})
	if err != nil {
		return nil, err
	}
	return compareOf(a.sys.procByOID[o.proc], a)
}
