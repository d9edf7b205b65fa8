package pipeline

import (
	"context"
	"iter"
	"time"
)

// Topology says which goroutines a scan's stages run on.
type Topology int

// The topologies: a goroutine a lane (the default), a goroutine a stage, and
// everything on the caller's goroutine.
const (
	Fused Topology = iota
	Actors
	Pulled
)

// Sized is an Item that knows how many rows it holds; counters then count
// rows beside items.
type Sized interface{ Rows() int }

// Closer is an optional interface of sources and stages: Close is called once,
// after the last other call, when the lane is over for whatever reason.
type Closer interface{ Close() error }

// Explainer is an optional interface of sources and stages.
type Explainer interface{ Explain() string }

// Chain describes one lane up to a stage that makes T; it is used once.
type Chain[T Item] struct{ _ T }

// From begins a lane with its source.
func From[T Item](name string, src Source[T]) *Chain[T] { panic("not built yet") }

// Then adds a stage to a lane.
func Then[In, Out Item](c *Chain[In], name string, st Stage[In, Out]) *Chain[Out] {
	panic("not built yet")
}

// Fuse makes two stages one stage that runs on one goroutine in any topology.
func Fuse[A, B, C Item](a Stage[A, B], b Stage[B, C]) Stage[A, C] { panic("not built yet") }

// Options of a run; the zero value is ready for use.
type Options struct {
	Topology  Topology
	LinkDepth int     // items a link holds; 0 means 2
	Ordered   bool    // merge the lanes' outputs by the sequence number of the source's items
	Window    *Window // what the sources of an ordered run claim from; the merge advances it
	Budget    *Budget // where lanes get their workers; nil means a goroutine a lane
	Stats     *Stats  // counters, when not nil
	// PanicOnFault turns memory faults (a truncated mapped file) into panics
	// of the stage that touched the memory, on the goroutines of this run.
	PanicOnFault bool
	// OnPanic may turn a stage's panic into a better error; nil result means the PanicError itself.
	OnPanic func(*PanicError) error
}

// Run runs the lanes and iterates over their outputs. An item is valid until
// the next step; breaking out cancels and joins every goroutine.
func Run[T Item](ctx context.Context, o Options, lanes []*Chain[T]) iter.Seq2[T, error] {
	panic("not built yet")
}

// Fold folds each lane's outputs into a partial inside the lane and merges the partials in lane order.
// Fold releases the item after add returned.
func Fold[T Item, P any](ctx context.Context, o Options, lanes []*Chain[T], newPartial func(lane int) P, add func(P, T) error, merge func(into, from P) error) (P, error) {
	panic("not built yet")
}

// Window bounds how many tickets of an ordered run are in flight.
type Window struct{}

// NewWindow makes a window; inFlight 0 means no bound.
func NewWindow(inFlight int) *Window { panic("not built yet") }

// Claim takes the next sequence number, waiting for a place. Claim only while
// the source holds no claimed ticket it has not given out; else TryClaim.
func (w *Window) Claim(ctx context.Context) (seq uint64, err error) { panic("not built yet") }

// TryClaim is Claim without waiting: for look-ahead.
func (w *Window) TryClaim() (seq uint64, ok bool) { panic("not built yet") }

// Skip gives back a claimed ticket for which no item will come.
func (w *Window) Skip(seq uint64) { panic("not built yet") }

// Puller runs a lane on its caller's goroutine, an item a call.
type Puller[T Item] struct{ _ T }

// NewPuller makes a puller of a lane.
func NewPuller[T Item](c *Chain[T]) *Puller[T] { panic("not built yet") }

// Next returns the next item, which the caller releases; io.EOF at the end.
func (p *Puller[T]) Next(ctx context.Context) (T, error) { panic("not built yet") }

// Close ends the lane and releases what it holds; safe to call more than once.
func (p *Puller[T]) Close() error { panic("not built yet") }

// Budget is a bounded set of workers shared by the scans of a database.
type Budget struct{}

// NewBudget makes a budget of workers.
func NewBudget(workers int) (*Budget, error) { panic("not built yet") }

// Grant is a share of a Budget.
type Grant struct{}

// Acquire takes up to want workers, what is free, possibly none; it never waits.
func (b *Budget) Acquire(want int) *Grant { panic("not built yet") }

// Close waits for the workers to end.
func (b *Budget) Close() error { panic("not built yet") }

// Workers is how many workers were granted.
func (g *Grant) Workers() int { panic("not built yet") }

// Release gives the workers back.
func (g *Grant) Release() { panic("not built yet") }

// ReadPool runs blocking reads.
type ReadPool struct{}

// NewReadPool makes a pool of n workers.
func NewReadPool(n int) (*ReadPool, error) { panic("not built yet") }

// Read is one blocking read; reuse it after Wait or Join. The zero value is ready.
type Read struct{}

// Start runs fn on the pool; waiting for a place honours ctx. Failure to start is reported by Wait.
func (p *ReadPool) Start(ctx context.Context, r *Read, fn func() error) { panic("not built yet") }

// Wait waits for the read and returns fn's error. When ctx ends first the read is still in flight: Join before reusing its buffer.
func (r *Read) Wait(ctx context.Context) error { panic("not built yet") }

// Join waits for the read whatever happens; nil if none is in flight.
func (r *Read) Join() error { panic("not built yet") }

// Close waits for the reads in flight and ends the workers.
func (p *ReadPool) Close() error { panic("not built yet") }

// Group runs goroutines for other packages.
type Group struct{}

// NewGroup makes a group; its context is cancelled by the first error, which is the context's cause.
func NewGroup(ctx context.Context) (*Group, context.Context) { panic("not built yet") }

// Go starts fn.
func (g *Group) Go(name string, fn func(ctx context.Context) error) { panic("not built yet") }

// Wait joins all and returns the first error.
func (g *Group) Wait() error { panic("not built yet") }

// StageError names the stage an error comes from.
type StageError struct {
	Stage string
	Err   error
}

// Error implements error.
func (e *StageError) Error() string { return e.Stage + ": " + e.Err.Error() }

// Unwrap returns the stage's own error.
func (e *StageError) Unwrap() error { return e.Err }

// PanicError is a panic of a stage.
type PanicError struct {
	Stage string
	Value any
	Stack []byte
}

// Error implements error.
func (e *PanicError) Error() string { return "panic in " + e.Stage }

// Stats collects the counters of a run.
type Stats struct{}

// StageStats are the counters of one stage.
type StageStats struct {
	Stage, Explain           string
	Lanes                    int
	ItemsIn, ItemsOut        int64
	RowsIn, RowsOut          int64
	Self, InWait, OutputWait time.Duration
}

// Stages returns the counters so far, summed over lanes, source first.
func (s *Stats) Stages() []StageStats { panic("not built yet") }
