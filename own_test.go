package pipescan_test

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/pipescan/pipescan"
	"github.com/pipescan/pipescan/table"
)

// TestLoadDuringScan: a scan of an own table sees the loads that ended before
// it began, and goes on while another one appends.
func TestLoadDuringScan(t *testing.T) {
	ctx := context.Background()
	dir := filepath.Join(t.TempDir(), "store")
	s, err := table.Create(dir)
	require.NoError(t, err)
	rel, err := s.CreateTable(ctx, "public", "t", "a int")
	require.NoError(t, err)
	_, err = s.LoadGenerated(ctx, rel, "a = series(1, 50000)", table.GenerateOptions{})
	require.NoError(t, err)
	require.NoError(t, s.Close())

	db := open(t, dir, pipescan.Options{Workers: 2})
	tab := tableOf(t, db, "t")
	for _, lanes := range []int{1, 2} {
		before, err := tab.Count(ctx, pipescan.Request{})
		require.NoError(t, err)
		scan, err := tab.Scan(ctx, pipescan.Request{Lanes: lanes, BatchPages: 1})
		require.NoError(t, err)
		rows, loaded := int64(0), false
		for b, err := range scan.Batches() {
			require.NoError(t, err)
			if !loaded {
				loaded = true
				_, err = db.Store().LoadGenerated(ctx, rel, "a = series(1, 1000)", table.GenerateOptions{Frozen: true})
				require.NoError(t, err)
			}
			rows += int64(b.Rows())
		}
		require.Equal(t, before, rows)
		after, err := tab.Count(ctx, pipescan.Request{})
		require.NoError(t, err)
		require.Equal(t, before+1000, after)
	}
	_, err = pipescan.Open(ctx, dir, pipescan.Options{})
	require.ErrorIs(t, err, pipescan.ErrInUse)
}
