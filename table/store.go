package table

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/pipescan/pipescan/catalog"
	"github.com/pipescan/pipescan/datum"
	"github.com/pipescan/pipescan/fileio"
	"github.com/pipescan/pipescan/mvcc"
	"github.com/pipescan/pipescan/pipeline"
	"github.com/pipescan/pipescan/store"
)

// Names in a store's directory.
const (
	// MarkerFile says that a directory is a store, and of which format.
	MarkerFile = "pipescan.store"

	pebbleDir  = "pebble"
	baseDir    = "base"
	databaseID = 1 // base/1, as a cluster's first database
	marker     = "pipescan store 1\n"
)

// What errors.Is tells apart.
var (
	// ErrNoStore is a directory that holds no store, or one of another format.
	ErrNoStore = errors.New("not a pipescan store")
	// ErrExists is a store, schema or table that exists already.
	ErrExists = errors.New("exists already")
	// ErrInUse is a store that another process, or this one, has open.
	ErrInUse = store.ErrInUse
	// ErrClosed is a store that was closed.
	ErrClosed = store.ErrClosed
)

// Options of an open store; the zero value is ready for use.
type Options struct {
	ReadPool  *pipeline.ReadPool // for look-ahead of scans; nil: none
	Checksums bool               // verify the checksums that loads write
}

// Store is a directory of own tables. It is safe for concurrent use; loads and
// changes of tables wait for each other, and scans wait for none of them.
type Store struct {
	path string
	o    Options
	own  *store.Own
	dir  *fileio.Dir
	env  *datum.Env

	writing sync.Mutex // one writer a store
	xacts   xactLog
	mu      sync.RWMutex
	state   *state // replaced, never changed
	closed  atomic.Bool
}

// state is what readers see: the tables as the last change left them.
type state struct {
	schemas map[catalog.OID]string
	byOID   map[catalog.OID]*ownTable
	sorted  []*catalog.Relation
	nextOID uint32
	nextXID uint64
}

// ownTable is a table as of one state.
type ownTable struct {
	rel    *catalog.Relation
	record []byte
	blocks uint32 // the known end
	rows   uint64
}

// IsStore says whether dir holds a store of any format.
func IsStore(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, MarkerFile))
	return err == nil
}

// Create makes a store in dir, which must not exist, or be empty, and opens
// it. The marker file comes last: a directory without one is no store.
func Create(dir string) (*Store, error) {
	if err := os.MkdirAll(filepath.Join(dir, baseDir, fmt.Sprint(databaseID)), 0o700); err != nil {
		return nil, err
	}
	names, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	if IsStore(dir) {
		return nil, fmt.Errorf("store %s: %w", dir, ErrExists)
	}
	for _, n := range names {
		if n.Name() != baseDir && n.Name() != pebbleDir { // those a creation that was cut short left
			return nil, fmt.Errorf("%s is not empty: it holds %s; name a new directory", dir, n.Name())
		}
	}
	err = store.CreateOwn(filepath.Join(dir, pebbleDir), store.OwnChange{
		NextOID: firstOID, NextXID: firstXID,
		Schemas: map[uint32]string{catalogSchema: "pg_catalog", publicSchema: "public"},
	})
	if err != nil {
		return nil, err
	}
	if err := writeSynced(filepath.Join(dir, MarkerFile), []byte(marker)); err != nil {
		return nil, err
	}
	return Open(dir, Options{})
}

// First numbers, as in a new cluster.
const (
	firstOID = 16384
	firstXID = 3
)

// writeSynced writes a file so that it is there, whole, after a crash.
func writeSynced(name string, content []byte) error {
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(content)
	if err := errors.Join(err, f.Sync(), f.Close()); err != nil {
		return err
	}
	return syncDir(filepath.Dir(name))
}

// syncDir makes the names in a directory durable.
func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

// Open opens the store in dir, and removes what a load that was cut short left
// behind. Errors: ErrNoStore, ErrInUse.
func Open(dir string, o Options) (*Store, error) {
	m, err := os.ReadFile(filepath.Join(dir, MarkerFile))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("%s: %w: it has no file %s; pipescan create makes a store", dir, ErrNoStore, MarkerFile)
	case err != nil:
		return nil, err
	case string(m) != marker:
		return nil, fmt.Errorf("%s: %w of a format that this version knows: %s says %q", dir, ErrNoStore, MarkerFile, clip(strings.TrimSpace(string(m)), 40))
	}
	own, err := store.OpenOwn(filepath.Join(dir, pebbleDir))
	if err != nil {
		return nil, err
	}
	s := &Store{path: dir, o: o, own: own}
	s.env = &datum.Env{Lookup: s, Major: Major, Encoding: catalog.UTF8}
	if err := s.readCatalog(); err != nil {
		return nil, errors.Join(err, own.Close())
	}
	if s.dir, err = fileio.OpenDir(dir); err != nil {
		return nil, errors.Join(err, own.Close())
	}
	s.dir.FilesGrow()
	return s, nil
}

// readCatalog reads the catalog and makes the files fit it.
func (s *Store) readCatalog() error {
	st, err := s.own.State()
	if err != nil {
		return err
	}
	next := &state{schemas: st.Schemas, byOID: map[catalog.OID]*ownTable{}, nextOID: st.NextOID, nextXID: st.NextXID}
	for _, t := range st.Tables {
		var rel catalog.Relation
		if err := json.Unmarshal(t.Record, &rel); err != nil {
			return fmt.Errorf("store %s: table %d: %w", s.path, t.OID, err)
		}
		next.byOID[t.OID] = &ownTable{rel: &rel, record: t.Record, blocks: t.Blocks, rows: t.Rows}
	}
	next.sort()
	s.xacts.pages = st.Xacts
	s.state = next
	return s.recover(next)
}

// Close gives the store up. Scans must have ended. A second call does nothing.
func (s *Store) Close() error {
	if s.closed.Swap(true) {
		return nil
	}
	s.writing.Lock()
	defer s.writing.Unlock()
	return errors.Join(s.dir.Close(), s.own.Close())
}

// Dir is the directory as it was given to Open.
func (s *Store) Dir() string { return s.path }

// current is the state that readers see.
func (s *Store) current() *state {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.state
}

// publish applies a change and then shows it to readers. The writing lock is
// held.
func (s *Store) publish(c store.OwnChange, next *state) error {
	if err := s.own.Apply(c); err != nil {
		return err
	}
	s.xacts.set(c.Xacts)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.state = next
	return nil
}

// Snapshot sees what every load that has ended put into the store.
func (s *Store) Snapshot() *mvcc.Snapshot { return s.snapshotOf(s.current()) }

func (s *Store) snapshotOf(st *state) *mvcc.Snapshot {
	return &mvcc.Snapshot{Xacts: &s.xacts, NextXID: st.nextXID, Clean: true}
}

// CheckUnchanged is nil: nobody else changes an open store. It is what a scan
// of a cluster asks at its end.
func (s *Store) CheckUnchanged() error { return nil }

// Env is what the output functions of the store's types need. It may be shared
// by goroutines.
func (s *Store) Env() *datum.Env { return s.env }

// Info describes the store as the database that it is: UTF8, collation C.
func (s *Store) Info() catalog.Database {
	return catalog.Database{OID: databaseID, Name: "store", Encoding: catalog.UTF8, Collate: "C", CType: "C", Provider: 'c', AllowConn: true, ConnLimit: -1}
}
