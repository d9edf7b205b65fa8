package pipeline

import (
	"context"
	"fmt"
	"sync"

	"github.com/panjf2000/ants/v2"
)

// ReadPool is a bounded set of workers for blocking reads, as io_workers are
// in a server: the lanes look ahead with it.
type ReadPool struct {
	pool   *ants.PoolWithFuncGeneric[*Read]
	places chan struct{} // a token a free worker
	closed chan struct{}
	once   sync.Once

	mu   sync.Mutex
	lost error
}

// NewReadPool makes a pool of n workers.
func NewReadPool(n int) (*ReadPool, error) {
	if n < 1 {
		return nil, fmt.Errorf("pipeline: a read pool of %d workers; it needs at least 1", n)
	}
	p := &ReadPool{places: make(chan struct{}, n), closed: make(chan struct{})}
	for range n {
		p.places <- struct{}{}
	}
	// The pool may block in Invoke, but only until the worker whose place was
	// just given back has come back too.
	pool, err := ants.NewPoolWithFuncGeneric(n, p.exec, ants.WithOptions(ants.Options{
		DisablePurge: true, PanicHandler: p.panicked,
	}))
	if err != nil {
		return nil, err
	}
	p.pool = pool
	return p, nil
}

func (p *ReadPool) panicked(v any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.lost == nil {
		p.lost = newPanicError("read", v)
	}
}

// Read is one blocking read, reused for the next when it is over. The zero
// value is ready. It belongs to one goroutine; only fn runs on another.
//
//	Start ──→ in flight ──→ Wait or Join ──→ ready
//	              ↑ Wait whose context ended leaves it in flight
type Read struct {
	fn     func() error
	done   chan error
	flying bool
	err    error // why it could not start
}

// Start runs fn on the pool. It waits for a free worker as long as ctx lasts;
// if it could not start, Wait tells why. A Read that is still in flight is
// joined first. Nothing is allocated when fn is a function value that the
// caller keeps. fn must not Start reads itself: it would hold the worker it
// waits for.
func (p *ReadPool) Start(ctx context.Context, r *Read, fn func() error) {
	_ = r.Join() // in flight still: the owner did not want its result
	if r.done == nil {
		r.done = make(chan error, 1)
	}
	if r.err = p.take(ctx); r.err != nil {
		return
	}
	r.fn, r.flying = fn, true
	if err := p.pool.Invoke(r); err != nil {
		r.flying, r.err = false, err
		p.places <- struct{}{}
	}
}

// take waits for a place.
func (p *ReadPool) take(ctx context.Context) error {
	select {
	case <-p.closed:
		return ErrClosed
	default:
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	select {
	case <-p.places:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-p.closed:
		return ErrClosed
	}
}

// exec runs on a worker. Once done has the result, r belongs to its owner.
func (p *ReadPool) exec(r *Read) {
	err := guard("read", r.fn)
	p.places <- struct{}{}
	r.done <- err
}

// Wait waits for the read and returns fn's error, or why it did not start; a
// panic in fn is a *PanicError. When ctx ends first, Wait returns its cause and
// the read is still in flight: Join before touching its buffer.
func (r *Read) Wait(ctx context.Context) error {
	if !r.flying {
		return r.result(r.err)
	}
	select {
	case err := <-r.done:
		return r.result(err)
	default:
	}
	select {
	case err := <-r.done:
		return r.result(err)
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// Join waits for the read whatever happens and returns what Wait would; nil
// when nothing was started. A source joins its reads in Close.
func (r *Read) Join() error {
	if !r.flying {
		return r.result(r.err)
	}
	return r.result(<-r.done)
}

// InFlight says whether the read may still write to its buffer.
func (r *Read) InFlight() bool { return r.flying }

func (r *Read) result(err error) error {
	r.flying, r.err, r.fn = false, nil, nil
	return err
}

// Close waits for the reads in flight and ends the workers. Reads started
// afterwards fail with ErrClosed.
func (p *ReadPool) Close() (err error) {
	p.once.Do(func() {
		close(p.closed)
		for range cap(p.places) { // all of them: no read is in flight
			<-p.places
		}
		p.lost = p.release()
	})
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.lost
}

func (p *ReadPool) release() error {
	if err := p.pool.ReleaseTimeout(closeTimeout); err != nil {
		return fmt.Errorf("pipeline: closing the read pool: %w", err)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.lost
}
