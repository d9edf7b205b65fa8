package datum

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/pipescan/pipescan/catalog"
	"github.com/pipescan/pipescan/internal/pgtest"
	"github.com/pipescan/pipescan/pgfile"
)

// containerTables are relations whose every column is compared with what the
// server prints, beside those that testdata/containers.sql creates.
var containerTables = []string{
	"pg_statistic", "pg_statistic_ext", "pg_statistic_ext_data", "pg_class", "pg_namespace", "pg_proc", "pg_type", "pg_index", "pg_operator",
	"pg_constraint", "pg_attribute", "pg_cast", "pg_conversion", "pg_am", "pg_aggregate", "pg_ts_parser", "pg_ts_dict", "pg_amproc", "pg_range",
	"pg_policy", "pg_partitioned_table", "pg_trigger", "pg_attrdef", "pg_default_acl", "pg_init_privs", "pg_language", "pg_database", "pg_db_role_setting",
}

// goldenLines is a golden file in the making, each line once.
type goldenLines struct {
	text strings.Builder
	seen map[string]bool
}

func (g *goldenLines) add(s sample) {
	line := fmt.Sprintf("15\t%d\t%s\t%q\n", s.oid, s.hex, s.text)
	if !g.seen[line] {
		g.text.WriteString(line)
	}
	g.seen[line] = true
}

// TestContainersAgainstServers takes the tables of testdata/containers.sql and
// the system catalogs apart and compares every value with the server's COPY.
// With -write-golden the values of one version become testdata/containers.golden.
func TestContainersAgainstServers(t *testing.T) {
	script, err := os.ReadFile(filepath.Join("testdata", "containers.sql"))
	require.NoError(t, err)
	for _, major := range pgtest.Versions() {
		t.Run(strconv.Itoa(major), func(t *testing.T) {
			s := pgtest.New(t, major, pgtest.Options{})
			s.Start()
			for part := range strings.SplitSeq(string(script), "\n-- from ") {
				from, rest, _ := strings.Cut(part, "\n")
				if n, err := strconv.Atoi(strings.TrimSpace(from)); err != nil || n <= major {
					s.SQL("postgres", rest)
				}
			}
			e := &Env{Lookup: serverLookup(s), Major: major, Encoding: 6}
			golden := &goldenLines{seen: map[string]bool{}}
			tables := containerTables
			rows(s, "SELECT oid::regclass FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace ORDER BY oid", func(r []string) {
				tables = append([]string{r[0]}, tables...)
			})
			for _, table := range tables {
				compareTable(t, s, e, table, golden)
			}
			if *writeGoldenFiles && major == 15 {
				writeContainers(t, e, golden.text.String())
			}
		})
	}
}

// writeContainers writes the golden values and what of the catalogs they need.
func writeContainers(t *testing.T, e *Env, golden string) {
	require.NoError(t, os.WriteFile(filepath.Join("testdata", "containers.golden"), []byte("# Written by go test -run ContainersAgainst -write-golden: version, type, payload, text.\n"+golden), 0o644))
	all := e.Lookup.(*fakeLookup)
	all.used = newFakeLookup(e.Major)
	eachContainer(t, func(s sample) { checkContainer(t, &Env{Lookup: all, Major: e.Major}, s) })
	all.used.save(t, "containers_catalog.json")
}

// compareTable compares all values of a relation that lie in its own file.
func compareTable(t *testing.T, s *pgtest.Server, e *Env, table string, golden *goldenLines) {
	t.Helper()
	s.SQL("postgres", "VACUUM FULL "+table+"; CHECKPOINT")
	o := s.Oracle("postgres")
	defer o.Close()
	rel := e.Lookup.(*fakeLookup).Relations[oidOf(s.QueryValue("postgres", "SELECT '"+table+"'::regclass::oid"))]
	attrs := make([]pgfile.Attr, len(rel.Columns))
	var wanted []int
	for i, c := range rel.Columns {
		attrs[i] = pgfile.Attr{Len: c.Len, Align: c.Align, Dropped: c.Dropped}
		if !c.Dropped {
			wanted = append(wanted, i)
		}
	}
	plan, err := pgfile.NewDeformPlan(attrs, wanted)
	require.NoError(t, err)
	file := filepath.Join(s.Dir(), s.QueryValue("postgres", "SELECT pg_relation_filepath('"+table+"')"))
	lines := strings.Split(strings.TrimSuffix(string(o.Copy(table)), "\n"), "\n")
	jsons := columnJSON(o, table, rel)
	fields := make([]pgfile.Datum, len(wanted))
	n := 0
	eachTuple(t, file, func(tuple pgfile.HeapTuple) {
		require.NoError(t, plan.Deform(tuple, fields))
		want := strings.Split(lines[n], "\t")
		for i, w := range wanted {
			c := rel.Columns[w]
			compareValue(t, e, fmt.Sprintf("version %d %s.%s row %d", e.Major, table, c.Name, n+1), c, fields[i], want[i], golden)
			if jsons != nil {
				compareJSON(t, e, table+"."+c.Name, c, fields[i], jsons[n][i])
			}
		}
		n++
	})
	if n > 0 || lines[0] != "" {
		require.Len(t, lines, n, table)
	}
}

// columnJSON asks for every column of a user table as JSON.
func columnJSON(o *pgtest.Oracle, table string, rel *catalog.Relation) [][]*string {
	if strings.HasPrefix(table, "pg_") {
		return nil
	}
	var list []string
	for _, c := range rel.Columns {
		if !c.Dropped {
			list = append(list, "to_json("+c.Name+")::text")
		}
	}
	return o.Query("SELECT " + strings.Join(list, ", ") + " FROM " + table)
}

func compareJSON(t *testing.T, e *Env, where string, c catalog.Column, stored pgfile.Datum, want *string) {
	payload, ok := plainPayload(t, c, stored)
	if !ok {
		return
	}
	codec, err := For(c.Type, -1, e)
	require.NoError(t, err)
	got, err := codec.(JSONCodec).AppendJSON([]byte("before "), payload)
	require.NoError(t, err, where)
	require.Equal(t, "before "+*want, string(got), where)
}

// plainPayload is the payload of a value that is neither null nor toasted.
func plainPayload(t *testing.T, c catalog.Column, stored pgfile.Datum) ([]byte, bool) {
	if stored == nil || c.Len != -1 {
		return stored, stored != nil
	}
	v, err := pgfile.ParseVarlena(stored)
	require.NoError(t, err)
	return v.Data, v.Kind == pgfile.VarlenaPlain
}

func eachTuple(t *testing.T, file string, f func(pgfile.HeapTuple)) {
	data, err := os.ReadFile(file)
	require.NoError(t, err)
	for ; len(data) >= pgfile.PageSize; data = data[pgfile.PageSize:] {
		page := pgfile.Page(data[:pgfile.PageSize])
		for i := 24; i < page.Lower(); i += 4 {
			id := pgfile.ItemID(uint32(page[i]) | uint32(page[i+1])<<8 | uint32(page[i+2])<<16 | uint32(page[i+3])<<24)
			if id.Len() == 0 {
				continue
			}
			tuple := pgfile.HeapTuple(page[id.Off() : id.Off()+id.Len()])
			const xmaxInvalid, xmaxLockOnly = 0x0800, 0x0080
			if tuple.Infomask()&(xmaxInvalid|xmaxLockOnly) != 0 { // else dead, but too young for VACUUM
				f(tuple)
			}
		}
	}
}

func compareValue(t *testing.T, e *Env, where string, c catalog.Column, stored pgfile.Datum, want string, golden *goldenLines) {
	t.Helper()
	if stored == nil {
		require.Equal(t, `\N`, want, where)
		return
	}
	payload, ok := plainPayload(t, c, stored)
	if !ok {
		return // what the TOAST reader is for
	}
	s := sample{c.Type, hex.EncodeToString(payload), unescapeCopy(want)}
	checkContainer(t, e, s)
	if len(payload) < 1000 && (!strings.Contains(where, " pg_") || c.Type == catalog.AnyArrayOID && len(payload) < 100) {
		golden.add(s)
	}
}

func checkContainer(t *testing.T, e *Env, s sample) {
	t.Helper()
	payload, err := hex.DecodeString(s.hex)
	require.NoError(t, err)
	c, err := For(s.oid, -1, e)
	require.NoError(t, err)
	before := bytes.Clone(payload)
	got, err := c.AppendText([]byte("before "), payload)
	require.NoError(t, err, "type %d printed as %q", s.oid, s.text)
	require.Equal(t, "before "+s.text, string(got), "version %d type %d %s", e.Major, s.oid, s.hex)
	_, err = c.Value(payload)
	require.NoError(t, err)
	require.Equal(t, before, payload, "the value was written to")
}

func eachContainer(tb testing.TB, f func(sample)) {
	eachGolden(tb, "containers", func(_ int, s sample) { f(s) })
}

func TestContainerGolden(t *testing.T) {
	e := &Env{Lookup: loadLookup(t, "containers_catalog.json"), Major: 15, Encoding: 6}
	n := 0
	eachContainer(t, func(s sample) {
		checkContainer(t, e, s)
		n++
	})
	require.Greater(t, n, 100)
}
