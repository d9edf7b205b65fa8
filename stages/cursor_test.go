package stages

import (
	"context"
	"io"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/pipescan/pipescan/batch"
	"github.com/pipescan/pipescan/pipeline"
)

// modelCursor is a cursor over a slice.
type modelCursor struct {
	rows  []string
	at    int // -1 and len(rows): off
	fresh bool
}

// next returns the next row, or false past the end.
func (m *modelCursor) next(dir pipeline.Direction) (string, bool) {
	if m.fresh { // a new cursor may begin at either end
		m.fresh = false
		m.at = -1
		if dir == pipeline.Backward {
			m.at = len(m.rows)
		}
	}
	m.at = max(-1, min(len(m.rows), m.at+int(dir)))
	if m.at < 0 || m.at == len(m.rows) {
		return "", false
	}
	return m.rows[m.at], true
}

// TestCursorModel moves a cursor about at random and compares each row.
func TestCursorModel(t *testing.T) {
	h, forward := newHeap(23, sized)
	empty, _ := newHeap(4, func(int) int { return 0 })
	rapid.Check(t, func(t *rapid.T) {
		s := newScan(h)
		rows := forward
		switch rapid.IntRange(0, 4).Draw(t, "table") {
		case 0:
			s.Source, rows = empty, nil
		case 1:
			s.Order.Direction = pipeline.Backward
			rows = slices.Clone(forward)
			slices.Reverse(rows)
		case 2:
			s.Order.Start = 5 // the first 21 rows are of blocks 0 to 4
			cut := slices.IndexFunc(forward, func(r string) bool { return r[:3] == "(5," })
			rows = slices.Concat(forward[cut:], forward[:cut])
		}
		s.BatchPages = rapid.SampledFrom([]int{0, 1, 2, 3}).Draw(t, "pages")
		s.MaxBatchBytes = rapid.SampledFrom([]int{0, 1, 300}).Draw(t, "bytes")
		c, err := s.Cursor()
		if err != nil {
			t.Fatal(err)
		}
		pages, batches := c.p.pages, c.p.batches
		m := modelCursor{rows: rows, fresh: true}
		mark := m
		ctx := context.Background()
		for range rapid.IntRange(1, 60).Draw(t, "steps") {
			switch rapid.IntRange(0, 9).Draw(t, "what") {
			case 0:
				c.Mark()
				mark = m
			case 1:
				if err := c.Restore(ctx); err != nil {
					t.Fatal(err)
				}
				m = mark
			default:
				dir := rapid.SampledFrom([]pipeline.Direction{pipeline.Forward, pipeline.Backward}).Draw(t, "direction")
				want := rapid.SampledFrom([]int{1, 1, 2, 5, 50, 1000}).Draw(t, "max")
				b, err := c.Next(ctx, dir, want)
				if err == io.EOF {
					if row, ok := m.next(dir); ok {
						t.Fatalf("end of rows, want %q", row)
					}
					continue
				}
				if err != nil {
					t.Fatal(err)
				}
				got := render(b)
				if len(got) == 0 || len(got) > want {
					t.Fatalf("%d rows, 1 to %d were wanted", len(got), want)
				}
				for _, r := range got {
					if row, ok := m.next(dir); !ok || r != row {
						t.Fatalf("got %q, want %q", r, row)
					}
				}
			}
		}
		if err := c.Close(); err != nil {
			t.Fatal(err)
		}
		if n := pages.Live() + batches.Live(); n != 0 {
			t.Fatalf("%d buffers are still held", n)
		}
	})
}

// TestCursorReadsLittle reads one page for the first row of a large table.
func TestCursorReadsLittle(t *testing.T) {
	h, _ := newHeap(300, func(int) int { return 30 })
	s := newScan(h)
	s.Counters = new(Counters)
	c, err := s.Cursor()
	require.NoError(t, err)
	_, err = c.Next(context.Background(), pipeline.Backward, 1)
	require.NoError(t, err)
	require.EqualValues(t, 1, s.Counters.Pages.Load())
	require.NoError(t, c.Close())
	_, err = c.Next(context.Background(), pipeline.Forward, 1)
	require.ErrorContains(t, err, "closed")
}

// TestCursorErrors keeps its place when a block cannot be read.
func TestCursorErrors(t *testing.T) {
	h, want := newHeap(4, func(int) int { return 10 })
	s := newScan(h)
	c, err := s.Cursor()
	require.NoError(t, err)
	defer func() { require.NoError(t, c.Close()) }()
	ctx := context.Background()
	var got []string
	h.faults = map[uint32]error{3: io.ErrUnexpectedEOF}
	for {
		var b *batch.Batch
		if b, err = c.Next(ctx, pipeline.Forward, 4); err != nil {
			break
		}
		got = append(got, render(b)...)
	}
	require.ErrorIs(t, err, io.ErrUnexpectedEOF)
	n := len(got)
	require.Equal(t, want[:n], got)
	b, err := c.Next(ctx, pipeline.Backward, 1)
	require.NoError(t, err)
	require.Equal(t, want[n-2:n-1], render(b))
	h.faults = nil
	b, err = c.Next(ctx, pipeline.Forward, 1)
	require.NoError(t, err)
	require.Equal(t, want[n-1:n], render(b))
	b, err = c.Next(ctx, pipeline.Forward, 1)
	require.NoError(t, err)
	require.Equal(t, want[n:n+1], render(b))
	_, err = c.Next(ctx, pipeline.Forward, 0)
	require.ErrorContains(t, err, "at least 1")
	_, err = c.Next(ctx, 0, 1)
	require.ErrorContains(t, err, "neither")
	stopped, cancel := context.WithCancel(ctx)
	cancel()
	_, err = c.Next(stopped, pipeline.Forward, 1)
	require.ErrorIs(t, err, context.Canceled)
}
