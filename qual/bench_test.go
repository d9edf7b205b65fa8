package qual

import (
	"encoding/binary"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/pipescan/pipescan/batch"
	"github.com/pipescan/pipescan/catalog"
	"github.com/pipescan/pipescan/datum"
)

const benchRows = 8192

// benchBatch has the columns a int4, b int8, f float8, n numeric, s text.
func benchBatch(tb testing.TB) (*batch.Batch, *Scope) {
	env := &datum.Env{Major: 18, Encoding: catalog.UTF8}
	s := &Scope{Env: env, Columns: []Column{
		{Name: "a", Index: 0, Type: catalog.Int4OID, Typmod: -1},
		{Name: "b", Index: 1, Type: catalog.Int8OID, Typmod: -1},
		{Name: "f", Index: 2, Type: catalog.Float8OID, Typmod: -1},
		{Name: "n", Index: 3, Type: catalog.NumericOID, Typmod: -1},
		{Name: "s", Index: 4, Type: catalog.TextOID, Typmod: -1, Collation: defaultCollation},
	}}
	b := batch.NewPool(1).Get()
	b.SetWidths([]int{4, 8, 8, 0, 0})
	le := binary.LittleEndian
	for i := range benchRows {
		b.Cols[0].AppendUint32(uint32(i % 100))
		b.Cols[1].AppendFixed(le.AppendUint64(nil, uint64(i)))
		b.Cols[2].AppendFixed(le.AppendUint64(nil, math.Float64bits(float64(i)/3)))
		n, err := datum.ParseText(catalog.NumericOID, -1, []byte("123.45"), env)
		require.NoError(tb, err)
		require.NoError(tb, b.Cols[3].AppendVar(n))
		require.NoError(tb, b.Cols[4].AppendVar([]byte("some text "+string(rune('a'+i%26)))))
	}
	b.N, b.Decoded = benchRows, true
	return b, s
}

var benchConditions = map[string]Expr{
	"int4 = const":          Col("a").Eq(0),
	"int8 < const":          Col("b").Lt(4000),
	"float8 > const":        Col("f").Gt(Cast(Number("1000.5"), TypeNamed("float8"))),
	"int4 = const and more": Col("a").Eq(7).And(Col("b").Lt(4000)),
	"or":                    Col("a").Eq(7).Or(Col("b").Lt(10)),
	"between":               Col("b").Between(10, 20),
	"in":                    Col("a").In(1, 2, 3),
	"arithmetic":            Col("a").Add(1).Mul(2).Gt(50),
	"numeric = const":       Col("n").Eq(Number("123.45")),
	"numeric sum":           Col("n").Add(1).Gt(100),
	"text = const":          Col("s").Eq("some text q"),
	"like":                  Col("s").Like("%text q%"),
	"regex":                 Col("s").Matches("text [qr]$"),
}

func BenchmarkFilter(b *testing.B) {
	for name, e := range benchConditions {
		b.Run(name, func(b *testing.B) {
			in, s := benchBatch(b)
			f, err := BindCondition(e, s)
			require.NoError(b, err)
			b.ReportAllocs()
			for b.Loop() {
				in.HasSel = false
				if err := f.Filter(in); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/benchRows, "ns/row")
		})
	}
}

// TestNoAllocations: the steady state of conditions over fixed-width columns.
func TestNoAllocations(t *testing.T) {
	for _, name := range []string{"int4 = const", "int8 < const", "float8 > const", "int4 = const and more", "or", "between", "in", "arithmetic", "numeric = const", "text = const", "like"} {
		in, s := benchBatch(t)
		f, err := BindCondition(benchConditions[name], s)
		require.NoError(t, err)
		run := func() {
			in.HasSel = false
			if err := f.Filter(in); err != nil {
				t.Fatal(err)
			}
		}
		run()
		require.Zero(t, testing.AllocsPerRun(5, run), name)
	}
}
