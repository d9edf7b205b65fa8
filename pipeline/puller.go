package pipeline

import (
	"context"
	"io"
	"runtime/debug"
)

// Puller runs one lane on its caller's goroutine, an item a call: no
// goroutine, channel or pool. It is not safe for concurrent use.
//
// One source item may make many outputs; those wait in the Puller until they
// are asked for.
type Puller[T Item] struct {
	o      *Options
	seg    *segment
	steps  []step
	window *Window

	queue  []T // outputs of the last step, from head on
	head   int
	ticket bool // the last step has taken a ticket of the window
	err    error
	closed bool
}

// NewPuller makes a puller of a lane.
func NewPuller[T Item](c *Chain[T]) *Puller[T] { return NewPullerWith(Options{}, c) }

// NewPullerWith is NewPuller with options; those that speak of goroutines mean
// nothing here. An error in them comes from the first Next.
func NewPullerWith[T Item](o Options, c *Chain[T]) *Puller[T] {
	o = o.withDefaults()
	if err := takeAll(&o, []*Chain[T]{c}); err != nil {
		return &Puller[T]{err: err, closed: true}
	}
	return newPuller(&o, c, 0)
}

func newPuller[T Item](o *Options, c *Chain[T], lane int) *Puller[T] {
	p := &Puller[T]{o: o, steps: c.steps, window: o.Window}
	w := newWiring(o, lane)
	w.cut = false
	c.wire(w, p.push)
	o.Stats.watch(w, c.steps)
	p.seg = w.segs[0]
	if p.window != nil {
		p.err = p.window.startPulled()
	}
	return p
}

// push is the lane's last emit.
func (p *Puller[T]) push(item T) error {
	p.queue = append(p.queue, item)
	return nil
}

// Next returns the next item, which the caller owns and releases, or io.EOF
// after the last. Any other error is final: it is a *StageError, a *PanicError
// or the cause of ctx. The lane is closed when Next returned an error.
func (p *Puller[T]) Next(ctx context.Context) (T, error) {
	var zero T
	for p.head == len(p.queue) {
		p.queue, p.head = p.queue[:0], 0
		if p.ticket {
			p.ticket = false
			p.window.pass()
		}
		if p.err == nil {
			p.err = p.step(ctx)
		}
		if p.err != nil && (p.err != io.EOF || len(p.queue) == 0) {
			return zero, p.end()
		}
	}
	item := p.queue[p.head]
	p.queue[p.head] = zero // the queue must not keep it alive
	p.head++
	return item, nil
}

// step advances the lane by one source item.
func (p *Puller[T]) step(ctx context.Context) (err error) {
	s := p.seg
	s.ctx, s.inCtx = ctx, ctx
	if p.o.PanicOnFault {
		defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	}
	returned := false
	defer func() {
		if s.clock != nil {
			s.clock.pause()
		}
		if !returned {
			err = p.o.panicked(newPanicError(s.names[s.at], recover()))
		}
	}()
	before := s.took
	err = s.step()
	p.ticket = p.window != nil && s.took > before
	returned = true
	return err
}

// end closes the lane and returns its final error.
func (p *Puller[T]) end() error {
	if err := p.Close(); err != nil && p.err == io.EOF {
		p.err = err
	}
	return p.err
}

// stopped says whether a stage of the lane had enough.
func (p *Puller[T]) stopped() bool {
	return p.seg != nil && p.seg.stopped > 0
}

// Close ends the lane, releases the items nobody asked for and closes sources
// and stages. It may be called more than once; a lane that came to its end is
// closed already. Next returns io.EOF afterwards.
func (p *Puller[T]) Close() error {
	if p.closed {
		return nil
	}
	p.closed = true
	if p.err == nil {
		p.err = io.EOF
	}
	for _, item := range p.queue[p.head:] {
		item.Release()
	}
	p.queue, p.head = nil, 0
	return closeSteps(p.steps)
}
