package table

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"github.com/pipescan/pipescan/catalog"
)

var _ catalog.Lookup = (*Store)(nil)

// typeLookup is the built-in types and nothing else.
type typeLookup struct{}

var _ catalog.Lookup = typeLookup{}

// Type is a built-in type.
func (typeLookup) Type(oid catalog.OID) (*catalog.Type, bool, error) {
	t := builtinTypes().byOID[oid]
	return t, t != nil, nil
}

// Range is the row of a built-in range or multirange type.
func (typeLookup) Range(oid catalog.OID) (*catalog.Range, bool, error) {
	r := builtinTypes().ranges[oid]
	return r, r != nil, nil
}

// Relation finds nothing.
func (typeLookup) Relation(catalog.OID) (*catalog.Relation, bool, error) { return nil, false, nil }

// EnumLabel finds nothing.
func (typeLookup) EnumLabel(catalog.OID) (string, bool, error) { return "", false, nil }

// Role finds nothing.
func (typeLookup) Role(catalog.OID) (string, bool, error) { return "", false, nil }

// Namespace finds the two schemas that every store has.
func (typeLookup) Namespace(oid catalog.OID) (string, bool, error) {
	switch oid {
	case catalogSchema:
		return "pg_catalog", true, nil
	case publicSchema:
		return "public", true, nil
	}
	return "", false, nil
}

// TypeVisible is true: all types are in pg_catalog.
func (typeLookup) TypeVisible(catalog.OID) (bool, error) { return true, nil }

// RegName is the name of a built-in type; other objects are not known.
func (l typeLookup) RegName(kind catalog.RegKind, oid catalog.OID) (string, bool, error) {
	if t, _, _ := l.Type(oid); kind != catalog.RegType || t == nil {
		return "", false, nil
	}
	text, err := catalog.FormatType(l, Major, oid)
	return text, err == nil, err
}

// Type is a built-in type of PostgreSQL 18.
func (s *Store) Type(oid catalog.OID) (*catalog.Type, bool, error) { return typeLookup{}.Type(oid) }

// Range is the row of a built-in range or multirange type.
func (s *Store) Range(oid catalog.OID) (*catalog.Range, bool, error) { return typeLookup{}.Range(oid) }

// EnumLabel finds nothing: a store has no enums.
func (s *Store) EnumLabel(catalog.OID) (string, bool, error) { return "", false, nil }

// Role finds nothing: a store has no roles.
func (s *Store) Role(catalog.OID) (string, bool, error) { return "", false, nil }

// TypeVisible is true: all types are in pg_catalog.
func (s *Store) TypeVisible(catalog.OID) (bool, error) { return true, nil }

// Relation is a table.
func (s *Store) Relation(oid catalog.OID) (*catalog.Relation, bool, error) {
	if t := s.current().byOID[oid]; t != nil {
		return t.rel, true, nil
	}
	return nil, false, nil
}

// Namespace is the name of a schema, not quoted.
func (s *Store) Namespace(oid catalog.OID) (string, bool, error) {
	name, ok := s.current().schemas[oid]
	return name, ok, nil
}

// Namespaces lists the schemas in OID order.
func (s *Store) Namespaces(context.Context) ([]catalog.Namespace, error) {
	var out []catalog.Namespace
	schemas := s.current().schemas
	for _, oid := range slices.Sorted(maps.Keys(schemas)) {
		out = append(out, catalog.Namespace{OID: oid, Name: schemas[oid]})
	}
	return out, nil
}

// RegName is the name of a table or a built-in type; other objects are not
// known.
func (s *Store) RegName(kind catalog.RegKind, oid catalog.OID) (string, bool, error) {
	st := s.current()
	t := st.byOID[oid]
	switch {
	case kind == catalog.RegNamespace && st.schemas[oid] != "":
		return catalog.QuoteIdent(Major, st.schemas[oid]), true, nil
	case kind != catalog.RegClass || t == nil:
		return typeLookup{}.RegName(kind, oid)
	case t.rel.Namespace == publicSchema:
		return catalog.QuoteIdent(Major, t.rel.Name), true, nil
	}
	return catalog.QuoteQualified(Major, st.schemas[t.rel.Namespace], t.rel.Name), true, nil
}

// Relations lists the tables in OID order. Do not change them.
func (s *Store) Relations(context.Context) ([]*catalog.Relation, error) {
	return s.current().sorted, nil
}

// RelationByName finds a table of a schema; the names are not quoted SQL. A
// *catalog.NotFoundError names the nearest schema or table.
func (s *Store) RelationByName(_ context.Context, schema, name string) (*catalog.Relation, error) {
	st := s.current()
	ns, ok := st.schema(schema)
	if !ok {
		return nil, &catalog.NotFoundError{Kind: "schema", Name: schema, Nearest: catalog.Nearest(schema, slices.Sorted(maps.Values(st.schemas)))}
	}
	var near []string
	for _, r := range st.sorted {
		if r.Namespace == ns && r.Name == name {
			return r, nil
		}
		near = append(near, st.schemas[r.Namespace]+"."+r.Name)
	}
	return nil, &catalog.NotFoundError{Kind: "relation", Name: schema + "." + name, Nearest: catalog.Nearest(schema+"."+name, near)}
}

// Expand lists what a scan of rel reads: rel alone, for own tables have no
// children.
func (s *Store) Expand(_ context.Context, rel *catalog.Relation) ([]*catalog.Relation, error) {
	return []*catalog.Relation{rel}, nil
}

// Indexes finds none.
func (s *Store) Indexes(context.Context, catalog.OID) ([]catalog.Index, error) { return nil, nil }

// Rows is how many rows were ever loaded into a table. Errors:
// *catalog.NotFoundError.
func (s *Store) Rows(rel *catalog.Relation) (int64, error) {
	t, err := s.current().table(rel)
	if err != nil {
		return 0, err
	}
	return int64(t.rows), nil
}

// schema finds a schema by name.
func (st *state) schema(name string) (catalog.OID, bool) {
	for oid, n := range st.schemas {
		if n == name {
			return oid, true
		}
	}
	return 0, false
}

// table finds the present state of a table that may have been read earlier.
func (st *state) table(rel *catalog.Relation) (*ownTable, error) {
	t := st.byOID[rel.OID]
	if t == nil {
		return nil, &catalog.NotFoundError{Kind: "relation", Name: rel.Name}
	}
	return t, nil
}

// sort lists the tables in OID order.
func (st *state) sort() {
	st.sorted = st.sorted[:0:0]
	for _, oid := range slices.Sorted(maps.Keys(st.byOID)) {
		st.sorted = append(st.sorted, st.byOID[oid].rel)
	}
}

// with is a copy of the state with one table added or replaced, or, when t is
// nil, removed.
func (st *state) with(oid catalog.OID, t *ownTable) *state {
	next := &state{schemas: maps.Clone(st.schemas), byOID: maps.Clone(st.byOID), nextOID: st.nextOID, nextXID: st.nextXID}
	delete(next.byOID, oid)
	if t != nil {
		next.byOID[oid] = t
	}
	next.sort()
	return next
}

// fileName is the path of a segment inside the store.
func fileName(oid catalog.OID, segment uint32) string {
	name := fmt.Sprintf("%s/%d/%d", baseDir, databaseID, oid)
	if segment > 0 {
		name += "." + strconv.FormatUint(uint64(segment), 10)
	}
	return name
}
