package pipescan_test

import (
	"context"
	"encoding/json"
	"regexp"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"
	"github.com/stretchr/testify/require"

	"github.com/pipescan/pipescan"
	"github.com/pipescan/pipescan/internal/pgtest"
	"github.com/pipescan/pipescan/sqlfront"
)

// explainTables are what the plans of testdata/explain are over.
const explainTables = `
	CREATE TABLE t (a int, b text COLLATE "C", f float8, n numeric);
	INSERT INTO t SELECT i, 'b' || i % 7, i / 4.0, CASE WHEN i % 5 > 0 THEN i END FROM generate_series(1, 10000) i;
	DELETE FROM t WHERE a % 10 = 0;
	CREATE TABLE p (a int, b text) PARTITION BY LIST (a);
	CREATE TABLE p1 PARTITION OF p FOR VALUES IN (1);
	CREATE TABLE p2 PARTITION OF p FOR VALUES IN (2);
	INSERT INTO p SELECT 1 + i % 2, i FROM generate_series(1, 100) i;`

// planOf plans SQL text with one lane or as many as asked for.
func planOf(t *testing.T, db *pipescan.DB, sql string, lanes int) *pipescan.Plan {
	t.Helper()
	q, err := sqlfront.Parse(sql)
	require.NoError(t, err, sql)
	table, r, err := q.Bind(context.Background(), db)
	require.NoError(t, err, sql)
	r.Lanes = lanes
	plan, err := table.Plan(context.Background(), r)
	require.NoError(t, err, sql)
	return plan
}

// ran runs a plan to its end.
func ran(t *testing.T, p *pipescan.Plan) *pipescan.Scan {
	t.Helper()
	scan := p.Run(context.Background())
	for _, err := range scan.Batches() {
		require.NoError(t, err)
	}
	return scan
}

// TestExplain compares plans, and the figures of runs on one lane, with
// testdata/explain; -rewrite writes it anew.
func TestExplain(t *testing.T) {
	s := pgtest.New(t, 15, pgtest.Options{})
	s.Start()
	s.SQL("postgres", explainTables)
	s.Stop()
	db := open(t, s.Dir(), pipescan.Options{Workers: 2})
	bytes := regexp.MustCompile(`\d+ reads of \d+ bytes`) // nothing was in memory, or all
	datadriven.RunTest(t, "testdata/explain", func(t *testing.T, d *datadriven.TestData) string {
		lanes := 1
		if d.HasArg("lanes") {
			d.ScanArgs(t, "lanes", &lanes)
		}
		plan := planOf(t, db, d.Input, lanes)
		switch d.Cmd {
		case "plan":
			return plan.Explain()
		case "analyze":
			text := ran(t, plan).Tree().Text(pipescan.ExplainOptions{NoTimes: true, IO: d.HasArg("io")})
			return bytes.ReplaceAllString(text, "... reads of ... bytes")
		case "json":
			out, err := json.MarshalIndent(plan.Tree(), "", "  ")
			require.NoError(t, err)
			return string(out) + "\n"
		}
		t.Fatalf("what is %s?", d.Cmd)
		return ""
	})
	t.Run("figures", func(t *testing.T) { testFigures(t, db) })
}

// testFigures wants the rows of each step to add up with its neighbours', and
// the times with the whole.
func testFigures(t *testing.T, db *pipescan.DB) {
	for _, c := range []struct {
		sql     string
		removed int64 // by Filter, as EXPLAIN ANALYZE of a server counts
		scanned int64
	}{
		{"SELECT a FROM t WHERE a < 100", 8910, 90},
		{"SELECT a + 1 FROM t WHERE b = 'b3' ORDER BY f DESC", -1, -1},
		{"SELECT b, count(*), avg(f) FROM t WHERE n IS NULL GROUP BY b HAVING count(*) > 100 ORDER BY 2 LIMIT 3", 8000, 1000},
		{"SELECT count(*) FROM t", 0, 9000},
		{"SELECT sum(a) FROM t WHERE a % 2 = 1", 4000, 5000},
	} {
		for _, lanes := range []int{1, 2} {
			for _, topology := range []pipescan.Topology{pipescan.Fused, pipescan.Actors, pipescan.Pulled} {
				q, err := sqlfront.Parse(c.sql)
				require.NoError(t, err)
				table, r, err := q.Bind(context.Background(), db)
				require.NoError(t, err)
				r.Lanes, r.Topology = lanes, topology
				plan, err := table.Plan(context.Background(), r)
				require.NoError(t, err)
				scan := ran(t, plan)
				checkFigures(t, c.sql, scan, lanes)
				if c.removed >= 0 {
					leaf := leafOf(scan.Tree())
					require.Equal(t, c.scanned, leaf.Actual.Rows, c.sql)
					if leaf.Filter != "" {
						require.Equal(t, c.removed, *leaf.Actual.RowsRemovedByFilter, c.sql)
					}
				}
			}
		}
	}
}

func leafOf(n *pipescan.ExplainNode) *pipescan.ExplainNode {
	for len(n.Plans) > 0 {
		n = n.Plans[0]
	}
	return n
}

// checkFigures looks at one run.
func checkFigures(t *testing.T, sql string, scan *pipescan.Scan, lanes int) {
	t.Helper()
	stats := scan.Stats()
	spent := int64(0)
	for i, st := range stats.Stages {
		spent += int64(st.Self)
		if i == 0 {
			continue
		}
		before := stats.Stages[i-1]
		require.Equal(t, before.RowsOut, st.RowsIn, "%s: rows out of %s and into %s", sql, before.Name, st.Name)
		require.Equal(t, before.ItemsOut, st.ItemsIn, sql)
		if st.Name == "filter" {
			require.Equal(t, st.RowsIn-st.RowsOut, stats.RemovedByFilter, sql)
		}
	}
	rows := stats.Stages[len(stats.Stages)-1].RowsOut
	for i, op := range stats.Operators {
		spent += int64(op.Self)
		require.GreaterOrEqual(t, op.Self.Nanoseconds(), int64(0), "%s: %s", sql, op.Name)
		if i > 0 || op.RowsIn > 0 {
			require.Equal(t, rows, op.RowsIn, "%s: rows into %s", sql, op.Name)
		}
		rows = op.RowsOut
	}
	// Each stage of Actors has a goroutine of its own, and so has each lane.
	most := int64(stats.Elapsed) * int64(lanes*len(stats.Stages)+1)
	require.LessOrEqual(t, spent, most, sql)
	require.Positive(t, spent)
	if strings.Contains(sql, "LIMIT") {
		rows = min(rows, 3)
	}
	require.Equal(t, rows, stats.Rows, sql)
}

// TestTimesAddUp wants the steps of a scan on one goroutine to take about as
// long as the whole.
func TestTimesAddUp(t *testing.T) {
	s := pgtest.New(t, 15, pgtest.Options{})
	s.Start()
	s.SQL("postgres", `CREATE TABLE t (a int, b text); INSERT INTO t SELECT i, md5(i::text) FROM generate_series(1, 300000) i`)
	s.Stop()
	db := open(t, s.Dir(), pipescan.Options{})
	for _, sql := range []string{
		"SELECT a FROM t WHERE b < '8'", "SELECT a % 100, count(*), min(b COLLATE \"C\") FROM t GROUP BY 1", "SELECT a FROM t ORDER BY b COLLATE \"C\"",
	} {
		q, err := sqlfront.Parse(sql)
		require.NoError(t, err)
		table, r, err := q.Bind(context.Background(), db)
		require.NoError(t, err)
		r.Topology = pipescan.Pulled
		plan, err := table.Plan(context.Background(), r)
		require.NoError(t, err)
		stats := ran(t, plan).Stats()
		spent := int64(0)
		for _, st := range stats.Stages {
			spent += int64(st.Self)
		}
		for _, op := range stats.Operators {
			spent += int64(op.Self)
		}
		// In between lie opening the file and handing batches on.
		require.LessOrEqual(t, spent, int64(stats.Elapsed)*105/100, sql)
		require.GreaterOrEqual(t, spent, int64(stats.Elapsed)*70/100, sql)
	}
}
