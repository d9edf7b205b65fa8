package stagetest_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/pipescan/pipescan/internal/stagetest"
	"github.com/pipescan/pipescan/pipeline"
)

func TestMain(m *testing.M) { stagetest.Main(m) }

type item = stagetest.Item

// stage is a stage made of functions.
type stage struct {
	process func(in *item, emit pipeline.Emit[*item]) error
	flush   func(emit pipeline.Emit[*item]) error
}

func (s stage) Process(_ context.Context, in *item, emit pipeline.Emit[*item]) error {
	return s.process(in, emit)
}

func (s stage) Flush(_ context.Context, emit pipeline.Emit[*item]) error {
	if s.flush == nil {
		return nil
	}
	return s.flush(emit)
}

// problems runs a stage that should pass items on.
func problems(t *testing.T, mk func(l *stagetest.Ledger) stage) []string {
	cfg := stagetest.Config[*item, *item]{
		Serial: true,
		New: func(_ testing.TB, c stagetest.Case) stagetest.Subject[*item, *item] {
			l := &stagetest.Ledger{}
			s := stagetest.Subject[*item, *item]{
				Stage:  func() pipeline.Stage[*item, *item] { return mk(l) },
				Render: func(i *item) []string { return []string{fmt.Sprint(i.Value())} },
				Live: func() int {
					if l.Err() != nil {
						return 1
					}
					return 0
				},
			}
			for i := range 3 * c.Size {
				s.Inputs = append(s.Inputs, l.New(uint64(i), i))
				s.Want = append(s.Want, fmt.Sprint(i))
			}
			return s
		},
	}
	return stagetest.Problems(t, cfg, stagetest.Case{Size: 3, Seed: 1})
}

// The harness is silent about a good stage and finds what is wrong with each
// bad one.
func TestHarnessFindsBadStages(t *testing.T) {
	good := func(in *item, emit pipeline.Emit[*item]) error { return emit(in) }
	for name, tc := range map[string]struct {
		mk   func(l *stagetest.Ledger) stage
		want string // in one of the problems; empty for none
	}{
		"good": {func(*stagetest.Ledger) stage { return stage{process: good} }, ""},
		"releases twice": {func(*stagetest.Ledger) stage {
			return stage{process: func(in *item, emit pipeline.Emit[*item]) error {
				err := emit(in)
				if err != nil {
					in.Release() // emit has done it
				}
				return err
			}}
		}, "released"},
		"forgets on errors": {func(l *stagetest.Ledger) stage {
			return stage{process: func(in *item, emit pipeline.Emit[*item]) error {
				if err := emit(l.New(0, in.Value())); err != nil {
					return err
				}
				in.Release()
				return nil
			}}
		}, "released"},
		"reads after release": {func(l *stagetest.Ledger) stage {
			return stage{process: func(in *item, emit pipeline.Emit[*item]) error {
				in.Release()
				return emit(l.New(0, in.Value()))
			}}
		}, "read after its release"},
		"drops rows": {func(*stagetest.Ledger) stage {
			return stage{process: func(in *item, emit pipeline.Emit[*item]) error {
				if in.Value() == 2 {
					in.Release()
					return nil
				}
				return emit(in)
			}}
		}, "want"},
		"leaks a goroutine": {func(*stagetest.Ledger) stage {
			return stage{process: good, flush: func(pipeline.Emit[*item]) error {
				go func() { <-leaked }()
				return nil
			}}
		}, "goroutines are left"},
	} {
		got := problems(t, tc.mk)
		if tc.want == "" && len(got) > 0 {
			t.Errorf("%s: %q", name, got)
		}
		if tc.want != "" && !strings.Contains(strings.Join(got, "\n"), tc.want) {
			t.Errorf("%s: the harness found %q, want something about %q", name, got, tc.want)
		}
	}
	close(leaked)
}

// leaked holds the goroutines that a bad stage leaves.
var leaked = make(chan struct{})
