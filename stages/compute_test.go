package stages

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/pipescan/pipescan/batch"
	"github.com/pipescan/pipescan/internal/stagetest"
	"github.com/pipescan/pipescan/pgfile"
	"github.com/pipescan/pipescan/pipeline"
)

// errRow is what expressions of these tests fail with.
var errRow = errors.New("a row failed")

// even is the condition that column 0 is even and not NULL; it fails at the
// value failAt.
type even struct{ failAt uint32 }

func (e even) Filter(in *batch.Batch) error {
	var failed error
	in.Select(func(row int) bool {
		v := &in.Cols[0]
		if failed != nil || v.IsNull(row) {
			return false
		}
		n := v.Uint32s()[row]
		if e.failAt != 0 && n == e.failAt {
			failed = errRow
			return false
		}
		return n%2 == 0
	})
	return failed
}

// twice is column 0 doubled; it fails at the value failAt.
type twice struct{ failAt uint32 }

func (twice) Width() int { return 4 }

func (e twice) Eval(in *batch.Batch, out *batch.Vector) error {
	out.Reset(4)
	for k := range in.Rows() {
		row := in.Row(k)
		n := in.Cols[0].Uint32s()[row]
		switch {
		case in.Cols[0].IsNull(row):
			out.AppendNull()
		case e.failAt != 0 && n == e.failAt:
			return errRow
		default:
			out.AppendUint32(2 * n)
		}
	}
	return nil
}

// decodedBatches are batches of the numbers from 1 on and their text, as a case
// wants them; keep says which rows are selected and what they hold.
func decodedBatches(pool *batch.Pool, c stagetest.Case, n int, keep func(number uint32, null bool)) []*batch.Batch {
	rnd := c.Rand()
	var all []*batch.Batch
	for number := uint32(1); int(number) <= n; {
		b := pool.Get()
		b.SetWidths([]int{4, 0})
		b.Seq, b.Decoded, b.HasSel = uint64(len(all)), true, c.Selection
		for ; b.N < c.Size && int(number) <= n; number++ {
			null := c.Nulls && rnd.IntN(3) == 0
			if null {
				b.Cols[0].AppendNull()
			} else {
				b.Cols[0].AppendUint32(number)
			}
			if err := b.Cols[1].AppendVar(fmt.Append(nil, "t", number)); err != nil {
				panic(err)
			}
			b.TIDs = append(b.TIDs, pgfile.TID{Block: number, Offset: 1})
			if !c.Selection || rnd.IntN(2) == 0 {
				if c.Selection {
					b.Sel = append(b.Sel, int32(b.N))
				}
				keep(number, null)
			}
			b.N++
		}
		all = append(all, b)
	}
	return all
}

// renderColumns reads the wanted rows of a decoded batch.
func renderColumns(b *batch.Batch) (rows []string) {
	for k := range b.Rows() {
		row := b.Row(k)
		line := []string{fmt.Sprint(b.TIDs[row].Block)}
		for c := range b.Cols {
			v, ok := b.Cols[c].Value(row)
			switch {
			case !ok:
				line = append(line, "NULL")
			case b.Cols[c].Width == 4:
				line = append(line, fmt.Sprint(b.Cols[c].Uint32s()[row]))
			default:
				line = append(line, string(v))
			}
		}
		rows = append(rows, strings.Join(line, "|"))
	}
	return rows
}

// TestFilterHarness runs the filter through everything.
func TestFilterHarness(t *testing.T) {
	stagetest.Run(t, stagetest.Config[*batch.Batch, *batch.Batch]{
		New: func(t testing.TB, c stagetest.Case) stagetest.Subject[*batch.Batch, *batch.Batch] {
			pool := batch.NewPool(8)
			var want []string
			inputs := decodedBatches(pool, c, 90, func(n uint32, null bool) {
				if !null && n%2 == 0 {
					want = append(want, fmt.Sprintf("%d|%d", n, n))
				}
			})
			var removed atomic.Int64
			var failures Failures
			return stagetest.Subject[*batch.Batch, *batch.Batch]{
				Stage:  func() pipeline.Stage[*batch.Batch, *batch.Batch] { return NewFilter(even{}, 1, &removed, &failures) },
				Inputs: inputs, Render: renderColumns, Want: want, Live: pool.Live,
			}
		},
	})
}

// TestProjectHarness runs the projection through everything: moved, copied and
// computed columns.
func TestProjectHarness(t *testing.T) {
	stagetest.Run(t, stagetest.Config[*batch.Batch, *batch.Batch]{
		New: func(t testing.TB, c stagetest.Case) stagetest.Subject[*batch.Batch, *batch.Batch] {
			pool := batch.NewPool(8)
			var want []string
			inputs := decodedBatches(pool, c, 90, func(n uint32, null bool) {
				a, b := fmt.Sprint(2*n), fmt.Sprint(n)
				if null {
					a, b = "NULL", "NULL"
				}
				want = append(want, fmt.Sprintf("%d|t%d|%s|%s|%s", n, n, a, b, b))
			})
			var failures Failures
			number, text := ColumnExpr{Index: 0, Size: 4}, ColumnExpr{Index: 1}
			return stagetest.Subject[*batch.Batch, *batch.Batch]{
				Stage: func() pipeline.Stage[*batch.Batch, *batch.Batch] {
					return NewProject([]Expr{text, twice{}, number, number}, pool, &failures)
				},
				Inputs: inputs, Render: renderColumns, Want: want, Live: pool.Live,
			}
		},
	})
}

// TestFailures wants the rows before the first that fails, whatever lane and
// stage meets it, and its error.
func TestFailures(t *testing.T) {
	for _, topology := range stagetest.Topologies {
		for _, lanes := range []int{1, 3} {
			pool := batch.NewPool(8)
			inputs := decodedBatches(pool, stagetest.Case{Size: 4}, 90, func(uint32, bool) {})
			cursor := stagetest.NewCursor(inputs, nil)
			var removed atomic.Int64
			var failures Failures
			var list []*pipeline.Chain[*batch.Batch]
			for range lanes {
				lane := pipeline.From("source", cursor.Source())
				lane = pipeline.Then(lane, "filter", pipeline.Stage[*batch.Batch, *batch.Batch](NewFilter(even{failAt: 61}, -1, &removed, &failures)))
				list = append(list, pipeline.Then(lane, "project", pipeline.Stage[*batch.Batch, *batch.Batch](NewProject([]Expr{twice{failAt: 40}}, pool, &failures))))
			}
			var got, want []string
			for b, err := range pipeline.Run(context.Background(), pipeline.Options{Topology: topology, Ordered: true}, list) {
				require.NoError(t, err)
				got = append(got, renderColumns(b)...)
			}
			for n := 2; n < 40; n += 2 {
				want = append(want, fmt.Sprintf("%d|%d", n, 2*n))
			}
			require.Equal(t, want, got, "%v, %d lanes", topology, lanes)
			require.ErrorIs(t, failures.Err(), errRow)
			cursor.Close()
			require.Zero(t, pool.Live())
		}
	}
}
