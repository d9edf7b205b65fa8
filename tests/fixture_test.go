package tests

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/pipescan/pipescan/internal/pgtest"
)

// runFixtures runs the scripts of a name in a database: testdata/fixtures/NAME.sql, then NAME_fromN.sql for every N up to the server's
// version, then NAME_lz4.sql if the server was built with lz4.
func runFixtures(t *testing.T, s *pgtest.Server, db, name string) {
	t.Helper()
	found := runFixture(t, s, db, name)
	for v := 13; v <= s.Version(); v++ {
		found = runFixture(t, s, db, name+"_from"+strconv.Itoa(v)) || found
	}
	if hasLZ4(s) {
		found = runFixture(t, s, db, name+"_lz4") || found
	}
	require.True(t, found, "no fixture %q", name)
}

func runFixture(t *testing.T, s *pgtest.Server, db, name string) bool {
	t.Helper()
	script, err := os.ReadFile(filepath.Join("testdata", "fixtures", name+".sql"))
	if os.IsNotExist(err) {
		return false
	}
	require.NoError(t, err)
	s.SQL(db, string(script))
	return true
}

// hasLZ4 says whether a running server can compress with lz4; of the servers here only 15 can.
func hasLZ4(s *pgtest.Server) bool {
	rows := s.Query("postgres", "SELECT 1 FROM pg_settings WHERE name = 'default_toast_compression' AND 'lz4' = ANY(enumvals)")
	return len(rows) > 0
}

// fillEverything makes the databases of the conformance matrix in a running server.
func fillEverything(t *testing.T, s *pgtest.Server) {
	t.Helper()
	s.SQL("postgres", "CREATE TABLESPACE apart LOCATION '"+s.TablespaceDir("apart")+"'; CREATE TABLESPACE \"for db\" LOCATION '"+s.TablespaceDir("fordb")+"'")
	for _, db := range []string{"types", "toast", "shapes", "moved", "visibility"} {
		s.SQL("postgres", "CREATE DATABASE "+db)
	}
	s.SQL("postgres", `CREATE DATABASE "In Tablespace" TABLESPACE "for db"`)
	s.SQL("postgres", "CREATE DATABASE latin1 ENCODING 'LATIN1' TEMPLATE template0; CREATE DATABASE eucjp ENCODING 'EUC_JP' TEMPLATE template0; CREATE DATABASE ascii ENCODING 'SQL_ASCII' TEMPLATE template0")

	runFixture(t, s, "types", "types_before")
	s.SQL("types", typesScript(s.Version())+allNullScript(s.Version()))
	runFixtures(t, s, "types", "types_after")
	runFixtures(t, s, "toast", "toast")
	runFixtures(t, s, "shapes", "shapes")
	s.SQL("shapes", `CREATE TABLE in_space TABLESPACE apart AS SELECT i, repeat('s', i) AS t FROM generate_series(1, 200) i;
		CREATE TABLE moved_there AS SELECT 1 AS a; ALTER TABLE moved_there SET TABLESPACE apart; CREATE INDEX ON in_space (i) TABLESPACE apart`)
	s.SQL("In Tablespace", "CREATE TABLE here AS SELECT 'in the database''s tablespace' AS a; CREATE TABLE back TABLESPACE pg_default AS SELECT 'in the default' AS a")
	runFixtures(t, s, "moved", "moved")
	runFixtures(t, s, "latin1", "locale")
	runFixtures(t, s, "ascii", "locale_ascii")
	s.SQL("eucjp", "CREATE TABLE 漢字 AS SELECT '日本語'::text AS 列, 'かな'::char(4) AS b, repeat('語', 3000) AS c")
	fillVisibility(t, s, "visibility")
	s.AllowTemplate0()
}

// databases lists a running server's databases.
func databases(s *pgtest.Server) []string {
	var names []string
	for _, row := range s.Query("postgres", "SELECT datname FROM pg_database ORDER BY oid") {
		names = append(names, *row[0])
	}
	return names
}

// qualified quotes a schema and a name as SQL.
func qualified(schema, name string) string {
	quote := func(s string) string { return `"` + strings.ReplaceAll(s, `"`, `""`) + `"` }
	return quote(schema) + "." + quote(name)
}
