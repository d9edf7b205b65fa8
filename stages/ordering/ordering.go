package ordering

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"fmt"

	"github.com/pipescan/pipescan/catalog"
	"github.com/pipescan/pipescan/pgfile"
)

// Ordering compares the values of one type.
type Ordering struct {
	// Compare is negative, zero or positive as a comes before, is equal to, or
	// comes after b; nil for types that know equality alone.
	Compare func(a, b []byte) int
	// Rank is a number that never decreases as values go up, so that most
	// comparisons need only it; nil when there is none.
	Rank func(v []byte) uint64
	// Key appends a value's key to dst.
	Key func(dst, v []byte) []byte
}

// Text is what a collation does to text.
type Text struct {
	Name          string // for messages
	Bytewise      bool   // the order is that of the bytes
	Deterministic bool   // equal means equal bytes
}

// Types tells about types that are not built in, and parts of types.
type Types struct {
	// Lookup finds a type; never nil.
	Lookup func(catalog.OID) (*catalog.Type, bool, error)
	// EnumLabels are an enum's labels in order.
	EnumLabels func(catalog.OID) ([]catalog.EnumLabel, error)
	// Major is the server version of the data.
	Major int
}

// MissingError says that PostgreSQL itself has no ordering, or no equality,
// for a type.
type MissingError struct{ Type catalog.OID }

// Error names the type by its number; callers know its name.
func (e *MissingError) Error() string {
	return fmt.Sprintf("type %d has no default operator class", e.Type)
}

// For returns the ordering of a type, whose values are under the collation
// text. Errors: *MissingError, or pgfile.ErrUnsupported.
func For(typ catalog.OID, text Text, types Types) (*Ordering, error) {
	if o, ok := scalars[typ]; ok {
		return o, nil
	}
	switch typ {
	case catalog.TextOID, catalog.VarcharOID:
		return textOrdering(bytes.Compare, rankBytes, plainKey, text)
	case catalog.BpcharOID:
		return textOrdering(compareBpchar, rankBpchar, keyBpchar, text)
	case catalog.NameOID:
		return textOrdering(compareName, rankName, keyName, text)
	case catalog.JSONOID, catalog.XMLOID:
		return nil, &MissingError{typ}
	}
	t, ok, err := types.Lookup(typ)
	switch {
	case err != nil:
		return nil, err
	case !ok:
		return nil, unsupported("comparing values of type %d", typ)
	case t.Kind == 'd':
		return For(t.BaseType, text, types)
	case t.Kind == 'e':
		return enumOrdering(typ, types)
	case t.IsTrueArray():
		return arrayOrdering(t.Elem, text, types)
	}
	return nil, unsupported("comparing values of type %s", t.Name)
}

func unsupported(format string, args ...any) error {
	return fmt.Errorf("%w: "+format, append([]any{pgfile.ErrUnsupported}, args...)...)
}

// textOrdering is the ordering of a text type under a collation.
func textOrdering(compare func(a, b []byte) int, rank func(v []byte) uint64, key func(dst, v []byte) []byte, text Text) (*Ordering, error) {
	if !text.Deterministic {
		return nil, unsupported("comparing text under the nondeterministic collation %s", text.Name)
	}
	o := &Ordering{Key: key}
	if text.Bytewise {
		o.Compare, o.Rank = compare, rank
	}
	return o, nil
}

func plainKey(dst, v []byte) []byte { return append(dst, v...) }

// fixed makes the ordering of a type of fixed width whose equal values have
// equal bytes. A value that is too short counts as zero.
func fixed[T any](width int, get func([]byte) T, compare func(a, b T) int, rank func(T) uint64) *Ordering {
	safe := func(v []byte) T {
		if len(v) < width {
			v = make([]byte, width)
		}
		return get(v)
	}
	return &Ordering{
		Compare: func(a, b []byte) int { return compare(safe(a), safe(b)) },
		Rank:    func(v []byte) uint64 { return rank(safe(v)) },
		Key:     plainKey,
	}
}

// rankSigned moves the sign so that unsigned numbers compare as signed ones.
func rankSigned[T int16 | int32 | int64](x T) uint64 { return uint64(int64(x)) ^ 1<<63 }

// rankBytes is the first eight bytes.
func rankBytes(v []byte) uint64 {
	if len(v) >= 8 {
		return binary.BigEndian.Uint64(v)
	}
	var b [8]byte
	copy(b[:], v)
	return binary.BigEndian.Uint64(b[:])
}

var (
	le        = binary.LittleEndian
	byInt16   = fixed(2, func(v []byte) int16 { return int16(le.Uint16(v)) }, cmp.Compare[int16], rankSigned[int16])
	byInt32   = fixed(4, func(v []byte) int32 { return int32(le.Uint32(v)) }, cmp.Compare[int32], rankSigned[int32])
	byInt64   = fixed(8, func(v []byte) int64 { return int64(le.Uint64(v)) }, cmp.Compare[int64], rankSigned[int64])
	byUint32  = fixed(4, le.Uint32, cmp.Compare[uint32], func(x uint32) uint64 { return uint64(x) })
	byUint64  = fixed(8, le.Uint64, cmp.Compare[uint64], func(x uint64) uint64 { return x })
	byBytes   = &Ordering{Compare: bytes.Compare, Rank: rankBytes, Key: plainKey}
	equalOnly = &Ordering{Key: plainKey}
)

// scalars are the built-in types that need nothing else to be known.
var scalars = map[catalog.OID]*Ordering{
	catalog.BoolOID: byBytes, catalog.CharOID: byBytes, catalog.ByteaOID: byBytes, catalog.UUIDOID: byBytes,
	catalog.MacaddrOID: byBytes, catalog.Macaddr8OID: byBytes,
	catalog.Int2OID: byInt16, catalog.Int4OID: byInt32, catalog.Int8OID: byInt64, catalog.MoneyOID: byInt64,
	catalog.DateOID: byInt32, catalog.TimeOID: byInt64, catalog.TimestampOID: byInt64, catalog.TimestamptzOID: byInt64,
	catalog.OidOID: byUint32, catalog.RegclassOID: byUint32, catalog.RegtypeOID: byUint32, catalog.RegprocOID: byUint32,
	catalog.RegprocedureOID: byUint32, catalog.RegoperOID: byUint32, catalog.RegoperatorOID: byUint32, catalog.RegconfigOID: byUint32,
	catalog.RegdictionaryOID: byUint32, catalog.RegnamespaceOID: byUint32, catalog.RegroleOID: byUint32, catalog.RegcollationOID: byUint32,
	catalog.XidOID: equalOnly, catalog.CidOID: equalOnly, catalog.Xid8OID: byUint64, catalog.PgLSNOID: byUint64,
	catalog.TidOID:    {Compare: compareTID, Key: plainKey},
	catalog.Float4OID: {Compare: compareFloat4, Rank: func(v []byte) uint64 { return rankFloat(float4(v)) }, Key: keyFloat4}, catalog.Float8OID: {Compare: compareFloat8, Rank: func(v []byte) uint64 { return rankFloat(float8(v)) }, Key: keyFloat8},
	catalog.NumericOID:  {Compare: compareNumeric, Key: keyNumeric},
	catalog.TimetzOID:   {Compare: compareTimetz, Key: plainKey},
	catalog.IntervalOID: {Compare: compareInterval, Key: keyInterval},
	catalog.InetOID:     {Compare: compareInet, Key: plainKey}, catalog.CidrOID: {Compare: compareInet, Key: plainKey},
	catalog.BitOID: {Compare: compareBits, Key: plainKey}, catalog.VarbitOID: {Compare: compareBits, Key: plainKey},
}
