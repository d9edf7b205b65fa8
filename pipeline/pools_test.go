package pipeline_test

import (
	"context"
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/pipescan/pipescan/internal/stagetest"
	"github.com/pipescan/pipescan/pipeline"
)

func newBudget(t *testing.T, n int) *pipeline.Budget {
	t.Helper()
	b, err := pipeline.NewBudget(n)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestBudgetGrants(t *testing.T) {
	leaks := stagetest.NoLeaks(t)
	b := newBudget(t, 3)
	first, second, third := b.Acquire(2), b.Acquire(2), b.Acquire(2)
	if first.Workers() != 2 || second.Workers() != 1 || third.Workers() != 0 {
		t.Errorf("granted %d, %d, %d", first.Workers(), second.Workers(), third.Workers())
	}
	first.Release()
	first.Release() // gives nothing twice
	if n := b.Acquire(9).Workers(); n != 2 {
		t.Errorf("granted %d after a release", n)
	}
	if err := errors.Join(b.Close(), b.Close()); err != nil {
		t.Error(err)
	}
	if n := b.Acquire(1).Workers(); n != 0 {
		t.Errorf("a closed budget granted %d", n)
	}
	leaks()
	if _, err := pipeline.NewBudget(0); err == nil {
		t.Error("a budget of no workers was made")
	}
}

// Runs with fewer workers than lanes, with none, and a run inside the loop of
// another give the same rows.
func TestRunsOnABudget(t *testing.T) {
	leaks := stagetest.NoLeaks(t)
	var l stagetest.Ledger
	b := newBudget(t, 2)
	for _, topology := range stagetest.Topologies {
		for _, ordered := range []bool{false, true} {
			for taken := range 3 {
				g := b.Acquire(taken)
				o := pipeline.Options{Topology: topology, Budget: b, Ordered: ordered}
				if ordered {
					o.Window = pipeline.NewWindow(6)
				}
				run := func() []*chain {
					if ordered {
						return orderedLanes(&l, o.Window, 3, 60, noDelay)
					}
					return lanesOf(3, stagetest.NewCursor(items(&l, 60), nil), func() stageList { return stageList{many(&l)} })
				}
				got := loop(t.Context(), o, run()...)
				if !ordered {
					slices.Sort(got.values)
				}
				if got.err != nil || !slices.Equal(got.values, wantMany(upTo(60))) {
					t.Errorf("%v, ordered %t, %d taken: %v", topology, ordered, taken, got)
				}
				g.Release()
			}
		}
	}
	outer := lanesOf(2, stagetest.NewCursor(items(&l, 20), nil), func() stageList { return nil })
	for range pipeline.Run(t.Context(), pipeline.Options{Budget: b}, outer) {
		inner := lanesOf(2, stagetest.NewCursor(items(&l, 20), nil), func() stageList { return nil })
		got, err := pipeline.Fold(t.Context(), pipeline.Options{Budget: b}, inner, newTally, (*tally).add, merge)
		if err != nil || len(got.values) != 20 {
			t.Fatalf("inner run: %v, %v", got, err)
		}
	}
	if n := b.Acquire(2).Workers(); n != 2 {
		t.Errorf("%d workers came back", n)
	}
	if err := b.Close(); err != nil {
		t.Error(err)
	}
	if err := l.Err(); err != nil {
		t.Error(err)
	}
	leaks()
}

// Many runs at once on a small budget.
func TestBudgetUnderLoad(t *testing.T) {
	leaks := stagetest.NoLeaks(t)
	var l stagetest.Ledger
	b := newBudget(t, 3)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for i := range 40 {
				chains := lanesOf(1+i%4, stagetest.NewCursor(items(&l, 10), nil), func() stageList { return nil })
				got := loop(context.Background(), pipeline.Options{Budget: b, Topology: pipeline.Topology(i % 2)}, chains...)
				if got.err != nil || len(got.values) != 10 {
					t.Errorf("got %v", got)
				}
			}
		})
	}
	wg.Wait()
	if err := errors.Join(b.Close(), l.Err()); err != nil {
		t.Error(err)
	}
	leaks()
}

func TestReadPool(t *testing.T) {
	leaks := stagetest.NoLeaks(t)
	p, err := pipeline.NewReadPool(2)
	if err != nil {
		t.Fatal(err)
	}
	var reads [8]pipeline.Read
	var running, most, done atomic.Int32
	fn := func() error {
		most.Store(max(most.Load(), running.Add(1)))
		time.Sleep(time.Millisecond)
		running.Add(-1)
		done.Add(1)
		return nil
	}
	for range 5 {
		for i := range reads {
			p.Start(t.Context(), &reads[i], fn)
		}
		for i := range reads {
			if err := reads[i].Wait(t.Context()); err != nil {
				t.Error(err)
			}
		}
	}
	if most.Load() > 2 || done.Load() != 40 {
		t.Errorf("%d reads, %d at once", done.Load(), most.Load())
	}
	var r pipeline.Read
	p.Start(t.Context(), &r, func() error { panic(errTest) })
	var pe *pipeline.PanicError
	if err := r.Join(); !errors.As(err, &pe) || !errors.Is(err, errTest) {
		t.Errorf("a panic gave %v", err)
	}
	if err := r.Join(); err != nil {
		t.Errorf("a read that is over gave %v", err)
	}
	p.Start(t.Context(), &r, func() error { return errTest })
	if err := r.Wait(t.Context()); err != errTest {
		t.Errorf("got %v", err)
	}
	if err := errors.Join(p.Close(), p.Close()); err != nil {
		t.Error(err)
	}
	p.Start(t.Context(), &r, fn)
	if err := r.Wait(t.Context()); !errors.Is(err, pipeline.ErrClosed) {
		t.Errorf("a closed pool gave %v", err)
	}
	leaks()
	if _, err := pipeline.NewReadPool(0); err == nil {
		t.Error("a pool of no workers was made")
	}
}

// Waiting for a worker and for a result honours the context; Close waits.
func TestReadPoolContext(t *testing.T) {
	p, err := pipeline.NewReadPool(1)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	release := make(chan struct{})
	var busy, late pipeline.Read
	p.Start(ctx, &busy, func() error { <-release; return errTest })
	time.AfterFunc(5*time.Millisecond, func() { cancel(errTest) })
	p.Start(ctx, &late, func() error { return nil })
	if err := late.Wait(t.Context()); err != errTest {
		t.Errorf("the read without a worker gave %v", err)
	}
	p.Start(ctx, &late, func() error { return nil })
	if err := late.Wait(t.Context()); err != errTest {
		t.Errorf("a read under a cancelled context gave %v", err)
	}
	if err := busy.Wait(ctx); err != errTest || !busy.InFlight() {
		t.Errorf("waiting gave %v, in flight %t", err, busy.InFlight())
	}
	var closed atomic.Bool
	done := make(chan error)
	go func() {
		err := p.Close()
		closed.Store(true)
		done <- err
	}()
	time.Sleep(5 * time.Millisecond)
	if closed.Load() {
		t.Error("Close did not wait for the read")
	}
	close(release)
	if err := busy.Join(); err != errTest || busy.InFlight() {
		t.Errorf("joining gave %v", err)
	}
	if err := <-done; err != nil {
		t.Error(err)
	}
}

func TestGroup(t *testing.T) {
	leaks := stagetest.NoLeaks(t)
	g, ctx := pipeline.NewGroup(t.Context())
	g.Go("waits", func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() })
	g.Go("fails", func(context.Context) error { return errTest })
	checkStageError(t, g.Wait(), "fails")
	if cause := context.Cause(ctx); !errors.Is(cause, errTest) {
		t.Errorf("the cause is %v", cause)
	}

	g, _ = pipeline.NewGroup(t.Context())
	g.Go("panics", func(context.Context) error { panic(errTest) })
	var p *pipeline.PanicError
	if err := g.Wait(); !errors.As(err, &p) || p.Stage != "panics" {
		t.Errorf("a panic gave %v", err)
	}

	outer, cancel := context.WithCancelCause(t.Context())
	g, _ = pipeline.NewGroup(outer)
	g.Go("waits", func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() })
	cancel(errTest)
	if err := g.Wait(); err != errTest {
		t.Errorf("an outside cancel gave %v", err)
	}

	g, ctx = pipeline.NewGroup(t.Context())
	g.Go("fine", func(context.Context) error { return nil })
	if err := g.Wait(); err != nil || ctx.Err() == nil {
		t.Errorf("success gave %v and left the context %v", err, ctx.Err())
	}
	leaks()
}
