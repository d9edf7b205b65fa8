package pipeline_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/pipescan/pipescan/internal/stagetest"
	"github.com/pipescan/pipescan/pipeline"
)

func TestMain(m *testing.M) { stagetest.Main(m) }

// The tests' items, stages and chains.
type (
	item  = stagetest.Item
	chain = pipeline.Chain[*item]
	emit  = pipeline.Emit[*item]
)

var errTest = errors.New("a test's error")

// sourceFunc is a source made of a function.
type sourceFunc func(ctx context.Context) (*item, error)

func (f sourceFunc) Next(ctx context.Context) (*item, error) { return f(ctx) }

// stage is a stage made of functions; nil ones pass items on and do nothing.
type stage struct {
	process func(ctx context.Context, in *item, emit emit) error
	flush   func(ctx context.Context, emit emit) error
	closed  func() error
}

func (s *stage) Process(ctx context.Context, in *item, emit emit) error {
	if s.process == nil {
		return emit(in)
	}
	return s.process(ctx, in, emit)
}

func (s *stage) Flush(ctx context.Context, emit emit) error {
	if s.flush == nil {
		return nil
	}
	return s.flush(ctx, emit)
}

func (s *stage) Close() error {
	if s.closed == nil {
		return nil
	}
	return s.closed()
}

// items makes n items with the values and sequence numbers 0 to n-1.
func items(l *stagetest.Ledger, n int) []*item {
	all := make([]*item, n)
	for i := range all {
		all[i] = l.New(uint64(i), i)
	}
	return all
}

// endless is a source that ends only with its context.
func endless(l *stagetest.Ledger) pipeline.Source[*item] {
	n := 0
	return sourceFunc(func(ctx context.Context) (*item, error) {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		n++
		return l.New(uint64(n-1), n-1), nil
	})
}

// limit stops after so many items, all of which it passes on.
func limit(n int) *stage {
	seen := 0
	return &stage{process: func(_ context.Context, in *item, emit emit) error {
		if seen == n {
			in.Release()
			return pipeline.ErrStop
		}
		seen++
		if err := emit(in); err != nil {
			return err
		}
		if seen == n {
			return pipeline.ErrStop
		}
		return nil
	}}
}

// outcome is what a loop over a run saw.
type outcome struct {
	values []int
	err    error
}

// loop reads a run to its end.
func loop(ctx context.Context, o pipeline.Options, lanes ...*chain) (out outcome) {
	for it, err := range pipeline.Run(ctx, o, lanes) {
		if err != nil {
			out.err = err
			continue // there must be nothing after it
		}
		if out.err != nil {
			panic("an item came after the error")
		}
		out.values = append(out.values, it.Value())
	}
	return out
}

// everyWay runs a test once a topology, with one lane and with three, and
// checks that every item was released once and that no goroutine is left.
func everyWay(t *testing.T, test func(t *testing.T, o pipeline.Options, lanes int, l *stagetest.Ledger)) {
	for _, topology := range stagetest.Topologies {
		for _, lanes := range []int{1, 3} {
			t.Run(fmt.Sprintf("%v,lanes=%d", topology, lanes), func(t *testing.T) {
				leaks := stagetest.NoLeaks(t)
				var l stagetest.Ledger
				test(t, pipeline.Options{Topology: topology}, lanes, &l)
				if err := l.Err(); err != nil {
					t.Error(err)
				}
				leaks()
			})
		}
	}
}

// lanesOf builds so many lanes over one cursor of items.
func lanesOf(n int, cursor *stagetest.Cursor[*item], stages func() []pipeline.Stage[*item, *item]) []*chain {
	var lanes []*chain
	for range n {
		c := pipeline.From("source", cursor.Source())
		for i, st := range stages() {
			c = pipeline.Then(c, fmt.Sprintf("stage %d", i+1), st)
		}
		lanes = append(lanes, c)
	}
	return lanes
}
