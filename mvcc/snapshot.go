package mvcc

import (
	"fmt"
	"slices"

	"github.com/pipescan/pipescan/pgfile"
)

// RowSet says which of a table's stored rows a scan returns.
type RowSet uint8

// The row sets: what the snapshot sees, what is stored but not seen, and both.
// Each speaks of LP_NORMAL line pointers only.
const (
	Visible RowSet = iota
	Dead
	All
)

// String is the name the command line uses.
func (r RowSet) String() string {
	switch r {
	case Visible:
		return "visible"
	case Dead:
		return "dead"
	case All:
		return "all"
	}
	return fmt.Sprintf("RowSet(%d)", uint8(r))
}

// XactStatus is the transaction log (pg_xact) and the multixact log. It is
// safe for concurrent use; its answers do not change during a scan.
type XactStatus interface {
	// Statuses sets out[i] to the state of xids[i]. The xids are sorted by
	// number, distinct, and normal (3 or more). The error may be an
	// *UnknownXactError; out is then meaningless.
	Statuses(xids []uint32, out []pgfile.XactStatus) error
	// Updater is the member of a multixact that updated or deleted the row, 0
	// when all members are lockers. The error may be an *UnknownXactError.
	Updater(multi uint32) (xid uint32, err error)
}

// UnknownXactError says that the state of a transaction (or the members of a
// multixact) cannot be known, because the log that held it is missing or
// damaged. It is a pgfile.ErrCorrupt.
type UnknownXactError struct {
	XID   uint32 // the transaction, or the multixact when Multi
	Multi bool
	Err   error // what is wrong with the log, naming the file
}

// Error names the transaction and the cause.
func (e *UnknownXactError) Error() string {
	what := "transaction"
	if e.Multi {
		what = "multixact"
	}
	return fmt.Sprintf("the fate of %s %d is unknown: %v", what, e.XID, e.Err)
}

// Unwrap returns the cause.
func (e *UnknownXactError) Unwrap() error { return e.Err }

// Is makes errors.Is(err, pgfile.ErrCorrupt) true.
func (e *UnknownXactError) Is(target error) bool { return target == pgfile.ErrCorrupt }

// firstNormalXID is FirstNormalTransactionId: 0 is invalid, 1 is bootstrap, 2
// is frozen.
const firstNormalXID = 3

// Snapshot is what a new snapshot on a server just started on the directory
// would be. It is read-only once in use, and safe for concurrent use.
type Snapshot struct {
	Xacts XactStatus
	// InProgress are the prepared transactions and their children, sorted by number.
	InProgress []uint32
	// NextXID is the control file's next transaction id, epoch in the high half.
	// It bounds the snapshot of a clean cluster: a server sees nothing at or
	// past it. On an unclean one it is older than the heap, and not used.
	NextXID uint64
	Clean   bool
}

// inProgress says whether the snapshot holds xid to be running, which for
// xids past the end of a clean cluster means "in the future".
func (s *Snapshot) inProgress(xid uint32) bool {
	if xid < firstNormalXID {
		return false
	}
	if s.Clean && int32(xid-uint32(s.NextXID)) >= 0 {
		return true
	}
	_, found := slices.BinarySearch(s.InProgress, xid)
	return found
}

// settled returns an arc of ids, lo, lo+1, ... lo+n-1, that are surely not in
// progress, so that one subtraction and one comparison spare the exact test:
// the half circle before NextXID (on an unclean cluster, before some prepared
// transaction), up to the first prepared transaction in it.
func (s *Snapshot) settled() (lo, n uint32) {
	const half = 1 << 31
	switch {
	case s.Clean:
		lo, n = uint32(s.NextXID)-half, half
	case len(s.InProgress) == 0:
		return 0, ^uint32(0)
	default:
		lo, n = s.InProgress[0]-half, half
	}
	for _, x := range s.InProgress {
		n = min(n, x-lo)
	}
	return lo, n
}
