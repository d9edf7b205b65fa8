package pipescan_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/pipescan/pipescan"
	"github.com/pipescan/pipescan/internal/pgtest"
	"github.com/pipescan/pipescan/qual"
)

// queryTables make one table with a column of each type that is aggregated,
// sorted or grouped, and a partitioned one.
const queryTables = `
	CREATE TABLE v (
		i2 int2, i4 int4, i8 int8, f4 float4, f8 float8, n numeric, m money, iv interval,
		t text COLLATE "C", vc varchar(20) COLLATE "C", bp char(8) COLLATE "C", nm name, c "char", b bool, by bytea,
		d date, ti time, tz timetz, ts timestamp, tsz timestamptz, u uuid, o oid, ip inet, ci cidr,
		ia int4[], ta text[] COLLATE "C", bi bit(7), vb varbit, k int4);
	SELECT setseed(0.25);
	INSERT INTO v SELECT
		(random() * 60000 - 30000)::int2, (random() * 4e9 - 2e9)::int4, (random() * 1.8e19 - 9e18)::int8,
		CASE i % 97 WHEN 5 THEN '-0' WHEN 6 THEN '0' ELSE (random() * 2e6 - 1e6) END::float4, (random() - 0.5) * 10 ^ (random() * 20),
		CASE i % 50 WHEN 7 THEN 0.00 WHEN 9 THEN 0 ELSE ((random() - 0.5) * 10 ^ (i % 30))::numeric * (10::numeric ^ -(i % 13)) END,
		(random() * 1e6 - 5e5)::numeric::money, make_interval(months => (random() * 50)::int - 25, days => (random() * 90)::int, secs => random() * 1e6 - 5e5),
		md5((i % 211)::text), 'v' || (i % 300), 'b' || (i % 11), ('n' || i % 400)::name, chr(65 + i % 20)::"char", i % 3 = 0, decode(md5((i % 77)::text), 'hex'),
		date '2020-01-01' + i % 1000, time '00:00' + i * interval '7 seconds', (time '01:00' + i * interval '5 s')::text::time AT TIME ZONE (i % 5 || ' hours')::interval,
		timestamp '2001-02-03' + i * interval '11 h', timestamptz '1999-01-01' + i * interval '13 h',
		md5(i::text)::uuid, i, ('10.' || i % 200 || '.3.' || i % 7)::inet, ('10.' || i % 100 || '.0.0/16')::cidr,
		ARRAY[i % 13, NULL, i % 7], ARRAY['x' || i % 5, NULL], (i % 128)::bit(7), ((i % 50)::bit(6))::varbit, i % 17
		FROM generate_series(1, 6000) i;
	UPDATE v SET i2 = NULL, n = NULL, t = NULL, f8 = NULL, ia = NULL, d = NULL, k = NULL WHERE i4 % 10 = 3;
	INSERT INTO v (k) SELECT 100 + i % 2 FROM generate_series(1, 30) i;
	CREATE TABLE p (a int, n numeric, f float8) PARTITION BY LIST (a);
	CREATE TABLE p0 PARTITION OF p FOR VALUES IN (0, 3);
	CREATE TABLE p1 PARTITION OF p FOR VALUES IN (1);
	CREATE TABLE p2 (f float8, a int, n numeric);
	ALTER TABLE p ATTACH PARTITION p2 FOR VALUES IN (2);
	INSERT INTO p SELECT i % 4, i / 7.0, i / 3.0::float8 FROM generate_series(1, 3000) i;
	CREATE TABLE e (a int, t text);
	CREATE TABLE z (a int, b int, f float8);
	INSERT INTO z SELECT i, CASE i WHEN 3000 THEN 0 ELSE 1 END, 1e308 FROM generate_series(1, 5000) i;`

// queryColumns are v's columns.
var queryColumns = strings.Fields("i2 i4 i8 f4 f8 n m iv t vc bp nm c b by d ti tz ts tsz u o ip ci ia ta bi vb k")

// asked is a query in SQL and as a request.
type asked struct {
	table, sql string
	request    pipescan.Request
	ordered    bool // the order of the rows is the server's too
	code       string
}

func agg(f, column string) pipescan.Aggregate {
	return pipescan.Aggregate{Name: f + "_" + column, Func: f, Args: []qual.Expr{qual.Col(column)}}
}

func starCount() pipescan.Aggregate {
	return pipescan.Aggregate{Name: "n", Func: "count", Star: true}
}

// questions are what every version is asked.
func questions() []asked {
	var all []asked
	for _, f := range []string{"count", "sum", "avg", "min", "max"} {
		for _, c := range queryColumns {
			one := pipescan.Request{Aggregates: []pipescan.Aggregate{agg(f, c)}}
			all = append(all, asked{table: "v", sql: fmt.Sprintf("SELECT %s(%s) FROM v", f, c), request: one})
			d := agg(f, c)
			d.Distinct = true
			all = append(all, asked{table: "v", sql: fmt.Sprintf("SELECT %s(DISTINCT %s) FROM v", f, c), request: pipescan.Request{Aggregates: []pipescan.Aggregate{d}}})
			by := pipescan.Request{GroupBy: []pipescan.Output{{Name: "k", Expr: qual.Col("k")}}, Aggregates: []pipescan.Aggregate{agg(f, c), starCount()}}
			all = append(all, asked{table: "v", sql: fmt.Sprintf("SELECT k, %s(%s), count(*) FROM v GROUP BY k", f, c), request: by})
			all = append(all, asked{table: "e", sql: fmt.Sprintf("SELECT %s(a) FROM e", f), request: pipescan.Request{Aggregates: []pipescan.Aggregate{agg(f, "a")}}})
		}
	}
	for _, c := range queryColumns {
		key := []pipescan.Output{{Name: "x", Expr: qual.Col(c)}}
		all = append(all, asked{
			table: "v", sql: fmt.Sprintf("SELECT %s, count(*), sum(n) FILTER (WHERE k > 3) FROM v GROUP BY 1", c),
			request: pipescan.Request{GroupBy: key, Aggregates: []pipescan.Aggregate{starCount(), {Name: "s", Func: "sum", Args: []qual.Expr{qual.Col("n")}, Filter: qual.Col("k").Gt(3)}}},
		})
		for i, how := range []string{"", "DESC", "NULLS FIRST", "DESC NULLS LAST"} {
			limit := int64(37)
			r := pipescan.Request{Columns: []string{c, "o"}, OrderBy: []pipescan.SortKey{
				{Expr: qual.Col(c), Desc: i%2 == 1, NullsFirst: i == 1 || i == 2}, {Expr: qual.Col("o")},
			}}
			if i >= 2 {
				r.Limit, r.Offset = &limit, 11
			}
			sql := fmt.Sprintf("SELECT %s, o FROM v ORDER BY %s %s, o", c, c, how)
			if i >= 2 {
				sql += " LIMIT 37 OFFSET 11"
			}
			all = append(all, asked{table: "v", sql: sql, request: r, ordered: true})
		}
	}
	return append(all, moreQuestions()...)
}

func moreQuestions() []asked {
	limit := int64(5)
	two := int64(2)
	col := qual.Col
	return []asked{
		{table: "v", sql: "SELECT i4, k FROM v WHERE k = 3 AND i4 > 0", ordered: true, request: pipescan.Request{
			Columns: []string{"i4", "k"}, Where: col("k").Eq(3).And(col("i4").Gt(0)),
		}},
		{table: "v", sql: "SELECT i4 FROM v WHERE k = 3", ordered: true, request: pipescan.Request{Columns: []string{"i4"}, Where: col("k").Eq(3)}},
		{table: "v", sql: "SELECT i4 FROM v WHERE k = 3 OFFSET 2 LIMIT 5", ordered: true, request: pipescan.Request{
			Columns: []string{"i4"}, Where: col("k").Eq(3), Limit: &limit, Offset: 2,
		}},
		{table: "v", sql: "SELECT k + 1, t, k, t || 'x' FROM v", ordered: true, request: pipescan.Request{Project: []pipescan.Output{
			{Name: "a", Expr: col("k").Add(1)}, {Name: "t", Expr: col("t")}, {Name: "k", Expr: col("k")}, {Name: "tx", Expr: col("t").Concat("x")},
		}}},
		{table: "v", sql: "SELECT k, k, k FROM v WHERE t > 'f'", ordered: true, request: pipescan.Request{
			Columns: []string{"k", "k", "k"}, Where: col("t").Gt("f"),
		}},
		{table: "v", sql: "SELECT 1, 'a' FROM v WHERE b", ordered: true, request: pipescan.Request{
			Project: []pipescan.Output{{Name: "x", Expr: qual.Lit(1)}, {Name: "y", Expr: qual.Lit("a")}}, Where: col("b"),
		}},
		{table: "v", sql: "SELECT i4 FROM v ORDER BY k + 1 DESC, i4", ordered: true, request: pipescan.Request{
			Columns: []string{"i4"}, OrderBy: []pipescan.SortKey{{Expr: col("k").Add(1), Desc: true, NullsFirst: true}, {Expr: col("i4")}},
		}},
		{table: "v", sql: "SELECT count(*) FROM v WHERE false", request: pipescan.Request{Where: qual.Lit(false), Aggregates: []pipescan.Aggregate{starCount()}}},
		{table: "v", sql: "SELECT k, count(*) FROM v WHERE false GROUP BY k", request: pipescan.Request{
			Where: qual.Lit(false), GroupBy: []pipescan.Output{{Name: "k", Expr: col("k")}}, Aggregates: []pipescan.Aggregate{starCount()},
		}},
		{table: "v", sql: "SELECT count(*) FROM v HAVING false", request: pipescan.Request{Having: qual.Lit(false), Aggregates: []pipescan.Aggregate{starCount()}}},
		{table: "v", sql: "SELECT count(*) FROM v", request: pipescan.Request{Aggregates: []pipescan.Aggregate{starCount()}}},
		{table: "v", sql: "SELECT count(*) * 2, max(k) FROM v HAVING count(*) > 10", request: pipescan.Request{
			Aggregates: []pipescan.Aggregate{starCount(), agg("max", "k")}, Having: col("n").Gt(10),
			Project: []pipescan.Output{{Name: "d", Expr: col("n").Mul(2)}, {Name: "max", Expr: col("max_k")}},
		}},
		{table: "v", sql: "SELECT k % 3, b, sum(i4) FROM v GROUP BY 1, 2 HAVING sum(i4) > 0 ORDER BY 3 DESC LIMIT 2", ordered: true, request: pipescan.Request{
			GroupBy:    []pipescan.Output{{Name: "g", Expr: col("k").Mod(3)}, {Name: "b", Expr: col("b")}},
			Aggregates: []pipescan.Aggregate{agg("sum", "i4")}, Having: col("sum_i4").Gt(0),
			OrderBy: []pipescan.SortKey{{Expr: col("sum_i4"), Desc: true, NullsFirst: true}}, Limit: &two,
		}},
		{table: "p", sql: "SELECT a, sum(n), avg(f), sum(f) FROM p GROUP BY a", request: pipescan.Request{
			Descend: true,
			GroupBy: []pipescan.Output{{Name: "a", Expr: col("a")}}, Aggregates: []pipescan.Aggregate{agg("sum", "n"), agg("avg", "f"), agg("sum", "f")},
		}},
		{table: "p", sql: "SELECT avg(f), sum(f), count(DISTINCT a) FROM p", request: pipescan.Request{
			Descend: true, Aggregates: []pipescan.Aggregate{agg("avg", "f"), agg("sum", "f"), {Name: "c", Func: "count", Distinct: true, Args: []qual.Expr{col("a")}}},
		}},
		{table: "p", sql: "SELECT n, a FROM p WHERE f > 500 ORDER BY n DESC", ordered: true, request: pipescan.Request{
			Descend: true, Columns: []string{"n", "a"}, Where: col("f").Gt(500), OrderBy: []pipescan.SortKey{{Expr: col("n"), Desc: true, NullsFirst: true}},
		}},
		{table: "z", sql: "SELECT a / b FROM z", code: "22012", request: pipescan.Request{Project: []pipescan.Output{{Name: "x", Expr: col("a").Div(col("b"))}}}},
		{table: "z", sql: "SELECT a / b FROM z LIMIT 5", ordered: true, request: pipescan.Request{Limit: &limit, Project: []pipescan.Output{{Name: "x", Expr: col("a").Div(col("b"))}}}},
		{table: "z", sql: "SELECT a FROM z WHERE a / b > 2990 LIMIT 5", ordered: true, request: pipescan.Request{Limit: &limit, Columns: []string{"a"}, Where: col("a").Div(col("b")).Gt(2990)}},
		{table: "z", sql: "SELECT a FROM z WHERE a / b > 2990", code: "22012", request: pipescan.Request{Columns: []string{"a"}, Where: col("a").Div(col("b")).Gt(2990)}},
		{table: "z", sql: "SELECT sum(a / b) FROM z", code: "22012", request: pipescan.Request{Aggregates: []pipescan.Aggregate{{Name: "s", Func: "sum", Args: []qual.Expr{col("a").Div(col("b"))}}}}},
		{table: "z", sql: "SELECT sum(f) FROM z", code: "22003", request: pipescan.Request{Aggregates: []pipescan.Aggregate{agg("sum", "f")}}},
		{table: "z", sql: "SELECT sum(f), sum(a / b) FROM z", code: "22003", request: pipescan.Request{
			Aggregates: []pipescan.Aggregate{agg("sum", "f"), {Name: "s", Func: "sum", Args: []qual.Expr{col("a").Div(col("b"))}}},
		}},
		{table: "z", sql: "SELECT a / b FROM z ORDER BY a LIMIT 5", code: "22012", request: pipescan.Request{
			Limit: &limit, Project: []pipescan.Output{{Name: "x", Expr: col("a").Div(col("b"))}}, OrderBy: []pipescan.SortKey{{Expr: col("a")}},
		}},
		{table: "z", sql: "SELECT nothing FROM z WHERE nothing > 1", code: "42703", request: pipescan.Request{Where: col("nothing").Gt(1)}},
		{table: "z", sql: "SELECT sum(a, b) FROM z", code: "42883", request: pipescan.Request{Aggregates: []pipescan.Aggregate{{Name: "s", Func: "sum", Args: []qual.Expr{col("a"), col("b")}}}}},
	}
}

// TestQueries asks servers and pipescan the same and wants the same answers,
// in every topology and with several lanes.
func TestQueries(t *testing.T) {
	for _, major := range pgtest.Versions() {
		if major != 15 && major != 18 && os.Getenv("PIPESCAN_TEST_VERSIONS") == "" {
			continue
		}
		t.Run(fmt.Sprint(major), func(t *testing.T) {
			s := pgtest.New(t, major, pgtest.Options{})
			s.Start()
			s.SQL("postgres", queryTables)
			all := questions()
			want := make([][]string, len(all))
			c := s.Conn("postgres")
			s.RunOn(c, `SET timezone = 'UTC'; SET intervalstyle = postgres; SET max_parallel_workers_per_gather = 0; SET synchronize_seqscans = off;
				SET enable_indexscan = off; SET enable_sort = off; SET lc_monetary = 'C'`)
			for i := range all {
				want[i], all[i].code = serverSays(c, all[i].sql)
			}
			require.NoError(t, c.Close(context.Background()))
			s.Stop()
			db := open(t, s.Dir(), pipescan.Options{Workers: 3})
			for i, q := range all {
				r := q.request
				lanes := []int{1 + i%3}
				if i%10 == 0 {
					lanes = []int{1, 2, 3}
				}
				for _, n := range lanes {
					r.Lanes, r.BatchPages, r.Topology = n, 1+i%4, pipescan.Topology(i%3)
					compareAnswer(t, db, q, r, want[i])
				}
			}
		})
	}
}

// serverSays asks a server; code is the SQLSTATE of its refusal.
func serverSays(c *pgx.Conn, sql string) (rows []string, code string) {
	results, err := c.PgConn().Exec(context.Background(), sql).ReadAll()
	if err != nil {
		var state interface{ SQLState() string }
		if !errors.As(err, &state) {
			return nil, err.Error()
		}
		return nil, state.SQLState()
	}
	for _, r := range results {
		for _, values := range r.Rows {
			line := make([]string, len(values))
			for i, v := range values {
				if line[i] = string(v); v == nil {
					line[i] = "NULL"
				}
			}
			rows = append(rows, strings.Join(line, "|"))
		}
	}
	return rows, ""
}

// answer scans and returns rows as serverSays does, or the SQLSTATE.
func answer(t *testing.T, db *pipescan.DB, table string, r pipescan.Request) (rows []string, code string) {
	t.Helper()
	scan, err := tableOf(t, db, table).Scan(context.Background(), r)
	if err != nil {
		return nil, stateOf(err)
	}
	for row, err := range scan.Rows() {
		if err != nil {
			return nil, stateOf(err)
		}
		var line []string
		for i := range row.Len() {
			text, ok, err := row.Text(i)
			require.NoError(t, err)
			if !ok {
				text = "NULL"
			}
			line = append(line, text)
		}
		rows = append(rows, strings.Join(line, "|"))
	}
	return rows, ""
}

// stateOf is an error's SQLSTATE, or its text.
func stateOf(err error) string {
	var state interface{ SQLState() string }
	if errors.As(err, &state) {
		return state.SQLState()
	}
	return err.Error()
}

// compareAnswer compares pipescan's answer with the server's.
func compareAnswer(t *testing.T, db *pipescan.DB, q asked, r pipescan.Request, want []string) {
	t.Helper()
	rows, code := answer(t, db, q.table, r)
	if code != q.code {
		t.Errorf("%s\nlanes %d, %v: got error %q, the server's is %q", q.sql, r.Lanes, r.Topology, code, q.code)
		return
	}
	if !q.ordered {
		rows, want = slices.Sorted(slices.Values(rows)), slices.Sorted(slices.Values(want))
	}
	if !slices.Equal(rows, want) {
		i := 0
		for i < len(rows) && i < len(want) && rows[i] == want[i] {
			i++
		}
		at := func(s []string) string { return strings.Join(s[min(i, len(s)):min(i+3, len(s))], "\n") }
		t.Errorf("%s\nlanes %d, %v: %d rows, the server has %d; from row %d on\n%s\nthe server:\n%s", q.sql, r.Lanes, r.Topology, len(rows), len(want), i, at(rows), at(want))
	}
}
