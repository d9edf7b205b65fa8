package cluster

import (
	"context"
	"fmt"
	"slices"

	"github.com/pipescan/pipescan/catalog"
	"github.com/pipescan/pipescan/fileio"
	"github.com/pipescan/pipescan/pgfile"
)

// Database is one database of a cluster, and the catalog.Lookup of its types.
// It is safe for concurrent use and lives as long as its cluster.
type Database struct {
	c    *Cluster
	info catalog.Database

	relMap     lazy[relMap]
	core       lazy[*coreCatalogs]
	namespaces lazy[[]catalog.Namespace]
	types      lazy[*typeTable]
	indexes    lazy[map[catalog.OID][]catalog.Index]
	valid      lazy[map[catalog.OID][]catalog.OID] // indexes, by their table
	inherits   lazy[map[catalog.OID][]catalog.Inherit]
	enums      lazy[map[catalog.OID]catalog.EnumLabel]
	ranges     lazy[map[catalog.OID]*catalog.Range]
	collations lazy[map[catalog.OID]catalog.Collation]
	ams        lazy[map[catalog.OID]accessMethod]
	bounds     lazy[map[catalog.OID]string]
	keys       lazy[map[catalog.OID]partitionKey]
	path       lazy[searchPath]
	procs      lazy[*funcTable]
	symbols    lazy[map[catalog.OID]string] // of internal functions
	operators  lazy[*funcTable]
	tsConfigs  lazy[*nameTable]
	tsDicts    lazy[*nameTable]
	relNames   lazy[*nameTable]
}

var (
	_ catalog.Lookup            = (*Database)(nil)
	_ catalog.InternalFunctions = (*Database)(nil)
)

// Info is the database's row of pg_database.
func (d *Database) Info() catalog.Database { return d.info }

// Cluster is the cluster it belongs to.
func (d *Database) Cluster() *Cluster { return d.c }

// relationMap is the map of the database's own mapped catalogs.
func (d *Database) relationMap(ctx context.Context) (relMap, error) {
	return d.relMap.get(ctx, func(context.Context) (relMap, error) {
		m, err := d.c.readRelMap(d.info.Tablespace, d.info.OID)
		if err != nil {
			return relMap{}, fmt.Errorf("database %s: %w", d.info.Name, err)
		}
		return m, nil
	})
}

// Relations lists the relations in OID order: system catalogs, indexes, TOAST
// tables, views and all, but not the temporary ones that a crash left behind.
// Do not change them.
func (d *Database) Relations(ctx context.Context) ([]*catalog.Relation, error) {
	core, err := d.catalogs(ctx)
	if err != nil {
		return nil, err
	}
	out := make([]*catalog.Relation, 0, len(core.sorted))
	for _, r := range core.sorted {
		if r.Persistence != 't' {
			out = append(out, r)
		}
	}
	return out, nil
}

// RelationByName finds a relation of a schema; the names are not quoted SQL. A
// *NotFoundError names the nearest schema or relation.
func (d *Database) RelationByName(ctx context.Context, schema, name string) (*catalog.Relation, error) {
	core, err := d.catalogs(ctx)
	if err != nil {
		return nil, err
	}
	spaces, err := d.Namespaces(ctx)
	if err != nil {
		return nil, err
	}
	ns := slices.IndexFunc(spaces, func(n catalog.Namespace) bool { return n.Name == schema })
	if ns < 0 {
		names := make([]string, len(spaces))
		for i, n := range spaces {
			names[i] = n.Name
		}
		return nil, &NotFoundError{Kind: "schema", Name: schema, Nearest: nearest(schema, names)}
	}
	if r := core.byName[nameKey{spaces[ns].OID, name}]; r != nil {
		return r, nil
	}
	return nil, &NotFoundError{Kind: "relation", Name: schema + "." + name, Nearest: d.nearestRelations(core, spaces, schema, name)}
}

// nearestRelations looks for similar names in the schema, and for the same
// name in others.
func (d *Database) nearestRelations(core *coreCatalogs, spaces []catalog.Namespace, schema, name string) []string {
	names := map[catalog.OID]string{}
	for _, n := range spaces {
		names[n.OID] = n.Name
	}
	var here, elsewhere []string
	for _, r := range core.sorted {
		space := names[r.Namespace]
		switch {
		case r.Kind == 'i' || r.Kind == 'I' || r.Kind == 't' || r.Kind == 'c':
		case space == schema:
			here = append(here, r.Name)
		case r.Name == name:
			elsewhere = append(elsewhere, space+"."+r.Name)
		}
	}
	var near []string
	for _, n := range nearest(name, here) {
		near = append(near, schema+"."+n)
	}
	near = append(near, elsewhere...)
	near = near[:min(len(near), nearestMax)]
	return near
}

// locator says where a relation's files lie.
func (d *Database) locator(ctx context.Context, r *catalog.Relation) (fileio.RelLocator, error) {
	if !r.HasStorage() {
		return fileio.RelLocator{}, fmt.Errorf("%q is a %s: %w", r.Name, kindText(r.Kind), ErrNoStorage)
	}
	if r.Persistence == 't' {
		return fileio.RelLocator{}, fmt.Errorf("temporary table %q of a session that is gone: %w", r.Name, pgfile.ErrUnsupported)
	}
	loc := fileio.RelLocator{Tablespace: r.Tablespace, Database: d.info.OID, Node: r.FileNode}
	if loc.Tablespace == 0 {
		loc.Tablespace = d.info.Tablespace
	}
	if loc.Tablespace == globalTablespace {
		loc.Database = 0
	}
	if loc.Node != 0 {
		return loc, nil
	}
	m, err := d.relationMap(ctx)
	if r.Shared {
		m, err = d.c.globalRelMap(ctx)
	}
	if err != nil {
		return loc, err
	}
	loc.Node, err = m.node(r.OID)
	return loc, err
}

// kindText names a relkind.
func kindText(kind byte) string {
	switch kind {
	case 'r':
		return "table"
	case 'i':
		return "index"
	case 'S':
		return "sequence"
	case 't':
		return "TOAST table"
	case 'v':
		return "view"
	case 'm':
		return "materialized view"
	case 'c':
		return "composite type"
	case 'f':
		return "foreign table"
	case 'p':
		return "partitioned table"
	case 'I':
		return "partitioned index"
	}
	return fmt.Sprintf("relation of kind %q", kind)
}
