package pipeline

import (
	"context"
	"sync"
)

// Group runs goroutines for packages that need one outside a lane. The first
// error cancels the others.
type Group struct {
	ctx    context.Context
	cancel context.CancelCauseFunc
	wg     sync.WaitGroup
	mu     sync.Mutex
	err    error
}

// NewGroup makes a group and the context of its goroutines; the cause of that
// context is the group's first error.
func NewGroup(ctx context.Context) (*Group, context.Context) {
	g := &Group{}
	g.ctx, g.cancel = context.WithCancelCause(ctx)
	return g, g.ctx
}

// Go runs fn on a goroutine. Its error is a *StageError with the name, a panic
// in it a *PanicError.
func (g *Group) Go(name string, fn func(ctx context.Context) error) {
	g.wg.Go(func() {
		if err := guard(name, func() error { return fn(g.ctx) }); err != nil {
			g.failed(wrapStage(name, err))
		}
	})
}

// failed keeps the first error. What fails after a cancellation from outside
// fails because of it.
func (g *Group) failed(err error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.err != nil {
		return
	}
	if g.ctx.Err() != nil {
		err = context.Cause(g.ctx)
	}
	g.err = err
	g.cancel(err)
}

// Wait joins the goroutines, ends the group's context and returns the first
// error. No Go may come after it.
func (g *Group) Wait() error {
	g.wg.Wait()
	g.cancel(errDone)
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.err
}
