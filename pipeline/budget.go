package pipeline

import (
	"fmt"
	"sync"
	"time"

	"github.com/panjf2000/ants/v2"
)

// closeTimeout bounds how long Close waits for what still runs.
const closeTimeout = 30 * time.Second

// Budget is a bounded set of workers that the scans of a database share, as
// max_parallel_workers is in a server. A scan asks for as many as it has
// lanes and gets what is free; it never waits.
type Budget struct {
	pool *ants.Pool

	mu     sync.Mutex
	free   int
	closed bool
	lost   error // a panic that nobody recovered
}

// NewBudget makes a budget of so many workers.
func NewBudget(workers int) (*Budget, error) {
	if workers < 1 {
		return nil, fmt.Errorf("pipeline: a budget of %d workers; it needs at least 1", workers)
	}
	b := &Budget{free: workers}
	// Non-blocking: a Submit that waits inside a full pool waits for ever.
	pool, err := ants.NewPool(workers, ants.WithOptions(ants.Options{
		Nonblocking: true, DisablePurge: true, PanicHandler: b.panicked,
	}))
	if err != nil {
		return nil, err
	}
	b.pool = pool
	return b, nil
}

// panicked keeps what a lane's own recovery missed, for Close to tell.
func (b *Budget) panicked(v any) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.lost == nil {
		b.lost = newPanicError("worker", v)
	}
}

// Acquire takes up to want workers: what is free, possibly none. A run
// without a worker stays on its caller's goroutine.
func (b *Budget) Acquire(want int) *Grant {
	b.mu.Lock()
	defer b.mu.Unlock()
	n := 0
	if !b.closed {
		n = max(0, min(want, b.free))
	}
	b.free -= n
	return &Grant{b: b, n: n}
}

// Close waits for the workers to end. Runs that are still going on keep it
// waiting, for 30 seconds at most.
func (b *Budget) Close() error {
	b.mu.Lock()
	again := b.closed
	b.closed = true
	b.mu.Unlock()
	if again {
		return nil
	}
	if err := b.pool.ReleaseTimeout(closeTimeout); err != nil {
		return fmt.Errorf("pipeline: close the budget after its scans: %w", err)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.lost
}

// Grant is a share of a Budget. It belongs to one goroutine.
type Grant struct {
	b    *Budget
	n    int
	done bool
}

// Workers is how many workers were granted.
func (g *Grant) Workers() int { return g.n }

// Release gives the workers back; calling it again does nothing.
func (g *Grant) Release() {
	if g.done {
		return
	}
	g.done = true
	g.b.mu.Lock()
	g.b.free += g.n
	g.b.mu.Unlock()
}

// run starts fn on a worker. A worker that was given back a moment ago may
// not be back in the pool yet; a plain goroutine then stands in for it.
func (g *Grant) run(fn func()) {
	if g.b.pool.Submit(fn) != nil {
		go fn()
	}
}
