package qual

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/stretchr/testify/require"

	"github.com/pipescan/pipescan/batch"
	"github.com/pipescan/pipescan/catalog"
	"github.com/pipescan/pipescan/datum"
	"github.com/pipescan/pipescan/internal/pgtest"
	"github.com/pipescan/pipescan/pgfile"
)

var (
	seedFlag  = flag.Uint64("seed", 1, "seed of the generated expressions")
	countFlag = flag.Int("count", 2500, "generated expressions a version")
	reportAll = flag.Bool("report", false, "print what was not supported")
)

// world is a table of generated rows, on a server and in a batch.
type world struct {
	major int
	conn  *pgx.Conn
	scope *Scope
	batch *batch.Batch
	tb    testing.TB
}

const worldRows = 60

// builtins answers catalog lookups for built-in types.
type builtins struct{ builtinLookup }

func (b builtins) Type(oid catalog.OID) (*catalog.Type, bool, error) {
	r, ok := b.a.sys.types[oid]
	if !ok {
		return nil, false, nil
	}
	const arrayOut = 751
	var output catalog.OID
	if r.len == -1 && r.elem != 0 {
		output = arrayOut
	}
	return &catalog.Type{
		Output: output,
		OID:    oid, Name: r.name, Namespace: 11, Len: r.len, Kind: r.kind, Category: r.category, Delim: ',', Elem: r.elem, Array: r.array,
		Align: r.align, Collation: r.collation, Typmod: -1,
	}, true, nil
}

func newScope(major int) *Scope {
	env := &datum.Env{Major: major, Encoding: catalog.UTF8}
	s := &Scope{Env: env}
	env.Lookup = builtins{builtinLookup{newAnalyzer(s)}}
	for i := range testTypes {
		t := &testTypes[i]
		s.Columns = append(s.Columns, Column{Name: "c_" + columnName(t), Index: i, Type: t.oid, Typmod: -1, Collation: systablesFor(major).types[t.oid].collation})
	}
	return s
}

func newWorld(t testing.TB, s *pgtest.Server) *world {
	w := &world{major: s.Version(), scope: newScope(s.Version()), tb: t}
	w.conn = s.Conn("postgres")
	var cols []string
	for i := range testTypes {
		cols = append(cols, "c_"+columnName(&testTypes[i])+" "+testTypes[i].name)
	}
	s.RunOn(w.conn, "CREATE TABLE t (id int, "+strings.Join(cols, ", ")+")")
	rng := rand.New(rand.NewPCG(7, 7))
	a := newAnalyzer(w.scope)
	b := batch.NewPool(1).Get()
	widths := make([]int, len(testTypes))
	for i := range testTypes {
		widths[i] = a.width(testTypes[i].oid)
	}
	b.SetWidths(widths)
	for id := range worldRows {
		row := []string{fmt.Sprint(id)}
		for i := range testTypes {
			typ := &testTypes[i]
			if rng.IntN(6) == 0 {
				row = append(row, "NULL")
				b.Cols[i].AppendNull()
				continue
			}
			text := typ.values[rng.IntN(len(typ.values))]
			row = append(row, strings.TrimSpace(quoteLiteral(text))+"::"+typ.name)
			v, err := datum.ParseText(typ.oid, -1, []byte(text), w.scope.Env)
			require.NoError(t, err, "%s %q", typ.name, text)
			require.NoError(t, appendValue(&b.Cols[i], v, true))
		}
		s.RunOn(w.conn, "INSERT INTO t VALUES ("+strings.Join(row, ", ")+")")
	}
	b.N, b.Decoded = worldRows, true
	w.batch = b
	return w
}

// answer is what a side says: rows, or an SQLSTATE.
type answer struct {
	rows  []string
	state string
	full  string
	input bool // the error is that of an input function
}

func (w *world) server(sql string) answer {
	results, err := w.conn.PgConn().Exec(context.Background(), sql).ReadAll()
	if err != nil {
		var pe *pgconn.PgError
		require.ErrorAs(w.tb, err, &pe, "%s", sql)
		return answer{state: pe.Code, full: pe.Message}
	}
	var out answer
	for _, row := range results[0].Rows {
		s := "NULL"
		if row[0] != nil {
			s = "=" + string(row[0])
		}
		out.rows = append(out.rows, s)
	}
	return out
}

// errSkip is what cannot be compared.
var errSkip = errors.New("unsupported")

func (w *world) failed(err error) (answer, error) {
	var se *SQLError
	if errors.As(err, &se) {
		return answer{state: se.Code, full: se.Message, input: se.input}, nil
	}
	if errors.Is(err, pgfile.ErrUnsupported) {
		return answer{}, fmt.Errorf("%w: %w", errSkip, err)
	}
	return answer{}, err
}

// value is ours of SELECT e FROM t; of one row unless only is negative.
func (w *world) value(e Expr, only int) (answer, error) {
	bound, err := Bind(e, w.scope)
	if err != nil {
		return w.failed(err)
	}
	w.pick(only)
	var out batch.Vector
	if err := bound.Eval(w.batch, &out); err != nil {
		return w.failed(err)
	}
	codec, err := datum.For(bound.Type(), -1, w.scope.Env)
	if err != nil {
		return answer{}, err
	}
	var a answer
	for i := range out.N {
		v, ok := out.Value(i)
		if !ok {
			a.rows = append(a.rows, "NULL")
			continue
		}
		text, err := codec.AppendText([]byte("="), v)
		if err != nil {
			return w.failed(inputError(err))
		}
		a.rows = append(a.rows, string(text))
	}
	return a, nil
}

// pick makes a row the only one wanted, or all.
func (w *world) pick(only int) {
	if w.batch.HasSel = only >= 0; w.batch.HasSel {
		w.batch.Sel = append(w.batch.Sel[:0], int32(only))
	}
}

// filter is ours of SELECT id FROM t WHERE e.
func (w *world) filter(e Expr, only int) (answer, error) {
	bound, err := BindCondition(e, w.scope)
	if err != nil {
		return w.failed(err)
	}
	w.pick(only)
	if err := bound.Filter(w.batch); err != nil {
		return w.failed(err)
	}
	var a answer
	for _, row := range w.batch.Sel {
		a.rows = append(a.rows, fmt.Sprintf("=%d", row))
	}
	w.batch.HasSel = false
	return a, nil
}

// compare checks one side's answer against the other's; false is a difference.
func compare(t testing.TB, sql string, want, got answer) bool {
	if want.state == got.state && fmt.Sprint(want.rows) == fmt.Sprint(got.rows) {
		return true
	}
	if want.state != "" || got.state != "" {
		t.Errorf("%s\n  server %s %s\n  ours   %s %s", sql, want.state, want.full, got.state, got.full)
		return false
	}
	for i := range want.rows {
		if i >= len(got.rows) || want.rows[i] != got.rows[i] {
			g := "(none)"
			if i < len(got.rows) {
				g = got.rows[i]
			}
			t.Errorf("%s\n  row %d: server %.300s ours %.300s (%d and %d bytes)", sql, i, want.rows[i], g, len(want.rows[i]), len(g))
			return false
		}
	}
	t.Errorf("%s\n  server has %d rows, ours %d", sql, len(want.rows), len(got.rows))
	return false
}

// comparisonRun is a run of TestGenerated.
type comparisonRun struct {
	*world
	t       *testing.T
	skipped map[string]int
	inputs  int // differences of input functions, which package datum answers for
	wrong   int
	failed  int
}

// check compares one expression; it returns whether the server had an error.
func (r *comparisonRun) check(e Expr, condition bool, only int) bool {
	from := "t"
	if only >= 0 {
		// A table with that row alone: another condition would change the plan.
		from = fmt.Sprintf("(SELECT * FROM t WHERE id = %d OFFSET 0) t", only)
	}
	ours, sql := r.value, "SELECT "+e.String()+" FROM "+from
	if condition {
		ours, sql = r.filter, "SELECT id FROM "+from+" WHERE "+e.String()
	}
	got, err := ours(e, only)
	if errors.Is(err, errSkip) {
		r.skipped[err.Error()]++
		return false
	}
	require.NoError(r.t, err, sql)
	want := r.server(sql)
	if want.state == "22015" && want.state != got.state || got.input && (want.state != got.state || want.state == "") {
		r.inputs++
		return false
	}
	if !compare(r.t, sql, want, got) {
		if r.wrong++; r.wrong > 25 {
			r.t.Fatal("too many differences")
		}
	}
	return want.state != ""
}

// TestGenerated compares values and filters of random expressions. Where one
// fails at some row, a few rows are compared alone.
func TestGenerated(t *testing.T) {
	for _, major := range testVersions() {
		t.Run(fmt.Sprint(major), func(t *testing.T) {
			s := pgtest.New(t, major, pgtest.Options{})
			s.Start()
			r := &comparisonRun{world: newWorld(t, s), t: t, skipped: map[string]int{}}
			g := newGenerator(*seedFlag+uint64(major), major)
			for i := range *countFlag {
				condition := i%2 == 1
				e := g.expr(g.anyType(), 1+g.IntN(3))
				if condition {
					e = g.condition(g.IntN(3))
				}
				if r.check(e, condition, -1) {
					r.failed++
					for range 3 {
						r.check(e, condition, g.IntN(worldRows))
					}
				}
			}
			n := 0
			for what, k := range r.skipped {
				n += k
				if *reportAll {
					t.Log(k, what)
				}
			}
			t.Logf("version %d: %d expressions, %d not supported, %d errors, %d of input functions", major, *countFlag, n, r.failed, r.inputs)
			require.Less(t, n, *countFlag/5)
			require.LessOrEqual(t, r.inputs, *countFlag/50)
		})
	}
}
