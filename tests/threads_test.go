package tests

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/pipescan/pipescan/internal/pgtest"
)

// threadTables are the tables of the three mail threads that pipescan grew out of, with fewer rows, and their columns.
var threadTables = []struct{ name, columns, script string }{
	{"t", "a int", "create table t as select a from generate_series(1,100000)a;"},
	{"a", "a int", "create table a (a int); insert into a select x from generate_series(1,100000)x; VACUUM FREEZE a;"},
	{"pgbench_accounts", "aid int NOT NULL, bid int, abalance int, filler char(84)", `create table pgbench_accounts (aid int NOT NULL PRIMARY KEY, bid int, abalance int, filler char(84));
		insert into pgbench_accounts select i, 1 + i / 100000, 0, '' from generate_series(1, 50000) i;`},
	{"hf", "a int", `CREATE TABLE hf (a int) WITH (autovacuum_enabled = off);
		INSERT INTO hf SELECT g FROM generate_series(1, 1000) g;
		CREATE INDEX hf_a_idx ON hf (a);
		VACUUM (ANALYZE) hf;
		UPDATE hf SET a = a + 1000; -- never HOT`},
}

// threadQueries are the threads' queries as they stand there, :aid, :lo filled in.
var threadQueries = []string{
	"select * from t where a = 0;",
	"select count(*) from t;",
	"select * from a where a = 0;",
	"select count(*) from a;",
	"SELECT aid FROM pgbench_accounts WHERE aid = 4711",
	"SELECT count(*) FROM pgbench_accounts\nWHERE aid BETWEEN 20000 AND 20000 + 9999",
	"SELECT count(*) FROM hf;",
}

// TestThreadQueries asks the threads' queries of a cluster and of a store of own tables with the same rows: both answer as the server.
func TestThreadQueries(t *testing.T) {
	for _, major := range queryVersions() {
		s := pgtest.New(t, major, pgtest.Options{})
		s.Start()
		for _, table := range threadTables {
			for _, statement := range pgtest.SplitSQL(table.script) {
				s.SQL("postgres", statement)
			}
		}
		own := filepath.Join(t.TempDir(), "own")
		rows := filepath.Join(t.TempDir(), "rows")
		for _, table := range threadTables {
			require.NoError(t, os.WriteFile(rows, s.CopyOut("postgres", "COPY "+table.name+" TO STDOUT"), 0o600))
			runOK(t, "create", "-D", own, table.name, table.columns)
			runOK(t, "load", "-D", own, table.name, rows)
		}
		var want []string
		for _, q := range threadQueries {
			want = append(want, string(s.CopyOut("postgres", "COPY ("+trimStatement(q)+") TO STDOUT")))
		}
		s.Stop()
		for i, q := range threadQueries {
			for _, dir := range []string{s.Dir(), own} {
				require.Equal(t, want[i], string(runOK(t, "query", "-D", dir, "--cache", "none", q).stdout), "version %d: %s: %s", major, dir, q)
				plan := string(runOK(t, "explain", "-D", dir, "--cache", "none", "--analyze", q).stdout)
				require.Contains(t, plan, "Seq Scan on public.", "version %d: %s", major, q)
			}
		}
	}
}

// trimStatement takes the semicolon off a statement.
func trimStatement(q string) string {
	if n := len(q); n > 0 && q[n-1] == ';' {
		return q[:n-1]
	}
	return q
}
