package cluster

import (
	"bytes"
	"context"
	"encoding/gob"
	"path"

	"github.com/pipescan/pipescan/catalog"
	"github.com/pipescan/pipescan/fileio"
	"github.com/pipescan/pipescan/pgfile"
	"github.com/pipescan/pipescan/store"
)

// storeID is how the store knows the cluster.
func (c *Cluster) storeID() store.ClusterID {
	return store.ClusterID{System: c.control.SystemIdentifier, Dev: c.controlID.Dev, Ino: c.controlID.Ino}
}

// mayRemember says whether what is read now will still be true while the files
// stay the same. With prepared transactions it will not: COMMIT PREPARED
// changes rows and no heap file. Nor is what was read over damage or without
// verifying checksums worth keeping.
func (c *Cluster) mayRemember() bool {
	return c.Clean() && !c.prepared && c.o.OnLoss == nil && (c.Checksums() || c.control.DataChecksums == 0)
}

// commonSources are the files on which every row of every catalog depends:
// control file, relation maps, transaction logs, and the directory that would
// list prepared transactions.
func (d *Database) commonSources(ctx context.Context) ([]store.Source, error) {
	m, err := d.relationMap(ctx)
	if err != nil {
		return nil, err
	}
	g, err := d.c.globalRelMap(ctx)
	if err != nil {
		return nil, err
	}
	out := []store.Source{{Name: pgfile.ControlFile, ID: d.c.controlID}, m.source, g.source}
	for _, dir := range []string{pgfile.TwoPhaseDir, pgfile.XactDir, pgfile.MultiOffsetDir, pgfile.MultiMemberDir} {
		id, err := d.c.dir.Stat(dir)
		if err != nil {
			return nil, err
		}
		out = append(out, store.Source{Name: dir, ID: id})
		names, err := d.c.dir.ReadDir(dir)
		if err != nil {
			return nil, err
		}
		for _, name := range names {
			file := path.Join(dir, name)
			if id, err = d.c.dir.Stat(file); err != nil {
				return nil, err
			}
			out = append(out, store.Source{Name: file, ID: id})
		}
	}
	return out, nil
}

// fresh says whether every source is still what it was.
func (c *Cluster) fresh(sources []store.Source) bool {
	for _, s := range sources {
		if id, err := c.dir.Stat(s.Name); err != nil || id != s.ID {
			return false
		}
	}
	return len(sources) > 0
}

// worthIt says whether the catalogs' files are so large that asking the store
// costs less than reading them.
func (c *Cluster) worthIt(locs []fileio.RelLocator) bool {
	size := int64(0)
	for _, loc := range locs {
		id, err := c.dir.Stat(c.dir.RelPath(c.layout, loc, fileio.Main))
		if err != nil {
			return false // reading it will say what is wrong
		}
		size += id.Size
	}
	return size >= c.o.CacheFrom
}

// remember returns the rows of a catalog from the store, or loads and stores
// them. locs are the files that load will read; it names them all with what
// they were.
func remember[T any](ctx context.Context, d *Database, oid catalog.OID, locs []fileio.RelLocator,
	load func(context.Context) ([]T, []store.Source, error),
) ([]T, error) {
	if !d.c.mayRemember() || !d.c.worthIt(locs) {
		rows, _, err := load(ctx)
		return rows, err
	}
	key := store.Key{Cluster: d.c.storeID(), Kind: store.Catalog, Database: d.info.OID, Object: oid}
	if b, ok := d.c.store.Get(key, d.c.fresh); ok {
		var rows []T
		if err := gob.NewDecoder(bytes.NewReader(b)).Decode(&rows); err == nil {
			return rows, nil
		}
	}
	// Before the reading: what changes meanwhile must not look fresh.
	common, err := d.commonSources(ctx)
	if err != nil {
		rows, _, err := load(ctx)
		return rows, err
	}
	rows, from, err := load(ctx)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	if err := gob.NewEncoder(&b).Encode(rows); err == nil {
		_ = d.c.store.Put(key, append(common, from...), b.Bytes()) // not kept: read again next time
	}
	return rows, nil
}
