package tests

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/pipescan/pipescan/internal/pgtest"
)

// A dumped is a line of a dump's manifest.
type dumped struct {
	OID                          uint32
	Database, Schema, Name, Kind string
	File, SHA256                 string
	Rows, Bytes                  int64
	Error                        string
	Losses                       int
	raw                          []byte
	problem                      string
}

// A relation is a table that the server says exists.
type relation struct {
	schema, name, kind string
	columns            []string
}

func (r relation) String() string { return r.schema + "." + r.name }

func (r relation) sql() string { return qualified(r.schema, r.name) }

// readManifest reads a dump's manifest, later lines replacing earlier ones of the same table, and each table's file: by database, then by
// schema and name. Names in it are UTF-8, whatever the database's encoding.
func readManifest(t testing.TB, out string) map[string]map[string]*dumped {
	t.Helper()
	f, err := os.Open(filepath.Join(out, "manifest.jsonl"))
	require.NoError(t, err)
	defer f.Close()
	all := map[string]map[string]*dumped{}
	for r := bufio.NewReader(f); ; {
		line, err := r.ReadBytes('\n')
		if err != nil {
			require.Empty(t, line, "the manifest's last line is cut off")
			return all
		}
		d := &dumped{}
		require.NoError(t, json.Unmarshal(line, d), "%s", line)
		if all[d.Database] == nil {
			all[d.Database] = map[string]*dumped{}
		}
		d.load(out)
		all[d.Database][d.Schema+"."+d.Name] = d
	}
}

// load reads the table's file and checks what the manifest says of it.
func (d *dumped) load(out string) {
	if d.Error != "" {
		return
	}
	content, err := os.ReadFile(filepath.Join(out, d.File))
	if err != nil {
		d.problem = err.Error()
		return
	}
	d.raw = content
	sum := sha256.Sum256(content)
	switch {
	case int64(len(content)) != d.Bytes:
		d.problem = fmt.Sprintf("the manifest says %d bytes, the file has %d", d.Bytes, len(content))
	case hex.EncodeToString(sum[:]) != d.SHA256:
		d.problem = "the manifest's sha256 is not the file's"
	case int64(bytes.Count(content, []byte{'\n'})) != d.Rows:
		d.problem = fmt.Sprintf("the manifest says %d rows, the file has %d", d.Rows, bytes.Count(content, []byte{'\n'}))
	}
}

// relations lists, in UTF-8, what a dump with --catalogs has to hold of a database.
func relations(s *pgtest.Server, db string) []relation {
	var out []relation
	for _, row := range s.Query(db, `
		SELECT n.nspname, c.relname, c.relkind, coalesce((SELECT json_agg(attname ORDER BY attnum) FROM pg_attribute
			WHERE attrelid = c.oid AND attnum > 0 AND NOT attisdropped), '[]')
		FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
		WHERE c.relkind IN ('r', 'm', 'S') AND c.relpersistence <> 't' ORDER BY 1, 2`) {
		r := relation{schema: *row[0], name: *row[1], kind: *row[2]}
		_ = json.Unmarshal([]byte(*row[3]), &r.columns)
		out = append(out, r)
	}
	return out
}

// compareDump holds a dump against a server that runs on a copy of the directory it was made of: every database, every relation, byte
// by byte. skip names databases that are judged elsewhere.
func compareDump(t *testing.T, out string, judge *pgtest.Server, skip ...string) {
	t.Helper()
	all := readManifest(t, out)
	skipped := map[string]bool{}
	for _, s := range skip {
		skipped[s] = true
	}
	for _, db := range databases(judge) {
		if skipped[db] {
			continue
		}
		o, rels := judge.Oracle(db), relations(judge, db)
		require.Greater(t, len(rels), 60, "%s: a database has that many catalogs", db)
		compareDatabase(t, db, all[db], rels, o)
		o.Close()
	}
}

// compareDatabase holds one database's tables against the server's.
func compareDatabase(t *testing.T, db string, got map[string]*dumped, rels []relation, o *pgtest.Oracle) {
	t.Helper()
	names := map[string]bool{}
	for _, r := range rels {
		names[r.String()] = true
		d := got[r.String()]
		switch {
		case d == nil:
			t.Errorf("%s: %s: not in the manifest", db, r)
		case d.Error != "":
			t.Errorf("%s: %s: %s", db, r, d.Error)
		case d.problem != "":
			t.Errorf("%s: %s: %s", db, r, d.problem)
		default:
			compareTable(t, db+": "+r.String(), r, d.raw, o.Copy(r.sql()))
		}
	}
	for name := range got {
		if !names[name] {
			t.Errorf("%s: %s: dumped, but the server has no such table", db, name)
		}
	}
}

// compareTable lists the first differences between two COPY texts by line and column.
func compareTable(t *testing.T, what string, r relation, got, want []byte) {
	t.Helper()
	for _, d := range differences(r.columns, got, want, 3) {
		t.Errorf("%s: %s", what, d)
	}
}

// differences describes at most limit differences.
func differences(columns []string, got, want []byte, limit int) []string {
	if bytes.Equal(got, want) {
		return nil
	}
	var out []string
	gotLines, wantLines := lines(got), lines(want)
	if len(gotLines) != len(wantLines) {
		out = append(out, fmt.Sprintf("%d lines, want %d", len(gotLines), len(wantLines)))
	}
	for i := 0; i < max(len(gotLines), len(wantLines)) && len(out) < limit; i++ {
		switch {
		case i >= len(gotLines):
			out = append(out, fmt.Sprintf("line %d: missing %s", i+1, shorten(wantLines[i])))
		case i >= len(wantLines):
			out = append(out, fmt.Sprintf("line %d: surplus %s", i+1, shorten(gotLines[i])))
		case !bytes.Equal(gotLines[i], wantLines[i]):
			out = append(out, fmt.Sprintf("line %d: %s", i+1, differentColumn(columns, gotLines[i], wantLines[i])))
		}
	}
	if len(out) == 0 {
		out = append(out, fmt.Sprintf("the same lines, but %d bytes, want %d", len(got), len(want)))
	}
	return out
}

func differentColumn(columns []string, got, want []byte) string {
	g, w := bytes.Split(got, []byte{'\t'}), bytes.Split(want, []byte{'\t'})
	if len(g) != len(w) {
		return fmt.Sprintf("%d columns, want %d: got %s, want %s", len(g), len(w), shorten(got), shorten(want))
	}
	for i := range g {
		if !bytes.Equal(g[i], w[i]) {
			name := fmt.Sprint(i + 1)
			if i < len(columns) {
				name = columns[i]
			}
			return fmt.Sprintf("column %s: got %s, want %s (first column %s)", name, around(g[i], w[i]), around(w[i], g[i]), shorten(w[0]))
		}
	}
	return "no difference in any column"
}

// around shows a where it first differs from b.
func around(a, b []byte) string {
	at := 0
	for at < len(a) && at < len(b) && a[at] == b[at] {
		at++
	}
	from := max(0, at-30)
	text := fmt.Sprintf("%q", a[from:min(len(a), at+90)])
	if from > 0 || len(a) > at+90 {
		text += fmt.Sprintf(" (byte %d of %d)", at, len(a))
	}
	return text
}

func shorten(b []byte) string {
	if len(b) > 160 {
		return fmt.Sprintf("%q...", b[:160])
	}
	return fmt.Sprintf("%q", b)
}

func lines(b []byte) [][]byte {
	if len(b) == 0 {
		return nil
	}
	return bytes.Split(bytes.TrimSuffix(b, []byte{'\n'}), []byte{'\n'})
}

func TestDifferences(t *testing.T) {
	cols := []string{"a", "b"}
	require.Empty(t, differences(cols, []byte("1\t2\n"), []byte("1\t2\n"), 3))
	require.Equal(t, []string{`line 2: column b: got "x", want "y" (first column "3")`}, differences(cols, []byte("1\t2\n3\tx\n"), []byte("1\t2\n3\ty\n"), 3))
	require.Equal(t, []string{"1 lines, want 2", `line 2: missing "3\t4"`}, differences(cols, []byte("1\t2\n"), []byte("1\t2\n3\t4\n"), 3))
	require.Equal(t, []string{"1 lines, want 0", `line 1: surplus ""`}, differences(nil, []byte("\n"), nil, 3))
	require.Equal(t, []string{"the same lines, but 1 bytes, want 2"}, differences(cols, []byte("a"), []byte("a\n"), 3))
	require.Len(t, differences(cols, []byte("1\n2\n3\n"), []byte("a\nb\nc\n"), 2), 2)
}
