package pipeline

import (
	"errors"
	"fmt"
	"sync/atomic"
)

// Chain describes one lane from its source up to a stage that makes T. It is
// a description: nothing runs before Run, Fold or a Puller gets it, and it is
// used once. Build a chain for each lane, with stages of its own.
type Chain[T Item] struct {
	head  *head
	steps []step
	// wire appends this chain's segments to w; outputs go to emit.
	wire func(w *wiring, emit Emit[T])
}

// head is what all the prefixes of one chain share.
type head struct {
	used atomic.Bool
	err  error // a nil source or stage, said when the lane is used
}

// step is the untyped half of a source or stage.
type step struct {
	name string
	impl any
}

// StepInfo is one line of a lane's description.
type StepInfo struct {
	Name    string // as given to From or Then
	Explain string // the stage's own line, empty without an Explainer
}

// From begins a lane with its source. The name appears in errors, counters
// and explain output.
func From[T Item](name string, src Source[T]) *Chain[T] {
	c := &Chain[T]{head: &head{}, steps: []step{{name, src}}}
	if src == nil {
		c.head.err = fmt.Errorf("pipeline: the source %q is nil", name)
	}
	c.wire = func(w *wiring, emit Emit[T]) {
		s := w.add(name)
		f := &feed[T]{seg: s, src: src, emit: emit}
		s.pull = f.pull
	}
	return c
}

// Then adds a stage to a lane. The chain c must not be used any more.
func Then[In, Out Item](c *Chain[In], name string, st Stage[In, Out]) *Chain[Out] {
	if c == nil {
		return &Chain[Out]{head: &head{err: fmt.Errorf("pipeline: the stage %q follows a nil chain", name)}}
	}
	if st == nil && c.head.err == nil {
		c.head.err = fmt.Errorf("pipeline: the stage %q is nil", name)
	}
	return then(c, name, st, false)
}

// then is Then; an attached stage shares its upstream's goroutine in every
// topology.
func then[In, Out Item](c *Chain[In], name string, st Stage[In, Out], attached bool) *Chain[Out] {
	steps := append(c.steps[:len(c.steps):len(c.steps)], step{name, st})
	wire := func(w *wiring, emit Emit[Out]) {
		n := &node[In, Out]{st: st, next: emit}
		if w.cut && !attached {
			connect(w, c, name, n.push)
		} else {
			c.wire(w, n.push)
		}
		n.attach(w.last(), name)
	}
	return &Chain[Out]{head: c.head, steps: steps, wire: wire}
}

// connect ends the upstream segment with a link and begins a segment that is
// fed from it.
func connect[T Item](w *wiring, up *Chain[T], name string, push Emit[T]) {
	out := &outlet[T]{link: newLink[T](w.o.LinkDepth, 1)}
	up.wire(w, out.send)
	out.bind(w.last())
	s := w.add(name)
	in := &inlet[T]{seg: s, link: out.link, push: push}
	s.pull, s.drain = in.pull, out.link.drain
}

// Explain describes the lane, source first.
func (c *Chain[T]) Explain() []StepInfo { return infoOf(c.steps) }

func infoOf(steps []step) []StepInfo {
	infos := make([]StepInfo, len(steps))
	for i, s := range steps {
		infos[i].Name = s.name
		if e, ok := s.impl.(Explainer); ok {
			infos[i].Explain = e.Explain()
		}
	}
	return infos
}

// take marks the chain as used.
func (c *Chain[T]) take() error {
	if c == nil {
		return errors.New("pipeline: a lane is nil")
	}
	if c.head.err != nil {
		return c.head.err
	}
	if !c.head.used.CompareAndSwap(false, true) {
		return ErrUsed
	}
	return nil
}

// closeSteps calls Close on each step that has one, source first, and returns
// the first error. A panic in one does not keep the others from theirs.
func closeSteps(steps []step) error {
	var first error
	for _, s := range steps {
		c, ok := s.impl.(Closer)
		if !ok {
			continue
		}
		if err := guard(s.name, c.Close); err != nil && first == nil {
			first = wrapStage(s.name, err)
		}
	}
	return first
}
