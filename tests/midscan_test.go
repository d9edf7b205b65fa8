package tests

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/pipescan/pipescan"
	"github.com/pipescan/pipescan/internal/pgtest"
)

// TestTruncatedInMidScan takes a file away under a scan that has it mapped: an error, not a fault signal, and not a short answer.
func TestTruncatedInMidScan(t *testing.T) {
	eachVersion(t, func(t *testing.T, major int) {
		s := pgtest.New(t, major, pgtest.Options{})
		s.Start()
		s.SQL("postgres", "CREATE TABLE t AS SELECT i, repeat('x', 500) AS b FROM generate_series(1, 60000) i")
		file := filepath.Join(s.Dir(), s.QueryValue("postgres", "SELECT pg_relation_filepath('t')"))
		s.Stop()
		ctx := context.Background()
		db, err := pipescan.Open(ctx, s.Dir(), pipescan.Options{Database: "postgres", CacheDir: "none"})
		require.NoError(t, err)
		defer db.Close()
		table, err := db.Table(ctx, "t")
		require.NoError(t, err)
		for _, lanes := range []int{1, 2} {
			sound := fileBytes(t, file)
			scan, err := table.Scan(ctx, pipescan.Request{Lanes: lanes, BatchPages: 4})
			require.NoError(t, err)
			var failed error
			batches := 0
			for _, err := range scan.Batches() {
				if err != nil {
					failed = err
					break
				}
				if batches++; batches == 3 {
					require.NoError(t, os.Truncate(file, 40*pageSize))
				}
			}
			require.Error(t, failed, "%d lanes: %d batches and no error", lanes, batches)
			typed := errors.Is(failed, pipescan.ErrCorrupt) || errors.Is(failed, pipescan.ErrChanged)
			require.True(t, typed, "%v", failed)
			require.NoError(t, os.WriteFile(file, sound, 0o600))
		}
	})
}
