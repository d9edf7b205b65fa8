package pipeline

import (
	"context"
	"fmt"
	"math"
	"slices"
	"sync"
	"sync/atomic"
)

// Window hands out the sequence numbers of an ordered run and bounds how many
// of them are in flight: claimed by a source and not yet passed by the merge.
// All lanes of one run share it; a window serves one run.
//
//	          passed by the merge │ in flight │ not claimed
//	tickets   0 1 2 3 4 5 6 7 8 9 │ 10 … 13   │ 14 …
//	                                └ at most inFlight ┘
//
// The smallest ticket in flight always has a lane working on it that waits for
// nothing but the merge, so the run cannot deadlock, on one condition: a
// source must not wait in Claim while it holds a ticket whose item it has not
// given out. Look-ahead beyond the next item uses TryClaim.
type Window struct {
	places chan struct{} // a token a free place; nil means no bound
	next   atomic.Uint64
	used   atomic.Bool
	pulled bool          // set before the source's first call
	bell   chan struct{} // the merge waits here for news

	mu     sync.Mutex
	owner  map[uint64]int // begun tickets that the merge has not reached
	from   []uint64       // by lane: no ticket below it will be begun there
	merged uint64         // the merge has reached the tickets below
	last   uint64         // the merge ends after this ticket
	most   uint64         // one more than the greatest ticket begun
}

// laneEnded is where a lane begins that begins nothing.
const laneEnded = math.MaxUint64

// skipped is the owner of a ticket that was given back.
const skipped = -1

// NewWindow makes a window of inFlight tickets; twice the number of lanes is
// a good choice. Zero or less means no bound.
func NewWindow(inFlight int) *Window {
	w := &Window{bell: make(chan struct{}, 1), owner: make(map[uint64]int), last: math.MaxUint64}
	if inFlight > 0 {
		w.places = make(chan struct{}, inFlight)
		for range inFlight {
			w.places <- struct{}{}
		}
	}
	return w
}

// Claim takes the next ticket, waiting for a place. It returns the context's
// cause when that ends first.
func (w *Window) Claim(ctx context.Context) (uint64, error) {
	if ctx.Err() != nil {
		return 0, context.Cause(ctx)
	}
	if w.places != nil {
		select {
		case <-w.places:
		case <-ctx.Done():
			return 0, context.Cause(ctx)
		}
	}
	return w.next.Add(1) - 1, nil
}

// TryClaim takes the next ticket if there is a place for it now.
func (w *Window) TryClaim() (seq uint64, ok bool) {
	if w.places != nil {
		select {
		case <-w.places:
		default:
			return 0, false
		}
	}
	return w.next.Add(1) - 1, true
}

// Skip gives back a claimed ticket for which no item will come. A source that
// claims and then finds nothing to read must call it, before it gives out an
// item with a greater number, unless it ends there.
func (w *Window) Skip(seq uint64) {
	if w.pulled {
		w.pass()
		return
	}
	w.mu.Lock()
	w.owner[seq] = skipped
	w.most = max(w.most, seq+1)
	w.mu.Unlock()
	w.ring()
}

// ring wakes the merge; a bell that rings already is enough.
func (w *Window) ring() {
	select {
	case w.bell <- struct{}{}:
	default:
	}
}

// start prepares the window for the run of so many lanes.
func (w *Window) start(lanes int) error {
	if !w.used.CompareAndSwap(false, true) {
		return ErrUsed
	}
	w.mu.Lock()
	w.from = make([]uint64, lanes)
	w.mu.Unlock()
	return nil
}

// startPulled prepares the window for one lane on its caller's goroutine,
// where nobody merges and a ticket ends when its outputs were taken.
func (w *Window) startPulled() error {
	w.pulled = true
	return w.start(1)
}

// begin says that lane has an item for ticket seq.
func (w *Window) begin(seq uint64, lane int) error {
	w.mu.Lock()
	_, twice := w.owner[seq]
	if twice = twice || seq < w.merged; !twice {
		w.owner[seq] = lane
		w.from[lane] = seq + 1
		w.most = max(w.most, seq+1)
	}
	w.mu.Unlock()
	if twice {
		return fmt.Errorf("two lanes have an item with sequence number %d: lanes of an ordered run share one cursor", seq)
	}
	w.ring()
	return nil
}

// laneOver says that one lane begins no more tickets. Its source may have
// found the end with tickets in its hands: a lane that waits for a place gets
// one, and finds the end too.
func (w *Window) laneOver(lane int) {
	w.mu.Lock()
	w.from[lane] = laneEnded
	w.mu.Unlock()
	w.pass()
	w.ring()
}

// stopAfter ends the run's output with ticket seq: a stage had enough there.
// It comes before the ticket's mark, so the merge cannot have passed it.
func (w *Window) stopAfter(seq uint64) {
	w.mu.Lock()
	w.last = min(w.last, seq)
	w.mu.Unlock()
	w.ring()
}

// isLast says whether the merge ends after seq.
func (w *Window) isLast(seq uint64) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return seq >= w.last
}

// await waits until it is known who has ticket seq. Over means that nobody
// will have it.
func (w *Window) await(ctx context.Context, seq uint64) (lane int, over bool, err error) {
	for {
		if ctx.Err() != nil {
			return 0, false, context.Cause(ctx)
		}
		w.mu.Lock()
		lane, begun := w.owner[seq]
		if begun {
			delete(w.owner, seq)
			w.merged = seq + 1
		}
		first, most := slices.Min(w.from), w.most
		w.mu.Unlock()
		switch {
		case begun:
			return lane, false, nil
		case first > seq && most > seq: // every lane is beyond it
			return 0, false, fmt.Errorf("pipeline: no lane has an item with sequence number %d: a source must Skip what it claims in vain", seq)
		case first == laneEnded:
			return 0, true, nil
		}
		select {
		case <-w.bell:
		case <-ctx.Done():
		}
	}
}

// pass gives the place of the merge's ticket back.
func (w *Window) pass() {
	if w.places == nil {
		return
	}
	select {
	case w.places <- struct{}{}:
	default: // a source that numbers its items without Claim
	}
}
