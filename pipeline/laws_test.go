package pipeline_test

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/pipescan/pipescan/internal/stagetest"
	"github.com/pipescan/pipescan/pipeline"
)

type stageList = []pipeline.Stage[*item, *item]

func TestEveryItemArrivesOnce(t *testing.T) {
	everyWay(t, func(t *testing.T, o pipeline.Options, lanes int, l *stagetest.Ledger) {
		cursor := stagetest.NewCursor(items(l, 500), nil)
		got := loop(t.Context(), o, lanesOf(lanes, cursor, func() stageList {
			return stageList{&stage{}, &stage{}}
		})...)
		if got.err != nil {
			t.Fatal(got.err)
		}
		slices.Sort(got.values)
		for i, v := range got.values {
			if v != i {
				t.Fatalf("value %d at place %d", v, i)
			}
		}
		if len(got.values) != 500 {
			t.Fatalf("%d items", len(got.values))
		}
	})
}

// An error of a source, of a stage and of a flush reaches the consumer once,
// with the name of its stage, and nothing comes after it.
func TestErrors(t *testing.T) {
	failAt := func(where string, count *atomic.Int32) func(string) error {
		return func(here string) error {
			if here == where && count.Add(1) == 7 {
				return errTest
			}
			return nil
		}
	}
	for _, where := range []string{"source", "stage 1", "stage 2"} {
		t.Run(where, func(t *testing.T) {
			everyWay(t, func(t *testing.T, o pipeline.Options, lanes int, l *stagetest.Ledger) {
				var count atomic.Int32
				fail := failAt(where, &count)
				cursor := stagetest.NewCursor(items(l, 300), func(int) error { return fail("source") })
				defer cursor.Close()
				mk := func(name string) *stage {
					return &stage{process: func(_ context.Context, in *item, emit emit) error {
						if err := fail(name); err != nil {
							in.Release()
							return err
						}
						return emit(in)
					}}
				}
				got := loop(t.Context(), o, lanesOf(lanes, cursor, func() stageList {
					return stageList{mk("stage 1"), mk("stage 2")}
				})...)
				cursor.Close()
				checkStageError(t, got.err, where)
			})
		})
	}
}

func checkStageError(t *testing.T, err error, name string) {
	t.Helper()
	var s *pipeline.StageError
	if !errors.As(err, &s) || s.Stage != name || s.Err != errTest {
		t.Errorf("the error is %#v, want %v of %q wrapped once", err, errTest, name)
	}
	if err != nil && strings.Count(err.Error(), ":") != 1 {
		t.Errorf("the error %q names more than one stage", err)
	}
}

func TestFlushAndCloseErrors(t *testing.T) {
	for _, where := range []string{"flush", "close"} {
		t.Run(where, func(t *testing.T) {
			everyWay(t, func(t *testing.T, o pipeline.Options, lanes int, l *stagetest.Ledger) {
				cursor := stagetest.NewCursor(items(l, 20), nil)
				var closed atomic.Int32
				got := loop(t.Context(), o, lanesOf(lanes, cursor, func() stageList {
					bad := &stage{closed: func() error { closed.Add(1); return nil }}
					if where == "flush" {
						bad.flush = func(context.Context, emit) error { return errTest }
					} else {
						bad.closed = func() error { closed.Add(1); return errTest }
					}
					return stageList{&stage{}, bad}
				})...)
				cursor.Close()
				checkStageError(t, got.err, "stage 2")
				if closed.Load() != int32(lanes) {
					t.Errorf("%d of %d lanes were closed", closed.Load(), lanes)
				}
			})
		})
	}
}

// A panic becomes an error with the stage's name and the stack of the panic.
// The item in hand is the only one that may stay unreleased.
func TestPanics(t *testing.T) {
	for _, where := range []string{"source", "stage 1", "stage 2", "flush", "close"} {
		for _, topology := range stagetest.Topologies {
			t.Run(where+" "+topology.String(), func(t *testing.T) {
				leaks := stagetest.NoLeaks(t)
				var l stagetest.Ledger
				boom := func(here string, n int) {
					if here == where && n == 5 {
						panic(errTest)
					}
				}
				cursor := stagetest.NewCursor(items(&l, 200), func(n int) error { boom("source", n); return nil })
				mk := func(name string) *stage {
					n := 0
					return &stage{process: func(_ context.Context, in *item, emit emit) error {
						n++
						boom(name, n)
						return emit(in)
					}}
				}
				second := mk("stage 2")
				second.flush = func(context.Context, emit) error { boom("flush", 5); return nil }
				second.closed = func() error { boom("close", 5); return nil }
				got := loop(t.Context(), pipeline.Options{Topology: topology}, lanesOf(1, cursor, func() stageList {
					return stageList{mk("stage 1"), second}
				})...)
				cursor.Close()
				checkPanic(t, got.err, where)
				if n := l.Live(); n > 1 {
					t.Errorf("%d items were not released", n)
				}
				leaks()
			})
		}
	}
}

func checkPanic(t *testing.T, err error, where string) {
	t.Helper()
	if where == "flush" || where == "close" {
		where = "stage 2"
	}
	var p *pipeline.PanicError
	if !errors.As(err, &p) || p.Stage != where || !errors.Is(err, errTest) {
		t.Fatalf("the error is %v, want a panic of %q", err, where)
	}
	if !strings.Contains(string(p.Stack), "TestPanics") {
		t.Errorf("the stack does not show the place of the panic:\n%s", p.Stack)
	}
}

// OnPanic may name a panic better.
func TestOnPanic(t *testing.T) {
	for _, topology := range stagetest.Topologies {
		var l stagetest.Ledger
		cursor := stagetest.NewCursor(items(&l, 3), func(int) error { panic("fault") })
		got := loop(t.Context(), pipeline.Options{
			Topology: topology,
			OnPanic: func(p *pipeline.PanicError) error {
				if p.Value != "fault" || p.Stage != "source" {
					t.Errorf("OnPanic got %v", p)
				}
				return errTest
			},
		}, lanesOf(1, cursor, func() stageList { return nil })...)
		cursor.Close()
		if got.err != errTest {
			t.Errorf("%v: %v", topology, got.err)
		}
	}
}

// A goroutine that ends without returning fails the run as a panic does.
func TestGoexitOfAStage(t *testing.T) {
	for _, topology := range []pipeline.Topology{pipeline.Fused, pipeline.Actors} {
		var l stagetest.Ledger
		cursor := stagetest.NewCursor(items(&l, 30), nil)
		got := loop(t.Context(), pipeline.Options{Topology: topology}, lanesOf(2, cursor, func() stageList {
			return stageList{&stage{process: func(_ context.Context, in *item, _ emit) error {
				in.Release()
				runtime.Goexit()
				return nil
			}}}
		})...)
		cursor.Close()
		var p *pipeline.PanicError
		if !errors.As(got.err, &p) || p.Stage != "stage 1" {
			t.Errorf("%v: %v", topology, got.err)
		}
	}
}

// ErrStop ends an endless source with success; stages after the one that had
// enough flush, the others do not.
func TestStopOfAnEndlessSource(t *testing.T) {
	everyWay(t, func(t *testing.T, o pipeline.Options, lanes int, l *stagetest.Ledger) {
		var chains []*chain
		var early, late atomic.Int32
		for range lanes {
			c := pipeline.From("endless", endless(l))
			c = pipeline.Then(c, "early", pipeline.Stage[*item, *item](&stage{
				flush: func(context.Context, emit) error { early.Add(1); return nil },
			}))
			c = pipeline.Then(c, "limit", pipeline.Stage[*item, *item](limit(10)))
			c = pipeline.Then(c, "late", pipeline.Stage[*item, *item](&stage{
				flush: func(_ context.Context, emit emit) error { late.Add(1); return emit(l.New(0, -1)) },
			}))
			chains = append(chains, c)
		}
		got := loop(t.Context(), o, chains...)
		if got.err != nil {
			t.Fatal(got.err)
		}
		sum := len(got.values)
		if o.Topology == pipeline.Pulled || lanes == 1 {
			if sum != 11 || got.values[10] != -1 || late.Load() != 1 || early.Load() != 0 {
				t.Errorf("got %v, %d early and %d late flushes", got.values, early.Load(), late.Load())
			}
		} else if sum < 10+lanes || sum > lanes*11 || late.Load() != int32(lanes) {
			t.Errorf("%d lanes gave %d items and %d late flushes", lanes, sum, late.Load())
		}
	})
}

// A stage that ignores what its emit returned cannot keep the run going.
func TestStubbornStage(t *testing.T) {
	for _, last := range []*stage{limit(3), {process: func(_ context.Context, in *item, _ emit) error {
		in.Release()
		return errTest
	}}} {
		for _, topology := range stagetest.Topologies {
			var l stagetest.Ledger
			c := pipeline.From("endless", endless(&l))
			c = pipeline.Then(c, "stubborn", pipeline.Stage[*item, *item](&stage{
				process: func(_ context.Context, in *item, emit emit) error {
					_ = emit(in)
					return nil
				},
			}))
			got := loop(t.Context(), pipeline.Options{Topology: topology}, pipeline.Then(c, "last", pipeline.Stage[*item, *item](last)))
			if got.err != nil {
				checkStageError(t, got.err, "last")
			}
			if err := l.Err(); err != nil {
				t.Errorf("%v: %v", topology, err)
			}
			last = limit(3) // stages run once
		}
	}
}

// Cancelling from outside ends an endless run with the context's cause.
func TestOutsideCancel(t *testing.T) {
	everyWay(t, func(t *testing.T, o pipeline.Options, lanes int, l *stagetest.Ledger) {
		ctx, cancel := context.WithCancelCause(t.Context())
		defer cancel(nil)
		var chains []*chain
		for range lanes {
			chains = append(chains, pipeline.Then(pipeline.From("endless", endless(l)), "pass", pipeline.Stage[*item, *item](&stage{})))
		}
		n := 0
		var last error
		for _, err := range pipeline.Run(ctx, o, chains) {
			last = err
			if n++; n == 20 {
				cancel(errTest)
			}
			if n > 21 {
				t.Fatal("items came after the cancellation")
			}
		}
		if last != errTest {
			t.Errorf("the run ended with %v, want the cause itself", last)
		}
	})
}

// A run whose context is over before it begins makes nothing.
func TestCancelledBefore(t *testing.T) {
	everyWay(t, func(t *testing.T, o pipeline.Options, lanes int, l *stagetest.Ledger) {
		ctx, cancel := context.WithCancelCause(t.Context())
		cancel(errTest)
		cursor := stagetest.NewCursor(items(l, 9), nil)
		got := loop(ctx, o, lanesOf(lanes, cursor, func() stageList { return nil })...)
		cursor.Close()
		if got.err != errTest || len(got.values) > 0 {
			t.Errorf("got %v", got)
		}
	})
}

// Breaking, panicking and exiting in the loop's body join everything.
func TestConsumerLeaves(t *testing.T) {
	ways := map[string]func() bool{
		"break": func() bool { return true },
		"panic": func() bool { panic("the consumer's own") },
		"exit":  func() bool { runtime.Goexit(); return false },
	}
	for name, leave := range ways {
		t.Run(name, func(t *testing.T) {
			everyWay(t, func(t *testing.T, o pipeline.Options, lanes int, l *stagetest.Ledger) {
				var closed atomic.Int32
				var chains []*chain
				for range lanes {
					st := &stage{closed: func() error { closed.Add(1); return nil }}
					chains = append(chains, pipeline.Then(pipeline.From("endless", endless(l)), "pass", pipeline.Stage[*item, *item](st)))
				}
				var wg sync.WaitGroup
				wg.Add(1)
				go func() {
					defer wg.Done()
					defer func() { _ = recover() }()
					for range pipeline.Run(t.Context(), o, chains) {
						if leave() {
							break
						}
					}
				}()
				wg.Wait()
				if closed.Load() != int32(lanes) {
					t.Errorf("%d of %d lanes were closed", closed.Load(), lanes)
				}
			})
		})
	}
}

// Arguments that make no sense are errors, not hangs.
func TestBadArguments(t *testing.T) {
	var l stagetest.Ledger
	mk := func() *chain { return pipeline.From("endless", endless(&l)) }
	used := mk()
	for range pipeline.Run(t.Context(), pipeline.Options{}, []*chain{used}) {
		break
	}
	twice := mk()
	var none pipeline.Stage[*item, *item]
	for name, tc := range map[string]struct {
		o     pipeline.Options
		lanes []*chain
	}{
		"no lanes":      {},
		"nil lane":      {lanes: []*chain{nil}},
		"used":          {lanes: []*chain{used}},
		"twice":         {lanes: []*chain{twice, twice}},
		"nil source":    {lanes: []*chain{pipeline.From[*item]("nil", nil)}},
		"nil stage":     {lanes: []*chain{pipeline.Then(mk(), "nil", none)}},
		"after nil":     {lanes: []*chain{pipeline.Then[*item, *item](nil, "x", &stage{})}},
		"topology":      {o: pipeline.Options{Topology: 9}, lanes: []*chain{mk()}},
		"window":        {o: pipeline.Options{Window: pipeline.NewWindow(3)}, lanes: []*chain{mk()}},
		"not sequenced": {o: pipeline.Options{Ordered: true}, lanes: []*chain{unsequenced()}},
	} {
		for _, topology := range stagetest.Topologies {
			if tc.o.Topology == pipeline.Fused {
				tc.o.Topology = topology
			}
			got := loop(t.Context(), tc.o, tc.lanes...)
			if got.err == nil || len(got.values) > 0 {
				t.Errorf("%s: got %v, want an error", name, got)
			}
		}
	}
	if err := l.Err(); err != nil {
		t.Error(err)
	}
}

// bare is an item without a sequence number.
type bare struct{}

func (bare) Release() {}

type bareSource struct{}

func (bareSource) Next(context.Context) (bare, error) { return bare{}, nil }

type bareStage struct{}

func (bareStage) Process(context.Context, bare, emit) error { return nil }
func (bareStage) Flush(context.Context, emit) error         { return nil }

func unsequenced() *chain {
	return pipeline.Then(pipeline.From("bare", pipeline.Source[bare](bareSource{})), "none", pipeline.Stage[bare, *item](bareStage{}))
}
