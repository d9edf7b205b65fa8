package qual

import (
	"github.com/pipescan/pipescan/catalog"
)

// OIDs of types that only this package names (pg_type.dat).
const (
	unknownOID catalog.OID = 705
	anyOID     catalog.OID = 2276

	anyElementOID, anyArrayOID, anyNonArrayOID, anyEnumOID, anyRangeOID catalog.OID = 2283, 2277, 2776, 3500, 3831
	anyMultirangeOID                                                    catalog.OID = 4537
	anyCompatibleOID, anyCompatibleArrayOID, anyCompatibleNonArrayOID   catalog.OID = 5077, 5078, 5079
	anyCompatibleRangeOID, anyCompatibleMultirangeOID                   catalog.OID = 5080, 4538

	firstUserOID catalog.OID = 16384

	categoryString, categoryInvalid, categoryUser byte = 'S', 0, 'U'
)

// analyzer resolves one expression.
type analyzer struct {
	*Scope
	sys *systables
	// failed is the first error of reading a catalog: the rules of resolution
	// ask about types in many places that cannot fail otherwise.
	failed error
}

// typ is what is known of a type; a type that is not there is a pseudo-type
// that nothing can be cast to.
func (a *analyzer) typ(oid catalog.OID) *typeRow {
	if t, ok := a.sys.types[oid]; ok {
		return t
	}
	none := &typeRow{oid: oid, name: "???", kind: 'p', category: categoryUser}
	if a.Env == nil || a.Env.Lookup == nil {
		return none
	}
	t, ok, err := a.Env.Lookup.Type(oid)
	if err != nil && a.failed == nil {
		a.failed = err
	}
	if err != nil || !ok {
		return none
	}
	row := &typeRow{
		oid: oid, name: t.Name, len: t.Len, kind: t.Kind, category: t.Category, elem: t.Elem, array: t.Array,
		collation: t.Collation, align: t.Align,
	}
	if !t.IsTrueArray() {
		row.elem = 0
	}
	return row
}

// base is the type under domains.
func (a *analyzer) base(oid catalog.OID) catalog.OID {
	for range 100 {
		if a.sys.types[oid] != nil || a.typ(oid).kind != 'd' {
			return oid
		}
		t, ok, err := a.Env.Lookup.Type(oid)
		if err != nil || !ok {
			return oid
		}
		oid = t.BaseType
	}
	return oid
}

// elemOf is the element type of a true array, 0 for other types.
func (a *analyzer) elemOf(oid catalog.OID) catalog.OID {
	t := a.typ(oid)
	if t.len != -1 || oid == anyArrayOID {
		return 0
	}
	return t.elem
}

// arrayOf is the array type over a type, 0 when there is none.
func (a *analyzer) arrayOf(oid catalog.OID) catalog.OID { return a.typ(oid).array }

// typeName is the type's name in messages.
func (a *analyzer) typeName(oid catalog.OID) string {
	if oid == unknownOID {
		return "unknown"
	}
	name, err := catalog.FormatType(builtinLookup{a}, a.major(), oid)
	if err != nil {
		return a.typ(oid).name
	}
	return name
}

func (a *analyzer) major() int { return a.Env.Major }

// builtinLookup answers format_type's questions from the tables of built-in
// types first, so that no catalogs are needed for those.
type builtinLookup struct{ a *analyzer }

// Type implements catalog.Lookup.
func (l builtinLookup) Type(oid catalog.OID) (*catalog.Type, bool, error) {
	if t, ok := l.a.sys.types[oid]; ok {
		return &catalog.Type{OID: oid, Name: t.name, Len: t.len, Kind: t.kind, Category: t.category, Elem: t.elem, Array: t.array, Align: t.align, Delim: ',', Namespace: 11}, true, nil
	}
	if l.a.Env.Lookup == nil {
		return nil, false, nil
	}
	return l.a.Env.Lookup.Type(oid)
}

// TypeVisible implements catalog.Lookup.
func (l builtinLookup) TypeVisible(oid catalog.OID) (bool, error) {
	if _, ok := l.a.sys.types[oid]; ok || l.a.Env.Lookup == nil {
		return true, nil
	}
	return l.a.Env.Lookup.TypeVisible(oid)
}

// The rest implements catalog.Lookup by asking the catalogs; names of types
// ask no more than Namespace.

// Relation implements catalog.Lookup.
func (l builtinLookup) Relation(oid catalog.OID) (*catalog.Relation, bool, error) {
	return nil, false, nil
}

// EnumLabel implements catalog.Lookup.
func (l builtinLookup) EnumLabel(catalog.OID) (string, bool, error) { return "", false, nil }

// Role implements catalog.Lookup.
func (l builtinLookup) Role(catalog.OID) (string, bool, error) { return "", false, nil }

// Namespace implements catalog.Lookup.
func (l builtinLookup) Namespace(oid catalog.OID) (string, bool, error) {
	if l.a.Env.Lookup == nil {
		return "pg_catalog", oid == 11, nil
	}
	return l.a.Env.Lookup.Namespace(oid)
}

// Range implements catalog.Lookup.
func (l builtinLookup) Range(catalog.OID) (*catalog.Range, bool, error) { return nil, false, nil }

// RegName implements catalog.Lookup.
func (l builtinLookup) RegName(catalog.RegKind, catalog.OID) (string, bool, error) {
	return "", false, nil
}

// sqlTypeNames are SQL's names of types that have another in pg_type.
var sqlTypeNames = map[string]catalog.OID{
	"bigint": catalog.Int8OID, "int": catalog.Int4OID, "integer": catalog.Int4OID, "smallint": catalog.Int2OID,
	"boolean": catalog.BoolOID, "real": catalog.Float4OID, "double precision": catalog.Float8OID, "float": catalog.Float8OID,
	"decimal": catalog.NumericOID, "dec": catalog.NumericOID,
	"character varying": catalog.VarcharOID, "char varying": catalog.VarcharOID,
	"character": catalog.BpcharOID, "char": catalog.BpcharOID, `"char"`: catalog.CharOID,
	"time without time zone": catalog.TimeOID, "time with time zone": catalog.TimetzOID,
	"timestamp without time zone": catalog.TimestampOID, "timestamp with time zone": catalog.TimestamptzOID,
	"bit varying": catalog.VarbitOID,
}
