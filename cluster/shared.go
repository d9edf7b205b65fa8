package cluster

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/pipescan/pipescan/catalog"
	"github.com/pipescan/pipescan/fileio"
)

// sharedCatalog is one of the built-in shared catalogs.
func (c *Cluster) sharedCatalog(ctx context.Context, oid catalog.OID, name string) (catalogTable, error) {
	m, err := c.globalRelMap(ctx)
	if err != nil {
		return catalogTable{}, err
	}
	node, err := m.node(oid)
	if err != nil {
		return catalogTable{}, err
	}
	cols, err := bootstrapColumns(c.major, name)
	return catalogTable{
		oid: oid, name: name, cols: cols, detoaster: c.inlineDetoaster,
		loc: fileio.RelLocator{Tablespace: globalTablespace, Node: node},
	}, err
}

// Databases lists the databases by name: templates, those that allow no
// connections and invalid ones included. Do not change the slice.
func (c *Cluster) Databases(ctx context.Context) ([]catalog.Database, error) {
	return c.databases.get(ctx, c.loadDatabases)
}

func (c *Cluster) loadDatabases(ctx context.Context) ([]catalog.Database, error) {
	t, err := c.sharedCatalog(ctx, oidDatabase, "pg_database")
	if err != nil {
		return nil, err
	}
	var out []catalog.Database
	_, err = t.scan(ctx, c, "oid datname datdba encoding datcollate datctype daticulocale? datlocale? datlocprovider? "+
		"datistemplate datallowconn datconnlimit dattablespace datfrozenxid datminmxid", func(r *catRow) error {
		d := catalog.Database{
			OID: r.oid(), Name: r.str(), Owner: r.oid(), Encoding: r.int(), Collate: r.str(), CType: r.str(),
			Locale: cmp.Or(r.str(), r.str()), Provider: cmp.Or(r.char(), 'c'),
			IsTemplate: r.bool(), AllowConn: r.bool(), ConnLimit: r.int(), Tablespace: r.oid(), FrozenXID: r.oid(), MinMulti: r.oid(),
		}
		out = append(out, d)
		return nil
	})
	slices.SortFunc(out, func(a, b catalog.Database) int { return strings.Compare(a.Name, b.Name) })
	return out, err
}

// Roles lists the roles by name. Do not change the slice.
func (c *Cluster) Roles(ctx context.Context) ([]catalog.Role, error) {
	return c.roles.get(ctx, c.loadRoles)
}

func (c *Cluster) loadRoles(ctx context.Context) ([]catalog.Role, error) {
	t, err := c.sharedCatalog(ctx, oidAuthID, "pg_authid")
	if err != nil {
		return nil, err
	}
	var out []catalog.Role
	_, err = t.scan(ctx, c, "oid rolname rolsuper", func(r *catRow) error {
		out = append(out, catalog.Role{OID: r.oid(), Name: r.str(), Super: r.bool()})
		return nil
	})
	slices.SortFunc(out, func(a, b catalog.Role) int { return strings.Compare(a.Name, b.Name) })
	return out, err
}

// Tablespaces lists the tablespaces by name. Do not change the slice.
func (c *Cluster) Tablespaces(ctx context.Context) ([]catalog.Tablespace, error) {
	return c.tablespace.get(ctx, c.loadTablespaces)
}

func (c *Cluster) loadTablespaces(ctx context.Context) ([]catalog.Tablespace, error) {
	t, err := c.sharedCatalog(ctx, oidTablespace, "pg_tablespace")
	if err != nil {
		return nil, err
	}
	var out []catalog.Tablespace
	_, err = t.scan(ctx, c, "oid spcname spcowner", func(r *catRow) error {
		out = append(out, catalog.Tablespace{OID: r.oid(), Name: r.str(), Owner: r.oid()})
		return nil
	})
	slices.SortFunc(out, func(a, b catalog.Tablespace) int { return strings.Compare(a.Name, b.Name) })
	return out, err
}

// Database opens a database by name. It is the same one each time, and needs
// no closing. A *NotFoundError names the nearest.
func (c *Cluster) Database(ctx context.Context, name string) (*Database, error) {
	all, err := c.Databases(ctx)
	if err != nil {
		return nil, err
	}
	names := make([]string, 0, len(all))
	for _, info := range all {
		if info.Name != name {
			names = append(names, info.Name)
			continue
		}
		c.mu.Lock()
		defer c.mu.Unlock()
		d := c.mu.open[info.OID]
		if d == nil {
			d = &Database{c: c, info: info}
			c.mu.open[info.OID] = d
		}
		return d, nil
	}
	return nil, &NotFoundError{Kind: "database", Name: name, Nearest: nearest(name, names)}
}
