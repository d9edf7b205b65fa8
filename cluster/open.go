package cluster

import (
	"context"
	"errors"
	"fmt"

	"github.com/pipescan/pipescan/catalog"
	"github.com/pipescan/pipescan/datum"
	"github.com/pipescan/pipescan/fileio"
	"github.com/pipescan/pipescan/mvcc"
	"github.com/pipescan/pipescan/pgfile"
	"github.com/pipescan/pipescan/stages"
)

// openFork opens a fork: strictly, or over gaps when damage is passed over. What
// reads it reports the gaps.
func (c *Cluster) openFork(loc fileio.RelLocator, fork fileio.Fork) (*fileio.Relation, error) {
	if c.o.OnLoss == nil {
		return c.dir.OpenRelation(c.layout, loc, fork)
	}
	return c.dir.OpenRelationLoose(c.layout, loc, fork)
}

// openMain is openFork for what no scan reads: it reports here what lies past
// the end.
func (c *Cluster) openMain(loc fileio.RelLocator, fork fileio.Fork) (*fileio.Relation, error) {
	rel, err := c.openFork(loc, fork)
	if err != nil {
		return nil, err
	}
	if err := stages.ReportTail(rel, c.o.OnLoss); err != nil {
		return nil, errors.Join(err, rel.Close())
	}
	return rel, nil
}

// forkOf is the fork that holds a relation's rows: after an unclean stop, a
// server resets unlogged ones to their init forks.
func (d *Database) forkOf(rel *catalog.Relation) fileio.Fork {
	if rel.Persistence == 'u' && !d.c.Clean() {
		return fileio.Init
	}
	return fileio.Main
}

// OpenRelation opens the relation's files: its main fork, but of an unlogged
// one in an unclean cluster its init fork. A kind without files is
// ErrNoStorage. The caller closes it.
func (d *Database) OpenRelation(ctx context.Context, rel *catalog.Relation) (*fileio.Relation, error) {
	return d.openRelation(ctx, rel, d.c.openMain)
}

func (d *Database) openRelation(ctx context.Context, rel *catalog.Relation, open func(fileio.RelLocator, fileio.Fork) (*fileio.Relation, error)) (*fileio.Relation, error) {
	loc, err := d.locator(ctx, rel)
	if err != nil {
		return nil, err
	}
	out, err := open(loc, d.forkOf(rel))
	if err != nil {
		return nil, fmt.Errorf("%s %q: %w", kindText(rel.Kind), rel.Name, err)
	}
	return out, nil
}

// HeapScan describes a scan of all the relation's columns but the dropped ones,
// serial, forward, of what the cluster's snapshot sees. Narrow Columns and
// change what else is wanted before use; for dead rows use DeadScan. The caller
// closes the file after the scan.
func (d *Database) HeapScan(ctx context.Context, rel *catalog.Relation) (*stages.HeapScan, *fileio.Relation, error) {
	if err := d.checkHeap(ctx, rel); err != nil {
		return nil, nil, err
	}
	file, err := d.openRelation(ctx, rel, d.c.openFork)
	if err != nil {
		return nil, nil, err
	}
	hs := &stages.HeapScan{
		Source: file, RelOID: rel.OID, Attrs: attrsOf(rel.Columns), Snapshot: d.c.snapshot, Checksums: d.c.Checksums(),
		ReadPool: d.c.o.ReadPool, NewDetoaster: d.newDetoaster, OnLoss: d.c.o.OnLoss,
	}
	if !d.c.Clean() {
		hs.IO = stages.IOPread
	}
	for _, col := range rel.Columns {
		if !col.Dropped {
			hs.Columns = append(hs.Columns, columnOf(col))
		}
	}
	return hs, file, nil
}

// SetRows makes a scan of this database's return dead rows, or all, whose wide
// values are then looked for among dead chunks too.
func (d *Database) SetRows(hs *stages.HeapScan, rows mvcc.RowSet) {
	hs.Rows = rows
	hs.NewDetoaster = d.newDetoaster
	if rows != mvcc.Visible {
		hs.NewDetoaster = d.newDeadDetoaster
	}
}

// checkHeap refuses what is no heap: other kinds, and tables of other access
// methods. What counts is the method's handler, not its name.
func (d *Database) checkHeap(ctx context.Context, rel *catalog.Relation) error {
	switch rel.Kind {
	case 'r', 't', 'm', 'S':
	default:
		return fmt.Errorf("%q is a %s: %w", rel.Name, kindText(rel.Kind), ErrNoStorage)
	}
	if rel.AM != heapAM && rel.Kind != 'S' {
		am, err := d.accessMethod(ctx, rel.AM)
		if err != nil {
			return err
		}
		if am.Handler != heapHandler {
			return fmt.Errorf("%s %q is stored by the access method %s, only heap is known: %w", kindText(rel.Kind), rel.Name, am.Name, pgfile.ErrUnsupported)
		}
	}
	return d.blame(ctx, oidAttribute, wholeRowType(rel))
}

// accessMethod is a row of pg_am. (Fields are exported for the store.)
type accessMethod struct {
	OID, Handler catalog.OID
	Name         string
}

// accessMethod looks an access method up; one that pg_am lacks has its OID as
// name.
func (d *Database) accessMethod(ctx context.Context, oid catalog.OID) (accessMethod, error) {
	all, err := d.ams.get(ctx, func(ctx context.Context) (map[catalog.OID]accessMethod, error) {
		rows, err := loadRows(ctx, d, oidAM, "pg_am", "oid amhandler amname", func(r *catRow) (accessMethod, error) {
			return accessMethod{r.oid(), r.oid(), r.str()}, nil
		})
		out := map[catalog.OID]accessMethod{}
		for _, a := range rows {
			out[a.OID] = a
		}
		return out, err
	})
	if am, ok := all[oid]; ok || err != nil {
		return am, err
	}
	return accessMethod{OID: oid, Name: fmt.Sprint(oid)}, nil
}

// Env is what the output functions of the database's types need. Each call
// makes one; it may be shared by goroutines.
func (d *Database) Env() *datum.Env {
	return &datum.Env{
		Lookup: d, Major: d.c.major, Encoding: d.info.Encoding,
		Detoast: func(dst, varlena []byte) ([]byte, error) {
			return d.detoaster(false).Append(context.Background(), dst, varlena)
		},
	}
}
