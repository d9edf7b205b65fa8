package tests

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/pipescan/pipescan/internal/pgtest"
)

// agree dumps a stopped cluster with a cache that may be old and holds the dump against a server on a copy.
func agree(t *testing.T, cache string, s *pgtest.Server) {
	t.Helper()
	out := t.TempDir()
	runOK(t, "dump", "-D", s.Dir(), "--cache", cache, "--catalogs", "--all-databases", "-o", out)
	judge := s.Clone(t)
	judge.Start()
	compareDump(t, out, judge)
	judge.Stop()
}

// staleScript fills a cluster so that much about it is worth remembering: frozen pages, columns, names.
const staleScript = `CREATE TABLE t (a int, b text); INSERT INTO t SELECT i, 'row ' || i FROM generate_series(1, 500) i; VACUUM FREEZE t;
	CREATE TABLE u (a int); INSERT INTO u SELECT generate_series(1, 100)`

// TestCommitPrepared: ending a prepared transaction changes what rows are visible, and no byte of the table.
func TestCommitPrepared(t *testing.T) {
	eachVersion(t, func(t *testing.T, major int) {
		s := pgtest.New(t, major, pgtest.Options{})
		s.Start()
		s.AllowTemplate0()
		s.SQL("postgres", staleScript)
		s.SQL("postgres", `BEGIN; INSERT INTO u VALUES (1000); DELETE FROM u WHERE a = 1; CREATE TABLE made (a int); INSERT INTO made VALUES (1); PREPARE TRANSACTION 'p';
			BEGIN; INSERT INTO u VALUES (2000); DELETE FROM u WHERE a = 2; SAVEPOINT s; INSERT INTO u VALUES (2001); PREPARE TRANSACTION 'q'`)
		s.Stop()
		cache := t.TempDir()
		agree(t, cache, s)
		s.Start()
		s.SQL("postgres", "COMMIT PREPARED 'p'")
		s.Stop()
		agree(t, cache, s)
		s.Start()
		s.SQL("postgres", "ROLLBACK PREPARED 'q'")
		s.Stop()
		agree(t, cache, s)
	})
}

// TestClonesShareACache: copies of one cluster that went different ways, read in turns with one cache.
func TestClonesShareACache(t *testing.T) {
	eachVersion(t, func(t *testing.T, major int) {
		s := pgtest.New(t, major, pgtest.Options{})
		s.Start()
		s.AllowTemplate0()
		s.SQL("postgres", staleScript)
		s.Stop()
		one, two := s.Clone(t), s.Clone(t)
		for i, c := range []*pgtest.Server{one, two} {
			c.Start()
			c.SQL("postgres", []string{"INSERT INTO u VALUES (7001); ALTER TABLE t RENAME b TO bb", "INSERT INTO u VALUES (7002); ALTER TABLE t RENAME a TO aa"}[i])
			c.Stop()
		}
		cache := t.TempDir()
		for _, c := range []*pgtest.Server{s, one, two, one, s} {
			agree(t, cache, c)
		}
	})
}

// TestOlderCopyRestored: a backup written back over the cluster's own files, times included, is another state under the same names.
func TestOlderCopyRestored(t *testing.T) {
	eachVersion(t, func(t *testing.T, major int) {
		s := pgtest.New(t, major, pgtest.Options{Checksums: true})
		s.Start()
		s.AllowTemplate0()
		s.SQL("postgres", staleScript)
		s.Stop()
		backup := s.Clone(t)
		cache := t.TempDir()
		agree(t, cache, s)
		s.Start()
		s.SQL("postgres", "UPDATE t SET b = 'changed' WHERE a < 10; INSERT INTO u VALUES (9); ALTER TABLE u ADD COLUMN later text DEFAULT 'x'; VACUUM FREEZE; CREATE TABLE extra AS SELECT 1 AS a")
		s.Stop()
		agree(t, cache, s)
		later := s.Clone(t)
		s.Restore(backup)
		require.Equal(t, fileBytes(t, backup.Dir(), "global/pg_control"), fileBytes(t, s.Dir(), "global/pg_control"))
		agree(t, cache, s)
		s.Restore(later)
		agree(t, cache, s)
	})
}
