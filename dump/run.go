package dump

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"

	"github.com/pipescan/pipescan"
	"github.com/pipescan/pipescan/catalog"
	"github.com/pipescan/pipescan/datum"
	"github.com/pipescan/pipescan/export"
	"github.com/pipescan/pipescan/pipeline"
)

// Options of a dump.
type Options struct {
	Dir          string   // where to; made when missing
	Tables       []string // -t: shell patterns of tables to dump; none: all
	Schemas      []string // -n: shell patterns of schemas to dump; none: all
	Exclude      []string // -T: shell patterns of tables to leave out
	Catalogs     bool     // system catalogs and information_schema too
	AllDatabases bool
	Jobs         int // tables at a time; 0 means 1
	Lanes        int // lanes a table
	Format       export.Format
	CSVHeader    bool
	// Done is called after each table, from one goroutine at a time.
	Done func(Entry)
	// Start is called with the number of tables to dump.
	Start func(tables int)
}

// Summary is what a dump did.
type Summary struct {
	Tables, Failed, Resumed, WithLosses int
	Rows, Bytes                         int64
}

// job is one table to dump.
type job struct {
	table *pipescan.Table
	entry Entry
}

// Run dumps the tables that o selects. A table that fails is reported in its
// entry and the rest goes on; the error is about the dump as a whole (the
// directory, the catalogs, ctx).
func Run(ctx context.Context, db *pipescan.DB, o Options) (Summary, error) {
	if err := os.MkdirAll(o.Dir, 0o777); err != nil {
		return Summary{}, err
	}
	m, err := openManifest(o.Dir)
	if err != nil {
		return Summary{}, err
	}
	r := &runner{o: o, manifest: m}
	err = r.run(ctx, db)
	return r.sum, errors.Join(err, m.close())
}

// runner is the state of a running dump.
type runner struct {
	o        Options
	manifest *manifest
	sum      Summary
}

// run lists the jobs, works them off with Jobs workers, and collects.
func (r *runner) run(ctx context.Context, db *pipescan.DB) error {
	jobs, err := r.jobs(ctx, db)
	if err != nil {
		return err
	}
	if r.o.Start != nil {
		r.o.Start(len(jobs))
	}
	group, ctx := pipeline.NewGroup(ctx)
	todo, finished := make(chan job), make(chan Entry)
	group.Go("dump: list", func(ctx context.Context) error {
		defer close(todo)
		for _, j := range jobs {
			select {
			case todo <- j:
			case <-ctx.Done():
				return context.Cause(ctx)
			}
		}
		return nil
	})
	workers := max(r.o.Jobs, 1)
	left := make(chan struct{}, workers)
	for range workers {
		group.Go("dump: table", func(ctx context.Context) error {
			defer func() { left <- struct{}{} }()
			return r.work(ctx, todo, finished)
		})
	}
	group.Go("dump: collect", func(context.Context) error { return r.collect(ctx, finished, left, workers) })
	return group.Wait()
}

// work dumps tables until there are no more.
func (r *runner) work(ctx context.Context, todo <-chan job, finished chan<- Entry) error {
	for j := range todo {
		e, err := r.one(ctx, j)
		if err != nil {
			return err
		}
		select {
		case finished <- e:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	return nil
}

// collect sums up until all workers left.
func (r *runner) collect(ctx context.Context, finished <-chan Entry, left <-chan struct{}, workers int) error {
	for workers > 0 {
		select {
		case e := <-finished:
			r.count(e)
		case <-left:
			workers--
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	return nil
}

// count adds an entry to the summary and reports it.
func (r *runner) count(e Entry) {
	r.sum.Tables++
	r.sum.Rows += e.Rows
	r.sum.Bytes += e.Bytes
	switch {
	case e.Error != "":
		r.sum.Failed++
	case e.Losses > 0:
		r.sum.WithLosses++
	}
	if r.o.Done != nil {
		r.o.Done(e)
	}
}

// one dumps one table. Its own failure goes into the entry; an error returned
// ends the dump.
func (r *runner) one(ctx context.Context, j job) (Entry, error) {
	e := j.entry
	res, sum, err := r.write(ctx, j)
	if ctx.Err() != nil {
		return e, context.Cause(ctx)
	}
	e.Rows, e.Bytes, e.SHA256, e.Losses = res.Rows, res.Bytes, sum, res.LossCount
	if err != nil {
		e.Rows, e.Bytes, e.SHA256, e.Error = 0, 0, "", err.Error()
	}
	err = r.manifest.add(e)
	e.Ledger = res.Losses
	return e, err
}

// write dumps a table beside its final name and renames it when it is whole.
func (r *runner) write(ctx context.Context, j job) (res Result, sum string, err error) {
	final := filepath.Join(r.o.Dir, filepath.FromSlash(j.entry.File))
	if err := os.MkdirAll(filepath.Dir(final), 0o777); err != nil {
		return res, "", err
	}
	f, err := os.CreateTemp(filepath.Dir(final), ".partial-*")
	if err != nil {
		return res, "", err
	}
	defer func() {
		err = errors.Join(err, f.Close())
		if err == nil {
			err = os.Rename(f.Name(), final)
		}
		if err != nil {
			_ = os.Remove(f.Name())
		}
	}()
	if err := f.Chmod(0o644); err != nil {
		return res, "", err
	}
	hash := sha256.New()
	request := pipescan.Request{Lanes: max(r.o.Lanes, 1)}
	res, err = Copy(ctx, io.MultiWriter(f, hash), j.table, request, r.o.Format, export.Options{Header: r.o.CSVHeader}, nil)
	return res, hex.EncodeToString(hash.Sum(nil)), err
}

// jobs lists the tables to dump that an earlier run has not finished.
func (r *runner) jobs(ctx context.Context, db *pipescan.DB) ([]job, error) {
	databases := []*pipescan.DB{db}
	if r.o.AllDatabases {
		all, err := db.Databases(ctx)
		if err != nil {
			return nil, err
		}
		databases = databases[:0]
		for _, d := range all {
			other, err := db.Use(ctx, d.Name)
			if err != nil {
				if err := r.databaseFailed(d.Name, d.OID, err); err != nil {
					return nil, err
				}
				continue
			}
			databases = append(databases, other)
		}
	}
	var list []job
	for _, d := range databases {
		jobs, err := r.databaseJobs(ctx, d)
		if err != nil && !r.o.AllDatabases {
			return nil, err
		}
		if err != nil {
			if err := r.databaseFailed(d.Name(), 0, err); err != nil {
				return nil, err
			}
		}
		list = append(list, jobs...)
	}
	return list, nil
}

// databaseFailed reports a database whose catalogs could not be read.
func (r *runner) databaseFailed(name string, oid uint32, err error) error {
	name = datum.Printable(catalog.UTF8, name)
	e := Entry{OID: oid, Name: name, Kind: "database", Database: name, Error: err.Error()}
	r.count(e)
	return r.manifest.add(e)
}

// databaseJobs lists one database's tables.
func (r *runner) databaseJobs(ctx context.Context, db *pipescan.DB) ([]job, error) {
	tables, err := db.Tables(ctx, pipescan.TableFilter{Kinds: "rmS", Catalogs: r.o.Catalogs})
	if err != nil {
		return nil, err
	}
	var list []job
	for _, t := range tables {
		ok, err := r.wanted(t)
		if err != nil {
			return nil, err
		}
		if !ok {
			continue
		}
		j := job{table: t, entry: r.entry(db, t)}
		if e, ok := r.manifest.finished(r.o.Dir, j.entry); ok {
			r.sum.Resumed++
			r.count(e)
			continue
		}
		list = append(list, j)
	}
	return list, nil
}

// entry begins a table's entry.
func (r *runner) entry(db *pipescan.DB, t *pipescan.Table) Entry {
	rel := t.Relation()
	file := FileName(t.Namespace(), rel.Name, rel.OID, r.o.Format.Extension())
	if r.o.AllDatabases {
		file = path.Join(dirName(db.Name()), file)
	}
	return Entry{
		OID: rel.OID, Schema: t.Text(t.Namespace()), Name: t.Text(rel.Name), Kind: string(rune(rel.Kind)), File: file, Database: db.Text(db.Name()),
		Source: source(db),
	}
}

// source tells states of a directory apart; "" for a store of own tables, whose
// state has no name: its tables are dumped again each time.
func source(db *pipescan.DB) string {
	if db.Cluster() == nil {
		return ""
	}
	c := db.Cluster().Control()
	return fmt.Sprintf("%d/%X/%X/%d", c.SystemIdentifier, c.Checkpoint>>32, uint32(c.Checkpoint), c.Time)
}
