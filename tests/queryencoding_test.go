package tests

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/pipescan/pipescan"
	"github.com/pipescan/pipescan/datum"
	"github.com/pipescan/pipescan/internal/pgtest"
)

// TestQueriesInOtherEncodings: queries are in UTF-8 whatever the database's encoding is.
func TestQueriesInOtherEncodings(t *testing.T) {
	queries := map[string][]string{
		"LATIN1": {
			"SELECT * FROM t WHERE a = 'é'", `SELECT "ü", length(a), octet_length(a), a || 'ö' FROM t WHERE "ü" < 3`, "SELECT a FROM t WHERE a LIKE 'é_%'",
			"SELECT a FROM t WHERE a IN ('é', '€')", `SELECT max(a), "ü" AS "ö" FROM t WHERE a >= 'é' GROUP BY "ü" ORDER BY "ö" DESC`, "SELECT 'é'::bytea, position('t' in 'ét') FROM t",
			`SELECT "ö" FROM t`, "SELECT * FROM t WHERE a > 'z'",
		},
		"EUC_JP": {"SELECT * FROM t WHERE a = '日本'", "SELECT octet_length(a), a IN ('かな', 'x') FROM t", "SELECT '漢字' || a FROM t WHERE a <> 'x'"},
	}
	fill := map[string]string{
		"LATIN1": `CREATE TABLE t (a text, "ü" int); INSERT INTO t VALUES ('é', 1), ('e', 2), ('été', 3), ('ü', 4), (NULL, 5)`,
		"EUC_JP": `CREATE TABLE t (a text); INSERT INTO t VALUES ('日本'), ('日本語'), ('x'), ('かな')`,
	}
	s := pgtest.New(t, 15, pgtest.Options{})
	s.Start()
	want := map[string][]answer{}
	for encoding, texts := range queries {
		s.SQL("postgres", fmt.Sprintf("CREATE DATABASE %q ENCODING '%s' TEMPLATE template0", encoding, encoding))
		s.SQL(encoding, fill[encoding])
		generated := make([]generatedQuery, len(texts))
		for i := range texts {
			generated[i].sql = texts[i]
		}
		want[encoding] = serverAnswers(t, s, encoding, generated)
	}
	s.Stop()

	for encoding, texts := range queries {
		db, err := pipescan.Open(context.Background(), s.Dir(), pipescan.Options{CacheDir: "none", Database: encoding})
		require.NoError(t, err)
		for i, text := range texts {
			got, err := libraryAnswer(db, generatedQuery{sql: text}, i)
			require.NoError(t, err, text)
			for k := range got.lines {
				line, err := datum.ToUTF8(db.Encoding(), []byte(got.lines[k]))
				require.NoError(t, err, text)
				got.lines[k] = string(line)
			}
			require.True(t, got.state == want[encoding][i].state && slices.Equal(got.lines, want[encoding][i].lines), "%s\nserver: %v\npipescan: %v", text, &want[encoding][i], got)
		}
		require.NoError(t, db.Close())
	}
}
