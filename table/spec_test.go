package table

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/pipescan/pipescan/catalog"
)

func rowTexts(r []*string) (out []string) {
	for _, v := range r {
		out = append(out, *v)
	}
	return out
}

func columnTexts(c catalog.Column) []string {
	bit := func(b bool) string { return map[bool]string{true: "1", false: "0"}[b] }
	return []string{
		c.Name, fmt.Sprint(c.Type), fmt.Sprint(c.Typmod), fmt.Sprint(c.Len), bit(c.ByVal), string(c.Align), string(c.Storage), bit(c.NotNull),
		fmt.Sprint(c.Collation), fmt.Sprint(c.Ndims),
	}
}

const specColumns = "a int, b text, c float8, d date, e timestamp, f bool, g numeric(5,1), h smallint, i real, rows int"

var goodSpecs = []struct{ spec, want string }{
	{"a = series(1, 3)", "1 2 3"},
	{"a = series(3, 1, -1)", "3 2 1"},
	{"a=series(1,10,4)", "1 5 9"},
	{"a = series(1, 2), rows = 5", "1 2 1 2 1"},
	{"rows = 2, b = const('it''s')", "it's it's"},
	{"rows = 2, a = null(1, random(1, 2))", `\N \N`},
	{"rows = 2, a = null(0, const('7'))", "7 7"},
	{"d = series(-1, 1)", "1999-12-31 2000-01-01 2000-01-02"},
	{"e = series(0, 86399, 86399)", "2000-01-01 00:00:00 2000-01-01 23:59:59"},
	{"f = series(0, 2)", "f t t"},
	{"g = series(-1, 1)", "-1.0 0.0 1.0"},
	{"c = series(1, 2)", "1 2"},
	{"i = series(1, 2)", "1 2"},
	{"b = series(9, 11)", "9 10 11"},
	{"rows = 1, c = random(2.5, 2.5)", "2.5"},
	{`"rows" = series(5, 6)`, "5 6"},
	{"rows = 0, a = random(1, 2)", ""},
	{"rows = 1, b = text(0, 0)", ""},
}

var badSpecs = []string{
	"", "a", "a =", "a = series", "a = series(", "a = series(1", "a = series(1)", "a = series(1,2", "a = series(1,2,3,4)", "a = series(2,1)", "a = series(1,2,0)", "a = series(1.5,2)",
	"a = series(x,2)", "a = series(1,99999999999999999999)", "a = random(1,2)", "rows = -1, a = random(1,2)", "rows = x", "nosuch = series(1,2)", "a = series(1,2), a = series(1,2)",
	"a = series(1,2) b = text(1,2)", "b = text(2,1), rows = 1", "b = text(-1,1), rows = 1", "a = const('x'), rows = 1", "a = const('1', rows = 1", "a = const(1), rows = 1",
	"a = null(2, series(1,2))", "a = null(0.5, null(0.5, series(1,2)))", "a = null(0.5 series(1,2))", "a = null(0.5, series(1,2)", "a = series(1,2,-9223372036854775808)",
	"a = series(-9223372036854775808, 9223372036854775807)", "rows = 99999999999999", "c = random(1e999, 2.0), rows = 1", "a = random(2, 1), rows = 1", "a = lorem(1, 2)",
}

func TestSpecs(t *testing.T) {
	for _, c := range goodSpecs {
		s, rel := newTable(t, specColumns)
		_, err := s.LoadGenerated(ctx, rel, c.spec, GenerateOptions{})
		require.NoError(t, err, c.spec)
		var got []string
		for line := range strings.Lines(copyOut(t, s, rel)) {
			text := ""
			for i, field := range strings.Split(strings.TrimSuffix(line, "\n"), "\t") {
				if strings.Contains(c.spec, rel.Columns[i].Name+" =") || strings.Contains(c.spec, rel.Columns[i].Name+"=") || strings.Contains(c.spec, `"`+rel.Columns[i].Name+`"`) {
					if rel.Columns[i].Name != "rows" || strings.Contains(c.spec, `"rows"`) {
						text = field
					}
				} else if field != `\N` {
					t.Fatalf("%s: column %s is %q", c.spec, rel.Columns[i].Name, field)
				}
			}
			got = append(got, text)
		}
		require.Equal(t, c.want, strings.Join(got, " "), c.spec)
	}
	s, rel := newTable(t, specColumns)
	for _, spec := range badSpecs {
		_, err := s.LoadGenerated(ctx, rel, spec, GenerateOptions{})
		var bad *SpecError
		require.ErrorAs(t, err, &bad, "%q", spec)
	}
	_, err := s.LoadGenerated(ctx, rel, "h = series(32767, 32768)", GenerateOptions{})
	require.ErrorContains(t, err, `line 2, column h: value "32768" is out of range for type smallint`)
	_, err = s.LoadGenerated(ctx, rel, fmt.Sprintf("rows = 1, d = series(%d, %d)", math.MaxInt64, math.MaxInt64), GenerateOptions{})
	require.ErrorContains(t, err, "out of range for type date")
	require.Empty(t, copyOut(t, s, rel))
}

// TestSpecsAreDeterministic: the same specification gives the same rows, and
// another seed others.
func TestSpecsAreDeterministic(t *testing.T) {
	rows := func(seed int) string {
		s, rel := newTable(t, "a int, b text, c float8")
		_, err := s.LoadGenerated(ctx, rel, fmt.Sprintf("rows = 500, seed = %d, a = random(-5, 5), b = null(0.2, text(0, 9)), c = random(-1.0, 1.0)", seed), GenerateOptions{})
		require.NoError(t, err)
		return copyOut(t, s, rel)
	}
	require.Equal(t, rows(1), rows(1))
	require.NotEqual(t, rows(1), rows(2))
	nulls, values := 0, map[string]int{}
	for line := range strings.Lines(rows(1)) {
		f := strings.Split(line, "\t")
		values[f[0]]++
		if f[1] == `\N` {
			nulls++
		} else {
			require.LessOrEqual(t, len(f[1]), 9)
		}
	}
	require.Len(t, values, 11)
	require.InDelta(t, 100, nulls, 40)
}
