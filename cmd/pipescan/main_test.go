package main

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/panjf2000/ants/v2"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/pipescan/pipescan/internal/pgtest"
)

func TestMain(m *testing.M) {
	ants.Release() // its default pool keeps a goroutine
	goleak.VerifyTestMain(m)
}

// schema is what the fixture holds.
const schema = `
CREATE TABLE orders (id int PRIMARY KEY, "Total" numeric(10,2), note text);
INSERT INTO orders VALUES (1, 10.50, 'plain'), (2, NULL, E'tab\there'), (3, -1, 'say "hi", ok');
DELETE FROM orders WHERE id = 3;
CREATE TABLE parts (a int, b text) PARTITION BY RANGE (a);
CREATE TABLE parts2 PARTITION OF parts FOR VALUES FROM (10) TO (20);
CREATE TABLE parts1 (b text, a int);
ALTER TABLE parts ATTACH PARTITION parts1 FOR VALUES FROM (0) TO (10);
INSERT INTO parts VALUES (11, 'eleven'), (1, 'one');
CREATE TABLE base (x int);
CREATE TABLE child () INHERITS (base);
INSERT INTO base VALUES (1);
INSERT INTO child VALUES (2);
CREATE VIEW v AS SELECT 1;
CREATE SEQUENCE s;
CREATE SCHEMA "odd.one";
CREATE TABLE "odd.one"."Case" (c int);
INSERT INTO "odd.one"."Case" VALUES (7);
`

// fixture makes a stopped cluster that holds schema.
func fixture(t *testing.T) *pgtest.Server {
	t.Helper()
	s := pgtest.New(t, 15, pgtest.Options{})
	s.Start()
	s.SQL("postgres", schema)
	s.Stop()
	return s
}

// outcome is what a run of the command printed and returned.
type outcome struct {
	out, err string
	code     int
}

// invoke runs the command on a data directory without a cache.
func invoke(dir string, args ...string) outcome {
	var out, errs bytes.Buffer
	code := run(context.Background(), append([]string{"-D", dir, "--cache", "none"}, args...), strings.NewReader(""), &out, &errs)
	return outcome{out.String(), errs.String(), code}
}

func TestVerbs(t *testing.T) {
	s := fixture(t)
	dir := s.Dir()
	for _, c := range []struct {
		args string // separated by spaces; _ stands for a space in an argument
		want string
	}{
		{"scan orders", "1\t10.50\tplain\n2\t\\N\ttab\\there\n"},
		{"scan ORDERS --columns id --order backward", "2\n1\n"},
		{`scan public."orders" --columns "Total",ctid --limit 1`, "10.50\t(0,1)\n"},
		{"scan orders --format csv --header", "id,Total,note\n1,10.50,plain\n2,,tab\there\n"},
		{"scan orders --format jsonl --limit 1 --offset 1", `{"id":2,"Total":null,"note":"tab\there"}` + "\n"},
		{"scan orders --rows dead --columns ctid,id,note", "(0,3)\t3\tsay \"hi\", ok\n"},
		{"scan orders --rows all --columns id", "1\n2\n3\n"},
		{"scan parts", "1\tone\n11\televen\n"},
		{"scan parts --workers 4 --limit 1", "1\tone\n"},
		{"scan ONLY parts", ""},
		{"scan base", "1\n2\n"},
		{"scan only_base", "1\n"},
		{"scan base --only", "1\n"},
		{`scan "odd.one"."Case"`, "7\n"},
		{"scan s", "1\t0\tf\n"},
		{"scan pg_database --columns datname -d template1", "postgres\ntemplate1\ntemplate0\n"},
	} {
		got := invoke(dir, arguments(c.args)...)
		require.Equal(t, outcome{out: c.want}, got, c.args)
	}
}

// arguments splits a command line; _ is a space, except in pg_ names.
func arguments(line string) []string {
	args := strings.Fields(line)
	for i := range args {
		if !strings.HasPrefix(args[i], "pg_") {
			args[i] = strings.ReplaceAll(args[i], "_", " ")
		}
	}
	return args
}

func TestExitCodes(t *testing.T) {
	s := fixture(t)
	dir := s.Dir()
	empty := t.TempDir()
	for _, c := range []struct {
		dir, args string
		code      int
		says      string
	}{
		{dir, "scan", exitUsage, "usage: pipescan scan REL"},
		{dir, "frobnicate", exitUsage, "unknown command"},
		{dir, "scan orders --nonsense", exitUsage, "unknown flag"},
		{dir, "scan orders --order sideways", exitUsage, "forward or backward"},
		{dir, "scan orders --memory 12parsecs", exitUsage, "64MB"},
		{dir, "scan ordres", exitNotFound, `did you mean "public.orders"`},
		{dir, "scan orders --columns totl", exitNotFound, `column "totl"`},
		{dir, "scan orders -d nowhere", exitNotFound, `database "nowhere"`},
		{dir, "scan v", exitUnsupported, "is a view"},
		{dir, "inspect orders --block 9", exitNotFound, "no block 9"},
		{empty, "scan orders", exitNoCluster, "not a PostgreSQL data directory"},
		{"", "scan orders", exitUsage, "PGDATA"},
	} {
		t.Setenv("PGDATA", "")
		got := invoke(c.dir, arguments(c.args)...)
		require.Equal(t, c.code, got.code, "%s: %s", c.args, got.err)
		require.Contains(t, got.err, c.says, c.args)
		require.Empty(t, got.out, c.args)
	}
}

func TestRunningAndUnclean(t *testing.T) {
	s := fixture(t)
	s.Start()
	got := invoke(s.Dir(), "scan", "orders")
	require.Equal(t, exitRunning, got.code, got.err)
	s.SQL("postgres", "CHECKPOINT; INSERT INTO orders SELECT i FROM generate_series(10, 1000) i")
	s.Kill()
	got = invoke(s.Dir(), "scan", "orders")
	require.Equal(t, exitUnclean, got.code, got.err)
	require.Contains(t, got.err, "--allow-unclean")
	got = invoke(s.Dir(), "doctor")
	require.Equal(t, exitUnclean, got.code, got.err)
	require.Contains(t, got.out, "not clean")
	got = invoke(s.Dir(), "scan", "orders", "--allow-unclean", "--columns", "id")
	require.Equal(t, exitOK, got.code, got.err)
	require.Equal(t, "1\n2\n", got.out)
	require.Contains(t, got.err, "commits")
}

func TestListings(t *testing.T) {
	dir := fixture(t).Dir()
	got := invoke(dir, "databases", "--json")
	require.Zero(t, got.code, got.err)
	var first struct {
		Name, Encoding, Connections string
	}
	require.NoError(t, json.Unmarshal([]byte(strings.SplitN(got.out, "\n", 2)[0]), &first))
	require.Equal(t, "UTF8", first.Encoding)
	require.Contains(t, invoke(dir, "tables").out, "partitioned table")
	require.NotContains(t, invoke(dir, "tables", "o*").out, "parts")
	got = invoke(dir, "describe", "orders")
	require.Zero(t, got.code, got.err)
	for _, want := range []string{"numeric(10,2)", "primary key orders_pkey (id)", "base/", "pg_toast."} {
		require.Contains(t, got.out, want)
	}
	require.Contains(t, invoke(dir, "describe", "parts").out, "child: parts1\nchild: parts2\n")
	got = invoke(dir, "doctor")
	require.Zero(t, got.code, got.err)
	require.Contains(t, got.out, "everything can be read")
}

// TestNamesInOtherEncodings: names are UTF-8 for the user, whatever they are in
// the catalogs.
func TestNamesInOtherEncodings(t *testing.T) {
	s := pgtest.New(t, 15, pgtest.Options{Encoding: "LATIN1"})
	s.Start()
	s.SQL("postgres", `CREATE TABLE "täble" ("cölumn" text); INSERT INTO "täble" VALUES ('ä')`)
	s.Stop()
	dir := s.Dir()
	require.Equal(t, outcome{out: "\xe4\n"}, invoke(dir, "scan", "täble"))
	require.Equal(t, outcome{out: "\xe4\n"}, invoke(dir, "scan", "täble", "--columns", "cölumn"))
	require.Equal(t, outcome{out: `{"cölumn":"ä"}` + "\n"}, invoke(dir, "scan", "täble", "--format", "jsonl"))
	require.Contains(t, invoke(dir, "tables", "t?ble").out, "täble")
	require.Contains(t, invoke(dir, "describe", "täble").out, "cölumn")
	require.Contains(t, invoke(dir, "scan", "tüble").err, `did you mean "public.täble"`)
	require.Contains(t, invoke(dir, "scan", "täble", "--columns", "cölum").err, `did you mean "cölumn"`)
	require.Equal(t, exitNotFound, invoke(dir, "scan", "漢字").code)
}

func TestInspect(t *testing.T) {
	dir := fixture(t).Dir()
	got := invoke(dir, "inspect", "orders")
	require.Zero(t, got.code, got.err)
	require.Contains(t, got.out, "item 3: normal")
	got = invoke(dir, "inspect", "orders_pkey", "--block", "0-1")
	require.Zero(t, got.code, got.err)
	require.Contains(t, got.out, "metapage: version 4 root 1")
	require.Contains(t, got.out, "item 1: normal tid (0,1)")
	require.Contains(t, invoke(dir, "inspect", "--control").out, "state                    shut down\n")
}

func TestDump(t *testing.T) {
	dir, out := fixture(t).Dir(), t.TempDir()
	got := invoke(dir, "dump", "-o", out, "-j", "2", "-T", "child")
	require.Zero(t, got.code, got.err)
	var names []string
	entries, err := os.ReadDir(out)
	require.NoError(t, err)
	for _, e := range entries {
		names = append(names, e.Name())
	}
	require.Equal(t, []string{
		"manifest.jsonl", "odd%2Eone.Case.copy", "public.base.copy", "public.orders.copy",
		"public.parts1.copy", "public.parts2.copy", "public.s.copy",
	}, names)
	text, err := os.ReadFile(filepath.Join(out, "public.orders.copy"))
	require.NoError(t, err)
	require.Equal(t, "1\t10.50\tplain\n2\t\\N\ttab\\there\n", string(text))

	// Again: what is done is passed over; what is gone is done again.
	require.NoError(t, os.Remove(filepath.Join(out, "public.base.copy")))
	got = invoke(dir, "dump", "-o", out)
	require.Zero(t, got.code, got.err)
	require.Contains(t, got.err, "5 were done before")
	require.FileExists(t, filepath.Join(out, "public.child.copy"))
	require.FileExists(t, filepath.Join(out, "public.base.copy"))
}

func TestDumpGoesOn(t *testing.T) {
	s := fixture(t)
	file := describedFile(t, s.Dir(), "orders")
	require.NoError(t, os.Remove(filepath.Join(s.Dir(), file)))
	out := t.TempDir()
	got := invoke(s.Dir(), "dump", "-o", out)
	require.Equal(t, exitFailed, got.code)
	require.Contains(t, got.err, "orders")
	require.NoFileExists(t, filepath.Join(out, "public.orders.copy"))
	require.FileExists(t, filepath.Join(out, "public.base.copy"))
	manifest, err := os.ReadFile(filepath.Join(out, "manifest.jsonl"))
	require.NoError(t, err)
	require.Contains(t, string(manifest), `"error":"`)
}

// describedFile is where describe says a table's rows are.
func describedFile(t *testing.T, dir, table string) string {
	t.Helper()
	out := invoke(dir, "describe", table).out
	_, rest, ok := strings.Cut(out, "file: ")
	require.True(t, ok, out)
	file, _, _ := strings.Cut(rest, ",")
	return file
}

func TestSkipCorruption(t *testing.T) {
	s := fixture(t)
	path := filepath.Join(s.Dir(), describedFile(t, s.Dir(), "orders"))
	page, err := os.ReadFile(path)
	require.NoError(t, err)
	page[12], page[13] = 0xff, 0xff // pd_lower
	require.NoError(t, os.WriteFile(path, page, 0o600))
	got := invoke(s.Dir(), "scan", "orders")
	require.Equal(t, exitCorrupt, got.code, got.err)
	require.Contains(t, got.err, "block 0")
	require.Contains(t, got.err, "--on-corruption skip")
	got = invoke(s.Dir(), "scan", "orders", "--on-corruption", "skip")
	require.Equal(t, exitLosses, got.code, got.err)
	require.Contains(t, got.err, "lost page")
	require.Empty(t, got.out)
	got = invoke(s.Dir(), "dump", "-o", t.TempDir(), "--on-corruption", "skip")
	require.Equal(t, exitLosses, got.code, got.err)
	require.Contains(t, got.err, "public.orders: lost page: ")
	require.Contains(t, got.err, "block 0")
}

func TestOutputFile(t *testing.T) {
	dir, out := fixture(t).Dir(), filepath.Join(t.TempDir(), "x.copy")
	require.Equal(t, outcome{}, invoke(dir, "scan", "base", "-o", out))
	text, err := os.ReadFile(out)
	require.NoError(t, err)
	require.Equal(t, "1\n2\n", string(text))
	got := invoke(dir, "scan", "orders", "--columns", "nope", "-o", out)
	require.Equal(t, exitNotFound, got.code)
	text, err = os.ReadFile(out)
	require.NoError(t, err)
	require.Equal(t, "1\n2\n", string(text), "a failed scan leaves the file as it was")
}

func TestInterrupted(t *testing.T) {
	dir := fixture(t).Dir()
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	var out, errs bytes.Buffer
	require.Equal(t, exitInterrupted, run(ctx, []string{"-D", dir, "scan", "orders"}, strings.NewReader(""), &out, &errs))
}

func TestParseColumns(t *testing.T) {
	got, err := parseColumns(`a, B ,"c,d",* ,"e""f"`)
	require.NoError(t, err)
	require.Equal(t, []string{"a", "b", "c,d", "*", `e"f`}, got)
	_, err = parseColumns("a.b")
	require.ErrorContains(t, err, "not a column")
}

func TestParseSize(t *testing.T) {
	for text, want := range map[string]int64{"1": 1, "64MB": 64 << 20, "2 gb": 2 << 30, "8kB": 8192, "5B": 5} {
		got, err := parseSize(text)
		require.NoError(t, err)
		require.Equal(t, want, got, text)
	}
	for _, text := range []string{"", "x", "-1", "9999999999GB", "MB"} {
		_, err := parseSize(text)
		require.Error(t, err, text)
	}
}
