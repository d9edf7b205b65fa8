package pipeline_test

import (
	"context"
	"fmt"
	"io"
	"runtime"
	"testing"

	"github.com/pipescan/pipescan/internal/stagetest"
	"github.com/pipescan/pipescan/pipeline"
)

// token is an item that costs nothing, so that what is left is the pipeline.
type token struct{ seq uint64 }

func (*token) Release()           {}
func (t *token) Sequence() uint64 { return t.seq }

// tokens gives out n tokens from a ring that is longer than what is in flight.
type tokens struct {
	window *pipeline.Window
	n      int
	ring   [64]token
}

func (s *tokens) Next(ctx context.Context) (*token, error) {
	if s.n == 0 {
		return nil, io.EOF
	}
	s.n--
	t := &s.ring[s.n%len(s.ring)]
	if s.window != nil {
		seq, err := s.window.Claim(ctx)
		if err != nil {
			return nil, err
		}
		t.seq = seq
	}
	return t, nil
}

type passToken struct{}

func (passToken) Process(_ context.Context, in *token, emit pipeline.Emit[*token]) error {
	return emit(in)
}
func (passToken) Flush(context.Context, pipeline.Emit[*token]) error { return nil }

// tokenRun sends n tokens through a fused pair and two more stages.
func tokenRun(tb testing.TB, topology pipeline.Topology, ordered, stats bool, n int) {
	o := pipeline.Options{Topology: topology, Ordered: ordered}
	src := &tokens{n: n}
	if ordered {
		src.window = pipeline.NewWindow(4)
		o.Window = src.window
	}
	if stats {
		o.Stats = &pipeline.Stats{}
	}
	pass := pipeline.Stage[*token, *token](passToken{})
	c := pipeline.Then(pipeline.From("tokens", pipeline.Source[*token](src)), "two", pipeline.Fuse(pass, pass))
	c = pipeline.Then(pipeline.Then(c, "three", pass), "four", pass)
	got := 0
	for _, err := range pipeline.Run(tb.Context(), o, []*pipeline.Chain[*token]{c}) {
		if err != nil {
			tb.Fatal(err)
		}
		got++
	}
	if got != n {
		tb.Fatalf("%d of %d tokens arrived", got, n)
	}
}

// The steady state allocates nothing an item: ten thousand items more cost no
// more than a hundredth of an allocation each, which is the runtime's own.
func TestSteadyStateAllocatesNothing(t *testing.T) {
	mallocs := func(topology pipeline.Topology, ordered, stats bool, n int) int {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		tokenRun(t, topology, ordered, stats, n)
		runtime.ReadMemStats(&after)
		return int(after.Mallocs - before.Mallocs)
	}
	for _, topology := range stagetest.Topologies {
		for _, ordered := range []bool{false, true} {
			for _, stats := range []bool{false, true} {
				mallocs(topology, ordered, stats, 1000)
				few, many := mallocs(topology, ordered, stats, 1000), mallocs(topology, ordered, stats, 11000)
				if many-few > 100 {
					t.Errorf("%v, ordered %t, stats %t: %d allocations for 10000 items", topology, ordered, stats, many-few)
				}
			}
		}
	}
}

// One item through a source and four stages.
func BenchmarkHop(b *testing.B) {
	for _, topology := range stagetest.Topologies {
		for _, ordered := range []bool{false, true} {
			for _, stats := range []bool{false, true} {
				b.Run(fmt.Sprintf("%v/ordered=%t/stats=%t", topology, ordered, stats), func(b *testing.B) {
					b.ReportAllocs()
					tokenRun(b, topology, ordered, stats, b.N)
				})
			}
		}
	}
}

// One read through the pool.
func BenchmarkRead(b *testing.B) {
	p, err := pipeline.NewReadPool(2)
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = p.Close() }()
	var r pipeline.Read
	fn := func() error { return nil }
	b.ReportAllocs()
	for b.Loop() {
		p.Start(b.Context(), &r, fn)
		if err := r.Wait(b.Context()); err != nil {
			b.Fatal(err)
		}
	}
}
