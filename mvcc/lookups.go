package mvcc

import (
	"slices"

	"github.com/pipescan/pipescan/pgfile"
)

// lookups are the answers of the logs for the ids that one batch needs. It is
// filled in three steps (want for each tuple, then resolve), and then answers
// as facts. Unknown ids keep their error, which comes out only when a rule asks
// for that id: a tuple whose inserter aborted never asks for its xmax.
type lookups struct {
	snap *Snapshot

	xids   []uint32 // sorted and distinct after resolve
	states []pgfile.XactStatus
	errs   []error // by xid; empty when none is unknown

	multis    []uint32
	updaters  []uint32
	multiErrs []error
}

// reset forgets everything.
func (l *lookups) reset() {
	l.xids, l.states, l.errs = l.xids[:0], l.states[:0], l.errs[:0]
	l.multis, l.updaters, l.multiErrs = l.multis[:0], l.updaters[:0], l.multiErrs[:0]
}

// want notes the ids that the rules may ask for.
func (l *lookups) want(t pgfile.HeapTuple) {
	im := t.Infomask()
	switch {
	case im&pgfile.HeapXminFrozen != 0:
	case im&(pgfile.HeapMovedOff|pgfile.HeapMovedIn) != 0:
		l.wantXID(t.Field3())
	default:
		l.wantXID(t.Xmin())
	}
	switch {
	case im&pgfile.HeapXmaxInvalid != 0 || lockedOnly(im):
	case im&pgfile.HeapXmaxIsMulti != 0:
		if n := len(l.multis); n == 0 || l.multis[n-1] != t.Xmax() {
			l.multis = append(l.multis, t.Xmax())
		}
	case im&pgfile.HeapXmaxCommitted == 0:
		l.wantXID(t.Xmax())
	}
}

// wantXID notes a transaction whose state in the log may count. What is in
// progress is never asked about.
func (l *lookups) wantXID(xid uint32) {
	if xid < firstNormalXID {
		return
	}
	if n := len(l.xids); n > 0 && (l.xids[n-1] == xid || n > 1 && l.xids[n-2] == xid) {
		return // tuples alternate between the same xmin and xmax
	}
	if !l.snap.inProgress(xid) {
		l.xids = append(l.xids, xid)
	}
}

// resolve asks the logs: multixacts first, whose updaters join the xids.
func (l *lookups) resolve() {
	slices.Sort(l.multis)
	l.multis = slices.Compact(l.multis)
	for _, m := range l.multis {
		xid, err := l.snap.Xacts.Updater(m)
		l.updaters, l.multiErrs = append(l.updaters, xid), append(l.multiErrs, err)
		if err == nil {
			l.wantXID(xid)
		}
	}
	slices.Sort(l.xids)
	l.xids = slices.Compact(l.xids)
	if len(l.xids) == 0 {
		return
	}
	l.states = slices.Grow(l.states, len(l.xids))[:len(l.xids)]
	if l.snap.Xacts.Statuses(l.xids, l.states) == nil {
		return
	}
	// One id at least is unknown: find out which, so that the others count.
	for i := range l.xids {
		l.errs = append(l.errs, l.snap.Xacts.Statuses(l.xids[i:i+1], l.states[i:i+1]))
	}
}

// committed implements facts.
func (l *lookups) committed(xid uint32) (bool, error) {
	i, found := slices.BinarySearch(l.xids, xid)
	if !found { // a mapped page that changed since want
		return direct{l.snap.Xacts}.committed(xid)
	}
	if len(l.errs) > 0 && l.errs[i] != nil {
		return false, l.errs[i]
	}
	return l.states[i] == pgfile.XactCommitted, nil
}

// updater implements facts.
func (l *lookups) updater(multi uint32) (uint32, error) {
	i, found := slices.BinarySearch(l.multis, multi)
	if !found {
		return l.snap.Xacts.Updater(multi)
	}
	return l.updaters[i], l.multiErrs[i]
}

// remember fills a memo with what became of xid, unless that is unknown.
func (l *lookups) remember(m *memo, xid uint32) {
	if xid < firstNormalXID {
		return
	}
	if l.snap.inProgress(xid) {
		*m = memo{xid: xid, state: hidden}
		return
	}
	if i, found := slices.BinarySearch(l.xids, xid); found && (len(l.errs) == 0 || l.errs[i] == nil) {
		*m = memo{xid: xid, state: hidden}
		if l.states[i] == pgfile.XactCommitted {
			m.state = shown
		}
	}
}
