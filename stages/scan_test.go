package stages

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/pipescan/pipescan/mvcc"
	"github.com/pipescan/pipescan/pipeline"
)

// collect runs a scan over n lanes and returns its rows in order of arrival.
func collect(t testing.TB, s *HeapScan, n int, ordered bool, topology pipeline.Topology) ([]string, error) {
	t.Helper()
	lanes, window, err := s.Lanes(n, ordered)
	require.NoError(t, err)
	var rows []string
	for b, err := range pipeline.Run(context.Background(), pipeline.Options{Ordered: ordered, Window: window, Topology: topology}, lanes) {
		if err != nil {
			return rows, err
		}
		rows = append(rows, render(b)...)
	}
	return rows, nil
}

// TestLanes compares every way to run a scan with the rows that were stored.
func TestLanes(t *testing.T) {
	h, want := newHeap(97, sized)
	backward := slices.Clone(want)
	slices.Reverse(backward)
	pool, err := pipeline.NewReadPool(3)
	require.NoError(t, err)
	defer func() { require.NoError(t, pool.Close()) }()
	for _, pages := range []int{1, 2, 7, 32, 200} {
		for _, lanes := range []int{1, 2, 5} {
			for _, ordered := range []bool{false, true} {
				for _, topology := range []pipeline.Topology{pipeline.Fused, pipeline.Actors, pipeline.Pulled} {
					if ordered && lanes > 1 && topology == pipeline.Pulled {
						continue // one goroutine merges nothing
					}
					for _, dir := range []pipeline.Direction{pipeline.Forward, pipeline.Backward} {
						s := newScan(h)
						s.BatchPages, s.Order.Direction = pages, dir
						if pages != 7 {
							s.ReadPool = pool
						}
						got, err := collect(t, s, lanes, ordered, topology)
						name := fmt.Sprintf("%d pages, %d lanes, ordered %v, topology %v, direction %d", pages, lanes, ordered, topology, dir)
						require.NoError(t, err, name)
						expect := want
						if dir == pipeline.Backward {
							expect = backward
						}
						if lanes > 1 && !ordered {
							slices.Sort(got)
							expect = slices.Sorted(slices.Values(expect))
						}
						require.Equal(t, expect, got, name)
					}
				}
			}
		}
	}
}

// TestStartAndRange begins in mid-table, and scans a part of it.
func TestStartAndRange(t *testing.T) {
	h, want := newHeap(20, func(int) int { return 10 })
	ofBlock := func(blocks ...int) []string {
		var rows []string
		for _, b := range blocks {
			for _, r := range want {
				if len(r) > 1 && r[:len(fmt.Sprintf("(%d,", b))] == fmt.Sprintf("(%d,", b) {
					rows = append(rows, r)
				}
			}
		}
		return rows
	}
	seq := func(from, to int) (out []int) {
		for i := from; i < to; i++ {
			out = append(out, i)
		}
		return out
	}
	for _, c := range []struct {
		start  uint32
		blocks BlockRange
		want   []int
	}{
		{start: 13, want: append(seq(13, 20), seq(0, 13)...)},
		{start: 19, want: append(seq(19, 20), seq(0, 19)...)},
		{start: 20, want: seq(0, 20)}, // past the end
		{blocks: BlockRange{First: 3, N: 4}, want: seq(3, 7)},
		{blocks: BlockRange{First: 18, N: 100}, want: seq(18, 20)},
		{blocks: BlockRange{First: 5}, want: seq(5, 20)},
		{blocks: BlockRange{N: 2}, want: seq(0, 2)},
		{blocks: BlockRange{First: 20, N: 1}},
	} {
		for _, pages := range []int{1, 3, 32} {
			s := newScan(h)
			s.BatchPages, s.Order.Start, s.Blocks = pages, c.start, c.blocks
			got, err := collect(t, s, 1, false, pipeline.Fused)
			require.NoError(t, err)
			require.Equal(t, ofBlock(c.want...), got, "%+v", c)
			s.Order.Direction = pipeline.Backward
			got, err = collect(t, s, 2, true, pipeline.Fused)
			require.NoError(t, err)
			slices.Reverse(got)
			require.Equal(t, ofBlock(c.want...), got, "backward, %+v", c)
		}
	}
	s := newScan(h)
	s.Order.Start, s.Blocks = 3, BlockRange{First: 2}
	_, _, err := s.Lanes(1, false)
	require.ErrorContains(t, err, "give a range or a start")
}

// TestRowSets partitions the stored rows.
func TestRowSets(t *testing.T) {
	h, visible := newHeap(10, func(int) int { return 21 })
	s := newScan(h)
	s.Rows = mvcc.Dead
	dead, err := collect(t, s, 1, false, pipeline.Fused)
	require.NoError(t, err)
	s = newScan(h)
	s.Rows = mvcc.All
	all, err := collect(t, s, 1, false, pipeline.Fused)
	require.NoError(t, err)
	require.Len(t, dead, 60) // two of seven ids
	require.ElementsMatch(t, append(dead, visible...), all)
}

// TestCountOnly counts without decoding, and the counters agree.
func TestCountOnly(t *testing.T) {
	h, want := newHeap(50, sized)
	s := newScan(h)
	s.CountOnly, s.Counters = true, new(Counters)
	lanes, _, err := s.Lanes(2, false)
	require.NoError(t, err)
	n := 0
	for b, err := range pipeline.Run(context.Background(), pipeline.Options{}, lanes) {
		require.NoError(t, err)
		n += b.Rows()
	}
	require.Equal(t, len(want), n)
	require.EqualValues(t, n, s.Counters.Visible.Load())
	require.EqualValues(t, 50, s.Counters.Pages.Load())
	require.EqualValues(t, len(h.bytes), s.Counters.Bytes.Load())
}

// TestEmptyTable scans a table of no blocks.
func TestEmptyTable(t *testing.T) {
	for _, lanes := range []int{1, 2} {
		for _, ordered := range []bool{false, true} {
			rows, err := collect(t, newScan(&heap{}), lanes, ordered, pipeline.Fused)
			require.NoError(t, err)
			require.Empty(t, rows)
		}
	}
}

// TestDescriptions refuses what makes no sense.
func TestDescriptions(t *testing.T) {
	h, _ := newHeap(1, sized)
	for want, change := range map[string]func(*HeapScan){
		"source of blocks": func(s *HeapScan) { s.Source = nil },
		"a snapshot":       func(s *HeapScan) { s.Snapshot = nil },
		"pages":            func(s *HeapScan) { s.BatchPages = 5000 },
		"direction 3":      func(s *HeapScan) { s.Order.Direction = 3 },
		"cannot be mapped": func(s *HeapScan) { s.IO = IOMmap },
		"width":            func(s *HeapScan) { s.Columns = []Column{{Name: "x", Num: 1, Width: 8}} },
		"attribute 9":      func(s *HeapScan) { s.Columns = []Column{{Name: "x", Num: 9}} },
		"system column":    func(s *HeapScan) { s.Columns = []Column{{Name: "x", Num: -9, Width: 4}} },
		"do not agree":     func(s *HeapScan) { s.Columns = []Column{{Name: "x", Num: 2}} },
		"negative":         func(s *HeapScan) { s.MaxAhead = -1 },
	} {
		s := newScan(h)
		change(s)
		_, _, err := s.Lanes(1, false)
		require.ErrorContains(t, err, want)
		_, err = s.Cursor()
		require.ErrorContains(t, err, want)
	}
}
