package sqlfront

import (
	"errors"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/pipescan/pipescan/qual"
)

func TestSyntaxErrorsHavePlaces(t *testing.T) {
	for _, c := range []struct {
		text, code, message string
		pos                 int
	}{
		{"select a from t where", "42601", "syntax error at end of input", 22},
		{"select é, from t", "42601", `syntax error at or near "from"`, 12},
		{"select 'a from t", "42601", "unterminated quoted string at or near \"'a from t\"", 8},
		{"selec a", "42601", `syntax error at or near "selec"`, 1},
		{"", "42601", "there is no query in the text", 0},
		{" ; -- nothing", "42601", "there is no query in the text", 0},
		{"select a\x00 from t", "22021", `invalid byte sequence for encoding "UTF8": 0x00`, 9},
		{"select '\xff' from t", "22021", `invalid byte sequence for encoding "UTF8"`, 9},
		{"select U&'\\zzzz' from t", "42601", "invalid Unicode escape", 11},
		{"select a::float(0) from t", "22023", "precision for type float must be at least 1 bit", 17},
		{strings.Repeat(" ", maxText+1), "54000", "the SQL text has 1048577 bytes: at most 1048576 are read", 0},
	} {
		_, err := Parse(c.text)
		var sql *qual.SQLError
		require.ErrorAs(t, err, &sql, "%.80s", c.text)
		require.Equal(t, c.code, sql.Code, "%.80s", c.text)
		require.Equal(t, c.message, sql.Message, "%.80s", c.text)
		require.Equal(t, c.pos, sql.Pos, "%.80s", c.text)
	}
}

// deepTexts are the ways in which a tree grows deep.
var deepTexts = map[string]func(n int) string{
	"plus":    func(n int) string { return "select " + strings.Repeat("1+", n) + "1 from t" },
	"minus":   func(n int) string { return "select " + strings.Repeat("- ", n) + "a from t" },
	"not":     func(n int) string { return "select " + strings.Repeat("not ", n) + "a from t" },
	"cast":    func(n int) string { return "select a" + strings.Repeat("::int", n) + " from t" },
	"is":      func(n int) string { return "select a" + strings.Repeat(" is null", n) + " from t" },
	"collate": func(n int) string { return "select a" + strings.Repeat(` collate "C"`, n) + " from t" },
	"brackets": func(n int) string {
		return "select " + strings.Repeat("f(", n) + "a" + strings.Repeat(")", n) + " from t"
	},
	"branches": func(n int) string {
		return "select " + strings.Repeat("case when a and b then c or d else ", n) + "1" + strings.Repeat(" end", n) + " from t"
	},
	"union": func(n int) string { return "select a and b" + strings.Repeat(" union select a and b", n) },
	"join":  func(n int) string { return "select 1 from t" + strings.Repeat(" join t on a and b", n) },
	"subs":  func(n int) string { return strings.Repeat("(select ", n) + "1" + strings.Repeat(")", n) },
	"lists": func(n int) string {
		return "select a in (" + strings.Repeat("1 + (2, ", n) + strings.Repeat(")", n) + ")"
	},
	"quotes":  func(n int) string { return `select E'a''b\'', ` + strings.Repeat("1+", n) + "1 from t" },
	"comment": func(n int) string { return "select /* /* */ ' */ " + strings.Repeat("1+", n) + "'1' from t" },
	"dollar":  func(n int) string { return "select $a$ ' $a$ || " + strings.Repeat("1+", n) + "'1' from t" },
}

func TestDeepTextsAreRefused(t *testing.T) {
	for name, text := range deepTexts {
		for _, n := range []int{100_000, maxDepth + 1} {
			s := text(n)
			_, err := Parse(s)
			require.Error(t, err, name)
			require.Greater(t, depthOf(s), maxDepth, name)
		}
		_, err := Parse(text(20))
		var sql *qual.SQLError
		require.False(t, errors.As(err, &sql) && sql.Code == "54001", name)
	}
}

// What depthOf lets through must not overflow the parser, the decoder or the
// translator.
func TestDeepestTextsAreRead(t *testing.T) {
	for name, text := range deepTexts {
		n := 1
		for depthOf(text(n)) <= maxDepth {
			n *= 2
		}
		for ; depthOf(text(n)) > maxDepth; n -= n/64 + 1 {
		}
		_, err := Parse(text(n))
		t.Log(name, n, err)
		var sql *qual.SQLError
		require.False(t, errors.As(err, &sql) && sql.Code == "XX000", name)
	}
}

func TestFlatTextsAreNotDeep(t *testing.T) {
	for name, text := range map[string]string{
		"in":   "a in (" + strings.Repeat("1, ", 50_000) + "1)",
		"or":   strings.Repeat("a = 1 or ", 20_000) + "a = 2",
		"and":  strings.Repeat("a = 1 and b like 'x%' and ", 10_000) + "a = 2",
		"case": "case a " + strings.Repeat("when 1 then b ", 10_000) + "end",
	} {
		_, err := Where(text)
		require.NoError(t, err, name)
	}
}

func TestParserFromManyGoroutines(t *testing.T) {
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 20 {
				_, err := Where("a = 1 and b > 2.5")
				require.NoError(t, err)
				_, err = Where("a = ")
				require.Error(t, err)
			}
		})
	}
	wg.Wait()
}
