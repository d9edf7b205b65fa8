package store

import (
	"errors"
	"sync"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// InMemory, as Options.Dir, asks for a store without a disk.
const InMemory = "none"

// Options of a store; the zero value is ready for use.
type Options struct {
	// Dir is the cache directory; the store makes a directory of its own in
	// it. "": pipescan in the user's cache directory. InMemory: no disk.
	Dir string
	// LockWait is how long to wait for another process that holds the store;
	// 0: 200 ms.
	LockWait time.Duration
	// MaxMemory bounds the bytes of facts kept when there is no disk; 0: 32 MB.
	MaxMemory int64

	fs vfs.FS // nil: the real one; tests put a fault-injecting one here
}

func (o Options) withDefaults() Options {
	if o.LockWait == 0 {
		o.LockWait = 200 * time.Millisecond
	}
	if o.MaxMemory == 0 {
		o.MaxMemory = 32 << 20
	}
	if o.fs == nil {
		o.fs = vfs.Default
	}
	return o
}

// ErrClosed is returned by Put after Close.
var ErrClosed = errors.New("store: closed")

// maxValue bounds one fact, in bytes: larger ones are not worth remembering.
const maxValue = 64 << 20

// Store remembers facts. It is safe for concurrent use. No method fails a
// scan: a fact that cannot be had is a miss, one that cannot be kept is
// dropped.
type Store struct {
	o Options

	mu struct {
		sync.Mutex
		opened bool
		closed bool
		disk   *disk             // nil: in memory
		facts  map[string][]byte // when in memory
		bytes  int64             // of facts
		note   string
		seen   map[ClusterID]bool // clusters whose day was put
	}
}

// New makes a store and opens nothing yet.
func New(o Options) *Store {
	s := &Store{o: o.withDefaults()}
	s.mu.facts = map[string][]byte{}
	s.mu.seen = map[ClusterID]bool{}
	return s
}

// Note says in a sentence why the store is not where it was asked to be, ""
// when it is (or was not opened yet).
func (s *Store) Note() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.mu.note
}

// Get returns the payload of a fact for which fresh says that its sources are
// still what they were. A stale or damaged fact is forgotten. The payload is
// the caller's.
func (s *Store) Get(k Key, fresh func([]Source) bool) (payload []byte, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.ready() {
		return nil, false
	}
	b := s.read(k.bytes())
	if b == nil {
		return nil, false
	}
	sources, payload, err := parseValue(b)
	if err != nil || !fresh(sources) {
		s.remove(k.bytes())
		return nil, false
	}
	return payload, true
}

// Put remembers a fact read from sources. It keeps no reference to payload.
// An error means only that the fact was not kept.
func (s *Store) Put(k Key, sources []Source, payload []byte) error {
	v, err := appendValue(nil, sources, payload)
	if err != nil {
		return err
	}
	if len(v) > maxValue {
		return errors.New("store: too large to be remembered")
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.mu.closed {
		return ErrClosed
	}
	s.ready()
	return s.write(k, v)
}

// Close gives the disk store back, flushing what was put. A second call does
// nothing.
func (s *Store) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.mu.closed {
		return nil
	}
	s.mu.closed = true
	d := s.mu.disk
	s.mu.disk, s.mu.facts = nil, nil
	return d.release()
}

// ready opens the store at its first use and leaves a disk store that broke.
// It says false after Close. The lock is held.
func (s *Store) ready() bool {
	if s.mu.closed {
		return false
	}
	if !s.mu.opened {
		s.mu.opened = true
		s.mu.disk, s.mu.note = openDisk(s.o)
	}
	if why := s.mu.disk.failure(); why != "" {
		_ = s.mu.disk.release() // it failed already
		s.mu.disk, s.mu.note = nil, "the cache failed ("+why+"): in memory"
	}
	return true
}

// read returns a copy of a value, nil when there is none. The lock is held.
func (s *Store) read(key []byte) []byte {
	if s.mu.disk != nil {
		return s.mu.disk.get(key)
	}
	return append([]byte(nil), s.mu.facts[string(key)]...)
}

// remove forgets a value. The lock is held.
func (s *Store) remove(key []byte) {
	if s.mu.disk != nil {
		_ = s.mu.disk.delete(key) // stays stale, and is refused again
		return
	}
	s.mu.bytes -= int64(len(s.mu.facts[string(key)]))
	delete(s.mu.facts, string(key))
}

// write keeps a value. The lock is held.
func (s *Store) write(k Key, v []byte) error {
	key := k.bytes()
	if s.mu.disk != nil {
		if !s.mu.seen[k.Cluster] {
			s.mu.seen[k.Cluster] = true
			s.mu.disk.markSeen(k.Cluster, time.Now())
		}
		return s.mu.disk.set(key, v)
	}
	s.remove(key)
	if s.mu.bytes+int64(len(v)) > s.o.MaxMemory {
		return errors.New("store: no room in memory")
	}
	s.mu.facts[string(key)] = v
	s.mu.bytes += int64(len(v))
	return nil
}
