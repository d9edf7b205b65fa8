package pipeline_test

import (
	"context"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pipescan/pipescan/internal/stagetest"
	"github.com/pipescan/pipescan/pipeline"
)

func TestPuller(t *testing.T) {
	var l stagetest.Ledger
	closed := 0
	st := many(&l).(*stage)
	st.closed = func() error { closed++; return nil }
	cursor := stagetest.NewCursor(items(&l, 50), nil)
	p := pipeline.NewPuller(pipeline.Then(pipeline.From("source", cursor.Source()), "many", pipeline.Stage[*item, *item](st)))
	var got []int
	for {
		it, err := p.Next(t.Context())
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, it.Value())
		it.Release()
	}
	if _, err := p.Next(t.Context()); err != io.EOF {
		t.Errorf("after the end: %v", err)
	}
	if err := errors.Join(p.Close(), p.Close()); err != nil || closed != 1 {
		t.Errorf("closed %d times, %v", closed, err)
	}
	if !slices.Equal(got, wantMany(upTo(50))) {
		t.Errorf("got %v", got)
	}
	if err := l.Err(); err != nil {
		t.Error(err)
	}
}

// Close in the middle releases what waits; errors are final.
func TestPullerEndsEarly(t *testing.T) {
	var l stagetest.Ledger
	ctx, cancel := context.WithCancelCause(t.Context())
	defer cancel(nil)
	for _, way := range []string{"close", "cancel", "error"} {
		n := 0
		c := pipeline.Then(pipeline.From("endless", endless(&l)), "five", pipeline.Stage[*item, *item](&stage{
			process: func(_ context.Context, in *item, emit emit) error {
				defer in.Release()
				if n++; way == "error" && n == 2 {
					return errTest
				}
				for range 5 {
					if err := emit(l.New(0, 1)); err != nil {
						return err
					}
				}
				return nil
			},
		}))
		p := pipeline.NewPuller(c)
		want := io.EOF
		for i := 0; ; i++ {
			it, err := p.Next(ctx)
			if err != nil {
				if !errors.Is(err, want) {
					t.Errorf("%s: %v, want %v", way, err, want)
				}
				break
			}
			it.Release()
			switch {
			case way == "close" && i == 7:
				_ = p.Close()
			case way == "cancel" && i == 7:
				cancel(errTest)
				want = errTest
			case way == "error":
				want = errTest
			}
		}
		_ = p.Close()
		if way == "cancel" {
			ctx = t.Context()
		}
	}
	if err := l.Err(); err != nil {
		t.Error(err)
	}
	used := pipeline.From("endless", endless(&l))
	_ = pipeline.NewPuller(used)
	if _, err := pipeline.NewPuller(used).Next(t.Context()); !errors.Is(err, pipeline.ErrUsed) {
		t.Errorf("a used chain gave %v", err)
	}
}

// A run inside a stage whose own lane was stopped from downstream fails; it
// must not take the outer stop for its own success.
func TestNestedRunSeesTheOuterStop(t *testing.T) {
	for _, inner := range stagetest.Topologies {
		var l stagetest.Ledger
		result := make(chan error, 1)
		first := true
		outer := pipeline.From("outer", pipeline.Source[*item](sourceFunc(func(ctx context.Context) (*item, error) {
			if first {
				first = false
				return l.New(0, 0), nil
			}
			err := loop(ctx, pipeline.Options{Topology: inner}, pipeline.From("inner", endless(&l))).err
			result <- err
			return nil, err
		})))
		got := loop(t.Context(), pipeline.Options{Topology: pipeline.Actors}, pipeline.Then(outer, "one", pipeline.Stage[*item, *item](limit(1))))
		if got.err != nil || len(got.values) != 1 {
			t.Errorf("%v: the outer run gave %v", inner, got)
		}
		select {
		case err := <-result:
			if !errors.Is(err, context.Canceled) {
				t.Errorf("%v: the inner run gave %v", inner, err)
			}
		default: // the stop came before the source was asked again
		}
		if err := l.Err(); err != nil {
			t.Error(err)
		}
	}
}

// explained has a line for explain.
type explained struct{ stage }

func (*explained) Explain() string { return "passes everything" }

func TestStatsAndExplain(t *testing.T) {
	everyWay(t, func(t *testing.T, o pipeline.Options, lanes int, l *stagetest.Ledger) {
		o.Stats = &pipeline.Stats{}
		cursor := stagetest.NewCursor(items(l, 40), nil)
		chains := lanesOf(lanes, cursor, func() stageList {
			slow := &explained{stage{process: func(_ context.Context, in *item, emit emit) error {
				time.Sleep(100 * time.Microsecond)
				return emit(in)
			}}}
			return stageList{slow, many(l)}
		})
		if info := chains[0].Explain(); len(info) != 3 || info[1].Explain != "passes everything" || info[0].Name != "source" {
			t.Errorf("explain says %v", info)
		}
		got := loop(t.Context(), o, chains...)
		if got.err != nil {
			t.Fatal(got.err)
		}
		s := o.Stats.Stages()
		if len(s) != 3 || s[1].Explain != "passes everything" {
			t.Fatalf("got %+v", s)
		}
		made := int64(len(wantMany(upTo(40))))
		for i, want := range [][2]int64{{0, 40}, {40, 40}, {40, made}} {
			if s[i].ItemsIn != want[0] || s[i].ItemsOut != want[1] || s[i].RowsIn != want[0] || s[i].RowsOut != want[1] {
				t.Errorf("stage %d: %+v, want %v", i, s[i], want)
			}
		}
		if s[1].Self < 4*time.Millisecond || s[2].Self > s[1].Self || s[0].Self > s[1].Self {
			t.Errorf("times are %v, %v, %v", s[0].Self, s[1].Self, s[2].Self)
		}
		if o.Topology == pipeline.Actors && s[2].InWait == 0 {
			t.Error("the last stage never waited for the slow one")
		}
		if n := len(o.Stats.Lanes()); n != lanes {
			t.Errorf("%d lanes have counters", n)
		}
	})
}

func TestFuseExplainsAndCloses(t *testing.T) {
	var order []string
	mk := func(name string) *explained {
		return &explained{stage{closed: func() error {
			order = append(order, name)
			return errTest
		}}}
	}
	f := pipeline.Fuse[*item, *item, *item](mk("a"), mk("b"))
	if text := f.(pipeline.Explainer).Explain(); text != "passes everything; passes everything" {
		t.Errorf("explain says %q", text)
	}
	if err := f.(pipeline.Closer).Close(); !errors.Is(err, errTest) || strings.Join(order, "") != "ab" {
		t.Errorf("closed %v, %v", order, err)
	}
}
