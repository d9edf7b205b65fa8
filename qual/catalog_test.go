package qual

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/pipescan/pipescan/internal/pgtest"
)

var writeCatalog = flag.Bool("write-catalog", false, "write data/*.txt from the servers' catalogs")

// catalogQueries are what data/*.txt hold, a column a field.
var catalogQueries = map[string]string{
	"types": `SELECT oid, typname, typlen, typtype, typcategory, typispreferred, typelem, typarray, typcollation, typalign
		FROM pg_type WHERE typnamespace = 'pg_catalog'::regnamespace AND typrelid = 0 AND oid < 10000
		AND (typelem = 0 OR typelem IN (SELECT oid FROM pg_type WHERE typrelid = 0 AND oid < 10000))`,
	"operators": `SELECT oid, oprname, oprleft, oprright, oprresult, oprcode::oid, oprnegate
		FROM pg_operator WHERE oprnamespace = 'pg_catalog'::regnamespace AND oid < 10000 AND oprcode <> 0`,
	"functions": `SELECT oid, proname, CASE prolang WHEN 12 THEN prosrc ELSE '-' END, prorettype,
		proisstrict, proleakproof, provolatile, procost, provariadic, pronargdefaults, replace(proargtypes::text, ' ', ',')
		FROM pg_proc p WHERE pronamespace = 'pg_catalog'::regnamespace AND oid < 10000 AND prokind = 'f' AND NOT proretset
		AND NOT 2281 = ANY (proargtypes) AND prorettype NOT IN (2281, 2279, 3838, 325, 269, 3115, 2280)`,
	"casts": `SELECT castsource, casttarget, castfunc, castcontext, castmethod FROM pg_cast WHERE oid < 16384`,
}

// catalogLines are a server's lines for each file.
func catalogLines(s *pgtest.Server) map[string][]string {
	out := map[string][]string{}
	for name, sql := range catalogQueries {
		for _, row := range s.Query("postgres", sql) {
			fields := make([]string, len(row))
			for i, f := range row {
				fields[i] = *f
			}
			out[name] = append(out[name], strings.Join(fields, "\t"))
		}
	}
	return out
}

// TestCatalog compares the tables of types, operators, functions and casts
// with those of real servers.
func TestCatalog(t *testing.T) {
	versions := testVersions()
	if *writeCatalog {
		versions = pgtest.Versions()
	}
	seen := map[string]map[string][]int{}
	for _, major := range versions {
		s := pgtest.New(t, major, pgtest.Options{})
		s.Start()
		for name, lines := range catalogLines(s) {
			if seen[name] == nil {
				seen[name] = map[string][]int{}
			}
			for _, l := range lines {
				seen[name][l] = append(seen[name][l], major)
			}
			if !*writeCatalog {
				slices.Sort(lines)
				want := embeddedLines(t, name, major)
				require.Equal(t, lines, want, "%s of version %d", name, major)
			}
		}
		s.Stop()
	}
	if *writeCatalog {
		for name, lines := range seen {
			writeCatalogFile(t, name, lines)
		}
	}
}

// embeddedLines are the lines of an embedded file that a version has.
func embeddedLines(t *testing.T, name string, major int) []string {
	text, err := catalogFiles.ReadFile("data/" + name + ".txt")
	require.NoError(t, err)
	var out []string
	for line := range strings.Lines(string(text)) {
		line, ok := lineOf(strings.TrimSuffix(line, "\n"), major)
		if ok {
			out = append(out, line)
		}
	}
	slices.Sort(out)
	return out
}

func writeCatalogFile(t *testing.T, name string, lines map[string][]int) {
	keys := make([]string, 0, len(lines))
	for l, v := range lines {
		for i := range v {
			require.Equal(t, v[0]+i, v[i], "versions of %s", l)
		}
		keys = append(keys, l)
	}
	sort.Slice(keys, func(i, j int) bool { return natural(keys[i]) < natural(keys[j]) })
	var b strings.Builder
	for _, k := range keys {
		v := lines[k]
		fmt.Fprintf(&b, "%d-%d\t%s\n", v[0], v[len(v)-1], k)
	}
	require.NoError(t, os.WriteFile(filepath.Join("data", name+".txt"), []byte(b.String()), 0o644))
}

// natural sorts lines by the number they start with.
func natural(line string) string {
	n := strings.IndexByte(line, '\t')
	return fmt.Sprintf("%010s", line[:n]) + line[n:]
}
