package pipeline_test

import (
	"context"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pipescan/pipescan/internal/stagetest"
	"github.com/pipescan/pipescan/pipeline"
)

// claimer is a source that claims the tickets 0 to n-1 from a window.
func claimer(l *stagetest.Ledger, w *pipeline.Window, n int, delay func()) pipeline.Source[*item] {
	return sourceFunc(func(ctx context.Context) (*item, error) {
		seq, err := w.Claim(ctx)
		if err != nil {
			return nil, err
		}
		if seq >= uint64(n) {
			return nil, io.EOF
		}
		delay()
		return l.New(seq, int(seq)), nil
	})
}

func noDelay() {}

// orderedLanes builds lanes of a claimer and the stage many.
func orderedLanes(l *stagetest.Ledger, w *pipeline.Window, lanes, n int, delay func()) []*chain {
	var chains []*chain
	for range lanes {
		c := pipeline.From("claimer", claimer(l, w, n, delay))
		slow := &stage{process: func(_ context.Context, in *item, emit emit) error {
			delay()
			return emit(in)
		}}
		chains = append(chains, pipeline.Then(pipeline.Then(c, "slow", pipeline.Stage[*item, *item](slow)), "many", many(l)))
	}
	return chains
}

func upTo(n int) []int {
	all := make([]int, n)
	for i := range all {
		all[i] = i
	}
	return all
}

// Whatever the lanes' speeds, the outputs come in the order of the tickets,
// and no more tickets than the window has places are in flight.
func TestOrderedMergeWithRandomDelays(t *testing.T) {
	for _, topology := range stagetest.Topologies {
		for seed := range uint64(20) {
			synctest.Test(t, func(t *testing.T) {
				var l stagetest.Ledger
				rng := rand.New(rand.NewPCG(seed, 1))
				lanes, inFlight := 1+rng.IntN(5), 1+rng.IntN(8)
				w := pipeline.NewWindow(inFlight)
				var most atomic.Int64
				delay := func() {
					most.Store(max(most.Load(), int64(l.Live())))
					time.Sleep(time.Duration(rand.IntN(1000)) * time.Microsecond)
				}
				o := pipeline.Options{Topology: topology, Ordered: true, Window: w, LinkDepth: 1 + rng.IntN(3)}
				got := loop(t.Context(), o, orderedLanes(&l, w, lanes, 100, delay)...)
				if got.err != nil {
					t.Fatal(got.err)
				}
				if !slices.Equal(got.values, wantMany(upTo(100))) {
					t.Fatalf("out of order: %v", got.values)
				}
				if err := l.Err(); err != nil {
					t.Error(err)
				}
				// a ticket has one input and at most three outputs
				if int(most.Load()) > inFlight*4 {
					t.Errorf("%d items in flight with %d places", most.Load(), inFlight)
				}
			})
		}
	}
}

// A consumer that does not come back holds the lanes at the window's bound.
func TestWindowBoundsClaims(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var l stagetest.Ledger
		w := pipeline.NewWindow(4)
		var claimed atomic.Int64
		o := pipeline.Options{Ordered: true, Window: w, LinkDepth: 100}
		var chains []*chain
		for range 2 {
			chains = append(chains, pipeline.From("claimer", claimer(&l, w, 1000, func() { claimed.Add(1) })))
		}
		n := int64(0)
		for range pipeline.Run(t.Context(), o, chains) {
			synctest.Wait() // the lanes have done all they can
			if got := claimed.Load(); got != n+4 {
				t.Errorf("%d tickets were claimed when %d had passed, want 4 more", got, n)
			}
			if n++; n == 50 {
				break
			}
		}
		if err := l.Err(); err != nil {
			t.Error(err)
		}
	})
}

// ErrStop in a lane of an ordered run ends the output after that ticket, and
// everything before it arrives.
func TestOrderedStop(t *testing.T) {
	for _, topology := range stagetest.Topologies {
		for seed := range 20 {
			leaks := stagetest.NoLeaks(t)
			var l stagetest.Ledger
			w := pipeline.NewWindow(6)
			at := 5 + seed
			var chains []*chain
			for range 3 {
				c := pipeline.From("claimer", claimer(&l, w, 1<<40, noDelay))
				c = pipeline.Then(c, "until", pipeline.Stage[*item, *item](&stage{process: func(_ context.Context, in *item, emit emit) error {
					stop := in.Value() >= at
					if err := emit(in); err != nil {
						return err
					}
					if stop {
						return pipeline.ErrStop
					}
					return nil
				}}))
				chains = append(chains, pipeline.Then(c, "pass", pipeline.Stage[*item, *item](&stage{})))
			}
			got := loop(t.Context(), pipeline.Options{Topology: topology, Ordered: true, Window: w}, chains...)
			if got.err != nil || !slices.Equal(got.values, upTo(at+1)) {
				t.Fatalf("%v: %v", topology, got)
			}
			if err := l.Err(); err != nil {
				t.Error(err)
			}
			leaks()
		}
	}
}

// An error in an ordered lane comes after a prefix of the right rows.
func TestOrderedErrorsAndBreaks(t *testing.T) {
	for _, topology := range stagetest.Topologies {
		for _, way := range []string{"error", "panic", "cancel", "break"} {
			leaks := stagetest.NoLeaks(t)
			var l stagetest.Ledger
			w := pipeline.NewWindow(4)
			ctx, cancel := context.WithCancelCause(t.Context())
			var chains []*chain
			for range 3 {
				bad := &stage{process: func(_ context.Context, in *item, emit emit) error {
					if in.Value() == 40 && way != "break" {
						in.Release()
						switch way {
						case "error":
							return errTest
						case "panic":
							panic(errTest)
						}
						cancel(errTest)
						return nil
					}
					return emit(in)
				}}
				chains = append(chains, pipeline.Then(pipeline.From("claimer", claimer(&l, w, 1<<40, noDelay)), "bad", pipeline.Stage[*item, *item](bad)))
			}
			n := 0
			for it, err := range pipeline.Run(ctx, pipeline.Options{Topology: topology, Ordered: true, Window: w}, chains) {
				if err != nil {
					break
				}
				if it.Value() != n {
					t.Fatalf("%v, %s: value %d at place %d", topology, way, it.Value(), n)
				}
				if n++; way == "break" && n == 40 {
					break
				}
			}
			if n > 40 {
				t.Errorf("%v, %s: %d items", topology, way, n)
			}
			cancel(nil)
			if err := l.Err(); err != nil {
				t.Errorf("%v, %s: %v", topology, way, err)
			}
			leaks()
		}
	}
}

// Tickets given back leave no hole; tickets forgotten are an error, not a hang.
func TestSkippedAndForgottenTickets(t *testing.T) {
	for _, forget := range []bool{false, true} {
		for _, topology := range stagetest.Topologies {
			var l stagetest.Ledger
			w := pipeline.NewWindow(64)
			var chains []*chain
			for range 3 {
				src := claimer(&l, w, 50, noDelay)
				chains = append(chains, pipeline.From("skipper", pipeline.Source[*item](sourceFunc(func(ctx context.Context) (*item, error) {
					for {
						it, err := src.Next(ctx)
						if err != nil || it.Value()%3 != 0 {
							return it, err
						}
						if seq := it.Sequence(); !forget {
							w.Skip(seq)
						}
						it.Release()
					}
				}))))
			}
			got := loop(t.Context(), pipeline.Options{Topology: topology, Ordered: true, Window: w}, chains...)
			if forget && topology != pipeline.Pulled {
				if got.err == nil || !strings.Contains(got.err.Error(), "Skip") {
					t.Errorf("%v: %v", topology, got)
				}
			} else if got.err != nil || len(got.values) != 33 || !slices.IsSorted(got.values) {
				t.Errorf("%v: %v", topology, got)
			}
			if err := l.Err(); err != nil {
				t.Error(err)
			}
		}
	}
}

// Look-ahead with TryClaim never waits, so one place is enough for any lanes.
func TestTryClaim(t *testing.T) {
	for _, inFlight := range []int{0, 1, 5} {
		for _, topology := range stagetest.Topologies {
			var l stagetest.Ledger
			w := pipeline.NewWindow(inFlight)
			var chains []*chain
			for range 3 {
				var ahead []uint64
				chains = append(chains, pipeline.From("ahead", pipeline.Source[*item](sourceFunc(func(ctx context.Context) (*item, error) {
					for len(ahead) < 4 {
						seq, ok := w.TryClaim()
						if !ok {
							break
						}
						ahead = append(ahead, seq)
					}
					if len(ahead) == 0 {
						seq, err := w.Claim(ctx)
						if err != nil {
							return nil, err
						}
						ahead = append(ahead, seq)
					}
					seq := ahead[0]
					ahead = ahead[1:]
					if seq >= 200 {
						return nil, io.EOF
					}
					return l.New(seq, int(seq)), nil
				}))))
			}
			got := loop(t.Context(), pipeline.Options{Topology: topology, Ordered: true, Window: w}, chains...)
			if got.err != nil || !slices.Equal(got.values, upTo(200)) {
				t.Errorf("%v: %v", topology, got)
			}
		}
	}
}

// What lanes flush comes after all tickets, in lane order.
func TestOrderedTails(t *testing.T) {
	for _, topology := range []pipeline.Topology{pipeline.Fused, pipeline.Actors} {
		var l stagetest.Ledger
		w := pipeline.NewWindow(4)
		var chains []*chain
		for lane := range 3 {
			st := &stage{flush: func(_ context.Context, emit emit) error {
				for k := range 5 {
					if err := emit(l.New(0, 1000+lane*10+k)); err != nil {
						return err
					}
				}
				return nil
			}}
			c := pipeline.Then(pipeline.From("claimer", claimer(&l, w, 30, noDelay)), "tail", pipeline.Stage[*item, *item](st))
			chains = append(chains, pipeline.Then(c, "pass", pipeline.Stage[*item, *item](&stage{})))
		}
		got := loop(t.Context(), pipeline.Options{Topology: topology, Ordered: true, Window: w}, chains...)
		if got.err != nil || len(got.values) != 45 || !slices.IsSorted(got.values) {
			t.Errorf("%v: %v", topology, got)
		}
	}
}

// Two lanes with the same ticket, and a lane that goes back, are errors.
func TestWrongTickets(t *testing.T) {
	for _, topology := range []pipeline.Topology{pipeline.Fused, pipeline.Actors} {
		var l stagetest.Ledger
		both := loop(t.Context(), pipeline.Options{Topology: topology, Ordered: true},
			pipeline.From("a", endless(&l)), pipeline.From("b", endless(&l)))
		if both.err == nil || !strings.Contains(both.err.Error(), "share one cursor") {
			t.Errorf("%v: %v", topology, both.err)
		}
		back := uint64(3)
		down := loop(t.Context(), pipeline.Options{Topology: topology, Ordered: true},
			pipeline.From("down", pipeline.Source[*item](sourceFunc(func(context.Context) (*item, error) {
				back--
				return l.New(back, 0), nil
			}))))
		if down.err == nil || !strings.Contains(down.err.Error(), "must ascend") {
			t.Errorf("%v: %v", topology, down.err)
		}
		if err := l.Err(); err != nil {
			t.Error(err)
		}
	}
}

// A window serves one run.
func TestWindowOnce(t *testing.T) {
	var l stagetest.Ledger
	w := pipeline.NewWindow(2)
	for run := range 2 {
		for _, topology := range stagetest.Topologies {
			got := loop(t.Context(), pipeline.Options{Topology: topology, Ordered: true, Window: w}, orderedLanes(&l, w, 1, 5, noDelay)...)
			if first := run == 0 && topology == stagetest.Topologies[0]; first != (got.err == nil) {
				t.Errorf("%v: %v", topology, got.err)
			}
		}
	}
}
