package pipeline

import (
	"context"
	"errors"
	"fmt"
	"io"
)

// wiring is one lane cut into segments, source first. Fused and pulled lanes
// have one segment, a lane of actors has one a stage.
type wiring struct {
	o        *Options
	lane     int
	cut      bool
	segs     []*segment
	counters []*counter // one a step; nil without Stats
	window   *Window    // nil when the run is not ordered or is pulled
	enough   *stopCause // the cause of a stopped upstream; nil when pulled
	halt     func()     // stops the sources of every lane; nil when pulled
}

func newWiring(o *Options, lane int) *wiring {
	return &wiring{o: o, lane: lane, cut: o.Topology == Actors}
}

// add begins the next segment, fed by the stage or link called name.
func (w *wiring) add(name string) *segment {
	s := &segment{w: w, names: []string{name}, source: len(w.segs) == 0}
	w.segs = append(w.segs, s)
	return s
}

// isStop says whether a context's cause is this run's own stop.
func (w *wiring) isStop(cause error) bool { return w.enough != nil && cause == error(w.enough) }

func (w *wiring) last() *segment { return w.segs[len(w.segs)-1] }

// segment is what one goroutine runs: a feed (the source or a link), then
// stages that call one another. It advances an item a step, so the same code
// serves a goroutine and a pulled lane.
//
// Positions: 0 is the feed, i > 0 the segment's i-th stage, past is the world
// downstream.
type segment struct {
	w     *wiring
	ctx   context.Context         // of the stages
	inCtx context.Context         // of whatever feeds the segment
	stop  context.CancelCauseFunc // cancels inCtx; nil when pulled

	source bool
	pull   func() error // feeds one item through the stages; io.EOF at the end
	drain  func()       // releases what the feeding link still holds; nil for a source
	out    outletCtl    // nil when outputs do not leave by a link
	names  []string
	nodes  []flusher

	at      int   // who runs now: the name of a panic
	stopped int   // the furthest position that said enough; 0 is none
	fail    error // the first error

	seq   uint64 // ordered: the ticket of the item in hand
	kind  kind   // ordered: what outputs are sent as now
	took  uint64 // ordered, source: tickets begun so far
	clock *clock
}

// flusher is the untyped face of a node.
type flusher interface {
	flush() error
	count(c *counter)
}

// past is the position of everything downstream of the segment.
func (s *segment) past() int { return len(s.nodes) + 1 }

// enter notes that position i runs and returns who ran before.
func (s *segment) enter(i int) int {
	prev := s.at
	s.at = i
	if s.clock != nil {
		s.clock.run(i)
	}
	return prev
}

// verdict is what an emit returns when the segment is over.
func (s *segment) verdict() error {
	if s.fail != nil {
		return s.fail
	}
	return ErrStop
}

// judge records the error of position i and returns what its caller gets.
func (s *segment) judge(i int, err error) error {
	switch {
	case s.fail != nil:
		return s.fail
	case s.stopped > i: // downstream had enough; whatever the stage made of that
		return ErrStop
	case errors.Is(err, ErrStop):
		s.stopped = i
		return ErrStop
	}
	s.fail = wrapStage(s.names[min(i, len(s.nodes))], err)
	return s.fail
}

// severed is judge for a link that can take no more: cause tells why.
func (s *segment) severed(cause error) error {
	if s.w.isStop(cause) {
		s.stopped = s.past()
		return ErrStop
	}
	if s.fail == nil {
		s.fail = cause
	}
	return s.fail
}

// step feeds one item through the segment. It returns io.EOF once the segment
// is over and flushed, and the first error if there is one.
func (s *segment) step() error {
	if s.ctx.Err() != nil {
		if s.severed(context.Cause(s.ctx)) == ErrStop {
			return s.finish() // flushes nothing: everything downstream is over
		}
		return s.fail
	}
	err := s.pull()
	switch {
	case s.fail != nil:
		return s.fail
	case s.stopped > 0:
		return s.finish()
	case err == io.EOF:
		return s.finish()
	case err != nil:
		return s.judge(0, err)
	}
	return nil
}

// finish flushes the stages downstream of whoever said enough, or all.
func (s *segment) finish() error {
	if s.stopped > 0 && s.stopped < s.past() {
		s.enough()
	}
	if s.source {
		s.sourceOver()
	}
	s.kind = kindTail
	for i := s.stopped; i < len(s.nodes); i++ {
		if i < s.stopped { // a later stage had enough of the flushed rows
			continue
		}
		if s.nodes[i].flush() != nil && s.fail != nil {
			return s.fail
		}
	}
	if s.fail != nil {
		return s.fail
	}
	s.haltLanes() // a stage may have had enough only now
	return io.EOF
}

// enough tells the other lanes, and whatever feeds this segment, that a stage
// of this segment returned ErrStop.
func (s *segment) enough() {
	if s.stop != nil {
		s.stop(s.w.enough)
	}
	s.haltLanes()
	if w := s.w.window; w != nil && s.kind == kindItem {
		w.stopAfter(s.seq)
		if s.out != nil {
			_ = s.out.mark(s.seq) // a severed link has recorded its own verdict
		}
	}
}

// haltLanes stops the sources of all lanes when a stage of this segment had
// enough. An ordered run goes on until its merge has passed the ticket.
func (s *segment) haltLanes() {
	if s.stopped > 0 && s.stopped < s.past() && s.w.halt != nil && s.w.window == nil {
		s.w.halt()
	}
}

// begin notes the ticket of a source's item.
func (s *segment) begin(item any) error {
	q, ok := item.(Sequenced)
	if !ok {
		return fmt.Errorf("the items of an ordered run must have a Sequence method, %T has none", item)
	}
	seq := q.Sequence()
	if s.took > 0 && seq <= s.seq {
		return fmt.Errorf("sequence number %d came after %d: a lane's items must ascend", seq, s.seq)
	}
	s.seq = seq
	s.took++
	if s.w.window == nil {
		return nil
	}
	return s.w.window.begin(seq, s.w.lane)
}

// sourceOver tells the merge that this lane begins no more tickets.
func (s *segment) sourceOver() {
	if s.source && s.w.window != nil {
		s.source = false
		s.w.window.laneOver(s.w.lane)
	}
}
