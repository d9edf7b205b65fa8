package datum

import (
	"bufio"
	"encoding/hex"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/pipescan/pipescan/catalog"
	"github.com/pipescan/pipescan/internal/pgtest"
	"github.com/pipescan/pipescan/pgfile"
)

// The values of testdata/*.values are put into tables of real servers; the
// bytes in the tables' files go through the codecs and must give what the
// server's COPY prints. With -write-golden the samples become testdata/*.golden,
// which TestScalarGolden checks without a server.
var writeGoldenFiles = flag.Bool("write-golden", false, "write what the servers print to testdata/*.golden")

// A golden file keeps the first samples of each type, and some of all others.
const goldenFirst, goldenMore = 80, 150

// valueGroup is the values of one type.
type valueGroup struct {
	typ   string
	from  int      // first major version
	exprs []string // SQL expressions, or queries when they start with SELECT
}

func readValues(t *testing.T, name string) []valueGroup {
	f, err := os.Open(filepath.Join("testdata", name))
	require.NoError(t, err)
	defer func() { _ = f.Close() }()
	var groups []valueGroup
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		line := strings.TrimSpace(lines.Text())
		if typ, ok := strings.CutPrefix(line, "type "); ok {
			g := valueGroup{typ: typ, from: 13}
			if typ, major, ok := strings.Cut(typ, " from "); ok {
				g.typ = typ
				g.from, err = strconv.Atoi(major)
				require.NoError(t, err)
			}
			groups = append(groups, g)
		} else if line != "" && line[0] != '#' {
			g := &groups[len(groups)-1]
			g.exprs = append(g.exprs, strings.TrimPrefix(line, "each "))
		}
	}
	require.NoError(t, lines.Err())
	return groups
}

// sample is one value as stored and as printed.
type sample struct {
	oid  catalog.OID
	hex  string
	text string
}

// samples asks the server for the bytes and the text of a group's values.
func samples(t *testing.T, s *pgtest.Server, o *pgtest.Oracle, g valueGroup) []sample {
	script := "DROP TABLE IF EXISTS v; CREATE TABLE v (v " + g.typ + "); ALTER TABLE v ALTER v SET STORAGE plain;"
	for _, expr := range g.exprs {
		if !strings.HasPrefix(expr, "SELECT") {
			expr = "SELECT " + expr
		}
		script += "INSERT INTO v " + expr + ";"
	}
	s.SQL("postgres", script+"CHECKPOINT")
	oid, err := strconv.ParseUint(s.QueryValue("postgres", "SELECT atttypid FROM pg_attribute WHERE attrelid = 'v'::regclass AND attname = 'v'"), 10, 32)
	require.NoError(t, err)
	length, err := strconv.Atoi(s.QueryValue("postgres", "SELECT attlen FROM pg_attribute WHERE attrelid = 'v'::regclass AND attname = 'v'"))
	require.NoError(t, err)
	payloads := heapPayloads(t, filepath.Join(s.Dir(), s.QueryValue("postgres", "SELECT pg_relation_filepath('v')")), length)
	lines := strings.Split(strings.TrimSuffix(string(o.Copy("v")), "\n"), "\n")
	require.Len(t, lines, len(payloads), g.typ)
	out := make([]sample, len(lines))
	for i := range out {
		out[i] = sample{catalog.OID(oid), hex.EncodeToString(payloads[i]), unescapeCopy(lines[i])}
	}
	return out
}

// heapPayloads returns the first column of every tuple of a heap file.
func heapPayloads(t *testing.T, file string, length int) [][]byte {
	data, err := os.ReadFile(file)
	require.NoError(t, err)
	var out [][]byte
	for ; len(data) >= pgfile.PageSize; data = data[pgfile.PageSize:] {
		page := pgfile.Page(data[:pgfile.PageSize])
		for i := 24; i < page.Lower(); i += 4 {
			id := pgfile.ItemID(uint32(page[i]) | uint32(page[i+1])<<8 | uint32(page[i+2])<<16 | uint32(page[i+3])<<24)
			v := pgfile.HeapTuple(page[id.Off() : id.Off()+id.Len()]).Data()
			if length < 0 {
				parsed, err := pgfile.ParseVarlena(v)
				require.NoError(t, err)
				require.Equal(t, pgfile.VarlenaPlain, parsed.Kind)
				v = parsed.Data
			}
			out = append(out, v)
		}
	}
	return out
}

// unescapeCopy undoes COPY's escaping of one column.
func unescapeCopy(s string) string {
	return strings.NewReplacer(`\\`, `\`, `\n`, "\n", `\t`, "\t", `\r`, "\r", `\b`, "\b", `\f`, "\f", `\v`, "\v").Replace(s)
}

func checkSample(t *testing.T, table map[catalog.OID]builtin, e *Env, typ string, s sample) {
	t.Helper()
	payload, err := hex.DecodeString(s.hex)
	require.NoError(t, err)
	got, err := table[s.oid].text([]byte("before "), payload, e)
	require.NoError(t, err, "%s %s, printed as %q", typ, s.hex, s.text)
	if string(got) != "before "+s.text {
		t.Errorf("version %d: %s %s is printed as %q, we say %q", e.Major, typ, s.hex, s.text, got[len("before "):])
	}
	_, err = table[s.oid].value(payload, e)
	require.NoError(t, err, "value of %s %s", typ, s.hex)
}

func TestScalarsAgainstServers(t *testing.T) {
	againstServers(t, "scalars", scalarTypes)
}

func againstServers(t *testing.T, name string, table map[catalog.OID]builtin) {
	groups := readValues(t, name+".values")
	var order []sample
	majors := map[sample][]int{}
	for _, major := range pgtest.Versions() {
		t.Run(strconv.Itoa(major), func(t *testing.T) {
			s := pgtest.New(t, major, pgtest.Options{})
			s.Start()
			o := s.Oracle("postgres")
			for _, g := range groups {
				if g.typ == "xml" && major != 15 {
					continue // the other servers are built without libxml
				}
				if major < g.from {
					continue
				}
				all := samples(t, s, o, g)
				for i, one := range all {
					checkSample(t, table, &Env{Major: major}, g.typ, one)
					if i > goldenFirst && i%max(1, len(all)/goldenMore) != 0 || len(one.hex) > 400 {
						continue
					}
					if majors[one] == nil {
						order = append(order, one)
					}
					if !slices.Contains(majors[one], major) {
						majors[one] = append(majors[one], major)
					}
				}
			}
		})
	}
	if *writeGoldenFiles {
		writeGolden(t, name, order, majors)
	}
}

func writeGolden(t *testing.T, name string, order []sample, majors map[sample][]int) {
	var b strings.Builder
	b.WriteString("# Written by go test -run AgainstServers -write-golden: versions, type, payload, text.\n")
	for _, s := range order {
		fmt.Fprintf(&b, "%s\t%d\t%s\t%q\n", strings.Trim(strings.ReplaceAll(fmt.Sprint(majors[s]), " ", ","), "[]"), s.oid, s.hex, s.text)
	}
	require.NoError(t, os.WriteFile(filepath.Join("testdata", name+".golden"), []byte(b.String()), 0o644))
}

func TestScalarGolden(t *testing.T) {
	n := 0
	eachGolden(t, "scalars", func(major int, s sample) {
		checkSample(t, scalarTypes, &Env{Major: major}, strconv.Itoa(int(s.oid)), s)
		n++
	})
	require.Greater(t, n, 5000)
}

func eachGolden(tb testing.TB, name string, f func(major int, s sample)) {
	data, err := os.ReadFile(filepath.Join("testdata", name+".golden"))
	require.NoError(tb, err)
	for line := range strings.Lines(string(data)) {
		if line[0] == '#' {
			continue
		}
		fields := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		require.Len(tb, fields, 4)
		oid, err := strconv.ParseUint(fields[1], 10, 32)
		require.NoError(tb, err)
		text, err := strconv.Unquote(fields[3])
		require.NoError(tb, err)
		for major := range strings.SplitSeq(fields[0], ",") {
			m, err := strconv.Atoi(major)
			require.NoError(tb, err)
			f(m, sample{catalog.OID(oid), fields[2], text})
		}
	}
}
