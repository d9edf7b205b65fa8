package mvcc

import (
	"encoding/binary"
	"fmt"

	"github.com/pipescan/pipescan/batch"
	"github.com/pipescan/pipescan/pgfile"
)

// UnknownFunc is told of a tuple whose visibility cannot be known. Returning
// nil drops the tuple from the batch, an error ends the resolution.
type UnknownFunc func(b *batch.Batch, t batch.Tuple, err error) error

// Verdicts on a tuple. A selection is built from the first two without a
// branch; a tuple still pending at the end is unknown, and in no row set.
const (
	hidden  uint8 = 0
	shown   uint8 = 1
	pending uint8 = 2
)

// memo remembers what became of one transaction: most tables were written by
// few, one after the other.
type memo struct {
	xid   uint32 // 0: nothing remembered
	state uint8  // shown: what it did is seen; hidden: it is not (aborted, or in progress)
}

// Resolver applies a snapshot to batches. One a lane: it is not safe for
// concurrent use. Its buffers are reused, so that resolving allocates nothing
// once they have grown.
type Resolver struct {
	snap      *Snapshot
	rows      RowSet
	onUnknown UnknownFunc

	settledLo, settledN uint32 // see Snapshot.settled
	inserter, deleter   memo

	verdicts []uint8
	open     []int32 // tuples whose hints do not decide
	known    lookups
}

// NewResolver makes a resolver; a nil onUnknown makes unknown visibility an error.
func NewResolver(s *Snapshot, rows RowSet, onUnknown UnknownFunc) *Resolver {
	r := &Resolver{snap: s, rows: rows, onUnknown: onUnknown}
	r.settledLo, r.settledN = s.settled()
	r.known.snap = s
	return r
}

// Resolve sets b.Sel and b.HasSel to the rows of the resolver's row set. b is
// as the extractor made it: no selection yet, Ranges covering Tuples. Without
// an UnknownFunc the error may be an *UnknownXactError; b is then undefined.
func (r *Resolver) Resolve(b *batch.Batch) error {
	if r.rows == All || len(b.Tuples) == 0 {
		return nil
	}
	from := 0
	if r.rows == Visible {
		// As long as every tuple shows there is no selection to write.
		if from = r.showing(b); from == len(b.Tuples) {
			return nil
		}
	}
	r.judge(b, from)
	if len(r.open) > 0 {
		if err := r.resolveOpen(b); err != nil {
			return err
		}
	}
	r.selectRows(b)
	return nil
}

// plainBits settle a tuple at once: inserted for good, and never deleted.
const plainBits = pgfile.HeapXminCommitted | pgfile.HeapXmaxInvalid

// showing returns the number of tuples at the batch's start that are visible
// by their page's flag or by their hint bits. One pass, no calls: this is what
// a table at rest costs.
func (r *Resolver) showing(b *batch.Batch) int {
	data, lo, n := b.Pages.Data, r.settledLo, r.settledN
	for _, rg := range b.Ranges {
		if rg.AllVisible {
			continue
		}
		tuples := b.Tuples[rg.First : rg.First+rg.N]
		for i := range tuples {
			t := &tuples[i]
			base := int(t.Page)*pgfile.PageSize + int(t.Off)
			h := data[base : base+pgfile.HeapTupleHeaderSize]
			im := binary.LittleEndian.Uint16(h[20:])
			if im&plainBits != plainBits {
				return int(rg.First) + i
			}
			if im&pgfile.HeapXminInvalid == 0 && binary.LittleEndian.Uint32(h)-lo >= n {
				return int(rg.First) + i
			}
		}
	}
	return len(b.Tuples)
}

// judge fills verdicts (those before from are shown) and the list of tuples
// whose hints leave something open.
func (r *Resolver) judge(b *batch.Batch, from int) {
	if cap(r.verdicts) < len(b.Tuples) {
		r.verdicts = make([]uint8, len(b.Tuples)+len(b.Tuples)/4)
	}
	r.verdicts, r.open = r.verdicts[:len(b.Tuples)], r.open[:0]
	for i := range from {
		r.verdicts[i] = shown
	}
	for _, rg := range b.Ranges {
		first, end := max(int(rg.First), from), int(rg.First+rg.N)
		if rg.AllVisible {
			for i := first; i < end; i++ {
				r.verdicts[i] = shown
			}
			continue
		}
		for i := first; i < end; i++ {
			t := &b.Tuples[i]
			base := int(t.Page)*pgfile.PageSize + int(t.Off)
			h := b.Pages.Data[base : base+pgfile.HeapTupleHeaderSize]
			v := r.byHints(h)
			r.verdicts[i] = v
			if v == pending {
				r.open = append(r.open, int32(i))
			}
		}
	}
}

// byHints judges a tuple by its header alone, and by what was remembered.
func (r *Resolver) byHints(h []byte) uint8 {
	im := binary.LittleEndian.Uint16(h[20:])
	xmin := binary.LittleEndian.Uint32(h)
	switch {
	case im&pgfile.HeapXminFrozen == pgfile.HeapXminFrozen:
	case im&pgfile.HeapXminCommitted != 0:
		if xmin-r.settledLo >= r.settledN {
			return pending
		}
	case im&pgfile.HeapXminInvalid != 0:
		return hidden
	case im&(pgfile.HeapMovedOff|pgfile.HeapMovedIn) != 0 || xmin == 0 || xmin != r.inserter.xid:
		return pending
	case r.inserter.state == hidden:
		return hidden
	}
	if im&pgfile.HeapXmaxInvalid != 0 || lockedOnly(im) {
		return shown
	}
	xmax := binary.LittleEndian.Uint32(h[4:])
	switch {
	case im&pgfile.HeapXmaxIsMulti != 0:
		return pending
	case im&pgfile.HeapXmaxCommitted != 0 && xmax-r.settledLo < r.settledN:
		return hidden
	case im&pgfile.HeapXmaxCommitted == 0 && xmax != 0 && xmax == r.deleter.xid:
		return r.deleter.state ^ 1
	}
	return pending
}

// selectRows turns verdicts into the selection.
func (r *Resolver) selectRows(b *batch.Batch) {
	want := shown
	if r.rows == Dead {
		want = hidden
	}
	if cap(b.Sel) < len(r.verdicts) {
		b.Sel = make([]int32, len(r.verdicts)+len(r.verdicts)/4)
	}
	sel := b.Sel[:cap(b.Sel)]
	n := 0
	for i, v := range r.verdicts {
		sel[n] = int32(i)
		n += int(((v ^ want) - 1) >> 7) // 1 when equal: only then the subtraction wraps
	}
	b.Sel, b.HasSel = sel[:n], true
}

// resolveOpen judges the tuples that hints left open: their ids are gathered,
// looked up once each, and the rules run on the answers.
func (r *Resolver) resolveOpen(b *batch.Batch) error {
	r.known.reset()
	for _, i := range r.open {
		r.known.want(b.HeapTuple(b.Tuples[i]))
	}
	r.known.resolve()
	for _, i := range r.open {
		t := b.HeapTuple(b.Tuples[i])
		ok, err := r.snap.satisfies(t, &r.known)
		switch {
		case err == nil && ok:
			r.verdicts[i] = shown
		case err == nil:
			r.verdicts[i] = hidden
		case r.onUnknown == nil:
			return fmt.Errorf("tuple %v: %w", b.TID(b.Tuples[i]), err)
		default:
			if err := r.onUnknown(b, b.Tuples[i], err); err != nil {
				return err
			}
		}
	}
	r.remember(b.HeapTuple(b.Tuples[r.open[len(r.open)-1]]))
	return nil
}

// remember keeps what became of a tuple's transactions for the next batch.
func (r *Resolver) remember(t pgfile.HeapTuple) {
	im := t.Infomask()
	if im&(pgfile.HeapXminFrozen|pgfile.HeapMovedOff|pgfile.HeapMovedIn) == 0 {
		r.known.remember(&r.inserter, t.Xmin())
	}
	if im&(pgfile.HeapXmaxInvalid|pgfile.HeapXmaxIsMulti|pgfile.HeapXmaxCommitted) == 0 && !lockedOnly(im) {
		r.known.remember(&r.deleter, t.Xmax())
	}
}
