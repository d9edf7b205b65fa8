package cluster

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"math"
	"math/big"

	"github.com/pipescan/pipescan/catalog"
	"github.com/pipescan/pipescan/datum"
)

// compareFunc orders two values of one type as its operator class does. They
// come from parseConst, of the right length.
type compareFunc func(a, b []byte) int

// Operator classes that compare text byte by byte whatever the collation.
const (
	textPatternOps    catalog.OID = 4217
	varcharPatternOps catalog.OID = 4218
	bpcharPatternOps  catalog.OID = 4219
	firstUserOID      catalog.OID = 16384 // below: made by initdb
)

// comparer finds the order of a partition key's column; nil when it is one that
// only a server knows: an operator class of a user, a type that is not listed
// here, text under a language's collation.
func (d *Database) comparer(ctx context.Context, typ, class, collation catalog.OID) (compareFunc, error) {
	if class >= firstUserOID {
		return nil, nil
	}
	if o, ok := scalarOrder[typ]; ok {
		return o.compare, nil
	}
	switch typ {
	case catalog.NumericOID:
		return d.numericOrder(), nil
	case catalog.TextOID, catalog.VarcharOID, catalog.BpcharOID, catalog.NameOID:
		pattern := class == textPatternOps || class == varcharPatternOps || class == bpcharPatternOps
		if !pattern {
			if ok, err := d.bytewise(ctx, collation); !ok || err != nil {
				return nil, err
			}
		}
		if typ == catalog.BpcharOID {
			return func(a, b []byte) int { return bytes.Compare(bytes.TrimRight(a, " "), bytes.TrimRight(b, " ")) }, nil
		}
		return bytes.Compare, nil
	}
	t, ok, err := d.Type(typ)
	if err != nil || !ok || t.Kind != 'e' {
		return nil, err
	}
	labels, err := d.enumTable(ctx)
	return func(a, b []byte) int {
		if len(a) != 4 || len(b) != 4 {
			return bytes.Compare(a, b) // a damaged bound; no order is right
		}
		return cmp.Compare(labels[u32(a)].Order, labels[u32(b)].Order)
	}, err
}

// Collations of initdb.
const (
	defaultCollation catalog.OID = 100
	cCollation       catalog.OID = 950
	posixCollation   catalog.OID = 951
)

// bytewise says whether a collation orders text by its bytes.
func (d *Database) bytewise(ctx context.Context, oid catalog.OID) (bool, error) {
	switch oid {
	case cCollation, posixCollation:
		return true, nil
	case defaultCollation:
		return d.info.Provider == 'b' || d.info.Provider == 'c' && isC(d.info.Collate), nil
	}
	all, err := d.collationTable(ctx)
	if err != nil {
		return false, err
	}
	c, ok := all[oid]
	return ok && c.Deterministic && (c.Provider == 'b' || c.Provider == 'c' && isC(c.Collate)), nil
}

func isC(locale string) bool { return locale == "C" || locale == "POSIX" }

func u32(b []byte) uint32 { return binary.LittleEndian.Uint32(b) }
func u64(b []byte) uint64 { return binary.LittleEndian.Uint64(b) }

// sizedOrder is the order of a type whose values are all of one size; 0: of
// any size.
type sizedOrder struct {
	size    int
	compare compareFunc
}

func order[T cmp.Ordered](size int, read func([]byte) T) sizedOrder {
	return sizedOrder{size, func(a, b []byte) int { return cmp.Compare(read(a), read(b)) }}
}

func order32(b []byte) int32 { return int32(u32(b)) }
func order64(b []byte) int64 { return int64(u64(b)) }

// scalarOrder are the types whose order needs nothing but their bytes.
var scalarOrder = map[catalog.OID]sizedOrder{
	catalog.BoolOID:        {1, bytes.Compare},
	catalog.CharOID:        {1, bytes.Compare},
	catalog.ByteaOID:       {0, bytes.Compare},
	catalog.UUIDOID:        {16, bytes.Compare},
	catalog.MacaddrOID:     {6, bytes.Compare},
	catalog.Macaddr8OID:    {8, bytes.Compare},
	catalog.Int2OID:        order(2, func(b []byte) int16 { return int16(binary.LittleEndian.Uint16(b)) }),
	catalog.Int4OID:        order(4, order32),
	catalog.DateOID:        order(4, order32),
	catalog.OidOID:         order(4, u32),
	catalog.Int8OID:        order(8, order64),
	catalog.MoneyOID:       order(8, order64),
	catalog.TimeOID:        order(8, order64),
	catalog.TimestampOID:   order(8, order64),
	catalog.TimestamptzOID: order(8, order64),
	catalog.PgLSNOID:       order(8, u64),
	catalog.Xid8OID:        order(8, u64),
	catalog.Float4OID:      {4, floatOrder(func(b []byte) float64 { return float64(math.Float32frombits(u32(b))) })},
	catalog.Float8OID:      {8, floatOrder(func(b []byte) float64 { return math.Float64frombits(u64(b)) })},
}

// floatOrder puts NaN last, as PostgreSQL does.
func floatOrder(read func([]byte) float64) compareFunc {
	return func(a, b []byte) int {
		x, y := read(a), read(b)
		switch {
		case math.IsNaN(x) || math.IsNaN(y):
			return -cmp.Compare(x, y) // cmp puts NaN first
		case x == y:
			return 0
		}
		return cmp.Compare(x, y)
	}
}

// numericOrder compares by value: -Infinity, numbers, Infinity, NaN.
func (d *Database) numericOrder() compareFunc {
	env := d.Env()
	return func(a, b []byte) int {
		ra, x := numericRank(env, a)
		rb, y := numericRank(env, b)
		if ra != rb || x == nil || y == nil {
			return cmp.Compare(ra, rb)
		}
		return x.Cmp(y)
	}
}

// numericRank splits a numeric into its class and, of a number, its value.
func numericRank(env *datum.Env, b []byte) (int, *big.Rat) {
	codec, err := datum.For(catalog.NumericOID, -1, env)
	if err != nil {
		return 3, nil
	}
	text, err := codec.AppendText(nil, b)
	if err != nil {
		return 3, nil
	}
	switch s := string(text); s {
	case "-Infinity":
		return -1, nil
	case "Infinity":
		return 1, nil
	case "NaN":
		return 2, nil
	default:
		r, ok := new(big.Rat).SetString(s)
		if !ok {
			return 3, nil
		}
		return 0, r
	}
}
