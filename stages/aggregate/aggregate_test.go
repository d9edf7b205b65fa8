package aggregate

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/pipescan/pipescan/batch"
	"github.com/pipescan/pipescan/catalog"
	"github.com/pipescan/pipescan/datum"
	"github.com/pipescan/pipescan/pgfile"
	"github.com/pipescan/pipescan/qual"
	"github.com/pipescan/pipescan/stages"
	"github.com/pipescan/pipescan/stages/ordering"
)

// builtin says which types there are besides those known by number: none.
var builtin = ordering.Types{
	Lookup: func(catalog.OID) (*catalog.Type, bool, error) { return nil, false, nil },
	Major:  18,
}

var bytewise = ordering.Text{Name: "C", Bytewise: true, Deterministic: true}

// width is a type's vector width.
func width(typ catalog.OID) int {
	switch typ {
	case catalog.Int2OID:
		return 2
	case catalog.Int4OID, catalog.Float4OID, catalog.DateOID:
		return 4
	case catalog.Int8OID, catalog.Float8OID, catalog.MoneyOID:
		return 8
	case catalog.IntervalOID:
		return 16
	}
	return 0
}

// column makes a vector of values from their text; NULL is NULL.
func column(t testing.TB, typ catalog.OID, texts ...string) batch.Vector {
	var v batch.Vector
	v.Reset(width(typ))
	for _, text := range texts {
		if text == "NULL" {
			v.AppendNull()
			continue
		}
		b, err := datum.ParseText(typ, -1, []byte(text), &datum.Env{Major: 18, Encoding: 6})
		require.NoError(t, err)
		if v.Width > 0 {
			v.AppendFixed(b)
		} else {
			require.NoError(t, v.AppendVar(b))
		}
	}
	return v
}

// batchOf makes a batch of columns; row i came from line pointer first+i.
func batchOf(first int, cols ...batch.Vector) *batch.Batch {
	b := batch.NewPool(1).Get()
	b.Cols, b.N, b.Decoded = cols, cols[0].N, true
	for i := range b.N {
		b.TIDs = append(b.TIDs, pgfile.TID{Block: uint32((first + i) / 100), Offset: uint16((first+i)%100 + 1)})
	}
	return b
}

// call is an aggregate over column 0 by its name: "sum", "count distinct".
func call(t testing.TB, name string, typ catalog.OID) Aggregate {
	f, distinct := strings.CutSuffix(name, " distinct")
	fn, err := Find(Call{Name: f, Arg: typ, Text: bytewise, Distinct: distinct, TypeName: fmt.Sprint(typ)}, builtin)
	require.NoError(t, err)
	result := fn.Result
	if result == 0 {
		result = typ
	}
	return Aggregate{Function: fn, Arg: stages.ColumnExpr{Index: 0, Size: width(typ)}, Width: width(result)}
}

// text is a value of the result as COPY prints it.
func text(t testing.TB, typ catalog.OID, v *batch.Vector, i int) string {
	b, ok := v.Value(i)
	if !ok {
		return "NULL"
	}
	c, err := datum.For(typ, -1, &datum.Env{Major: 18, Encoding: 6})
	require.NoError(t, err)
	out, err := c.AppendText(nil, b)
	require.NoError(t, err)
	return string(out)
}

// results collects all groups as text, columns joined by |.
func results(t testing.TB, p *Partial, types ...catalog.OID) (rows []string) {
	err := p.Result(batch.NewPool(1), func(b *batch.Batch) error {
		defer b.Release()
		for i := range b.N {
			var line []string
			for c := range types {
				line = append(line, text(t, types[c], &b.Cols[c], i))
			}
			rows = append(rows, strings.Join(line, "|"))
		}
		return nil
	})
	require.NoError(t, err)
	return rows
}

func memory() *Memory { return &Memory{Limit: 1 << 30} }

// TestFunctions computes aggregates whose results are known.
func TestFunctions(t *testing.T) {
	for _, c := range []struct {
		name        string
		arg, result catalog.OID
		values      string
		want        string
	}{
		{"count", catalog.Int4OID, catalog.Int8OID, "1 NULL 3", "2"},
		{"sum", catalog.Int4OID, catalog.Int8OID, "2147483647 2147483647 NULL", "4294967294"},
		{"sum", catalog.Int4OID, catalog.Int8OID, "NULL", "NULL"},
		{"sum", catalog.Int2OID, catalog.Int8OID, "-32768 -32768 1", "-65535"},
		{"sum", catalog.Int8OID, catalog.NumericOID, "9223372036854775807 9223372036854775807", "18446744073709551614"},
		{"sum", catalog.Int8OID, catalog.NumericOID, "-9223372036854775808 -9223372036854775808 1", "-18446744073709551615"},
		{"avg", catalog.Int4OID, catalog.NumericOID, "1 2", "1.5000000000000000"},
		{"avg", catalog.Int4OID, catalog.NumericOID, "1 1 0", "0.66666666666666666667"},
		{"avg", catalog.Int4OID, catalog.NumericOID, "100000 100001 100001", "100000.666666666667"},
		{"avg", catalog.Int8OID, catalog.NumericOID, "0 0", "0.00000000000000000000"},
		{"sum", catalog.NumericOID, catalog.NumericOID, "1.10 2.2 -0.000", "3.300"},
		{"sum", catalog.NumericOID, catalog.NumericOID, "1e20 -1e20", "0"},
		{"sum", catalog.NumericOID, catalog.NumericOID, "-1e20 1e-5 NULL", "-99999999999999999999.99999"},
		{"sum", catalog.NumericOID, catalog.NumericOID, "9999 1", "10000"},
		{"sum", catalog.NumericOID, catalog.NumericOID, "Infinity 1", "Infinity"},
		{"sum", catalog.NumericOID, catalog.NumericOID, "Infinity -Infinity", "NaN"},
		{"sum", catalog.NumericOID, catalog.NumericOID, "NaN -Infinity", "NaN"},
		{"avg", catalog.NumericOID, catalog.NumericOID, "-Infinity 5", "-Infinity"},
		{"avg", catalog.NumericOID, catalog.NumericOID, "10 20.5", "15.2500000000000000"},
		{"avg", catalog.NumericOID, catalog.NumericOID, "-1 -1 0", "-0.66666666666666666667"},
		{"sum", catalog.Float8OID, catalog.Float8OID, "0.1 0.2 NULL", "0.30000000000000004"},
		{"sum", catalog.Float8OID, catalog.Float8OID, "-0", "-0"},
		{"sum", catalog.Float4OID, catalog.Float4OID, "16777216 1", "1.6777216e+07"},
		{"avg", catalog.Float4OID, catalog.Float8OID, "16777216 1", "8388608.5"},
		{"avg", catalog.Float8OID, catalog.Float8OID, "Infinity 1", "Infinity"},
		{"avg", catalog.Float8OID, catalog.Float8OID, "Infinity -Infinity", "NaN"},
		{"min", catalog.Float8OID, catalog.Float8OID, "NaN 1 -0 0", "0"},
		{"min", catalog.Float8OID, catalog.Float8OID, "0 -0", "-0"},
		{"max", catalog.Float8OID, catalog.Float8OID, "NaN 1", "NaN"},
		{"max", catalog.NumericOID, catalog.NumericOID, "1.0 1.000 1.00", "1.00"},
		{"min", catalog.TextOID, catalog.TextOID, "b a NULL", "a"},
		{"max", catalog.Int8OID, catalog.Int8OID, "NULL NULL", "NULL"},
		{"max", catalog.DateOID, catalog.DateOID, "2020-01-01 infinity", "infinity"},
		{"sum", catalog.MoneyOID, catalog.MoneyOID, "1.50 -3", "-$1.50"},
		{"count distinct", catalog.NumericOID, catalog.Int8OID, "1.0 1.00 2 NULL NaN NaN", "3"},
		{"sum distinct", catalog.NumericOID, catalog.NumericOID, "1.0 1.00 2", "3.0"},
		{"avg distinct", catalog.Int4OID, catalog.NumericOID, "5 5 5 1", "3.0000000000000000"},
		{"count distinct", catalog.Float8OID, catalog.Int8OID, "0 -0 NaN", "2"},
		{"sum distinct", catalog.Float8OID, catalog.Float8OID, "1e16 1 -1e16 1", "0"},
	} {
		agg := call(t, c.name, c.arg)
		p := New(Spec{Aggregates: []Aggregate{agg}, Memory: memory()})
		require.NoError(t, p.Add(batchOf(0, column(t, c.arg, strings.Fields(c.values)...))), c)
		require.Equal(t, []string{c.want}, results(t, p, c.result), "%s(%s)", c.name, c.values)
	}
}

// TestOverflow wants the server's errors.
func TestOverflow(t *testing.T) {
	for _, c := range []struct {
		name   string
		arg    catalog.OID
		values string
		code   string
	}{
		{"sum", catalog.Float8OID, "1e308 1e308", "22003"},
		{"sum", catalog.Float4OID, "3e38 3e38", "22003"},
		{"avg", catalog.Float8OID, "1e200 -1e200", "22003"},
		{"sum", catalog.MoneyOID, "92233720368547758.07 0.01", "22003"},
	} {
		p := New(Spec{Aggregates: []Aggregate{call(t, c.name, c.arg)}, Memory: memory()})
		err := p.Add(batchOf(0, column(t, c.arg, strings.Fields(c.values)...)))
		var sql *qual.SQLError
		require.ErrorAs(t, err, &sql, "%v", c)
		require.Equal(t, c.code, sql.Code)
	}
}

// TestIntervals adds intervals whose fields are at their limits.
func TestIntervals(t *testing.T) {
	stored := func(micros int64, days, months int32) []byte {
		b := binary.LittleEndian.AppendUint64(nil, uint64(micros))
		return binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint32(b, uint32(days)), uint32(months))
	}
	sum := func(infinities bool, values ...[]byte) (interval, error) {
		s := &sumInterval{infinities: infinities}
		s.Grow(1)
		v := batch.Vector{}
		v.Reset(16)
		for _, b := range values {
			v.AppendFixed(b)
		}
		if err := s.Add(&Input{N: len(values), Values: &v}); err != nil {
			return interval{}, err
		}
		v.Reset(16)
		if err := s.Append(0, &v); err != nil {
			return interval{}, err
		}
		return parseInterval(v.Data)
	}
	plus, minus := stored(math.MaxInt64, math.MaxInt32, math.MaxInt32), stored(math.MinInt64, math.MinInt32, math.MinInt32)
	got, err := sum(true, plus, stored(5, 1, 1))
	require.NoError(t, err)
	require.Equal(t, intervalInfinity, got)
	_, err = sum(true, plus, minus)
	require.ErrorContains(t, err, "interval out of range")
	_, err = sum(false, plus, stored(0, 0, 1))
	require.ErrorContains(t, err, "interval out of range")
	_, err = sum(true, stored(math.MaxInt64, 0, 0), stored(1, 0, 0))
	require.ErrorContains(t, err, "interval out of range")
	got, err = sum(true, stored(math.MaxInt64, 3, 0), stored(-1, -5, 7))
	require.NoError(t, err)
	require.Equal(t, parsedInterval(math.MaxInt64-1, -2, 7), got)
}

func parsedInterval(micros int64, days, months int32) interval { return interval{micros, days, months} }

// TestLanes deals batches out to several partials, merges them, and wants what
// one partial gives; keys and ties have different bytes.
func TestLanes(t *testing.T) {
	rnd := rand.New(rand.NewPCG(3, 4))
	numerics := []string{"1", "1.0", "1.00", "2.50", "2.5", "NaN", "NULL", "-7"}
	types := []catalog.OID{catalog.NumericOID, catalog.Int8OID, catalog.NumericOID, catalog.NumericOID, catalog.NumericOID, catalog.Int8OID, catalog.NumericOID}
	spec := func(m *Memory) Spec {
		o, err := ordering.For(catalog.NumericOID, bytewise, builtin)
		require.NoError(t, err)
		s := Spec{Keys: []Key{{Expr: stages.ColumnExpr{Index: 1}, Hash: o.Key}}, Memory: m}
		for _, name := range []string{"count", "sum", "min", "max", "count distinct", "avg distinct"} {
			s.Aggregates = append(s.Aggregates, call(t, name, catalog.NumericOID))
		}
		return s
	}
	for round := range 20 {
		m := memory()
		serial := New(spec(m))
		lanes := []*Partial{New(spec(m)), New(spec(m)), New(spec(m))}
		for i := range 30 {
			var values, keys []string
			for range 20 {
				values = append(values, numerics[rnd.IntN(len(numerics))])
				keys = append(keys, numerics[rnd.IntN(len(numerics))])
			}
			for _, p := range []*Partial{serial, lanes[rnd.IntN(3)]} {
				require.NoError(t, p.Add(batchOf(i*20, column(t, catalog.NumericOID, values...), column(t, catalog.NumericOID, keys...))))
			}
		}
		require.NoError(t, lanes[0].Merge(lanes[2]))
		require.NoError(t, lanes[0].Merge(lanes[1]))
		require.Equal(t, results(t, serial, types...), results(t, lanes[0], types...), "round %d", round)
	}
}

// TestGroupsOfOneWord groups by a key of fixed width, NULL among its values.
func TestGroupsOfOneWord(t *testing.T) {
	o, err := ordering.For(catalog.Int4OID, ordering.Text{}, builtin)
	require.NoError(t, err)
	p := New(Spec{
		Keys: []Key{{Expr: stages.ColumnExpr{Index: 0, Size: 4}, Hash: o.Key}}, Memory: memory(),
		Aggregates: []Aggregate{call(t, "count", catalog.Int4OID), call(t, "sum", catalog.Int4OID)},
	})
	require.NoError(t, p.Add(batchOf(0, column(t, catalog.Int4OID, "7", "NULL", "-1", "7", "NULL"))))
	require.NoError(t, p.Add(batchOf(5, column(t, catalog.Int4OID, "-1", "0"))))
	require.Equal(t, []string{"7|2|14", "NULL|0|NULL", "-1|2|-2", "0|1|0"}, results(t, p, catalog.Int4OID, catalog.Int8OID, catalog.Int8OID))
}

// TestMemoryLimit wants an error, not a table of any size.
func TestMemoryLimit(t *testing.T) {
	for _, name := range []string{"count", "count distinct"} {
		o, err := ordering.For(catalog.NumericOID, bytewise, builtin)
		require.NoError(t, err)
		s := Spec{Aggregates: []Aggregate{call(t, name, catalog.NumericOID)}, Memory: &Memory{Limit: 10_000}}
		if name == "count" {
			s.Keys = []Key{{Expr: stages.ColumnExpr{Index: 0}, Hash: o.Key}}
		}
		p := New(s)
		for i := 0; err == nil && i < 1000; i++ {
			err = p.Add(batchOf(i, column(t, catalog.NumericOID, fmt.Sprint(i))))
		}
		var e *MemoryError
		require.True(t, errors.As(err, &e), "%v", err)
		require.ErrorContains(t, err, "--memory")
	}
}

// failing fails for a row.
type failing struct {
	stages.ColumnExpr
	at  int32
	err error
}

func (f failing) Eval(in *batch.Batch, out *batch.Vector) error {
	out.Reset(f.Size)
	for k := range in.Rows() {
		if int32(in.Row(k)) == f.at {
			return f.err
		}
		if err := out.AppendFrom(&in.Cols[f.Index], in.Row(k)); err != nil {
			return err
		}
	}
	return nil
}

// TestFirstError wants the error of the first row that fails, in an expression
// or in adding.
func TestFirstError(t *testing.T) {
	late, early := errors.New("late"), errors.New("early")
	col := stages.ColumnExpr{Index: 0, Size: 8}
	sum, err := Find(Call{Name: "sum", Arg: catalog.Float8OID}, builtin)
	require.NoError(t, err)
	build := func(exprs ...stages.Expr) *Partial {
		s := Spec{Memory: memory()}
		for _, e := range exprs {
			s.Aggregates = append(s.Aggregates, Aggregate{Function: sum, Arg: e, Width: 8})
		}
		return New(s)
	}
	values := column(t, catalog.Float8OID, "1", "2", "3", "1e308", "1e308", "4")
	require.ErrorIs(t, build(failing{col, 2, late}, failing{col, 1, early}).Add(batchOf(0, values)), early)
	require.ErrorIs(t, build(failing{col, 1, early}, failing{col, 2, late}).Add(batchOf(0, values)), early)
	require.ErrorContains(t, build(col, failing{col, 5, late}).Add(batchOf(0, values)), "overflow")
	require.ErrorIs(t, build(col, failing{col, 4, late}).Add(batchOf(0, values)), late)
}

// BenchmarkSum adds batches of integers.
func BenchmarkSum(b *testing.B) {
	var values []string
	for i := range 7000 {
		values = append(values, fmt.Sprint(i))
	}
	in := batchOf(0, column(b, catalog.Int4OID, values...))
	for _, name := range []string{"count", "sum", "avg", "min"} {
		b.Run(name, func(b *testing.B) {
			p := New(Spec{Aggregates: []Aggregate{call(b, name, catalog.Int4OID)}, Memory: memory()})
			b.ReportAllocs()
			b.SetBytes(4 * 7000)
			for b.Loop() {
				if err := p.Add(in); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// TestKeyTable compares with a map.
func TestKeyTable(t *testing.T) {
	rnd := rand.New(rand.NewPCG(7, 7))
	table, want := newKeyTable(), map[string]int32{}
	for range 20000 {
		key := make([]byte, rnd.IntN(5))
		for i := range key {
			key[i] = byte(rnd.IntN(12))
		}
		n, isNew := table.find(key)
		before, known := want[string(key)]
		require.Equal(t, !known, isNew)
		if known {
			require.Equal(t, before, n)
		}
		want[string(key)] = n
		require.Equal(t, string(key), string(table.key(uint32(n))))
	}
	require.Len(t, table.hashes, len(want))
}
