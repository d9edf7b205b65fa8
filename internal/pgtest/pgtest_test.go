package pgtest_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/pipescan/pipescan/internal/pgtest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// eachVersion runs f against each version as a parallel subtest.
func eachVersion(t *testing.T, f func(t *testing.T, major int)) {
	for _, major := range pgtest.Versions() {
		t.Run(fmt.Sprint(major), func(t *testing.T) {
			t.Parallel()
			f(t, major)
		})
	}
}

// controlState reads the cluster state of pg_control: 1 is shut down, 2 shut down in recovery, 6 in production.
func controlState(t *testing.T, dir string) byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(dir, "global", "pg_control"))
	require.NoError(t, err)
	return b[16]
}

func TestServerLife(t *testing.T) {
	eachVersion(t, func(t *testing.T, major int) {
		s := pgtest.New(t, major, pgtest.Options{Checksums: true, Conf: map[string]string{"work_mem": "'2MB'"}})
		require.False(t, s.Running())
		require.EqualValues(t, 1, controlState(t, s.Dir()))
		version, err := os.ReadFile(filepath.Join(s.Dir(), "PG_VERSION"))
		require.NoError(t, err)
		require.Equal(t, fmt.Sprint(major), strings.TrimSpace(string(version)))

		s.Start()
		require.True(t, s.Running())
		require.Equal(t, "on", s.QueryValue("postgres", "SHOW data_checksums"))
		require.Equal(t, "2MB", s.QueryValue("postgres", "SHOW work_mem"))
		require.Equal(t, "C", s.QueryValue("postgres", "SELECT datcollate FROM pg_database WHERE datname = 'postgres'"))
		s.SQL("postgres", `
			CREATE DATABASE d;
			CREATE TABLE t (a int, b text);
			INSERT INTO t VALUES (1, 'x;y'), (2, NULL);
			VACUUM t;
			BEGIN; DELETE FROM t WHERE a = 1; ROLLBACK;`)
		require.Equal(t, "1\tx;y\n2\t\\N\n", string(s.CopyOut("postgres", "COPY t TO STDOUT")))
		rows := s.Query("postgres", "SELECT b FROM t ORDER BY a")
		require.Len(t, rows, 2)
		require.Equal(t, "x;y", *rows[0][0])
		require.Nil(t, rows[1][0])
		s.Stop()
		require.EqualValues(t, 1, controlState(t, s.Dir()))

		s.Start()
		s.SQL("d", "CREATE TABLE u AS SELECT 7 AS a")
		s.Kill()
		require.EqualValues(t, 6, controlState(t, s.Dir()))
		s.Start()
		require.Equal(t, "7", s.QueryValue("d", "SELECT a FROM u"))
	})
}

func TestCloneIsApart(t *testing.T) {
	eachVersion(t, func(t *testing.T, major int) {
		s := pgtest.New(t, major, pgtest.Options{})
		ts := s.TablespaceDir("elsewhere")
		s.Start()
		require.Equal(t, "off", s.QueryValue("postgres", "SHOW data_checksums"))
		s.SQL("postgres", "CREATE TABLESPACE elsewhere LOCATION '"+ts+"'")
		s.SQL("postgres", "CREATE TABLE t TABLESPACE elsewhere AS SELECT 1 AS a")
		s.AllowTemplate0()
		s.Stop()

		c := s.Clone(t)
		c.Start()
		c.SQL("postgres", "INSERT INTO t VALUES (2)")
		require.Equal(t, "1\n2\n", string(c.OracleCopy("postgres", "public.t")))
		require.NotEmpty(t, c.OracleCopy("template0", "pg_catalog.pg_class"))
		c.Stop()

		s.Start()
		require.Equal(t, "1\n", string(s.OracleCopy("postgres", "public.t")))
	})
}

func TestConcurrentSessions(t *testing.T) {
	s := pgtest.New(t, pgtest.Versions()[0], pgtest.Options{})
	s.Start()
	a, b := s.Conn("postgres"), s.Conn("postgres")
	s.RunOn(a, "CREATE TABLE t (a int); BEGIN; INSERT INTO t VALUES (1)")
	require.Empty(t, s.QueryOn(b, "SELECT * FROM t"))
	s.RunOn(a, "COMMIT")
	require.Len(t, s.QueryOn(b, "SELECT * FROM t"), 1)
}

func TestOracleSettings(t *testing.T) {
	s := pgtest.New(t, pgtest.Versions()[0], pgtest.Options{Encoding: "LATIN1"})
	s.Start()
	o := s.Oracle("postgres")
	require.Equal(t, "LATIN1", *o.Query("SHOW client_encoding")[0][0])
	require.Equal(t, "off", *o.Query("SHOW enable_indexonlyscan")[0][0])
	s.SQL("postgres", "CREATE TABLE \"Ü t\" AS SELECT chr(228) AS a; CREATE SEQUENCE q START 5")
	require.Equal(t, "\xe4\n", string(s.OracleCopy("postgres", `"Ü t"`)))
	require.Equal(t, "5\t0\tf\n", string(o.Copy("q")))
	_, err := o.CopyErr("nowhere")
	require.ErrorContains(t, err, "nowhere")
}

func TestFreshClustersDiffer(t *testing.T) {
	major := pgtest.Versions()[0]
	id := func(o pgtest.Options) string {
		b, err := os.ReadFile(filepath.Join(pgtest.New(t, major, o).Dir(), "global", "pg_control"))
		require.NoError(t, err)
		return string(b[:8])
	}
	kept := id(pgtest.Options{})
	require.Equal(t, kept, id(pgtest.Options{}))
	require.NotEqual(t, kept, id(pgtest.Options{Fresh: true}))
}

func TestFetchUnknownVersion(t *testing.T) {
	_, err := pgtest.Fetch(context.Background(), 12)
	require.ErrorContains(t, err, "PostgreSQL 12")
}

func TestVersionsCanBeNarrowed(t *testing.T) {
	for env, want := range map[string][]int{"": {13, 14, 15, 16, 17, 18}, "18, 15": {15, 18}, "9.6": {13, 14, 15, 16, 17, 18}} {
		t.Setenv("PIPESCAN_TEST_VERSIONS", env)
		require.Equal(t, want, pgtest.Versions(), "%q", env)
	}
}
