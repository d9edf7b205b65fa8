package store

import (
	"encoding/binary"
	"errors"
	"fmt"
	"path/filepath"
	"sync"
	"sync/atomic"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"
)

// ErrInUse is another process that has an own store open, or this one that
// opens it twice.
var ErrInUse = errors.New("the store is in use")

// Own holds what own tables need beside their pages: names and columns, how
// far each file counts, the fate of transactions, the visibility map. Unlike
// Store it is the truth and no cache: every change is one batch, on disk when
// Apply returns, and damage is an error. It is safe for concurrent use.
type Own struct {
	path string
	lock *pebble.Lock

	mu sync.Mutex
	db *pebble.DB // nil after Close

	// broken is a failed write: nothing may be trusted until the store is opened
	// again. It is no part of what mu guards, since Pebble calls Fatalf while
	// Apply holds that.
	broken atomic.Pointer[error]
}

// OwnTable is an own table.
type OwnTable struct {
	OID    uint32
	Record []byte // name, columns: package table's own encoding
	Blocks uint32 // the known end: pages from here on do not count
	Rows   uint64 // that were ever loaded
}

// OwnState is everything about an own store but its visibility map.
type OwnState struct {
	NextOID uint32
	NextXID uint64
	Schemas map[uint32]string // by OID
	Tables  []OwnTable        // by OID
	Xacts   map[uint32][]byte // pages of XactsPerOwnPage states, two bits each, by number
}

// XactsPerOwnPage is how many transactions share a value.
const XactsPerOwnPage = 1024

// OwnVMPage is a page of a table's visibility map, in pgfile's layout without
// the page header.
type OwnVMPage struct {
	Table, Page uint32
	Bits        []byte
}

// OwnChange is what one transaction changes; zero fields change nothing.
type OwnChange struct {
	NextOID uint32
	NextXID uint64
	Schemas map[uint32]string
	Tables  []OwnTable
	Dropped []uint32 // tables
	Xacts   map[uint32][]byte
	VM      []OwnVMPage
}

// CreateOwn makes an own store's Pebble in a directory that does not exist
// yet, with what change says in it.
func CreateOwn(dir string, change OwnChange) error { return createOwn(dir, change, vfs.Default) }

func createOwn(dir string, change OwnChange, fs vfs.FS) error {
	if err := fs.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	o, err := openOwn(dir, fs, false)
	if err != nil {
		return err
	}
	return errors.Join(o.Apply(change), o.Close())
}

// OpenOwn opens an own store's Pebble. Errors: ErrInUse, naming the process
// that holds it where the system tells.
func OpenOwn(dir string) (*Own, error) { return openOwn(dir, vfs.Default, true) }

func openOwn(dir string, fs vfs.FS, mustExist bool) (*Own, error) {
	path, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	if mustExist {
		if _, err := fs.Stat(path); err != nil {
			return nil, err
		}
	}
	lock, err := pebble.LockDirectory(path, fs)
	if err != nil {
		return nil, lockError(path, err)
	}
	o := &Own{path: path, lock: lock}
	o.db, err = pebble.Open(path, &pebble.Options{
		FS:                 fs,
		FormatMajorVersion: pebble.FormatNewest,
		Logger:             ownLogger{o},
		Lock:               lock,
		ErrorIfNotExists:   mustExist,
		MaxOpenFiles:       100,
		EventListener:      &pebble.EventListener{},
	})
	if err != nil {
		return nil, errors.Join(fmt.Errorf("store %s: %w", path, err), lock.Close())
	}
	return o, nil
}

// lockError says who holds the lock.
func lockError(path string, err error) error {
	switch {
	case lockHeld(err):
		who := "another process"
		if pid := lockHolder(filepath.Join(path, "LOCK")); pid > 0 {
			who = fmt.Sprintf("process %d", pid)
		}
		return fmt.Errorf("%w: %s holds %s; wait for it to end", ErrInUse, who, path)
	case err.Error() == "lock held by current process":
		return fmt.Errorf("%w: this process has opened %s already", ErrInUse, path)
	}
	return fmt.Errorf("store %s cannot be locked: %w", path, err)
}

// ownLogger keeps Pebble silent, and remembers a failure after which Pebble
// would have ended the process.
type ownLogger struct{ o *Own }

// Infof drops progress reports.
func (ownLogger) Infof(string, ...any) {}

// Errorf drops reports of errors that Pebble also returns.
func (ownLogger) Errorf(string, ...any) {}

// Fatalf marks the store as broken. Pebble goes on as if nothing had happened,
// so whoever writes must look at the mark afterwards.
func (l ownLogger) Fatalf(format string, args ...any) { l.o.fail(fmt.Errorf(format, args...)) }

func (o *Own) fail(err error) {
	err = fmt.Errorf("store %s failed and must be opened again: %w", o.path, err)
	o.broken.CompareAndSwap(nil, &err)
}

func (o *Own) failure() error {
	if err := o.broken.Load(); err != nil {
		return *err
	}
	return nil
}

// Close gives the store up. A second call does nothing.
func (o *Own) Close() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.db == nil {
		return nil
	}
	err := errors.Join(o.db.Close(), o.lock.Close())
	o.db = nil
	return err
}

// Apply makes one change, all of it or nothing, and returns when it is on
// disk. After an error the change may or may not be there: the store refuses
// everything until it is opened again.
func (o *Own) Apply(c OwnChange) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.db == nil {
		return ErrClosed
	}
	if err := o.failure(); err != nil {
		return err
	}
	b := o.db.NewBatch()
	err := c.into(b)
	if err == nil {
		err = b.Commit(pebble.Sync)
	}
	if err != nil {
		o.fail(err)
		return errors.Join(err, b.Close())
	}
	if err := o.failure(); err != nil {
		return err // the batch stays with Pebble, which may still use it
	}
	return b.Close()
}

// into puts the change into a batch.
func (c *OwnChange) into(b *pebble.Batch) error {
	var errs []error
	set := func(key, value []byte) { errs = append(errs, b.Set(key, value, nil)) }
	if c.NextOID != 0 {
		set([]byte{ownCounter, 'o'}, binary.BigEndian.AppendUint32(nil, c.NextOID))
	}
	if c.NextXID != 0 {
		set([]byte{ownCounter, 'x'}, binary.BigEndian.AppendUint64(nil, c.NextXID))
	}
	for oid, name := range c.Schemas {
		set(ownKey(ownSchema, oid), []byte(name))
	}
	for _, t := range c.Tables {
		set(ownKey(ownTable, t.OID), t.Record)
		end := binary.BigEndian.AppendUint32(nil, t.Blocks)
		set(ownKey(ownEnd, t.OID), binary.BigEndian.AppendUint64(end, t.Rows))
	}
	for n, states := range c.Xacts {
		set(ownKey(ownXacts, n), states)
	}
	for _, p := range c.VM {
		set(binary.BigEndian.AppendUint32(ownKey(ownVM, p.Table), p.Page), p.Bits)
	}
	for _, oid := range c.Dropped {
		vm := ownKey(ownVM, oid)
		errs = append(errs, b.Delete(ownKey(ownTable, oid), nil), b.Delete(ownKey(ownEnd, oid), nil), b.DeleteRange(vm, after(vm), nil))
	}
	return errors.Join(errs...)
}
