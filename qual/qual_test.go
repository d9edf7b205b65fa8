package qual

import (
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/pipescan/pipescan/batch"
	"github.com/pipescan/pipescan/catalog"
	"github.com/pipescan/pipescan/datum"
	"github.com/pipescan/pipescan/pgfile"
)

// numbersBatch has one int4 column "a" with these values.
func numbersBatch(values ...int32) (*batch.Batch, *Scope) {
	b := batch.NewPool(1).Get()
	b.SetWidths([]int{4})
	for _, v := range values {
		b.Cols[0].AppendUint32(uint32(v))
	}
	b.N, b.Decoded = len(values), true
	env := &datum.Env{Major: 16, Encoding: catalog.UTF8}
	return b, &Scope{Env: env, Columns: []Column{{Name: "a", Type: catalog.Int4OID, Typmod: -1}}}
}

func sqlState(t *testing.T, err error) string {
	t.Helper()
	var e *SQLError
	require.ErrorAs(t, err, &e)
	return e.Code
}

// TestErrorRow: on an error, the rows before the failing one are kept, and
// only they.
func TestErrorRow(t *testing.T) {
	in, s := numbersBatch(1, 2, 5, 0, 3)
	f, err := BindCondition(Number("10").Div(Col("a")).Gt(2), s)
	require.NoError(t, err)
	err = f.Filter(in)
	require.Equal(t, "22012", sqlState(t, err))
	var e *SQLError
	require.ErrorAs(t, err, &e)
	require.Equal(t, 3, e.Row)
	require.Equal(t, []int32{0, 1}, in.Sel)

	in.HasSel, in.Sel = true, []int32{2, 3, 4}
	v, err := Bind(Number("10").Div(Col("a")), s)
	require.NoError(t, err)
	var out batch.Vector
	require.Equal(t, "22012", sqlState(t, v.Eval(in, &out)))
	require.Equal(t, []int32{2}, out.Int32s())
}

// TestOrderOfErrors: the first row's error counts, though a later row fails in
// a part that is evaluated before.
func TestOrderOfErrors(t *testing.T) {
	in, s := numbersBatch(7, 0)
	// Row 0 fails on the right side (overflow), row 1 on the left.
	left := Number("1").Div(Col("a"))
	right := Col("a").Mul(Number("2147483647"))
	v, err := Bind(left.Add(right), s)
	require.NoError(t, err)
	var out batch.Vector
	err = v.Eval(in, &out)
	require.Equal(t, "22003", sqlState(t, err))
	require.Zero(t, out.N)
}

// TestLaziness: errors behind a decided row are not raised.
func TestLaziness(t *testing.T) {
	_, s := numbersBatch()
	danger := Number("1").Div(Col("a")).Gt(0)
	for _, e := range []Expr{
		Or(Col("a").Eq(0), danger),
		Case(false, When{Col("a").Eq(0), true}, When{danger, true}),
		Coalesce(Case(nil, When{Col("a").Eq(0), true}), danger),
		Not(And(Col("a").Ne(0), danger)),
	} {
		in, _ := numbersBatch(0, 1, 0, 2)
		v, err := Bind(e, s)
		require.NoError(t, err)
		var out batch.Vector
		require.NoError(t, v.Eval(in, &out), e.String())
		require.Equal(t, 4, out.N)
		f, err := BindCondition(e, s)
		require.NoError(t, err)
		require.NoError(t, f.Filter(in), e.String())
	}
}

// TestConstants: constant parts fail when they are planned, if they are needed.
func TestConstants(t *testing.T) {
	_, s := numbersBatch()
	_, err := Bind(Op("/", Number("1"), Number("0")), s)
	require.Equal(t, "22012", sqlState(t, err))
	for _, e := range []Expr{
		Case(1, When{false, Op("/", Number("1"), Number("0"))}),
		And(false, Op("/", Number("1"), Number("0")).Eq(1)),
		Coalesce(1, Op("/", Number("1"), Number("0"))),
	} {
		b, err := Bind(e, s)
		require.NoError(t, err, e.String())
		_, _, ok := b.Constant()
		require.True(t, ok)
	}
}

// TestComparisons finds what may be tested before visibility.
func TestComparisons(t *testing.T) {
	_, s := numbersBatch()
	f, err := BindCondition(And(Number("3").Gt(Col("a")), Col("a").Ne(int64(5)), Col("a").Add(1).Gt(0)), s)
	require.NoError(t, err)
	simple, rest := f.Comparisons()
	require.True(t, rest)
	require.Len(t, simple, 2)
	require.Equal(t, Comparison{Operator: "<", Type: catalog.Int4OID, ConstType: catalog.Int4OID, Constant: []byte{3, 0, 0, 0}}, simple[0])
	require.Equal(t, "<>", simple[1].Operator)
	require.Equal(t, catalog.Int8OID, simple[1].ConstType)
	require.True(t, f.CanError())
	require.False(t, f.Leakproof())
	g, err := BindCondition(Col("a").Eq(0), s)
	require.NoError(t, err)
	require.False(t, g.CanError())
	require.True(t, g.Leakproof())
	require.Equal(t, []int{0}, g.Columns())
	require.Equal(t, "a = 0", g.String())
}

// TestClone: clones do not share scratch memory.
func TestClone(t *testing.T) {
	in, s := numbersBatch(1, 2, 3)
	f, err := BindCondition(Col("a").Add(1).Gt(2), s)
	require.NoError(t, err)
	g := f.Clone()
	require.NoError(t, f.Filter(in))
	other, _ := numbersBatch(9, 0)
	require.NoError(t, g.Filter(other))
	require.Equal(t, []int32{1, 2}, in.Sel)
	require.Equal(t, []int32{0}, other.Sel)
	v, err := Bind(Col("a").Gt(2), s)
	require.NoError(t, err)
	var out batch.Vector
	require.NoError(t, v.Eval(in, &out))
	require.Equal(t, []byte{0, 1}, out.Data)
}

// TestRefusals: what cannot be evaluated is named, with its place.
func TestRefusals(t *testing.T) {
	_, s := numbersBatch()
	for state, e := range map[string]Expr{
		"42703": Col("nope"),
		"42883": Func("nope", 1),
		"42804": Col("a").And(true),
		"42846": Col("a").Cast("uuid"),
		"22P02": Col("a").Eq("x"),
		"42704": Col("a").Cast("nope"),
		"42725": Op("+", Unknown("1"), Unknown("2")),
		"42P02": Param(1),
		"2201B": Unknown("x").Cast("text").Matches("("),
		"22025": Unknown("xy").Cast("text").Like(`x\`),
	} {
		_, err := Bind(e.At(5), s)
		require.Equal(t, state, sqlState(t, err), "%s: %v", e, err)
	}
	_, err := Bind(Func("sin", Col("a")).At(7), s)
	var u *UnsupportedError
	require.ErrorAs(t, err, &u)
	require.Equal(t, 7, u.Pos)
	require.ErrorIs(t, err, pgfile.ErrUnsupported)
	require.Contains(t, err.Error(), "sin(double precision)")
}

// TestCollations: no order of text under locales, but equality; ASCII's case.
func TestCollations(t *testing.T) {
	_, s := numbersBatch()
	s.Columns = []Column{{Name: "s", Type: catalog.TextOID, Typmod: -1, Collation: defaultCollation}}
	s.Database = &catalog.Database{Collate: "de_DE.utf8", CType: "de_DE.utf8", Provider: 'c', Encoding: catalog.UTF8}
	in := batch.NewPool(1).Get()
	in.SetWidths([]int{0})
	require.NoError(t, in.Cols[0].AppendVar([]byte("abc")))
	require.NoError(t, in.Cols[0].AppendVar([]byte("ÄBC")))
	in.N, in.Decoded = 2, true
	filter := func(e Expr) error {
		in.HasSel = false
		f, err := BindCondition(e, s)
		if err != nil {
			return err
		}
		return f.Filter(in)
	}
	require.NoError(t, filter(Col("s").Eq("abc")))
	require.Equal(t, []int32{0}, in.Sel)
	require.NoError(t, filter(Col("s").Like("%BC")))
	require.ErrorIs(t, filter(Col("s").Lt("b")), pgfile.ErrUnsupported)
	require.ErrorIs(t, filter(Func("lower", Col("s")).Eq("abc")), pgfile.ErrUnsupported)
	require.Equal(t, []int32{0}, in.Sel, "the rows before it are kept")
	require.NoError(t, filter(Collate(Col("s"), "C").Lt("b")))
	require.Equal(t, []int32{0}, in.Sel)
}

// ExampleCol shows conditions in Go.
func ExampleCol() {
	e := Col("a").Ge(10).And(Col("b").IsNull(), Not(Col("c").In("x", "y")))
	fmt.Println(e)
	// Output: (a >= 10) AND (b IS NULL) AND (NOT (c IN ('x', 'y')))
}

func TestWalk(t *testing.T) {
	e := Case(Col("z"), When{Col("x").Eq(Col("y")), Col("x")})
	require.Equal(t, []string{"x", "y", "z"}, e.Columns())
	require.Equal(t, "CASE WHEN x = y THEN x ELSE z END", e.String())
	require.True(t, errors.Is(&UnsupportedError{}, pgfile.ErrUnsupported))
}
