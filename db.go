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
)

// DB is an attached directory, looked at through one of its databases. It is
// safe for concurrent use. DBs made by Use share workers and cache with the DB
// they come from; closing the first one closes all.
type DB struct {
	shared   *shared
	database *cluster.Database
	env      *datum.Env
	name     string
	owner    bool // made by Open: Close closes the cluster
}

// shared is what the databases of one directory have in common.
type shared struct {
	cluster *cluster.Cluster
	budget  *pipeline.Budget
	reads   *pipeline.ReadPool
	sync    stages.SyncScans
	options Options
	catalog ledger // losses in catalogs
}

// Open attaches the data directory dir. Errors: ErrNoCluster, ErrVersion,
// ErrRunning, ErrUnclean, ErrNotFound (the database).
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
	s.cluster, err = cluster.Attach(ctx, dir, cluster.Options{
		CacheDir: o.CacheDir, AllowUnclean: o.AllowUnclean, OnLoss: s.catalog.lossFunc(),
		Checksums: o.Checksums, Memory: o.Memory, Warn: o.Warn, ReadPool: s.reads,
	})
	if err != nil {
		return nil, errors.Join(err, s.close())
	}
	db := &DB{shared: s, owner: true}
	if err := db.use(ctx, o.Database); err != nil {
		return nil, errors.Join(err, s.close())
	}
	return db, nil
}

// Use returns a DB for another database of the same directory.
func (db *DB) Use(ctx context.Context, database string) (*DB, error) {
	other := &DB{shared: db.shared}
	if err := other.use(ctx, database); err != nil {
		return nil, err
	}
	return other, nil
}

// use picks the database.
func (db *DB) use(ctx context.Context, name string) error {
	if name == "" {
		var err error
		if name, err = db.defaultDatabase(ctx); err != nil {
			return err
		}
	}
	d, err := db.shared.cluster.Database(ctx, name)
	if err != nil {
		return err
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

// Close ends the workers and closes the cache. Scans must have ended. Closing
// a DB made by Use does nothing.
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
	return errors.Join(append(errs, s.reads.Close(), s.budget.Close())...)
}

// Name is the name of the database.
func (db *DB) Name() string { return db.name }

// Cluster is the attached cluster, for its version, state and control file.
func (db *DB) Cluster() *cluster.Cluster { return db.shared.cluster }

// Catalog answers questions about the database's catalogs.
func (db *DB) Catalog() *cluster.Database { return db.database }

// Databases lists the databases of the cluster, in OID order.
func (db *DB) Databases(ctx context.Context) ([]catalog.Database, error) {
	return db.shared.cluster.Databases(ctx)
}

// CatalogLosses returns what reading the catalogs had to go on without, when
// the policy is CorruptionSkip.
func (db *DB) CatalogLosses() []Loss { return db.shared.catalog.losses() }
