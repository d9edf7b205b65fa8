package cluster

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"github.com/pipescan/pipescan/catalog"
	"github.com/pipescan/pipescan/fileio"
	"github.com/pipescan/pipescan/pgfile"
	"github.com/pipescan/pipescan/store"
)

// relMap is a relation map and the file it was read from.
type relMap struct {
	nodes  pgfile.RelMap
	source store.Source
}

// node is the file node of a mapped relation.
func (m relMap) node(oid catalog.OID) (uint32, error) {
	n := m.nodes[oid]
	if n == 0 {
		e := pgfile.Corruptf(-1, "no file node for the mapped relation %d", oid)
		e.File, e.Remedy = m.source.Name, "restore the file from a backup of the same moment"
		return 0, e
	}
	return n, nil
}

// readRelMap reads pg_filenode.map of a database's directory, or of global/.
func (c *Cluster) readRelMap(tablespace, db uint32) (relMap, error) {
	// The map lies beside the relations: borrow their path.
	loc := fileio.RelLocator{Tablespace: tablespace, Database: db}
	rel := c.dir.RelPath(c.layout, loc, fileio.Main)
	name := rel[:len(rel)-len("0")] + pgfile.RelMapFile
	b, id, err := c.dir.ReadFile(name, maxSmallFile)
	if errors.Is(err, fs.ErrNotExist) {
		e := pgfile.Corruptf(-1, "the relation map is missing")
		e.File, e.Remedy = name, "restore it from a backup of the same moment, and the database's directory with it if that is gone"
		return relMap{}, e
	}
	if err != nil {
		return relMap{}, fmt.Errorf("relation map: %w", err)
	}
	nodes, err := pgfile.ParseRelMap(b)
	if err != nil {
		err = pgfile.At(err, name, pgfile.NoBlock)
		var bad *pgfile.CorruptError
		if errors.As(err, &bad) {
			bad.Remedy = "restore the file from a backup of the same moment"
		}
		return relMap{}, err
	}
	return relMap{nodes, store.Source{Name: name, ID: id}}, nil
}

// globalRelMap is the map of the shared catalogs.
func (c *Cluster) globalRelMap(ctx context.Context) (relMap, error) {
	return c.globalMap.get(ctx, func(context.Context) (relMap, error) { return c.readRelMap(globalTablespace, 0) })
}
