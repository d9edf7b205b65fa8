package pipeline_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/pipescan/pipescan/internal/stagetest"
	"github.com/pipescan/pipescan/pipeline"
)

// tally is a partial aggregate.
type tally struct {
	lanes  []int
	values []int
}

func newTally(lane int) *tally { return &tally{lanes: []int{lane}} }

func (a *tally) add(it *item) error {
	a.values = append(a.values, it.Value())
	return nil
}

func merge(into, from *tally) error {
	into.lanes = append(into.lanes, from.lanes...)
	into.values = append(into.values, from.values...)
	return nil
}

func TestFold(t *testing.T) {
	everyWay(t, func(t *testing.T, o pipeline.Options, lanes int, l *stagetest.Ledger) {
		cursor := stagetest.NewCursor(items(l, 300), nil)
		chains := lanesOf(lanes, cursor, func() stageList { return stageList{many(l)} })
		got, err := pipeline.Fold(t.Context(), o, chains, newTally, (*tally).add, merge)
		if err != nil {
			t.Fatal(err)
		}
		slices.Sort(got.values)
		if !slices.Equal(got.values, wantMany(upTo(300))) {
			t.Errorf("got %v", got.values)
		}
		if !slices.Equal(got.lanes, upTo(lanes)) {
			t.Errorf("the partials were merged in the order %v", got.lanes)
		}
	})
}

func TestFoldOrdered(t *testing.T) {
	for _, topology := range stagetest.Topologies {
		var l stagetest.Ledger
		w := pipeline.NewWindow(6)
		got, err := pipeline.Fold(t.Context(), pipeline.Options{Topology: topology, Ordered: true, Window: w},
			orderedLanes(&l, w, 3, 100, noDelay), newTally, (*tally).add, merge)
		if err != nil || !slices.Equal(got.values, wantMany(upTo(100))) {
			t.Errorf("%v: %v, %v", topology, got, err)
		}
	}
}

// Every callback's error and panic is the fold's, and nothing leaks.
func TestFoldFails(t *testing.T) {
	for _, ordered := range []bool{false, true} {
		for _, where := range []string{"new", "add", "merge", "add panics", "merge panics", "stage"} {
			if ordered && (where == "merge" || where == "merge panics") {
				continue // one partial: nothing to merge
			}
			everyWay(t, func(t *testing.T, o pipeline.Options, lanes int, l *stagetest.Ledger) {
				if lanes == 1 && (where == "merge" || where == "merge panics") {
					return
				}
				o.Ordered = ordered
				cursor := stagetest.NewCursor(items(l, 100), nil)
				chains := lanesOf(lanes, cursor, func() stageList {
					return stageList{&stage{process: func(_ context.Context, in *item, emit emit) error {
						if where == "stage" {
							in.Release()
							return errTest
						}
						return emit(in)
					}}}
				})
				fail := func(here string) error {
					switch where {
					case here:
						return errTest
					case here + " panics":
						panic(errTest)
					}
					return nil
				}
				var lost atomic.Int64 // items in hand at a panic
				got, err := pipeline.Fold(t.Context(), o, chains,
					func(lane int) *tally {
						if where == "new" {
							panic(errTest)
						}
						return newTally(lane)
					},
					func(_ *tally, it *item) error {
						if where == "add panics" {
							it.Value()
							lost.Add(1)
						}
						return fail("add")
					},
					func(_, _ *tally) error { return fail("merge") })
				cursor.Close()
				if got != nil || err == nil {
					t.Errorf("%s: got %v, %v", where, got, err)
				}
				var p *pipeline.PanicError
				if !errors.Is(err, errTest) || strings.Contains(where, "panics") && !errors.As(err, &p) {
					t.Errorf("%s: the error is %v", where, err)
				}
				if !ordered {
					l.Forgive(int(lost.Load()))
				}
			})
		}
	}
}

// ErrStop from add ends the fold of an endless source.
func TestFoldStops(t *testing.T) {
	for _, ordered := range []bool{false, true} {
		everyWay(t, func(t *testing.T, o pipeline.Options, lanes int, l *stagetest.Ledger) {
			if ordered {
				o.Ordered, o.Window = true, pipeline.NewWindow(2*lanes)
			}
			var chains []*chain
			for range lanes {
				src := endless(l)
				if ordered {
					src = claimer(l, o.Window, 1<<40, noDelay)
				}
				chains = append(chains, pipeline.From("endless", src))
			}
			got, err := pipeline.Fold(t.Context(), o, chains, newTally, func(a *tally, it *item) error {
				_ = a.add(it)
				if len(a.values) == 10 {
					return pipeline.ErrStop
				}
				return nil
			}, merge)
			if err != nil || len(got.values) < 10 || len(got.values) > 10*lanes {
				t.Errorf("got %v, %v", got, err)
			}
		})
	}
}

func TestFoldArguments(t *testing.T) {
	for _, ordered := range []bool{false, true} {
		got, err := pipeline.Fold(t.Context(), pipeline.Options{Ordered: ordered}, nil, newTally, (*tally).add, merge)
		if got != nil || err == nil {
			t.Errorf("no lanes gave %v, %v", got, err)
		}
	}
}
