package tests

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/pipescan/pipescan/internal/pgtest"
)

const (
	exitNotFound    = 3
	exitNoCluster   = 4
	exitRunning     = 5
	exitUnclean     = 6
	exitCorrupt     = 7
	exitLosses      = 8
	exitFailed      = 9
	exitUnsupported = 10
)

// TestKilledAfterCheckpoint stops a server dead right after a checkpoint, with transactions under way whose rows reached the disk: they
// count as aborted, and unlogged tables are empty, as for the server that starts on a copy.
func TestKilledAfterCheckpoint(t *testing.T) {
	eachVersion(t, func(t *testing.T, major int) {
		s := pgtest.New(t, major, pgtest.Options{})
		s.Start()
		s.SQL("postgres", "CREATE DATABASE shapes; CREATE DATABASE visibility")
		runFixtures(t, s, "shapes", "shapes")
		fillVisibility(t, s, "visibility")
		s.SQL("visibility", "CREATE TABLE underway (a int); INSERT INTO underway SELECT generate_series(1, 50)")
		a, b := s.Conn("visibility"), s.Conn("visibility")
		s.RunOn(a, `BEGIN; INSERT INTO underway VALUES (100); DELETE FROM underway WHERE a = 1; SAVEPOINT s; UPDATE underway SET a = 200 WHERE a = 2; RELEASE s;
			CREATE TABLE never_was (a int); INSERT INTO never_was VALUES (1); ALTER TABLE base ADD COLUMN never int DEFAULT 7; DROP TABLE half`)
		s.RunOn(b, "BEGIN; SELECT * FROM underway WHERE a = 3 FOR SHARE; CREATE TEMP TABLE mine (a int); INSERT INTO mine VALUES (1)")
		s.SQL("postgres", "CHECKPOINT")
		s.AllowTemplate0()
		s.SQL("postgres", "CHECKPOINT")
		s.Kill()

		refused := run(t, "dump", "-D", s.Dir(), "--cache", "none", "--all-databases", "-o", t.TempDir())
		require.Equal(t, exitUnclean, refused.code, "%s", refused.stderr)
		require.Contains(t, string(refused.stderr), "--allow-unclean")
		out := t.TempDir()
		r := run(t, "dump", "-D", s.Dir(), "--cache", t.TempDir(), "--allow-unclean", "--catalogs", "--all-databases", "-o", out)
		if r.code != 0 {
			t.Errorf("dump: exit %d\n%s", r.code, tail(r.stderr))
		}
		require.NotEmpty(t, r.stderr, "an unclean cluster was read without a warning")
		judge := s.Clone(t)
		judge.Start()
		compareDump(t, out, judge)
	})
}

// TestCommitsInTheWALOnly: rows committed after the last checkpoint may be missing from the files, so the answer is a refusal, and
// with --allow-unclean a warning that says what may be missing.
func TestCommitsInTheWALOnly(t *testing.T) {
	eachVersion(t, func(t *testing.T, major int) {
		s := pgtest.New(t, major, pgtest.Options{})
		s.Start()
		s.SQL("postgres", "CREATE TABLE t (a int); CHECKPOINT; INSERT INTO t SELECT generate_series(1, 1000)")
		s.Kill()
		r := run(t, "scan", "-D", s.Dir(), "--cache", "none", "t")
		require.Equal(t, exitUnclean, r.code, "%s", r.stderr)
		require.Empty(t, r.stdout)
		r = run(t, "scan", "-D", s.Dir(), "--cache", "none", "--allow-unclean", "t")
		require.Contains(t, string(r.stderr), "checkpoint")
		doctor := run(t, "doctor", "-D", s.Dir(), "--cache", "none")
		require.Contains(t, string(doctor.stdout), "--allow-unclean")
	})
}

// TestRefusals: directories that are not a cleanly stopped cluster, each with its exit code and nothing on stdout.
func TestRefusals(t *testing.T) {
	eachVersion(t, func(t *testing.T, major int) {
		s := pgtest.New(t, major, pgtest.Options{})
		s.Start()
		refuse(t, s, exitRunning)
		s.Stop()
		runOK(t, "scan", "-D", s.Dir(), "--cache", "none", "pg_catalog.pg_class")

		for _, name := range []string{"backup_label", "recovery.signal", "standby.signal"} {
			c := s.Clone(t)
			c.WriteFile(name, []byte("START WAL LOCATION: 0/2000028 (file 000000010000000000000002)\n"))
			refuse(t, c, exitUnclean)
		}

		standby := s.Clone(t)
		standby.WriteFile("standby.signal", nil)
		standby.Start()
		standby.Stop()
		control, err := os.ReadFile(filepath.Join(standby.Dir(), "global", "pg_control"))
		require.NoError(t, err)
		require.EqualValues(t, 2, control[16], "the standby's state")
		require.NoError(t, os.Remove(filepath.Join(standby.Dir(), "standby.signal")))
		refuse(t, standby, exitUnclean)

		old := s.Clone(t)
		old.WriteFile("PG_VERSION", []byte("12\n"))
		refuse(t, old, exitNoCluster)
		old.WriteFile("PG_VERSION", []byte("99\n"))
		refuse(t, old, exitNoCluster)
	})
	for _, dir := range []string{t.TempDir(), filepath.Join(t.TempDir(), "nowhere")} {
		r := run(t, "databases", "-D", dir, "--cache", "none")
		require.Equal(t, exitNoCluster, r.code, "%s", r.stderr)
	}
}

func refuse(t *testing.T, s *pgtest.Server, code int) {
	t.Helper()
	for _, args := range [][]string{{"scan", "pg_catalog.pg_class"}, {"dump", "-o", t.TempDir()}, {"databases"}, {"tables"}} {
		r := run(t, append(args, "-D", s.Dir(), "--cache", "none")...)
		require.Equal(t, code, r.code, "%v: %s", args, r.stderr)
		require.Empty(t, r.stdout, "%v", args)
		require.NotEmpty(t, r.stderr, "%v", args)
	}
}
