package stages

import "sync"

// Figures of PostgreSQL's synchronized scans.
const (
	syncEntries  = 20 // tables remembered
	syncInterval = 16 // blocks between reports
)

// DefaultSyncMinBlocks is a quarter of a server's default shared_buffers
// (128 MB): smaller tables are not worth synchronizing.
const DefaultSyncMinBlocks = 4096

// SyncKey identifies a table for synchronized scans.
type SyncKey struct{ Tablespace, Database, Node uint32 }

// SyncScans is the table of where running scans are, so that a new scan of a
// table another one is reading begins where that one is, and both read the
// same blocks from then on. It remembers the 20 tables used last. One a DB,
// safe for concurrent use; the zero value is ready.
type SyncScans struct {
	// MinBlocks is the size from which tables take part; 0 means
	// DefaultSyncMinBlocks. Set it before use.
	MinBlocks uint32

	mu      sync.Mutex
	entries []syncEntry // the one used last comes first
}

type syncEntry struct {
	key   SyncKey
	block uint32
}

// takesPart says whether a table of n blocks is large enough.
func (s *SyncScans) takesPart(n uint32) bool {
	if s.MinBlocks == 0 {
		return n > DefaultSyncMinBlocks
	}
	return n > s.MinBlocks
}

// start is where a new scan of a table of n blocks begins.
func (s *SyncScans) start(key SyncKey, n uint32) uint32 {
	if !s.takesPart(n) {
		return 0
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	e := s.touch(key, 0)
	if e.block >= n { // reported before the table was truncated
		return 0
	}
	return e.block
}

// report says where a scan of a table of n blocks is. A report that would
// have to wait for another is left out: the next one comes soon.
func (s *SyncScans) report(key SyncKey, n, block uint32) {
	if !s.takesPart(n) || !s.mu.TryLock() {
		return
	}
	defer s.mu.Unlock()
	s.touch(key, block).block = block
}

// touch moves a table's entry to the front, making one at block if need be at
// the cost of the oldest.
func (s *SyncScans) touch(key SyncKey, block uint32) *syncEntry {
	at := 0
	for at < len(s.entries) && s.entries[at].key != key {
		at++
	}
	if at == len(s.entries) {
		if at < syncEntries {
			s.entries = append(s.entries, syncEntry{})
		} else {
			at--
		}
		s.entries[at] = syncEntry{key: key, block: block}
	}
	e := s.entries[at]
	copy(s.entries[1:at+1], s.entries[:at])
	s.entries[0] = e
	return &s.entries[0]
}
