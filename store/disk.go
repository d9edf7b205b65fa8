package store

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"
)

// layoutDir is the directory made inside the cache directory; a change that
// older programs cannot read gets another name.
const layoutDir = "v1"

const (
	flushPatience = 10 * time.Second // how long Close waits for a slow disk
	lockRetry     = 20 * time.Millisecond
	keepDays      = 90 // how long facts of clusters that are not met are kept
)

// disk is an open Pebble, shared by the stores of this process that name its
// directory.
type disk struct {
	path string
	db   *pebble.DB
	lock *pebble.Lock
	refs int // guarded by disks

	broken atomic.Pointer[string] // why it must not be used any more
}

// disks are the open ones by absolute path: Pebble's lock keeps a second
// opening out even within a process.
var disks = struct {
	sync.Mutex
	open map[string]*disk
}{open: map[string]*disk{}}

// openDisk opens the store that the options ask for. nil and a note mean: in
// memory, and why.
func openDisk(o Options) (*disk, string) {
	if o.Dir == InMemory {
		return nil, ""
	}
	dir, err := cacheDir(o.Dir)
	if err != nil {
		return nil, fmt.Sprintf("no cache directory (%v): in memory", err)
	}
	path := filepath.Join(dir, layoutDir)
	disks.Lock()
	defer disks.Unlock()
	if d := disks.open[path]; d != nil && d.failure() == "" {
		d.refs++
		return d, ""
	}
	// The user's catalogs are nobody else's business.
	if err := o.fs.MkdirAll(path, 0o700); err != nil {
		return nil, fmt.Sprintf("cache directory %s cannot be made (%v): in memory", path, err)
	}
	lock, err := lockDir(path, o)
	switch {
	case err != nil && lockHeld(err):
		return nil, fmt.Sprintf("cache %s held by another process: in memory", path)
	case err != nil:
		return nil, fmt.Sprintf("cache %s cannot be locked (%v): in memory", path, err)
	}
	d := &disk{path: path, lock: lock, refs: 1}
	note, err := d.openOrReplace(o.fs)
	if err != nil {
		_ = lock.Close() // the error of the opening says more
		return nil, fmt.Sprintf("cache %s cannot be opened (%v): in memory", path, err)
	}
	disks.open[path] = d
	return d, note
}

// cacheDir resolves Options.Dir to an absolute path.
func cacheDir(dir string) (string, error) {
	if dir != "" {
		return filepath.Abs(dir)
	}
	base, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	return filepath.Join(base, "pipescan"), nil
}

// lockDir takes the lock, waiting for its holder as long as the options say.
func lockDir(path string, o Options) (*pebble.Lock, error) {
	for deadline := time.Now().Add(o.LockWait); ; time.Sleep(lockRetry) {
		lock, err := pebble.LockDirectory(path, o.fs)
		if err == nil || !lockHeld(err) || time.Now().After(deadline) {
			return lock, err
		}
	}
}

// openOrReplace opens Pebble; where its files are damaged they are moved aside
// and it begins anew, with a note.
func (d *disk) openOrReplace(fs vfs.FS) (note string, err error) {
	d.db, err = pebble.Open(d.path, d.options(fs))
	if err == nil {
		return "", nil
	}
	d.broken.Store(nil) // the failed opening may have set it
	if !errors.Is(err, pebble.ErrCorruption) && !isDamage(err) {
		return "", err
	}
	if moved := moveAside(fs, d.path); moved != nil {
		return "", errors.Join(err, moved)
	}
	first := err
	if d.db, err = pebble.Open(d.path, d.options(fs)); err != nil {
		return "", err
	}
	return fmt.Sprintf("the cache was damaged (%v) and was begun anew; the old one is in %s.broken", first, d.path), nil
}

// options are Pebble's for a cache.
func (d *disk) options(fs vfs.FS) *pebble.Options {
	return &pebble.Options{
		FS:                 fs,
		FormatMajorVersion: pebble.FormatNewest,
		Logger:             quietLogger{d},
		Lock:               d.lock,
		DisableWAL:         true,
		MaxOpenFiles:       100,
		EventListener: &pebble.EventListener{
			BackgroundError: func(err error) { d.fail(err.Error()) },
			DataCorruption:  func(i pebble.DataCorruptionInfo) { d.fail(i.String()) },
		},
	}
}

// fail marks the store as not to be used any more. It may be called with
// Pebble's locks held, so it does no more than that.
func (d *disk) fail(why string) { d.broken.CompareAndSwap(nil, &why) }

// failure is why the store broke, "" while it works.
func (d *disk) failure() string {
	if d == nil {
		return ""
	}
	if why := d.broken.Load(); why != nil {
		return *why
	}
	return ""
}

// get returns a copy of a value, nil when there is none or it cannot be read.
func (d *disk) get(key []byte) []byte {
	v, closer, err := d.db.Get(key)
	if err != nil {
		if !errors.Is(err, pebble.ErrNotFound) {
			d.fail(err.Error())
		}
		return nil
	}
	out := append(make([]byte, 0, len(v)), v...)
	if err := closer.Close(); err != nil {
		d.fail(err.Error())
	}
	return out
}

func (d *disk) set(key, value []byte) error { return d.db.Set(key, value, pebble.NoSync) }

func (d *disk) delete(key []byte) error { return d.db.Delete(key, pebble.NoSync) }

// release gives up a reference; the last one flushes and closes. A nil disk is
// fine.
func (d *disk) release() error {
	if d == nil {
		return nil
	}
	disks.Lock()
	defer disks.Unlock()
	if d.refs--; d.refs > 0 {
		return nil
	}
	if disks.open[d.path] == d {
		delete(disks.open, d.path)
	}
	d.flush()
	return errors.Join(d.db.Close(), d.lock.Close())
}

// flush writes what was put to disk, as far as the disk lets it: it repeats a
// failed flush for ever, so this waits for success, failure or patience.
func (d *disk) flush() {
	if d.failure() != "" {
		return
	}
	done, err := d.db.AsyncFlush()
	if err != nil {
		d.fail(err.Error())
		return
	}
	deadline := time.NewTimer(flushPatience)
	defer deadline.Stop()
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for d.failure() == "" {
		select {
		case <-done:
			return
		case <-deadline.C:
			return
		case <-tick.C:
		}
	}
}

// markSeen notes that the cluster is in use and forgets clusters that have not
// been for long. Failing at it harms nothing.
func (d *disk) markSeen(c ClusterID, now time.Time) {
	today := uint32(now.Unix() / 86400)
	_ = d.set(clusterKey(seenPrefix, c), binary.LittleEndian.AppendUint32(nil, today))
	it, err := d.db.NewIter(&pebble.IterOptions{LowerBound: []byte{seenPrefix}, UpperBound: []byte{seenPrefix + 1}})
	if err != nil {
		return
	}
	defer func() { _ = it.Close() }()
	for ok := it.First(); ok; ok = it.Next() {
		key, v := it.Key(), it.Value()
		if len(key) != clusterKeySize || len(v) == 4 && binary.LittleEndian.Uint32(v)+keepDays >= today {
			continue
		}
		facts := append([]byte{factPrefix}, key[1:]...)
		_ = d.db.DeleteRange(facts, after(facts), pebble.NoSync)
		_ = d.delete(key)
	}
}
