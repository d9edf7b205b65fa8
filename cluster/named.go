package cluster

import (
	"cmp"
	"context"
	"slices"

	"github.com/pipescan/pipescan/catalog"
)

// Collation is a row of pg_collation.
func (d *Database) Collation(oid catalog.OID) (*catalog.Collation, bool, error) {
	all, err := d.collationTable(context.Background())
	if err != nil {
		return nil, false, err
	}
	c, ok := all[oid]
	return &c, ok, nil
}

// CollationNamed finds a collation by its name, in a schema or, when that is
// "", along the search path. Like the server, it passes over those of other
// encodings than the database's.
func (d *Database) CollationNamed(schema, name string) (*catalog.Collation, bool, error) {
	all, err := d.collationTable(context.Background())
	if err != nil {
		return nil, false, err
	}
	rank, err := d.inPath(schema)
	if err != nil {
		return nil, false, err
	}
	var best *catalog.Collation
	at := -1
	for _, c := range all {
		if c.Name != name || c.Encoding != -1 && c.Encoding != d.info.Encoding {
			continue
		}
		if r := rank(c.Namespace); r >= 0 && (best == nil || r < at) {
			best, at = &c, r
		}
	}
	return best, best != nil, nil
}

// TypeNamed finds a type by its name, in a schema or, when that is "", along
// the search path.
func (d *Database) TypeNamed(schema, name string) (catalog.OID, bool, error) {
	t, err := d.typeTable(context.Background())
	if err != nil {
		return 0, false, err
	}
	rank, err := d.inPath(schema)
	if err != nil {
		return 0, false, err
	}
	best, at := catalog.OID(0), -1
	for oid, typ := range t.byOID {
		if typ.Name != name {
			continue
		}
		if r := rank(typ.Namespace); r >= 0 && (best == 0 || r < at) {
			best, at = oid, r
		}
	}
	return best, best != 0, nil
}

// inPath returns how far down a namespace is in the search path, -1 when it is
// not there; a schema's name makes it the whole path.
func (d *Database) inPath(schema string) (func(catalog.OID) int, error) {
	if schema == "" {
		p, err := d.searchPath(context.Background())
		return p.position, err
	}
	return func(oid catalog.OID) int {
		name, ok, err := d.Namespace(oid)
		if err != nil || !ok || name != schema {
			return -1
		}
		return 0
	}, nil
}

// EnumLabels are the labels of an enum type, in its order.
func (d *Database) EnumLabels(typ catalog.OID) ([]catalog.EnumLabel, error) {
	all, err := d.enumTable(context.Background())
	if err != nil {
		return nil, err
	}
	var labels []catalog.EnumLabel
	for _, l := range all {
		if l.Type == typ {
			labels = append(labels, l)
		}
	}
	slices.SortFunc(labels, func(a, b catalog.EnumLabel) int { return cmp.Compare(a.Order, b.Order) })
	return labels, nil
}
