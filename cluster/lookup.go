package cluster

import (
	"context"

	"github.com/pipescan/pipescan/catalog"
)

// Type is a row of pg_type.
func (d *Database) Type(oid catalog.OID) (*catalog.Type, bool, error) {
	t, err := d.typeTable(context.Background())
	if err != nil {
		return nil, false, err
	}
	typ := t.byOID[oid]
	return typ, typ != nil, nil
}

// Relation is a row of pg_class with its columns.
func (d *Database) Relation(oid catalog.OID) (*catalog.Relation, bool, error) {
	core, err := d.catalogs(context.Background())
	if err != nil {
		return nil, false, err
	}
	rel := core.byOID[oid]
	return rel, rel != nil, nil
}

// EnumLabel is the label of a value of an enum type.
func (d *Database) EnumLabel(oid catalog.OID) (string, bool, error) {
	all, err := d.enumTable(context.Background())
	if err != nil {
		return "", false, err
	}
	e, ok := all[oid]
	return e.Label, ok, nil
}

// enumTable is pg_enum.
func (d *Database) enumTable(ctx context.Context) (map[catalog.OID]catalog.EnumLabel, error) {
	return d.enums.get(ctx, func(ctx context.Context) (map[catalog.OID]catalog.EnumLabel, error) {
		rows, err := loadRows(ctx, d, oidEnum, "pg_enum", "oid enumtypid enumsortorder enumlabel", func(r *catRow) (catalog.EnumLabel, error) {
			return catalog.EnumLabel{OID: r.oid(), Type: r.oid(), Order: r.float(), Label: r.str()}, nil
		})
		out := make(map[catalog.OID]catalog.EnumLabel, len(rows))
		for _, e := range rows {
			out[e.OID] = e
		}
		return out, err
	})
}

// roleNames holds the roles by OID.
func (c *Cluster) roleNames(ctx context.Context) (map[catalog.OID]string, error) {
	return c.roleName.get(ctx, func(ctx context.Context) (map[catalog.OID]string, error) {
		roles, err := c.Roles(ctx)
		out := make(map[catalog.OID]string, len(roles))
		for _, r := range roles {
			out[r.OID] = r.Name
		}
		return out, err
	})
}

// Role is the name of a role, not quoted.
func (d *Database) Role(oid catalog.OID) (string, bool, error) {
	names, err := d.c.roleNames(context.Background())
	if err != nil {
		return "", false, err
	}
	name, ok := names[oid]
	return name, ok, nil
}

// Namespace is the name of a schema, not quoted.
func (d *Database) Namespace(oid catalog.OID) (string, bool, error) {
	spaces, err := d.Namespaces(context.Background())
	if err != nil {
		return "", false, err
	}
	for _, n := range spaces {
		if n.OID == oid {
			return n.Name, true, nil
		}
	}
	return "", false, nil
}

// Range is the row of pg_range of a range or multirange type.
func (d *Database) Range(oid catalog.OID) (*catalog.Range, bool, error) {
	all, err := d.ranges.get(context.Background(), func(ctx context.Context) (map[catalog.OID]*catalog.Range, error) {
		rows, err := loadRows(ctx, d, oidRange, "pg_range", "rngtypid rngsubtype rngmultitypid?", func(r *catRow) (catalog.Range, error) {
			return catalog.Range{OID: r.oid(), Subtype: r.oid(), Multirange: r.oid()}, nil
		})
		out := make(map[catalog.OID]*catalog.Range, 2*len(rows))
		for i := range rows {
			out[rows[i].OID] = &rows[i]
			if rows[i].Multirange != 0 {
				out[rows[i].Multirange] = &rows[i]
			}
		}
		return out, err
	})
	if err != nil {
		return nil, false, err
	}
	r := all[oid]
	return r, r != nil, nil
}

// TypeVisible is pg_type_is_visible under the oracle's search path.
func (d *Database) TypeVisible(oid catalog.OID) (bool, error) {
	t, err := d.typeTable(context.Background())
	if err != nil {
		return false, err
	}
	p, err := d.searchPath(context.Background())
	return err == nil && t.names.visible(oid, p), err
}

// InternalFunction is the C name of a function of the server's own.
func (d *Database) InternalFunction(oid catalog.OID) (string, bool, error) {
	all, err := d.symbols.get(context.Background(), func(ctx context.Context) (map[catalog.OID]string, error) {
		t, err := d.systemCatalog(ctx, oidProc, "pg_proc")
		if err != nil {
			return nil, err
		}
		out := map[catalog.OID]string{}
		_, err = t.scan(ctx, d.c, "oid prolang prosrc", func(r *catRow) error {
			if oid := r.oid(); r.oid() == internalLanguage {
				out[oid] = r.str()
			}
			return nil
		})
		return out, err
	})
	symbol, ok := all[oid]
	return symbol, ok, err
}
