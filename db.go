package pipescan

import (
	"context"
	"errors"
	"fmt"

	"github.com/pipescan/pipescan/catalog"
	"github.com/pipescan/pipescan/cluster"
	"github.com/pipescan/pipescan/datum"
	"github.com/pipescan/pipescan/pipeline"
	"github.com/pipescan/pipescan/stages"
	"github.com/pipescan/pipescan/table"
)

// DB is an attached directory, a cluster's looked at through one of its
// databases, or a store of own tables. It is safe for concurrent use. DBs made
// by Use share workers and cache with the DB they come from; closing the first
// one closes all.
type DB struct {
	shared   *shared
	database Catalog
	env      *datum.Env
	name     string
	owner    bool // made by Open: Close closes the directory
}

// shared is what the databases of one directory have in common.
type shared struct {
	cluster *cluster.Cluster // nil for a store
	store   *table.Store     // nil for a cluster
	budget  *pipeline.Budget
	reads   *pipeline.ReadPool
	sync    stages.SyncScans
	options Options
	catalog ledger // losses in catalogs
}

// Open attaches dir: a PostgreSQL data directory, or a store of own tables
// (package table). Errors: ErrNoCluster, ErrVersion, ErrRunning, ErrUnclean,
// ErrNotFound (the database), ErrInUse (a store).
func Open(ctx context.Context, dir string, o Options) (*DB, error) {
	o = o.withDefaults()
	s := &shared{options: o}
	s.catalog.skip = o.OnCorruption == CorruptionSkip
	var err error
	if s.budget, err = pipeline.NewBudget(o.Workers); err != nil {
		return nil, err
	}
	if s.reads, err = pipeline.NewReadPool(o.ReadWorkers); err != nil {
		return nil, errors.Join(err, s.budget.Close())
	}
	if err := s.attach(ctx, dir); err != nil {
		return nil, errors.Join(err, s.close())
	}
	db := &DB{shared: s, owner: true}
	if err := db.use(ctx, o.Database); err != nil {
		return nil, errors.Join(err, s.close())
	}
	return db, nil
}

// attach opens the store or the cluster that dir is.
func (s *shared) attach(ctx context.Context, dir string) (err error) {
	o := s.options
	if table.IsStore(dir) {
		s.store, err = table.Open(dir, table.Options{ReadPool: s.reads, Checksums: o.Checksums == ChecksumsOn})
		return err
	}
	s.cluster, err = cluster.Attach(ctx, dir, cluster.Options{
		CacheDir: o.CacheDir, AllowUnclean: o.AllowUnclean, OnLoss: s.catalog.lossFunc(),
		Checksums: o.Checksums, Memory: o.Memory, Warn: o.Warn, ReadPool: s.reads,
	})
	return err
}

// Use returns a DB for another database of the same directory.
func (db *DB) Use(ctx context.Context, database string) (*DB, error) {
	other := &DB{shared: db.shared}
	if err := other.use(ctx, database); err != nil {
		return nil, err
	}
	return other, nil
}

// use picks the database; a store is the only one of its directory, whatever
// it is called.
func (db *DB) use(ctx context.Context, name string) error {
	if db.shared.store != nil {
		db.database = db.shared.store
		db.env, db.name = db.database.Env(), db.database.Info().Name
		return nil
	}
	if name == "" {
		var err error
		if name, err = db.defaultDatabase(ctx); err != nil {
			return db.shared.doubt(err)
		}
	}
	d, err := db.shared.cluster.Database(ctx, name)
	if err != nil {
		return db.shared.doubt(err)
	}
	db.database, db.env, db.name = d, d.Env(), name
	return nil
}

// defaultDatabase is postgres, or the only database that is no template.
func (db *DB) defaultDatabase(ctx context.Context) (string, error) {
	all, err := db.shared.cluster.Databases(ctx)
	if err != nil {
		return "", err
	}
	var users []string
	for _, d := range all {
		if d.Name == "postgres" {
			return d.Name, nil
		}
		if !d.IsTemplate {
			users = append(users, d.Name)
		}
	}
	if len(users) != 1 {
		return "", fmt.Errorf("%w: the cluster has no database called postgres: name one of %q", ErrNotFound, users)
	}
	return users[0], nil
}

// Close ends the workers and closes the directory. Scans must have ended.
// Closing a DB made by Use does nothing.
func (db *DB) Close() error {
	if !db.owner {
		return nil
	}
	return db.shared.close()
}

// close closes what Open made, as far as it got.
func (s *shared) close() error {
	var errs []error
	if s.cluster != nil {
		errs = append(errs, s.cluster.Close())
	}
	if s.store != nil {
		errs = append(errs, s.store.Close())
	}
	return errors.Join(append(errs, s.reads.Close(), s.budget.Close())...)
}

// checkUnchanged says whether the directory is still as it was when opened.
func (s *shared) checkUnchanged() error {
	if s.store != nil {
		return s.store.CheckUnchanged()
	}
	return s.cluster.CheckUnchanged()
}

// Name is the name of the database.
func (db *DB) Name() string { return db.name }

// Major is the PostgreSQL major version of the data.
func (db *DB) Major() int { return db.env.Major }

// Cluster is the attached cluster, for its state and control file; nil for a
// store of own tables.
func (db *DB) Cluster() *cluster.Cluster { return db.shared.cluster }

// Store is the store of own tables, for creating and loading them; nil for a
// cluster.
func (db *DB) Store() *table.Store { return db.shared.store }

// Catalog answers questions about the database's catalogs.
func (db *DB) Catalog() Catalog { return db.database }

// Databases lists the databases of the cluster by name; a store is one.
func (db *DB) Databases(ctx context.Context) ([]catalog.Database, error) {
	if db.shared.store != nil {
		return []catalog.Database{db.shared.store.Info()}, nil
	}
	return db.shared.cluster.Databases(ctx)
}

// CatalogLosses returns what reading the catalogs had to go on without, when
// the policy is CorruptionSkip.
func (db *DB) CatalogLosses() []Loss { return db.shared.catalog.losses() }
