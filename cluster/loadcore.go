package cluster

import (
	"cmp"
	"context"
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/pipescan/pipescan/catalog"
	"github.com/pipescan/pipescan/fileio"
	"github.com/pipescan/pipescan/pgfile"
	"github.com/pipescan/pipescan/store"
)

// nameKey is a name within a schema.
type nameKey struct {
	namespace catalog.OID
	name      string
}

// coreCatalogs is pg_class with pg_attribute: what every other catalog is
// found through.
type coreCatalogs struct {
	sorted []*catalog.Relation // by OID
	byOID  map[catalog.OID]*catalog.Relation
	byName map[nameKey]*catalog.Relation
}

func newCoreCatalogs(rels []*catalog.Relation) *coreCatalogs {
	slices.SortFunc(rels, func(a, b *catalog.Relation) int { return cmp.Compare(a.OID, b.OID) })
	c := &coreCatalogs{rels, make(map[catalog.OID]*catalog.Relation, len(rels)), make(map[nameKey]*catalog.Relation, len(rels))}
	for _, r := range rels {
		c.byOID[r.OID] = r
		c.byName[nameKey{r.Namespace, r.Name}] = r
	}
	return c
}

// catalogs returns pg_class and pg_attribute, reading them on first use.
func (d *Database) catalogs(ctx context.Context) (*coreCatalogs, error) {
	return d.core.get(ctx, func(ctx context.Context) (*coreCatalogs, error) {
		class, err := d.bootCatalog(ctx, oidClass, "pg_class")
		if err != nil {
			return nil, err
		}
		attribute, err := d.bootCatalog(ctx, oidAttribute, "pg_attribute")
		if err != nil {
			return nil, err
		}
		rels, err := remember(ctx, d, oidClass, []fileio.RelLocator{class.loc, attribute.loc}, func(ctx context.Context) ([]*catalog.Relation, []store.Source, error) {
			return d.loadCore(ctx, class, attribute)
		})
		if err != nil {
			return nil, fmt.Errorf("database %s: %w", d.info.Name, err)
		}
		return newCoreCatalogs(rels), nil
	})
}

// bootCatalog is a mapped catalog whose columns are built in.
func (d *Database) bootCatalog(ctx context.Context, oid catalog.OID, name string) (catalogTable, error) {
	m, err := d.relationMap(ctx)
	if err != nil {
		return catalogTable{}, err
	}
	node, err := m.node(oid)
	if err != nil {
		return catalogTable{}, err
	}
	cols, err := bootstrapColumns(d.c.major, name)
	return catalogTable{
		oid: oid, name: name, cols: cols, detoaster: d.c.inlineDetoaster,
		loc: fileio.RelLocator{Tablespace: d.info.Tablespace, Database: d.info.OID, Node: node},
	}, err
}

// loadCore reads both catalogs.
func (d *Database) loadCore(ctx context.Context, class, attribute catalogTable) ([]*catalog.Relation, []store.Source, error) {
	byOID := map[catalog.OID]*catalog.Relation{}
	from, err := class.scan(ctx, d.c, "oid relname relnamespace reltype reloftype relowner relam relfilenode reltablespace relpages reltuples "+
		"reltoastrelid relhasindex relisshared relpersistence relkind relnatts relispartition relfrozenxid relminmxid", func(r *catRow) error {
		rel := readClass(r)
		byOID[rel.OID] = rel
		return nil
	})
	if err != nil {
		return nil, nil, err
	}
	more, err := readColumns(ctx, d.c, attribute, byOID)
	if err != nil {
		return nil, nil, err
	}
	rels := make([]*catalog.Relation, 0, len(byOID))
	for _, r := range byOID {
		slices.SortFunc(r.Columns, func(a, b catalog.Column) int { return cmp.Compare(a.Num, b.Num) })
		r.Columns = slices.Clip(r.Columns)
		rels = append(rels, r)
	}
	if d.c.o.OnLoss == nil {
		err = errFirst(sameColumns(byOID, class), sameColumns(byOID, attribute))
	}
	return rels, append(from, more...), err
}

// readColumns gives every relation its columns.
func readColumns(ctx context.Context, c *Cluster, attribute catalogTable, byOID map[catalog.OID]*catalog.Relation) ([]store.Source, error) {
	return attribute.scan(ctx, c, "attrelid attnum attname atttypid attlen attndims atttypmod attbyval attstorage attalign attcompression? "+
		"attnotnull atthasdef atthasmissing attidentity attgenerated attisdropped attislocal attinhcount attcollation attmissingval", func(r *catRow) error {
		rel, num := byOID[r.oid()], int16(r.int())
		if rel == nil || num <= 0 {
			return nil // a system column
		}
		col, err := readAttribute(r)
		if err != nil {
			if err := r.lostValue("attmissingval", err); err != nil {
				return err
			}
		}
		col.Num = num
		if rel.Columns == nil {
			rel.Columns = make([]catalog.Column, 0, min(max(rel.Natts, num), 64))
		}
		rel.Columns = append(rel.Columns, col)
		return nil
	})
}

// readClass takes a row of pg_class.
func readClass(r *catRow) *catalog.Relation {
	return &catalog.Relation{
		OID: r.oid(), Name: r.str(), Namespace: r.oid(), RowType: r.oid(), OfType: r.oid(), Owner: r.oid(), AM: r.oid(), FileNode: r.oid(),
		Tablespace: r.oid(), Pages: r.int(), Tuples: r.float(), Toast: r.oid(), HasIndex: r.bool(), Shared: r.bool(), Persistence: r.char(),
		Kind: r.char(), Natts: int16(r.int()), IsPartition: r.bool(), FrozenXID: r.oid(), MinMulti: r.oid(),
	}
}

// readAttribute takes a row of pg_attribute, what is behind attrelid and attnum.
// An error is about attmissingval, without which the column is whole.
func readAttribute(r *catRow) (catalog.Column, error) {
	col := catalog.Column{
		Name: r.str(), Type: r.oid(), Len: int16(r.int()), Ndims: r.int(), Typmod: r.int(), ByVal: r.bool(),
		Storage: r.char(), Align: r.char(), Compression: r.char(), NotNull: r.bool(), HasDefault: r.bool(), HasMissing: r.bool(),
		Identity: r.char(), Generated: r.char(), Dropped: r.bool(), IsLocal: r.bool(), InhCount: r.int(), Collation: r.oid(),
	}
	missing := r.bytes()
	if !col.HasMissing || missing == nil {
		return col, nil
	}
	v, err := missingValue(missing, col.Len)
	col.Missing = v
	return col, err
}

// missingValue takes the only element out of attmissingval, an array without
// its varlena header:
//
//	0      4            8              12     16            20
//	+------+------------+--------------+------+-------------+---------
//	| ndim | dataoffset | element type | dim  | lower bound | element
//	+------+------------+--------------+------+-------------+---------
//
// The result is a copy, in the form in which tuples store the value.
func missingValue(b []byte, attlen int16) ([]byte, error) {
	const header = 20
	if len(b) < header || binary.LittleEndian.Uint32(b) != 1 || binary.LittleEndian.Uint32(b[4:]) != 0 || binary.LittleEndian.Uint32(b[12:]) != 1 {
		return nil, pgfile.Corruptf(-1, "not an array of one element")
	}
	b = b[header:]
	size := int(attlen)
	switch {
	case attlen == -1:
		var err error
		if size, err = pgfile.VarlenaSize(b); err != nil {
			return nil, err
		}
	case attlen == -2:
		if size = slices.Index(b, 0); size < 0 {
			return nil, pgfile.Corruptf(-1, "a cstring without its end")
		}
	case attlen < 0:
		return nil, pgfile.Corruptf(-1, "attlen %d", attlen)
	}
	if size > len(b) {
		return nil, pgfile.Corruptf(-1, "an element of %d bytes in %d", size, len(b))
	}
	return append(make([]byte, 0, size), b[:size]...), nil
}

// sameColumns holds the built-in columns of a catalog against what pg_attribute
// says: they must be the same, or the version is not what it claims to be.
func sameColumns(rels map[catalog.OID]*catalog.Relation, t catalogTable) error {
	bad := func(format string, args ...any) error {
		e := pgfile.Corruptf(-1, "%s in pg_class and pg_attribute: %s", t.name, fmt.Sprintf(format, args...))
		e.Remedy = "the catalogs of this database are damaged, or this is no released version of PostgreSQL"
		return e
	}
	rel := rels[t.oid]
	if rel == nil || len(rel.Columns) != len(t.cols) {
		return bad("not the columns of this version")
	}
	for i, c := range rel.Columns {
		if want := t.cols[i]; c.Name != want.Name || c.Len != want.Len || c.Align != want.Align {
			return bad("column %d is %s (length %d, alignment %c), expected %s (%d, %c)", c.Num, c.Name, c.Len, c.Align, want.Name, want.Len, want.Align)
		}
	}
	return nil
}

// errFirst is the first error that is not nil.
func errFirst(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
