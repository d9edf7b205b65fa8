package pgtest_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/pipescan/pipescan/internal/pgtest"
)

func TestSplitSQL(t *testing.T) {
	for _, c := range []struct {
		script string
		want   []string
	}{
		{"", nil},
		{" ; ;; -- only; a comment\n", nil},
		{"SELECT 1; SELECT 2", []string{"SELECT 1", "SELECT 2"}},
		{"SELECT ';', ';'';';", []string{"SELECT ';', ';'';'"}},
		{`SELECT E'\';'; SELECT '\'; SELECT 1`, []string{`SELECT E'\';'`, `SELECT '\'`, "SELECT 1"}},
		{`SELECT ";""" ; x`, []string{`SELECT ";"""`, "x"}},
		{"/* a; /* b; */ c; */ SELECT 1; x", []string{"/* a; /* b; */ c; */ SELECT 1", "x"}},
		{"DO $$ a; $b$ c; $b$ $$; x", []string{"DO $$ a; $b$ c; $b$ $$", "x"}},
		{"DO $a_1$ ; $$ ; $a_1$; SELECT a$b; c$", []string{"DO $a_1$ ; $$ ; $a_1$", "SELECT a$b", "c$"}},
		{"SELECT $1; SELECT $2", []string{"SELECT $1", "SELECT $2"}},
		{"CREATE RULE r AS ON INSERT TO t DO (a; b); x", []string{"CREATE RULE r AS ON INSERT TO t DO (a; b)", "x"}},
		{"SELECT 'open; x", []string{"SELECT 'open; x"}},
		{"DO $$ open; x", []string{"DO $$ open; x"}},
		{"/* open; x", nil},
	} {
		require.Equal(t, c.want, pgtest.SplitSQL(c.script), "%q", c.script)
	}
}

// FuzzSplitSQL checks that no script hangs or crashes the splitter and that nothing is lost but semicolons, space and comments.
func FuzzSplitSQL(f *testing.F) {
	f.Add("SELECT 1; -- x\nDO $$ a; $$; SELECT E'\\';' || \"a;\"\"\" /* ; /* */ */;")
	f.Fuzz(func(t *testing.T, script string) {
		rest := script
		for _, stmt := range pgtest.SplitSQL(script) {
			at := strings.Index(rest, stmt)
			if at < 0 {
				t.Fatalf("%q is not what follows in %q", stmt, script)
			}
			rest = rest[at+len(stmt):]
		}
	})
}
