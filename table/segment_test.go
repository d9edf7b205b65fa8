package table

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/pipescan/pipescan/pgfile"
	"github.com/pipescan/pipescan/store"
)

// TestNextSegment: a load goes from one segment of 1 GB over to the next, whose
// pages lie in another page of the visibility map too.
func TestNextSegment(t *testing.T) {
	s, rel := newTable(t, "a int")
	// A hole of empty pages up to shortly before the segment's end.
	const start = segmentBlocks - 2
	require.NoError(t, os.Truncate(filepath.Join(s.Dir(), fileName(rel.OID, 0)), start*pageSize))
	record := s.current().byOID[rel.OID].record
	require.NoError(t, s.own.Apply(store.OwnChange{Tables: []store.OwnTable{{OID: rel.OID, Record: record, Blocks: start}}}))
	s = reopen(t, s)
	for range 2 {
		_, err := s.LoadGenerated(ctx, rel, "a = series(1, 1000)", GenerateOptions{Frozen: true})
		require.NoError(t, err)
	}
	s = reopen(t, s)
	blocks, err := s.Blocks(rel)
	require.NoError(t, err)
	require.EqualValues(t, start+10, blocks)
	hs, file, err := s.HeapScan(ctx, rel)
	require.NoError(t, err)
	require.EqualValues(t, blocks, hs.Source.NBlocks())
	page := make([]byte, pageSize)
	for b := uint32(start); b < blocks; b++ {
		require.NoError(t, hs.Source.ReadBlocks(ctx, b, page))
		require.NoError(t, pgfile.ValidatePage(page))
		require.Equal(t, pgfile.PageChecksum(page, b), pgfile.Page(page).Checksum())
		require.Equal(t, b, pgfile.Page(page).Tuple(1).CTID().Block)
	}
	require.NoError(t, file.Close())
	vm, err := s.VM(ctx, rel)
	require.NoError(t, err)
	for b := uint32(start) - 3; b < blocks+3; b++ {
		want := pgfile.VMBits(0)
		if b >= start && b < blocks {
			want = pgfile.VMAllVisible | pgfile.VMAllFrozen
		}
		require.Equal(t, want, vm.Bits(b), "block %d", b)
	}
	require.FileExists(t, filepath.Join(s.Dir(), fileName(rel.OID, 1)))
	require.NoError(t, s.Drop(ctx, rel))
	require.NoFileExists(t, filepath.Join(s.Dir(), fileName(rel.OID, 1)))
}

// TestScansDuringLoads: a scan sees the loads that had ended when it began, and
// nothing of the one that runs.
func TestScansDuringLoads(t *testing.T) {
	s, rel := newTable(t, "a int")
	const loads, rows = 10, 20000
	loaded := make(chan error, 1)
	go func() {
		var err error
		for i := 0; i < loads && err == nil; i++ {
			_, err = s.LoadGenerated(ctx, rel, fmt.Sprintf("a = series(1, %d)", rows), GenerateOptions{Frozen: i%2 == 0})
		}
		loaded <- err
	}()
	last := 0
	for last < loads*rows {
		n := count(t, s, rel)
		require.Zero(t, n%rows)
		require.GreaterOrEqual(t, n, last)
		last = n
	}
	require.NoError(t, <-loaded)
}

// TestSnapshotIsKept: a scan described before a load does not see it, even when
// it starts afterwards.
func TestSnapshotIsKept(t *testing.T) {
	s, rel := newTable(t, "a int")
	require.NoError(t, loadErr(ctx, s, rel, strings.NewReader("1\n")))
	hs, file, err := s.HeapScan(ctx, rel)
	require.NoError(t, err)
	require.NoError(t, loadErr(ctx, s, rel, strings.NewReader("2\n")))
	require.EqualValues(t, 1, hs.Source.NBlocks())
	require.EqualValues(t, 4, hs.Snapshot.NextXID)
	require.NoError(t, file.Close())
	require.EqualValues(t, 5, s.Snapshot().NextXID)
	var states [4]pgfile.XactStatus
	require.NoError(t, s.xacts.Statuses([]uint32{3, 4, 5, 5000}, states[:]))
	require.Equal(t, [4]pgfile.XactStatus{pgfile.XactCommitted, pgfile.XactCommitted, 0, 0}, states)
	_, err = s.xacts.Updater(5)
	require.ErrorIs(t, err, pgfile.ErrCorrupt)
}
