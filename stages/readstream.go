package stages

import (
	"context"
	"sync/atomic"

	"github.com/pipescan/pipescan/batch"
	"github.com/pipescan/pipescan/pipeline"
)

// slot is a claimed run on its way into memory. It is reused, and its function
// value made once, so that a read allocates nothing.
type slot struct {
	load  *loader
	pages *batch.Pages

	flying bool
	ready  atomic.Bool // the read on the pool is over
	read   pipeline.Read
	ctx    context.Context // of the read in flight
	fn     func() error
}

func (s *slot) init(l *loader) {
	s.load = l
	s.fn = func() error {
		defer s.ready.Store(true)
		return s.load.read(s.ctx, s.pages)
	}
}

// start reads the pages on the pool.
func (s *slot) start(ctx context.Context, pool *pipeline.ReadPool) {
	s.ready.Store(false)
	s.ctx, s.flying = ctx, true
	pool.Start(ctx, &s.read, s.fn)
}

// finish makes the pages' bytes available: it waits for the read in flight, or
// maps or reads here and now. waited says that they were not in memory when
// wanted.
func (s *slot) finish(ctx context.Context) (waited bool, err error) {
	if s.flying {
		waited = !s.ready.Load()
		err = s.read.Wait(ctx)
		s.flying = s.read.InFlight() // when ctx ended first: Close joins it
		return waited, err
	}
	if ok, err := s.load.mapped(s.pages); ok || err != nil {
		return false, err
	}
	waited = !s.load.resident(s.pages)
	return waited, s.load.read(ctx, s.pages)
}

// close ends the read in flight and releases the pages.
func (s *slot) close() {
	if s.flying {
		_ = s.read.Join() // nobody wants its result any more
		s.flying, s.ctx = false, nil
	}
	if s.pages != nil {
		s.pages.Release()
		s.pages = nil
	}
}

// resident says whether reading the pages would wait for no device. A source
// that cannot tell is taken to wait, and so is one with a read pool to use.
func (l *loader) resident(p *batch.Pages) bool {
	if l.p.scan.ReadPool == nil {
		return true // nothing depends on the answer
	}
	probe, ok := l.p.scan.Source.(Prober)
	return ok && probe.Resident(p.Blocks[0], len(p.Blocks))
}
