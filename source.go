package pipescan

import (
	"context"

	"github.com/pipescan/pipescan/catalog"
	"github.com/pipescan/pipescan/cluster"
	"github.com/pipescan/pipescan/datum"
	"github.com/pipescan/pipescan/fileio"
	"github.com/pipescan/pipescan/mvcc"
	"github.com/pipescan/pipescan/stages"
	"github.com/pipescan/pipescan/table"
)

// Catalog is where a DB's tables come from, and what answers questions about
// them: a database of a cluster (*cluster.Database) or a store of own tables
// (*table.Store). It is safe for concurrent use.
type Catalog interface {
	catalog.Lookup
	// Info is the database's row of pg_database; a store makes one up.
	Info() catalog.Database
	// Relations lists the relations in OID order.
	Relations(ctx context.Context) ([]*catalog.Relation, error)
	// RelationByName finds a relation; the names are not quoted SQL.
	RelationByName(ctx context.Context, schema, name string) (*catalog.Relation, error)
	// Indexes lists the indexes of a relation.
	Indexes(ctx context.Context, rel catalog.OID) ([]catalog.Index, error)
	// Expand lists the relations with rows that a scan of rel and its children
	// reads, in the server's order.
	Expand(ctx context.Context, rel *catalog.Relation) ([]*catalog.Relation, error)
	// HeapScan describes a scan; the caller closes the file.
	HeapScan(ctx context.Context, rel *catalog.Relation) (*stages.HeapScan, *fileio.Relation, error)
	// SetRows changes which rows a described scan returns.
	SetRows(hs *stages.HeapScan, rows mvcc.RowSet)
	// OpenRelation and OpenFork open a relation's files; the caller closes them.
	OpenRelation(ctx context.Context, rel *catalog.Relation) (*fileio.Relation, error)
	OpenFork(ctx context.Context, rel *catalog.Relation, f fileio.Fork) (*fileio.Relation, error)
	// Env is what output functions need.
	Env() *datum.Env
}

var (
	_ Catalog = (*cluster.Database)(nil)
	_ Catalog = (*table.Store)(nil)
)
