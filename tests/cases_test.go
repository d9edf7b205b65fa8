package tests

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/pipescan/pipescan/internal/pgtest"
)

func fileBytes(t testing.TB, parts ...string) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(parts...))
	require.NoError(t, err)
	return b
}

// sortedLines returns a COPY text's lines in order of their bytes, for results whose order the server does not promise.
func sortedLines(b []byte) []string {
	out := strings.SplitAfter(string(b), "\n")
	slices.Sort(out)
	return out
}

// TestParentsByName: a partitioned table and an inheritance tree by their parent's name, and ONLY beside it.
func TestParentsByName(t *testing.T) {
	eachVersion(t, func(t *testing.T, major int) {
		s := pgtest.New(t, major, pgtest.Options{})
		s.Start()
		runFixtures(t, s, "postgres", "shapes")
		s.Stop()
		judge := s.Clone(t)
		judge.Start()
		scan := func(args ...string) []byte {
			return runOK(t, append([]string{"scan", "-D", s.Dir(), "--cache", "none"}, args...)...).stdout
		}
		for _, rel := range []string{"parent", "child1", "pr", "pr_2021", "ph", "other_parent"} {
			want := judge.CopyOut("postgres", "COPY (SELECT * FROM "+rel+") TO STDOUT")
			require.NotEmpty(t, want)
			require.Equal(t, sortedLines(want), sortedLines(scan(rel)), rel)
		}
		for _, rel := range []string{"parent", "child1"} {
			want := judge.CopyOut("postgres", "COPY (SELECT * FROM ONLY "+rel+") TO STDOUT")
			require.Equal(t, string(want), string(scan("ONLY", rel)), rel)
			require.Equal(t, string(want), string(scan("--only", rel)), rel)
		}
		require.Empty(t, scan("ONLY", "pr"))
		want := judge.CopyOut("postgres", "COPY (SELECT note, id FROM pr) TO STDOUT")
		require.Equal(t, sortedLines(want), sortedLines(scan("--columns", "note,id", "pr")))
	})
}

// TestScanFlags: order, limit and offset against the server's rows.
func TestScanFlags(t *testing.T) {
	eachVersion(t, func(t *testing.T, major int) {
		s := pgtest.New(t, major, pgtest.Options{})
		s.Start()
		s.SQL("postgres", "CREATE TABLE t AS SELECT i AS a, repeat('x', i % 400) AS b FROM generate_series(1, 5000) i; DELETE FROM t WHERE a % 3 = 0")
		want := lines(s.OracleCopy("postgres", "t"))
		s.Stop()
		scan := func(args ...string) [][]byte {
			return lines(runOK(t, append([]string{"scan", "-D", s.Dir(), "--cache", "none", "t"}, args...)...).stdout)
		}
		for _, workers := range []string{"1", "2", "5"} {
			require.Equal(t, want, scan("--workers", workers))
			require.Equal(t, want[:10], scan("--workers", workers, "--limit", "10"))
			require.Equal(t, want[7:1007], scan("--workers", workers, "--limit", "1000", "--offset", "7"))
			require.Empty(t, scan("--workers", workers, "--limit", "0"))
			require.Empty(t, scan("--workers", workers, "--offset", "100000"))
			backward := scan("--workers", workers, "--order", "backward")
			slices.Reverse(backward)
			require.Equal(t, want, backward)
		}
	})
}

// TestDeadRows: what was deleted and not yet vacuumed can be listed, with who made and who deleted it.
func TestDeadRows(t *testing.T) {
	eachVersion(t, func(t *testing.T, major int) {
		s := pgtest.New(t, major, pgtest.Options{})
		s.Start()
		s.SQL("postgres", "CREATE TABLE half (a int, b text); INSERT INTO half SELECT i, 'row ' || i FROM generate_series(1, 400) i")
		rows := s.Query("postgres", "SELECT ctid, xmin, a, b FROM half")
		c := s.Conn("postgres")
		s.RunOn(c, "BEGIN")
		xid := *s.QueryOn(c, "SELECT txid_current()")[0][0]
		s.RunOn(c, "DELETE FROM half WHERE a % 2 = 1; COMMIT")
		s.SQL("postgres", "BEGIN; INSERT INTO half VALUES (-1, 'aborted'); ROLLBACK")
		s.Stop()
		var want strings.Builder
		for i, r := range rows {
			if i%2 == 0 {
				fmt.Fprintf(&want, "%s\t%s\t%s\t%s\t%s\n", *r[0], *r[1], xid, *r[2], *r[3])
			}
		}
		got := runOK(t, "scan", "-D", s.Dir(), "--cache", "none", "--rows", "dead", "half").stdout
		aborted := lines(got)[len(lines(got))-1]
		require.True(t, bytes.HasSuffix(aborted, []byte("\t0\t-1\taborted")), "%s", aborted)
		require.Equal(t, want.String(), string(bytes.TrimSuffix(got, append(aborted, '\n'))))
		all := runOK(t, "scan", "-D", s.Dir(), "--cache", "none", "--rows", "all", "half").stdout
		require.Len(t, lines(all), 401)
	})
}

// TestOneTableWithoutTheRest: no pg_wal, no other database's files; one table is wanted and comes.
func TestOneTableWithoutTheRest(t *testing.T) {
	eachVersion(t, func(t *testing.T, major int) {
		s := pgtest.New(t, major, pgtest.Options{})
		s.Start()
		s.SQL("postgres", "CREATE TABLE wanted AS SELECT i AS a FROM generate_series(1, 1000) i")
		want := s.OracleCopy("postgres", "wanted")
		s.Stop()
		for _, gone := range []string{"pg_wal", "pg_stat", "pg_logical", "pg_replslot", "pg_commit_ts", "pg_subtrans", "base/1", "postmaster.opts", "pg_notify", "pg_serial", "pg_snapshots", "pg_dynshmem", "postgresql.conf"} {
			require.NoError(t, os.RemoveAll(filepath.Join(s.Dir(), gone)))
		}
		got := runOK(t, "scan", "-D", s.Dir(), "--cache", "none", "wanted").stdout
		require.Equal(t, string(want), string(got))
	})
}

// TestUnsupportedTypes: a type pipescan cannot print yet is an error that names type and column, at its first value that is not
// null; the rest of a dump goes on.
func TestUnsupportedTypes(t *testing.T) {
	eachVersion(t, func(t *testing.T, major int) {
		s := pgtest.New(t, major, pgtest.Options{})
		s.Start()
		s.SQL("postgres", `CREATE EXTENSION cube;
			CREATE TABLE geo (a int, place cube); INSERT INTO geo VALUES (1, NULL), (2, '(1,2)');
			CREATE TABLE geo_null (a int, place cube); INSERT INTO geo_null VALUES (1, NULL);
			CREATE TABLE fine (a int); INSERT INTO fine VALUES (1)`)
		if major >= 18 {
			s.SQL("postgres", "CREATE TABLE virt (a int, twice int GENERATED ALWAYS AS (a * 2)); INSERT INTO virt VALUES (1)")
		}
		s.Stop()
		r := run(t, "scan", "-D", s.Dir(), "--cache", "none", "geo")
		require.Equal(t, exitUnsupported, r.code, "%s", r.stderr)
		require.Contains(t, string(r.stderr), "cube")
		require.Contains(t, string(r.stderr), "place")
		require.Equal(t, "1\t\\N\n", string(runOK(t, "scan", "-D", s.Dir(), "--cache", "none", "geo_null").stdout))
		out := t.TempDir()
		r = run(t, "dump", "-D", s.Dir(), "--cache", "none", "-o", out)
		require.Equal(t, exitFailed, r.code, "%s", r.stderr)
		got := readManifest(t, out)["postgres"]
		require.Equal(t, "1\n", string(got["public.fine"].raw))
		require.Contains(t, got["public.geo"].Error, "cube")
		if major >= 18 {
			require.Equal(t, "1\n", string(got["public.virt"].raw))
			require.Contains(t, string(r.stderr), "twice")
			virtualColumns(t, s.Dir())
		}
	})
}

// virtualColumns: the values of virtual generated columns are not stored; they are left out with a warning, NULL, or an error, as asked.
func virtualColumns(t *testing.T, dir string) {
	t.Helper()
	r := runOK(t, "scan", "-D", dir, "--cache", "none", "virt")
	require.Equal(t, "1\n", string(r.stdout))
	require.Contains(t, string(r.stderr), "twice")
	require.Equal(t, "1\t\\N\n", string(runOK(t, "scan", "-D", dir, "--cache", "none", "--virtual-columns", "null", "virt").stdout))
	for _, args := range [][]string{{"--virtual-columns", "error"}, {"--columns", "twice"}} {
		r := run(t, append([]string{"scan", "-D", dir, "--cache", "none", "virt"}, args...)...)
		require.Equal(t, exitUnsupported, r.code, "%s", r.stderr)
		require.Contains(t, string(r.stderr), "twice")
	}
}

// TestNoSuchThing: names that are not there get the exit code for it and the nearest names.
func TestNoSuchThing(t *testing.T) {
	s := pgtest.New(t, pgtest.Versions()[0], pgtest.Options{})
	s.Start()
	s.SQL("postgres", "CREATE TABLE customers (a int)")
	s.Stop()
	r := run(t, "scan", "-D", s.Dir(), "--cache", "none", "costumers")
	require.Equal(t, exitNotFound, r.code, "%s", r.stderr)
	require.Contains(t, string(r.stderr), "customers")
	r = run(t, "scan", "-D", s.Dir(), "--cache", "none", "-d", "postgre", "customers")
	require.Equal(t, exitNotFound, r.code, "%s", r.stderr)
	require.Contains(t, string(r.stderr), "postgres")
	r = run(t, "scan", "-D", s.Dir(), "--cache", "none", "--columns", "b", "customers")
	require.Equal(t, exitNotFound, r.code, "%s", r.stderr)
}
