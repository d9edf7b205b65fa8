package cluster

import (
	"context"
	"fmt"
	"slices"

	"github.com/pipescan/pipescan/catalog"
	"github.com/pipescan/pipescan/pgfile"
	"github.com/pipescan/pipescan/stages"
	"github.com/pipescan/pipescan/toast"
)

// inlineDetoaster decompresses, and refuses external values: for the catalogs
// that have no TOAST table or are read before one can be found.
func (c *Cluster) inlineDetoaster() stages.Detoaster {
	return &toast.Detoaster{Fetcher: noFetcher{}, MaxValue: c.o.Memory}
}

// noFetcher is the ChunkFetcher of tables that cannot have external values.
type noFetcher struct{}

// FetchChunks always fails.
func (noFetcher) FetchChunks(_ context.Context, p pgfile.ToastPointer, _ []byte) ([]byte, error) {
	return nil, pgfile.Corruptf(-1, "a value in TOAST table %d, where none can be", p.RelID)
}

// newDetoaster makes the detoaster of one lane.
func (d *Database) newDetoaster() stages.Detoaster { return d.detoaster(false) }

// newDeadDetoaster is newDetoaster for scans that return dead rows.
func (d *Database) newDeadDetoaster() stages.Detoaster { return d.detoaster(true) }

func (d *Database) detoaster(dead bool) *toast.Detoaster {
	return &toast.Detoaster{
		Fetcher:  &toastFetcher{d: d, dead: dead, byRel: map[catalog.OID]*toast.RelationFetcher{}},
		MaxValue: d.c.o.Memory,
	}
}

// maxFetchers bounds the TOAST relations that one lane holds pages of. A table
// has one TOAST table; more are met only in damaged pointers.
const maxFetchers = 8

// toastFetcher finds the TOAST relation that a pointer names and fetches from
// it. It belongs to one lane.
type toastFetcher struct {
	d     *Database
	dead  bool
	byRel map[catalog.OID]*toast.RelationFetcher
}

// FetchChunks appends the stored bytes of an external value.
func (f *toastFetcher) FetchChunks(ctx context.Context, p pgfile.ToastPointer, dst []byte) ([]byte, error) {
	rf, err := f.of(ctx, p.RelID)
	if err != nil {
		return nil, err
	}
	return rf.FetchChunks(ctx, p, dst)
}

// CheckClaim implements toast.ClaimChecker.
func (f *toastFetcher) CheckClaim(ctx context.Context, p pgfile.ToastPointer) error {
	rf, err := f.of(ctx, p.RelID)
	if err != nil {
		return err
	}
	return rf.CheckClaim(ctx, p)
}

// of is the fetcher of a TOAST relation.
func (f *toastFetcher) of(ctx context.Context, rel catalog.OID) (*toast.RelationFetcher, error) {
	if rf := f.byRel[rel]; rf != nil {
		return rf, nil
	}
	rf, err := f.d.relationFetcher(ctx, rel, f.dead)
	if err != nil {
		return nil, err
	}
	if len(f.byRel) >= maxFetchers {
		clear(f.byRel)
	}
	f.byRel[rel] = rf
	return rf, nil
}

// relationFetcher opens a TOAST relation and its valid index.
func (d *Database) relationFetcher(ctx context.Context, oid catalog.OID, dead bool) (*toast.RelationFetcher, error) {
	core, err := d.catalogs(ctx)
	if err != nil {
		return nil, err
	}
	rel := core.byOID[oid]
	if rel == nil || rel.Kind != 't' {
		e := pgfile.Corruptf(-1, "the value is said to lie in relation %d, which is no TOAST table of this database", oid)
		e.Remedy = "the row is damaged, or pg_class is: restore from a backup"
		return nil, e
	}
	index, err := d.toastIndex(ctx, core, rel)
	if err != nil {
		return nil, err
	}
	heap, err := d.c.toasts.open(ctx, d, rel)
	if err != nil {
		return nil, err
	}
	idx, err := d.c.toasts.open(ctx, d, index)
	if err != nil {
		return nil, fmt.Errorf("index of TOAST table %q: %w", rel.Name, err)
	}
	return &toast.RelationFetcher{
		Heap: heap, Index: idx, HeapName: heap.rel.Name(), IndexName: idx.rel.Name(),
		ChunkSize: d.c.control.ToastChunkSize, Committed: d.c.committed, Dead: dead,
	}, nil
}

// committed asks pg_xact about one transaction.
func (c *Cluster) committed(xid uint32) (bool, error) {
	if xid < pgfile.FirstNormalXID {
		return xid != pgfile.InvalidXID, nil
	}
	st, err := c.xacts.status(xid)
	return st == pgfile.XactCommitted, err
}

// toastIndex finds the index that a server would fetch chunks through.
func (d *Database) toastIndex(ctx context.Context, core *coreCatalogs, rel *catalog.Relation) (*catalog.Relation, error) {
	valid, err := d.validIndexes(ctx)
	if err != nil {
		return nil, err
	}
	for _, oid := range valid[rel.OID] {
		if r := core.byOID[oid]; r != nil && r.Kind == 'i' {
			return r, nil
		}
	}
	e := pgfile.Corruptf(-1, "TOAST table %q has no valid index", rel.Name)
	e.Remedy = "on a server: REINDEX the table; the rows without wide values are readable by --on-corruption skip"
	return nil, d.blame(ctx, oidIndex, e)
}

// validIndexes holds the valid indexes of each table by OID. It takes none of
// pg_index's wide columns, as Indexes does: since 18 these may lie in a TOAST
// table of pg_index's own, and its index is found here.
func (d *Database) validIndexes(ctx context.Context) (map[catalog.OID][]catalog.OID, error) {
	return d.valid.get(ctx, func(ctx context.Context) (map[catalog.OID][]catalog.OID, error) {
		t, err := d.systemCatalog(ctx, oidIndex, "pg_index")
		if err != nil {
			return nil, err
		}
		t.detoaster = d.c.inlineDetoaster
		out := map[catalog.OID][]catalog.OID{}
		_, err = t.scan(ctx, d.c, "indexrelid indrelid indisvalid", func(r *catRow) error {
			index, table := r.oid(), r.oid()
			if r.bool() {
				out[table] = append(out[table], index)
			}
			return nil
		})
		for _, indexes := range out {
			slices.Sort(indexes)
		}
		return out, err
	})
}
