package pipeline_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/pipescan/pipescan/internal/stagetest"
	"github.com/pipescan/pipescan/pipeline"
)

// subject is a stage under the harness: inputs 0 to 9·Size and the wanted
// values of a full run.
func subject(l *stagetest.Ledger, c stagetest.Case, mk func() pipeline.Stage[*item, *item], want func(in []int) []int) stagetest.Subject[*item, *item] {
	s := stagetest.Subject[*item, *item]{
		Stage:  mk,
		Inputs: items(l, 3*c.Size+1),
		Render: func(i *item) []string { return []string{fmt.Sprint(i.Value())} },
		Live: func() int {
			if l.Err() != nil {
				return max(1, l.Live())
			}
			return 0
		},
	}
	var in []int
	for i := range s.Inputs {
		in = append(in, i)
	}
	for _, v := range want(in) {
		s.Want = append(s.Want, fmt.Sprint(v))
	}
	return s
}

// many emits value%4 items for an item, 0 to 3 of them.
func many(l *stagetest.Ledger) pipeline.Stage[*item, *item] {
	return &stage{process: func(_ context.Context, in *item, emit emit) error {
		defer in.Release()
		for k := range in.Value() % 4 {
			if err := emit(l.New(0, in.Value()*10+k)); err != nil {
				return err
			}
		}
		return nil
	}}
}

func wantMany(in []int) (out []int) {
	for _, v := range in {
		for k := range v % 4 {
			out = append(out, v*10+k)
		}
	}
	return out
}

// pairs holds one item back and emits sums of two, the odd one at Flush.
func pairs(l *stagetest.Ledger) pipeline.Stage[*item, *item] {
	var held []int
	return &stage{
		process: func(_ context.Context, in *item, emit emit) error {
			held = append(held, in.Value())
			in.Release()
			if len(held) < 2 {
				return nil
			}
			sum := held[0] + held[1]
			held = held[:0]
			return emit(l.New(0, sum))
		},
		flush: func(_ context.Context, emit emit) error {
			if len(held) == 0 {
				return nil
			}
			return emit(l.New(0, held[0]))
		},
	}
}

func wantPairs(in []int) (out []int) {
	for i := 0; i < len(in); i += 2 {
		sum := in[i]
		if i+1 < len(in) {
			sum += in[i+1]
		}
		out = append(out, sum)
	}
	return out
}

func firstOf(n int, in []int) []int { return in[:min(n, len(in))] }

// The harness on stages of every temper: several outputs, none, state that
// leaves at Flush, enough, and two of them fused.
func TestHarness(t *testing.T) {
	type mk = func(l *stagetest.Ledger) pipeline.Stage[*item, *item]
	for _, tc := range []struct {
		name   string
		mk     mk
		want   func([]int) []int
		serial bool
	}{
		{"many", many, wantMany, false},
		{"pairs", pairs, wantPairs, true},
		{
			"limit", func(*stagetest.Ledger) pipeline.Stage[*item, *item] { return limit(5) },
			func(in []int) []int { return firstOf(5, in) }, true,
		},
		{"many then pairs", func(l *stagetest.Ledger) pipeline.Stage[*item, *item] {
			return pipeline.Fuse(many(l), pairs(l))
		}, func(in []int) []int { return wantPairs(wantMany(in)) }, true},
		{"limit then pairs", func(l *stagetest.Ledger) pipeline.Stage[*item, *item] {
			return pipeline.Fuse[*item, *item, *item](limit(5), pairs(l))
		}, func(in []int) []int { return wantPairs(firstOf(5, in)) }, true},
		{"pairs then limit", func(l *stagetest.Ledger) pipeline.Stage[*item, *item] {
			return pipeline.Fuse[*item, *item, *item](pairs(l), limit(2))
		}, func(in []int) []int { return firstOf(2, wantPairs(in)) }, true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			stagetest.Run(t, stagetest.Config[*item, *item]{
				Max: 20, Serial: tc.serial, NoNulls: true, NoSelection: true,
				New: func(_ testing.TB, c stagetest.Case) stagetest.Subject[*item, *item] {
					l := &stagetest.Ledger{}
					return subject(l, c, func() pipeline.Stage[*item, *item] { return tc.mk(l) }, tc.want)
				},
			})
		})
	}
}
