package mvcc

import "github.com/pipescan/pipescan/pgfile"

// facts answers the two questions the rules ask beyond the tuple and the
// snapshot: did this normal xid commit, and who updated by this multixact.
type facts interface {
	committed(xid uint32) (bool, error)
	updater(multi uint32) (uint32, error)
}

// lockedOnly says that xmax only locked the row. Three spellings: the lock-only
// bit; a plain exclusive lock as 9.2 and older wrote it (no multixact, the
// exclusive bit alone); and a 9.2 multixact of lockers, which also carries the
// lock-only bit and must never be looked up.
func lockedOnly(im uint16) bool {
	const lockBits = pgfile.HeapXmaxExcl | pgfile.HeapXmaxKeyShr
	return im&pgfile.HeapXmaxLockOnly != 0 ||
		im&(pgfile.HeapXmaxIsMulti|lockBits) == pgfile.HeapXmaxExcl
}

// didCommit is facts.committed for any xid: bootstrap and frozen are
// committed, the invalid id is not.
func didCommit(f facts, xid uint32) (bool, error) {
	if xid < firstNormalXID {
		return xid != 0, nil
	}
	return f.committed(xid)
}

// satisfies is the whole rule for one tuple (HeapTupleSatisfiesMVCC without a
// transaction of one's own).
func (s *Snapshot) satisfies(t pgfile.HeapTuple, f facts) (bool, error) {
	if ok, err := s.xminOK(t, f); !ok || err != nil {
		return false, err
	}
	return s.xmaxOK(t, f)
}

// xminOK says whether the inserter is one the snapshot sees.
func (s *Snapshot) xminOK(t pgfile.HeapTuple, f facts) (bool, error) {
	im := t.Infomask()
	switch {
	case im&pgfile.HeapXminFrozen == pgfile.HeapXminFrozen:
		return true, nil
	case im&pgfile.HeapXminCommitted != 0:
		return !s.inProgress(t.Xmin()), nil
	case im&pgfile.HeapXminInvalid != 0:
		return false, nil
	case im&pgfile.HeapMovedOff != 0:
		// Moved away if the vacuum committed; otherwise still here, and its
		// inserter is known to have committed before the vacuum.
		if s.inProgress(t.Field3()) {
			return true, nil
		}
		moved, err := didCommit(f, t.Field3())
		return !moved, err
	case im&pgfile.HeapMovedIn != 0:
		if s.inProgress(t.Field3()) {
			return false, nil
		}
		return didCommit(f, t.Field3())
	case s.inProgress(t.Xmin()):
		return false, nil
	}
	return didCommit(f, t.Xmin())
}

// xmaxOK says whether the row is still there for the snapshot, its inserter
// being seen.
func (s *Snapshot) xmaxOK(t pgfile.HeapTuple, f facts) (bool, error) {
	im := t.Infomask()
	if im&pgfile.HeapXmaxInvalid != 0 || lockedOnly(im) {
		return true, nil
	}
	xmax := t.Xmax()
	multi := im&pgfile.HeapXmaxIsMulti != 0
	if multi {
		var err error
		if xmax, err = f.updater(xmax); err != nil {
			return false, err
		}
	}
	if s.inProgress(xmax) {
		return true, nil
	}
	// The committed hint speaks of a plain xmax, never of a multixact.
	if im&pgfile.HeapXmaxCommitted != 0 && !multi {
		return false, nil
	}
	gone, err := didCommit(f, xmax)
	return !gone, err
}

// direct answers from the logs, one id a call.
type direct struct{ x XactStatus }

func (d direct) committed(xid uint32) (bool, error) {
	ids, out := [1]uint32{xid}, [1]pgfile.XactStatus{}
	err := d.x.Statuses(ids[:], out[:])
	return err == nil && out[0] == pgfile.XactCommitted, err
}

func (d direct) updater(multi uint32) (uint32, error) { return d.x.Updater(multi) }

// Visible says whether the snapshot sees one tuple (at least 23 bytes). It
// asks the logs at each call; scans use a Resolver. The error may be an
// *UnknownXactError.
func (s *Snapshot) Visible(t pgfile.HeapTuple) (bool, error) {
	return s.satisfies(t, direct{s.Xacts})
}

// ToastVisible is the rule for chunks of a TOAST table: whoever holds a
// pointer may read the chunks, so xmax is ignored, and of the insertion only a
// hint that it was aborted (or a missing xmin) counts.
func (s *Snapshot) ToastVisible(t pgfile.HeapTuple) (bool, error) {
	im := t.Infomask()
	if im&pgfile.HeapXminCommitted != 0 {
		return true, nil
	}
	if im&(pgfile.HeapXminInvalid|pgfile.HeapMovedOff|pgfile.HeapMovedIn) != 0 {
		return s.xminOK(t, direct{s.Xacts})
	}
	return t.Xmin() != 0, nil
}
