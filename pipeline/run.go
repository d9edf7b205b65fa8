package pipeline

import (
	"context"
	"errors"
	"iter"
)

// Run runs the lanes and iterates over what they put out. An item is valid
// until the next step of the loop: Run releases it then, and a consumer that
// wants it longer takes a reference of its own.
//
// Breaking out of the loop, a panic in its body included, cancels and joins
// every goroutine before the loop is left. A failed run yields its error last,
// once, with a zero item; it is the first error of any stage, a *StageError or
// *PanicError, or the cause of ctx. A run that a stage ended with ErrStop
// succeeds.
//
// The lanes share one cursor: each item comes from whichever lane is free, and
// an ordered run may get by with fewer lanes than it was given. Unordered
// outputs come as they are ready. Ordered ones come by the sequence number of
// the source item that they were made of; what a stage emits in Flush comes
// after all tickets, in lane order.
func Run[T Item](ctx context.Context, o Options, lanes []*Chain[T]) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		var zero T
		o := o.withDefaults()
		if err := takeAll(&o, lanes); err != nil {
			yield(zero, err)
			return
		}
		grant := acquire(&o, len(lanes))
		if o.Topology == Pulled {
			runPulled(ctx, &o, lanes, yield)
			return
		}
		c := newCollector[T](ctx, &o, grant)
		if left, err := c.run(lanes, yield); err != nil && !left {
			yield(zero, err)
		}
	}
}

// takeAll checks the arguments of a run and marks its lanes as used.
func takeAll[T Item](o *Options, lanes []*Chain[T]) error {
	if len(lanes) == 0 {
		return errors.New("pipeline: a run needs at least one lane")
	}
	if err := o.check(); err != nil {
		return err
	}
	for _, c := range lanes {
		if err := c.take(); err != nil {
			return err
		}
	}
	return nil
}

// acquire asks the budget for a worker a lane; a spent one makes the run
// Pulled.
func acquire(o *Options, lanes int) *Grant {
	if o.Budget == nil || o.Topology == Pulled {
		return nil
	}
	g := o.Budget.Acquire(lanes)
	if g.Workers() == 0 {
		o.Topology = Pulled
		return nil
	}
	return g
}

// collector is the consumer's side of a run on lanes: it lives on the
// caller's goroutine.
type collector[T Item] struct {
	*runner
	links []*link[T] // one for all lanes, or one a lane when ordered
	held  T          // the item the consumer has
	holds bool
}

func newCollector[T Item](ctx context.Context, o *Options, grant *Grant) *collector[T] {
	return &collector[T]{runner: newRunner(ctx, o, grant)}
}

// run returns whether the consumer left, and the error of the run.
func (c *collector[T]) run(lanes []*Chain[T], yield func(T, error) bool) (left bool, err error) {
	lanes, unused := c.useful(lanes)
	defer closeAll(stepsOf(unused))
	if err := c.wire(lanes); err != nil {
		c.join(err, nil)
		closeAll(stepsOf(lanes))
		return false, err
	}
	defer func() { // however the loop is left
		c.join(errBreak, c.drain)
		c.release()
	}()
	c.start()
	if c.window != nil {
		left, err = c.merge(yield)
	} else {
		left = c.collect(yield)
	}
	if left {
		return true, nil
	}
	if err == nil {
		err = errDone
	}
	c.join(err, c.drain)
	return false, c.cause()
}

// stepsOf is the untyped halves of lanes.
func stepsOf[T Item](lanes []*Chain[T]) [][]step {
	all := make([][]step, len(lanes))
	for i, c := range lanes {
		all[i] = c.steps
	}
	return all
}

// useful is the lanes that run. The merge waits for the smallest ticket; a
// lane with one that has no worker could not give it, so an ordered run
// leaves the lanes away for which there is none.
func (c *collector[T]) useful(lanes []*Chain[T]) (used, unused []*Chain[T]) {
	if c.grant == nil || !c.o.Ordered {
		return lanes, nil
	}
	n := min(c.grant.Workers(), len(lanes))
	return lanes[:n], lanes[n:]
}

// wire cuts the lanes into segments and lays the links to the consumer.
func (c *collector[T]) wire(lanes []*Chain[T]) error {
	if c.o.Ordered {
		c.window = c.o.Window
		if c.window == nil {
			c.window = NewWindow(0)
		}
		if err := c.window.start(len(lanes)); err != nil {
			return err
		}
	} else {
		c.links = []*link[T]{newLink[T](c.o.LinkDepth, len(lanes))}
	}
	for i, lane := range lanes {
		if c.o.Ordered {
			c.links = append(c.links, newLink[T](c.o.LinkDepth, 1))
		}
		w := newWiring(c.o, i)
		out := &outlet[T]{link: c.links[len(c.links)-1]}
		lane.wire(w, out.send)
		out.bind(w.last())
		c.o.Stats.watch(w, lane.steps)
		c.addLane(w, lane.steps)
	}
	return nil
}

// collect yields the outputs of all lanes as they come.
func (c *collector[T]) collect(yield func(T, error) bool) (left bool) {
	for m := range c.links[0].ch {
		c.held, c.holds = m.item, true
		if c.ctx.Err() != nil {
			return false
		}
		if !yield(m.item, nil) {
			return true
		}
		c.release()
	}
	return false
}

// release gives back the item the consumer is done with.
func (c *collector[T]) release() {
	if !c.holds {
		return
	}
	item := c.held
	var zero T
	c.held, c.holds = zero, false
	item.Release()
}

func (c *collector[T]) drain() {
	for _, l := range c.links {
		l.drain()
	}
}
