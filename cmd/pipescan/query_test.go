//go:build !nosql

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// ask runs the command with text on standard input.
func ask(dir, stdin string, args ...string) outcome {
	var out, errs bytes.Buffer
	code := run(context.Background(), append([]string{"-D", dir, "--cache", "none"}, args...), strings.NewReader(stdin), &out, &errs)
	return outcome{out.String(), errs.String(), code}
}

func TestQueryVerbs(t *testing.T) {
	dir := fixture(t).Dir()
	for _, c := range []struct {
		args  []string
		stdin string
		want  string
	}{
		{[]string{"scan", "orders", "--where", `"Total" > 10`}, "", "1\t10.50\tplain\n"},
		{[]string{"scan", "orders", "--where", "note ~~ 'nothing'"}, "", ""},
		{[]string{"scan", "parts", "--where", "b = 'one'", "--columns", "a"}, "", "1\n"},
		{[]string{"query", `SELECT id + 1, "Total" FROM orders ORDER BY id DESC`}, "", "3\t\\N\n2\t10.50\n"},
		{[]string{"query", "-"}, "SELECT count(*),\n sum(a) FROM parts;\n", "2\t12\n"},
		{[]string{"query", "--format", "csv", "--header", "SELECT a, count(*) AS n FROM parts GROUP BY a ORDER BY a"}, "", "a,n\n1,1\n11,1\n"},
		{[]string{"query", "--format", "jsonl", "SELECT max(id) AS m FROM orders"}, "", "{\"m\":2}\n"},
		{[]string{"query", "--format", "table", "SELECT id, note FROM orders"}, "", "" +
			"┌────┬───────────┐\n│ id │ note      │\n├────┼───────────┤\n│  1 │ plain     │\n│  2 │ tab\\there │\n└────┴───────────┘\n(2 rows)\n"},
		{[]string{"query", "--format", "table", "SELECT id FROM orders WHERE id > 5"}, "", "┌────┐\n│ id │\n├────┤\n└────┘\n(0 rows)\n"},
		{[]string{"query", "SELECT x FROM ONLY base"}, "", "1\n"},
	} {
		got := ask(dir, c.stdin, c.args...)
		require.Equal(t, outcome{out: c.want}, got, "%q", c.args)
	}
}

// TestQueryErrors wants exit codes and the place in the text.
func TestQueryErrors(t *testing.T) {
	dir := fixture(t).Dir()
	for _, c := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{"query", "SELECT a FRM parts"}, exitUsage, "syntax error at or near \"parts\" (SQLSTATE 42601)\nLINE 1: SELECT a FRM parts\n                     ^\n"},
		{[]string{"query", "SELECT nope FROM parts"}, exitNotFound, "column \"nope\" does not exist (SQLSTATE 42703)\nLINE 1: SELECT nope FROM parts\n               ^\n"},
		{[]string{"query", "SELECT a FROM nope"}, exitNotFound, "nope"},
		{[]string{"query", "SELECT a / (a - 11) FROM parts"}, exitOther, "division by zero"},
		{[]string{"query", "SELECT 1 FROM parts, orders"}, exitUnsupported, "not supported"},
		{[]string{"scan", "parts", "--where", "a >"}, exitUsage, "LINE 1: a >"},
		{[]string{"scan", "parts", "--where", "sqrt(b) > 1"}, exitNotFound, "does not exist"},
		{[]string{"scan", "parts", "--format", "xml"}, exitUsage, "or table"},
		{[]string{"query"}, exitUsage, "usage: pipescan query SQL|-"},
		{[]string{"explain", "SELECT a FROM parts WHERE a"}, exitOther, "argument of WHERE must be type boolean"},
		{[]string{"query", "--memory", "40B", "SELECT a FROM parts ORDER BY b COLLATE \"C\""}, exitOther, "--memory"},
	} {
		got := ask(dir, "", c.args...)
		require.Equal(t, c.code, got.code, "%q: %s", c.args, got.err)
		require.Contains(t, got.err, c.want, "%q", c.args)
	}
}

// TestExplainVerb reads what explain prints, as text and as JSON.
func TestExplainVerb(t *testing.T) {
	dir := fixture(t).Dir()
	got := ask(dir, "", "explain", "SELECT id FROM orders WHERE id > 1 LIMIT 5")
	require.Zero(t, got.code, got.err)
	require.Contains(t, got.out, "Limit\n  Rows: 5\n  ->  Seq Scan on public.orders\n        Filter: id > 1\n")
	require.Contains(t, got.out, "Planning Time: ")
	require.NotContains(t, got.out, "actual")

	got = ask(dir, "", "explain", "--analyze", "--io", "SELECT id FROM orders WHERE id > 1")
	require.Contains(t, got.out, "Rows Removed by Filter: 1\n")
	require.Contains(t, got.out, "I/O: 1 page")
	require.Contains(t, got.out, "Execution Time: ")
	require.Contains(t, got.out, "Rows: 1\n")

	same := ask(dir, "", "query", "EXPLAIN (ANALYZE) SELECT id FROM orders WHERE id > 1")
	require.Contains(t, same.out, "Rows Removed by Filter: 1\n")

	got = ask(dir, "", "explain", "--analyze", "--json", "SELECT count(*) FROM orders")
	var keys map[string]any
	require.NoError(t, json.Unmarshal([]byte(got.out), &keys))
	require.InDelta(t, 1, keys["version"], 0)
	require.InDelta(t, 1, keys["rows"], 0)
	for _, key := range []string{"open_ms", "planning_ms", "execution_ms"} {
		require.Positive(t, keys[key], key)
	}
	require.Equal(t, "Aggregate", keys["plan"].(map[string]any)["node"])

	got = ask(dir, "", "explain", "--json", "SELECT count(*) FROM orders")
	require.NoError(t, json.Unmarshal([]byte(got.out), &keys))
	require.Nil(t, keys["execution_ms"])
	require.Nil(t, keys["rows"])
}

// TestInterrupt sends an interrupt to a process whose output nobody reads, and
// to one that waits for its query.
func TestInterrupt(t *testing.T) {
	s := fixture(t)
	s.Start()
	s.SQL("postgres", "CREATE TABLE long AS SELECT md5(i::text) a, md5((i + 1)::text) b FROM generate_series(1, 200000) i")
	s.Stop()
	bin := filepath.Join(t.TempDir(), "pipescan")
	out, err := exec.Command("go", "build", "-o", bin, ".").CombinedOutput()
	require.NoError(t, err, "%s", out)
	for _, args := range [][]string{{"scan", "long"}, {"query", "-"}} {
		cmd := exec.Command(bin, append([]string{"-D", s.Dir(), "--cache", "none"}, args...)...)
		r, w, err := os.Pipe()
		require.NoError(t, err)
		in, feed, err := os.Pipe()
		require.NoError(t, err)
		cmd.Stdout, cmd.Stdin = w, in
		require.NoError(t, cmd.Start())
		time.Sleep(time.Second)
		start := time.Now()
		require.NoError(t, cmd.Process.Signal(syscall.SIGINT))
		err = cmd.Wait()
		require.Less(t, time.Since(start), 10*time.Second)
		var exit *exec.ExitError
		require.ErrorAs(t, err, &exit)
		require.Equal(t, exitInterrupted, exit.ExitCode(), "%q", args)
		for _, f := range []*os.File{r, w, in, feed} {
			require.NoError(t, f.Close())
		}
	}
}
