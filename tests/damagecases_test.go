package tests

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/pipescan/pipescan/internal/pgtest"
	"github.com/pipescan/pipescan/pgfile"
)

// scanOf runs scan on a directory without a cache.
func scanOf(t *testing.T, s *pgtest.Server, args ...string) result {
	t.Helper()
	return run(t, append([]string{"scan", "-D", s.Dir(), "--cache", "none"}, args...)...)
}

// TestMissingTransactionLog is case 23: without its page of pg_xact the fate of rows that have no hint bits is not known. The error
// names the file; skip leaves these rows out, says so, and gives the rest.
func TestMissingTransactionLog(t *testing.T) {
	eachVersion(t, func(t *testing.T, major int) {
		s := pgtest.New(t, major, pgtest.Options{})
		s.Start()
		s.SQL("postgres", "CREATE TABLE fate (a int); INSERT INTO fate VALUES (1), (2)")
		s.SQL("postgres", "VACUUM FREEZE") // catalogs and these rows need no log from now on
		s.SQL("postgres", "INSERT INTO fate VALUES (3)")
		s.Stop()
		log := filepath.Join(s.Dir(), "pg_xact", "0000")
		for _, damage := range []func() error{
			func() error { return os.Truncate(log, 0) },
			func() error { return os.Remove(log) },
		} {
			require.NoError(t, damage())
			r := scanOf(t, s, "fate")
			require.Equal(t, exitCorrupt, r.code, "%s", r.stderr)
			require.Contains(t, string(r.stderr), "pg_xact/0000")
			require.Contains(t, string(r.stderr), "read only 0 of 8192 bytes")
			r = scanOf(t, s, "--on-corruption", "skip", "fate")
			require.Equal(t, exitLosses, r.code, "%s", r.stderr)
			require.Equal(t, "1\n2\n", string(r.stdout))
			require.Contains(t, string(r.stderr), "unknown visibility")
			require.Contains(t, string(r.stderr), "line pointer 3")
		}
	})
}

// TestShiftedFile is part of case 21: six bytes too many in front of a page make it and all that follow unreadable, and are found
// with checksums and without.
func TestShiftedFile(t *testing.T) {
	for _, checksums := range []bool{true, false} {
		s := pgtest.New(t, 15, pgtest.Options{Checksums: checksums})
		s.Start()
		s.SQL("postgres", "CREATE TABLE shifted AS SELECT i AS a FROM generate_series(1, 1000) i")
		file := filepath.Join(s.Dir(), s.QueryValue("postgres", "SELECT pg_relation_filepath('shifted')"))
		s.Stop()
		b := fileBytes(t, file)
		const at = pgfile.PageSize
		shifted := append(append(append([]byte(nil), b[:at]...), "six by"...), b[at:]...)
		require.NoError(t, os.WriteFile(file, shifted, 0o600))
		r := scanOf(t, s, "shifted")
		require.Equal(t, exitCorrupt, r.code, "%s", r.stderr)
		r = scanOf(t, s, "--on-corruption", "skip", "shifted")
		require.Equal(t, exitLosses, r.code, "%s", r.stderr)
		require.True(t, strings.HasPrefix(string(r.stdout), "1\n2\n3\n"), "the first page is whole")
		require.Contains(t, string(r.stderr), "block 1")
	}
}

// TestChecksumsPastOneSegment is part of case 21: in the file .1 a page's checksum counts blocks from the start of the fork, not of the
// file; and pages of zeros, which make up the first segment here, are fine.
func TestChecksumsPastOneSegment(t *testing.T) {
	s := pgtest.New(t, 15, pgtest.Options{Checksums: true})
	s.Start()
	s.SQL("postgres", "CREATE TABLE far AS SELECT i AS a FROM generate_series(1, 3) i; CHECKPOINT")
	file := filepath.Join(s.Dir(), s.QueryValue("postgres", "SELECT pg_relation_filepath('far')"))
	s.Stop()
	page := pgfile.Page(fileBytes(t, file))
	require.Len(t, page, pgfile.PageSize)
	require.NoError(t, os.Truncate(file, 0))
	require.NoError(t, os.Truncate(file, pgfile.BlocksPerSegment*pgfile.PageSize)) // a hole: zeros
	for _, block := range []uint32{pgfile.BlocksPerSegment, 0} {
		sum := pgfile.PageChecksum(page, block)
		page[8], page[9] = byte(sum), byte(sum>>8)
		require.NoError(t, os.WriteFile(file+".1", page, 0o644))
		r := scanOf(t, s, "far")
		if block != 0 {
			require.Zero(t, r.code, "%s", r.stderr)
			require.Equal(t, "1\n2\n3\n", string(r.stdout))
			continue
		}
		require.Equal(t, exitCorrupt, r.code, "%s", r.stderr)
		for _, say := range []string{filepath.Base(file) + ".1", "block 131072", "checksum"} {
			require.Contains(t, string(r.stderr), say)
		}
	}
}

// TestInfinities is case 12: infinite dates and timestamps in each format.
func TestInfinities(t *testing.T) {
	eachVersion(t, func(t *testing.T, major int) {
		s := pgtest.New(t, major, pgtest.Options{})
		s.Start()
		s.SQL("postgres", `CREATE TABLE inf (a date, b timestamp, c timestamptz);
			INSERT INTO inf VALUES ('infinity', 'infinity', 'infinity'), ('-infinity', '-infinity', '-infinity'), (NULL, NULL, NULL), ('4713-01-01 BC', '0044-03-15 12:00 BC', '2020-01-01 00:00:00.5+00')`)
		o := s.Oracle("postgres")
		plain := string(o.Copy("inf"))
		csv := string(s.CopyOut("postgres", "COPY inf TO STDOUT (FORMAT csv)"))
		json := s.Query("postgres", "SELECT row_to_json(inf)::text FROM inf")
		o.Close()
		s.Stop()
		require.Equal(t, plain, string(scanOf(t, s, "inf").stdout))
		require.Equal(t, csv, string(scanOf(t, s, "--format", "csv", "inf").stdout))
		lines := strings.Split(strings.TrimSuffix(string(scanOf(t, s, "--format", "jsonl", "inf").stdout), "\n"), "\n")
		require.Len(t, lines, len(json))
		for i := range json {
			require.Equal(t, *json[i][0], lines[i])
		}
	})
}
