package cluster

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/pipescan/pipescan/catalog"
	"github.com/pipescan/pipescan/fileio"
	"github.com/pipescan/pipescan/pgfile"
	"github.com/pipescan/pipescan/store"
)

// systemCatalog is a catalog found through pg_class and pg_attribute.
func (d *Database) systemCatalog(ctx context.Context, oid catalog.OID, name string) (catalogTable, error) {
	core, err := d.catalogs(ctx)
	if err != nil {
		return catalogTable{}, err
	}
	rel := core.byOID[oid]
	if rel == nil || rel.Kind != 'r' {
		e := d.blame(ctx, oidClass, pgfile.Corruptf(-1, "pg_class has no row of the catalog %s", name))
		return catalogTable{}, fmt.Errorf("database %s: %w", d.info.Name, e)
	}
	if err := wholeRowType(rel); err != nil {
		return catalogTable{}, d.blame(ctx, oidAttribute, err)
	}
	loc, err := d.locator(ctx, rel)
	return catalogTable{oid: oid, name: name, loc: loc, cols: rel.Columns, detoaster: d.newDetoaster}, err
}

// wholeRowType checks that no column of a relation is missing or of impossible
// layout: none behind it could be found in a tuple.
func wholeRowType(rel *catalog.Relation) error {
	for i, c := range rel.Columns {
		if int(c.Num) != i+1 {
			return missingColumn(rel, i+1)
		}
		if c.Len == 0 || c.Len < -2 || strings.IndexByte("csid", c.Align) < 0 {
			return pgfile.Corruptf(-1, "pg_attribute gives column %d of %q the length %d and the alignment %q", c.Num, rel.Name, c.Len, c.Align)
		}
	}
	if len(rel.Columns) != int(rel.Natts) {
		return missingColumn(rel, len(rel.Columns)+1)
	}
	return nil
}

func missingColumn(rel *catalog.Relation, num int) error {
	return pgfile.Corruptf(-1, "pg_attribute does not hold column %d of the %d of %q exactly once", num, rel.Natts, rel.Name)
}

// loadRows reads a catalog, or takes what is remembered of it.
func loadRows[T any](ctx context.Context, d *Database, oid catalog.OID, name, want string, row func(*catRow) (T, error)) ([]T, error) {
	t, err := d.systemCatalog(ctx, oid, name)
	if err != nil {
		return nil, err
	}
	out, err := remember(ctx, d, oid, []fileio.RelLocator{t.loc}, func(ctx context.Context) ([]T, []store.Source, error) {
		var rows []T
		from, err := t.scan(ctx, d.c, want, func(r *catRow) error {
			v, err := row(r)
			if err == nil {
				rows = append(rows, v)
			}
			return err
		})
		return rows, from, err
	})
	if err != nil {
		return nil, fmt.Errorf("database %s: %w", d.info.Name, err)
	}
	return out, nil
}

// Namespaces lists the schemas by OID. Do not change the slice.
func (d *Database) Namespaces(ctx context.Context) ([]catalog.Namespace, error) {
	return d.namespaces.get(ctx, func(ctx context.Context) ([]catalog.Namespace, error) {
		out, err := loadRows(ctx, d, oidNamespace, "pg_namespace", "oid nspname nspowner", func(r *catRow) (catalog.Namespace, error) {
			return catalog.Namespace{OID: r.oid(), Name: r.str(), Owner: r.oid()}, nil
		})
		slices.SortFunc(out, func(a, b catalog.Namespace) int { return cmp.Compare(a.OID, b.OID) })
		return out, err
	})
}

// typeTable is pg_type.
type typeTable struct {
	byOID map[catalog.OID]*catalog.Type
	names *nameTable
}

func (d *Database) typeTable(ctx context.Context) (*typeTable, error) {
	return d.types.get(ctx, func(ctx context.Context) (*typeTable, error) {
		rows, err := loadRows(ctx, d, oidType, "pg_type", "oid typname typnamespace typlen typbyval typtype typcategory typdelim typrelid typsubscript? typelem "+
			"typarray typoutput typalign typstorage typbasetype typtypmod typndims typcollation", func(r *catRow) (catalog.Type, error) {
			return catalog.Type{
				OID: r.oid(), Name: r.str(), Namespace: r.oid(), Len: int16(r.int()), ByVal: r.bool(), Kind: r.char(), Category: r.char(), Delim: r.char(),
				RelID: r.oid(), Subscript: r.oid(), Elem: r.oid(), Array: r.oid(), Output: r.oid(), Align: r.char(), Storage: r.char(), BaseType: r.oid(),
				Typmod: r.int(), Ndims: r.int(), Collation: r.oid(),
			}, nil
		})
		if err != nil {
			return nil, err
		}
		t := &typeTable{byOID: make(map[catalog.OID]*catalog.Type, len(rows)), names: newNameTable()}
		for i := range rows {
			t.byOID[rows[i].OID] = &rows[i]
			t.names.add(rows[i].OID, rows[i].Namespace, rows[i].Name)
		}
		return t, nil
	})
}

// Indexes lists the indexes of a relation by OID. Do not change them.
func (d *Database) Indexes(ctx context.Context, rel catalog.OID) ([]catalog.Index, error) {
	all, err := d.indexes.get(ctx, func(ctx context.Context) (map[catalog.OID][]catalog.Index, error) {
		rows, err := loadRows(ctx, d, oidIndex, "pg_index", "indexrelid indrelid indnatts indnkeyatts indisunique indisprimary indnullsnotdistinct? "+
			"indisvalid indisready indislive indkey indcollation indclass indoption indexprs indpred", readIndex)
		return groupBy(rows, func(i catalog.Index) catalog.OID { return i.Table }, func(a, b catalog.Index) int { return cmp.Compare(a.OID, b.OID) }), err
	})
	return all[rel], err
}

func readIndex(r *catRow) (catalog.Index, error) {
	x := catalog.Index{
		OID: r.oid(), Table: r.oid(), Natts: int16(r.int()), KeyNatts: int16(r.int()), Unique: r.bool(), Primary: r.bool(), NullsNotDistinct: r.bool(),
		Valid: r.bool(), Ready: r.bool(), Live: r.bool(),
	}
	var errs [4]error
	x.Keys, errs[0] = r.int2s()
	x.Collations, errs[1] = r.oids()
	x.Classes, errs[2] = r.oids()
	x.Options, errs[3] = r.int2s()
	x.Exprs, x.Predicate = r.str(), r.str()
	return x, errFirst(errs[:]...)
}

// groupBy collects rows by a key, each group sorted.
func groupBy[T any](rows []T, key func(T) catalog.OID, order func(a, b T) int) map[catalog.OID][]T {
	out := map[catalog.OID][]T{}
	for _, r := range rows {
		out[key(r)] = append(out[key(r)], r)
	}
	for _, group := range out {
		slices.SortFunc(group, order)
	}
	return out
}

// Children lists the direct children (by inheritance or as partitions) of a
// relation by OID, those being detached left out.
func (d *Database) Children(ctx context.Context, rel catalog.OID) ([]catalog.OID, error) {
	all, err := d.inherits.get(ctx, func(ctx context.Context) (map[catalog.OID][]catalog.Inherit, error) {
		rows, err := loadRows(ctx, d, oidInherits, "pg_inherits", "inhrelid inhparent inhseqno inhdetachpending?", func(r *catRow) (catalog.Inherit, error) {
			return catalog.Inherit{Child: r.oid(), Parent: r.oid(), Seq: r.int(), DetachPending: r.bool()}, nil
		})
		return groupBy(rows, func(i catalog.Inherit) catalog.OID { return i.Parent }, func(a, b catalog.Inherit) int { return cmp.Compare(a.Child, b.Child) }), err
	})
	var out []catalog.OID
	for _, i := range all[rel] {
		if !i.DetachPending {
			out = append(out, i.Child)
		}
	}
	return out, err
}

// collationTable is pg_collation.
func (d *Database) collationTable(ctx context.Context) (map[catalog.OID]catalog.Collation, error) {
	return d.collations.get(ctx, func(ctx context.Context) (map[catalog.OID]catalog.Collation, error) {
		rows, err := loadRows(ctx, d, oidCollation, "pg_collation", "oid collname collnamespace collprovider collisdeterministic collencoding "+
			"collcollate collctype colliculocale? colllocale?", func(r *catRow) (catalog.Collation, error) {
			return catalog.Collation{
				OID: r.oid(), Name: r.str(), Namespace: r.oid(), Provider: r.char(), Deterministic: r.bool(), Encoding: r.int(),
				Collate: r.str(), CType: r.str(), Locale: cmp.Or(r.str(), r.str()),
			}, nil
		})
		out := make(map[catalog.OID]catalog.Collation, len(rows))
		for _, c := range rows {
			out[c.OID] = c
		}
		return out, err
	})
}
