package table

import (
	"flag"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/pipescan/pipescan/internal/pgtest"
)

var writeTypes = flag.Bool("write-types", false, "write what the server says to types18.tsv")

// TestTypesAreTheServers: the built-in types are those of a server of version
// 18.
func TestTypesAreTheServers(t *testing.T) {
	s := pgtest.New(t, 18, pgtest.Options{})
	s.Start()
	var b strings.Builder
	b.WriteString("# Built-in types of PostgreSQL 18, written by go test -run TypesAreTheServers -write-types:\n" +
		"# oid name len byval type category delim elem array output align storage collation subscript | range: oid subtype multirange\n")
	rows := s.Query("postgres", `
		SELECT t.oid, t.typname, t.typlen, t.typbyval::int, t.typtype, t.typcategory, t.typdelim, t.typelem, t.typarray,
		       t.typoutput::oid, t.typalign, t.typstorage, t.typcollation, t.typsubscript::oid
		FROM pg_type t LEFT JOIN pg_type e ON e.oid = t.typelem
		WHERE t.typnamespace = 11 AND t.typtype IN ('b', 'r', 'm') AND (e.oid IS NULL OR e.typtype IN ('b', 'r', 'm') ) ORDER BY 1`)
	rows = append(rows, s.Query("postgres", `SELECT 'range', rngtypid, rngsubtype, rngmultitypid FROM pg_range WHERE rngtypid < 16384 ORDER BY 2`)...)
	for _, r := range rows {
		for i, v := range r {
			if i > 0 {
				b.WriteByte('\t')
			}
			b.WriteString(*v)
		}
		b.WriteByte('\n')
	}
	s.Stop()
	if *writeTypes {
		require.NoError(t, os.WriteFile("types18.tsv", []byte(b.String()), 0o644))
	}
	require.Equal(t, typesTSV, b.String())
}
