package cluster

import (
	"context"
	"errors"

	"github.com/pipescan/pipescan/catalog"
	"github.com/pipescan/pipescan/fileio"
	"github.com/pipescan/pipescan/pgfile"
)

// remedyCatalog is the advice where a catalog's rows contradict each other.
const remedyCatalog = "the catalogs of this database are damaged: restore them from a backup"

// blame says in which catalog's file the damage must lie that err found by
// comparing rows: such an error knows no file of its own. Other errors, and nil,
// are returned as they are.
func (d *Database) blame(ctx context.Context, oid catalog.OID, err error) error {
	var c *pgfile.CorruptError
	if !errors.As(err, &c) || c.File != "" {
		return err
	}
	placed := *c
	if error(c) != err { // keep what it is wrapped in
		placed.Reason, placed.Remedy = err.Error(), ""
	}
	placed.File = d.catalogFile(ctx, oid)
	if c.Remedy == "" {
		placed.Remedy = remedyCatalog
	}
	return &placed
}

// BlameAttribute names pg_attribute's file in damage that was found in what it
// says of a column, as far as err names no file itself.
func (d *Database) BlameAttribute(ctx context.Context, err error) error {
	return d.blame(ctx, oidAttribute, err)
}

// catalogFile is the file of a catalog, "" when it cannot be known.
func (d *Database) catalogFile(ctx context.Context, oid catalog.OID) string {
	rel := &catalog.Relation{OID: oid, Kind: 'r'} // mapped, unless pg_class has it
	if core, err := d.catalogs(ctx); err == nil && core.byOID[oid] != nil {
		rel = core.byOID[oid]
	}
	loc, err := d.locator(ctx, rel)
	if err != nil {
		return ""
	}
	return d.c.dir.RelPath(d.c.layout, loc, fileio.Main)
}
