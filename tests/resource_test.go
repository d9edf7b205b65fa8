package tests

import (
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/pipescan/pipescan"
	"github.com/pipescan/pipescan/internal/pgtest"
)

// multiply makes a stopped cluster's table n times as long by repeating its pages, into further segments where it needs them. No
// checksums, no indexes, no TOAST: then nothing in a page says where it lies but each row's pointer to itself, which no scan follows.
func multiply(t *testing.T, file string, n int) int64 {
	t.Helper()
	const segment = 1 << 30
	once := fileBytes(t, file)
	require.Zero(t, len(once)%pageSize)
	all := int64(len(once)) * int64(n)
	var f *os.File
	for at := int64(0); at < all; {
		if at%segment == 0 {
			name := file
			if at > 0 {
				require.NoError(t, f.Close())
				name += "." + string(rune('0'+at/segment))
			}
			var err error
			f, err = os.OpenFile(name, os.O_CREATE|os.O_RDWR|os.O_TRUNC, 0o644)
			require.NoError(t, err)
		}
		from := at % int64(len(once))
		size := min(int64(len(once))-from, segment-at%segment, all-at)
		_, err := f.Write(once[from : from+size])
		require.NoError(t, err)
		at += size
	}
	require.NoError(t, f.Close())
	return all
}

// TestMemoryOfALargeTable scans and dumps a table of 2 GB in less than 200 MB.
func TestMemoryOfALargeTable(t *testing.T) {
	const (
		repeats = 35
		limitKB = 200 << 10
	)
	s := pgtest.New(t, 15, pgtest.Options{})
	s.Start()
	s.SQL("postgres", "CREATE TABLE large AS SELECT i AS a, repeat('x', 900) AS b, i * 1.5 AS c FROM generate_series(1, 60000) i; VACUUM FREEZE large")
	file := filepath.Join(s.Dir(), s.QueryValue("postgres", "SELECT pg_relation_filepath('large')"))
	once := s.OracleCopy("postgres", "large")
	s.Stop()
	size := multiply(t, file, repeats)
	require.Greater(t, size, int64(2000<<20))
	null, out := os.DevNull, t.TempDir()
	r := runOK(t, "scan", "-D", s.Dir(), "--cache", "none", "-o", null, "large")
	require.Less(t, r.peakKB, int64(limitKB), "scan")
	r = runOK(t, "dump", "-D", s.Dir(), "--cache", "none", "-t", "large", "-o", out)
	require.Less(t, r.peakKB, int64(limitKB), "dump")
	f, err := os.Open(filepath.Join(out, "public.large.copy"))
	require.NoError(t, err)
	defer f.Close()
	got := make([]byte, len(once))
	for i := range repeats {
		_, err := io.ReadFull(f, got)
		require.NoError(t, err)
		require.True(t, bytes.Equal(once, got), "repetition %d", i)
	}
}

// TestCountIsFast counts 10 million rows of one int4 by a library call, on one lane, in a third of the server's time or less.
func TestCountIsFast(t *testing.T) {
	s := pgtest.New(t, 15, pgtest.Options{Conf: map[string]string{"shared_buffers": "600MB"}})
	s.Start()
	s.SQL("postgres", "CREATE TABLE ints (a int4); INSERT INTO ints SELECT generate_series(1, 1000000); VACUUM FREEZE ints")
	file := filepath.Join(s.Dir(), s.QueryValue("postgres", "SELECT pg_relation_filepath('ints')"))
	s.Stop()
	multiply(t, file, 10)
	require.NoError(t, os.Remove(file+"_vm"))

	judge := s.Clone(t)
	judge.Start()
	c := judge.Conn("postgres")
	judge.RunOn(c, "SET max_parallel_workers_per_gather = 0")
	server := fastest(func() {
		require.Equal(t, "10000000", *judge.QueryOn(c, "SELECT count(*) FROM ints")[0][0])
	})
	judge.Stop()

	ctx := context.Background()
	db, err := pipescan.Open(ctx, s.Dir(), pipescan.Options{Database: "postgres", CacheDir: "none"})
	require.NoError(t, err)
	defer db.Close()
	table, err := db.Table(ctx, "ints")
	require.NoError(t, err)
	ours := fastest(func() {
		n, err := table.Count(ctx, pipescan.Request{Lanes: 1})
		require.NoError(t, err)
		require.EqualValues(t, 10000000, n)
	})
	t.Logf("server %v, pipescan %v: %.1f times as fast", server, ours, float64(server)/float64(ours))
	require.Less(t, 3*ours, server)
}

// fastest returns the shortest of several runs: the one that other work on the machine disturbed least.
func fastest(f func()) time.Duration {
	best := time.Hour
	for range 5 {
		start := time.Now()
		f()
		best = min(best, time.Since(start))
	}
	return best
}
