package stages

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/pipescan/pipescan/fileio"
	"github.com/pipescan/pipescan/pgfile"
	"github.com/pipescan/pipescan/pipeline"
)

// onDisk writes the table as a relation of segments of a few blocks.
func onDisk(t testing.TB, h *heap, segment uint32) (rel *fileio.Relation, path string) {
	t.Helper()
	dir := t.TempDir()
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "base", "5"), 0o700))
	path = filepath.Join(dir, "base", "5", "16384")
	for n, name := 0, path; n < len(h.bytes); {
		end := min(n+int(segment)*pgfile.PageSize, len(h.bytes))
		require.NoError(t, os.WriteFile(name, h.bytes[n:end], 0o600))
		n = end
		name = path + "." + string(rune('0'+n/pgfile.PageSize/int(segment)))
	}
	d, err := fileio.OpenDir(dir)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, d.Close()) })
	rel, err = d.OpenRelation(fileio.Layout{Major: 18, SegmentBlocks: segment}, fileio.RelLocator{Database: 5, Node: 16384}, fileio.Main)
	require.NoError(t, err)
	return rel, path
}

// TestMapped compares mapped scans with the rows stored, over one and several
// segments.
func TestMapped(t *testing.T) {
	h, want := newHeap(97, sized)
	for _, segment := range []uint32{200, 40} {
		rel, _ := onDisk(t, h, segment)
		for _, io := range []IOMethod{IOMmap, IOAuto, IOPread} {
			for _, dir := range []pipeline.Direction{pipeline.Forward, pipeline.Backward} {
				for _, start := range []uint32{0, 50} {
					s := newScan(rel)
					s.IO, s.Order.Direction, s.Order.Start, s.BatchPages, s.Counters = io, dir, start, 9, new(Counters)
					rows, err := collect(t, s, 2, true, pipeline.Fused)
					require.NoError(t, err)
					if dir == pipeline.Backward {
						slices.Reverse(rows)
					}
					if start == 0 {
						require.Equal(t, want, rows)
					} else {
						require.ElementsMatch(t, want, rows)
					}
					require.Equal(t, io != IOPread, s.Counters.Windows.Load() > 0)
				}
			}
		}
		s := newScan(rel)
		s.IO = IOMmap
		c, err := s.Cursor()
		require.NoError(t, err)
		b, err := c.Next(context.Background(), pipeline.Backward, 2)
		require.NoError(t, err)
		require.Equal(t, want[len(want)-1], render(b)[0])
		require.NoError(t, c.Close())
	}
}

// TestTruncatedUnderTheMap ends in an error that names the file, not in a
// crash, when a mapped file shrinks during the scan.
func TestTruncatedUnderTheMap(t *testing.T) {
	h, _ := newHeap(400, func(int) int { return 40 })
	rel, path := onDisk(t, h, 1000)
	for _, topology := range []pipeline.Topology{pipeline.Fused, pipeline.Actors, pipeline.Pulled} {
		s := newScan(rel)
		s.IO, s.BatchPages = IOMmap, 8
		lanes, _, err := s.Lanes(1, false)
		require.NoError(t, err)
		var failed error
		for _, err := range pipeline.Run(context.Background(), pipeline.Options{Topology: topology}, lanes) {
			if err != nil {
				failed = err
				break
			}
			require.NoError(t, os.Truncate(path, 8*pgfile.PageSize))
		}
		require.ErrorIs(t, failed, fileio.ErrChanged, "%v", topology)
		require.ErrorContains(t, failed, "base/5/16384")
		require.NoError(t, os.WriteFile(path, h.bytes, 0o600))
		rel, path = onDisk(t, h, 1000)
	}
}

// TestMappedRefusals keeps maps away from scans that must not have them.
func TestMappedRefusals(t *testing.T) {
	h, want := newHeap(10, sized)
	rel, _ := onDisk(t, h, 1000)
	s := newScan(rel)
	s.IO, s.OnLoss = IOMmap, (&ledger{}).lose
	_, _, err := s.Lanes(1, false)
	require.ErrorContains(t, err, "use pread")
	for _, change := range []func(*HeapScan){
		func(s *HeapScan) { s.OnLoss = (&ledger{}).lose },
		func(s *HeapScan) { unclean := *testSnapshot; unclean.Clean = false; s.Snapshot = &unclean },
	} {
		s := newScan(rel)
		s.Counters = new(Counters)
		change(s)
		rows, err := collect(t, s, 1, false, pipeline.Fused)
		require.NoError(t, err)
		require.Equal(t, want, rows)
		require.Zero(t, s.Counters.Windows.Load())
	}
}
