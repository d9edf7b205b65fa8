package pipeline

import (
	"context"
	"io"
	"runtime/debug"
	"sync"
	"sync/atomic"
)

// runner owns the goroutines of one run on lanes.
type runner struct {
	o      *Options
	ctx    context.Context
	cancel context.CancelCauseFunc
	enough stopCause
	wires  []*wiring
	steps  [][]step
	window *Window
	grant  *Grant
	wg     sync.WaitGroup
	next   atomic.Int64 // the next lane for a worker of the grant
}

// closeAll closes lanes that never ran: they may hold files.
func closeAll(steps [][]step) {
	for _, s := range steps {
		_ = closeSteps(s) // their lane failed or was not needed: nothing to add
	}
}

// newRunner prepares a run; nothing runs yet.
func newRunner(ctx context.Context, o *Options, grant *Grant) *runner {
	r := &runner{o: o, grant: grant}
	r.ctx, r.cancel = context.WithCancelCause(ctx)
	return r
}

// addLane gives a wired lane its contexts. The context of what feeds a
// segment descends from the segment's own: cancelling it stops everything
// upstream and nothing downstream.
func (r *runner) addLane(w *wiring, steps []step) {
	w.window, w.enough, w.halt = r.window, &r.enough, r.halt
	ctx := r.ctx
	for i := len(w.segs) - 1; i >= 0; i-- {
		s := w.segs[i]
		s.ctx = ctx
		s.inCtx, s.stop = context.WithCancelCause(ctx)
		ctx = s.inCtx
	}
	r.wires = append(r.wires, w)
	r.steps = append(r.steps, steps)
}

// halt ends the sources of all lanes as if they were at their end: a stage
// had enough. What is under way still arrives.
func (r *runner) halt() {
	for _, w := range r.wires {
		w.segs[0].stop(&r.enough)
	}
}

// start gives each lane its goroutines. With a grant, its workers take lanes
// until none is left.
func (r *runner) start() {
	if r.grant == nil {
		for i := range r.wires {
			r.wg.Go(func() { r.lane(i) })
		}
		return
	}
	for range r.grant.Workers() {
		r.wg.Add(1)
		r.grant.run(func() {
			defer r.wg.Done()
			for i := r.next.Add(1) - 1; int(i) < len(r.wires); i = r.next.Add(1) - 1 {
				r.lane(int(i))
			}
		})
	}
}

// lane runs all segments of lane i, the last one on this goroutine.
func (r *runner) lane(i int) {
	segs := r.wires[i].segs
	for _, s := range segs[:len(segs)-1] {
		r.wg.Go(func() { r.segment(s, nil) })
	}
	r.segment(segs[len(segs)-1], r.steps[i])
}

// segment runs s to its end and then does its last acts in the order of law 3:
// record the cause, drain the input, close the output. Steps are closed by
// the lane's last segment, which ends after all others.
func (r *runner) segment(s *segment, steps []step) {
	if r.o.PanicOnFault {
		defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	}
	returned := false
	defer func() {
		if !returned {
			r.cancel(r.o.panicked(newPanicError(s.names[s.at], recover())))
		}
		r.lastActs(s, steps)
	}()
	for {
		err := s.step()
		if err == nil {
			continue
		}
		if err != io.EOF {
			r.cancel(err)
		}
		break
	}
	returned = true
}

// lastActs comes after the cause is recorded.
func (r *runner) lastActs(s *segment, steps []step) {
	if s.clock != nil {
		s.clock.pause()
	}
	if s.drain != nil {
		s.stop(&r.enough) // after a failure it is cancelled already
		if err := guard(s.names[0], func() error { s.drain(); return nil }); err != nil {
			r.cancel(err)
		}
	}
	if err := closeSteps(steps); err != nil {
		r.cancel(err)
	}
	if s.out != nil {
		s.out.leave()
	}
}

// join cancels what still runs and waits for all of it. The links to the
// consumer are drained first: a lane may wait there.
func (r *runner) join(cause error, drain func()) {
	r.cancel(cause)
	if drain != nil {
		drain()
	}
	r.wg.Wait()
	if r.grant != nil {
		r.grant.Release()
	}
}

// cause is the error of a joined run; success has none.
func (r *runner) cause() error {
	if cause := context.Cause(r.ctx); cause != errDone {
		return cause
	}
	return nil
}
