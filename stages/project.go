package stages

import (
	"context"
	"fmt"

	"github.com/pipescan/pipescan/batch"
	"github.com/pipescan/pipescan/pipeline"
)

// Project computes new columns. What it emits has no selection: its rows are
// the wanted ones of the input, and they keep their TIDs.
type Project struct {
	exprs    []Expr
	widths   []int
	moves    []bool // by output: a column that no other output is
	pool     *batch.Pool
	failures *Failures
}

var _ pipeline.Stage[*batch.Batch, *batch.Batch] = (*Project)(nil)

// NewProject makes the projection of one lane; lanes share the pool and
// failures.
func NewProject(exprs []Expr, pool *batch.Pool, failures *Failures) *Project {
	p := &Project{exprs: exprs, pool: pool, failures: failures}
	for _, e := range exprs {
		p.widths = append(p.widths, e.Width())
		c, ok := e.(ColumnExpr)
		p.moves = append(p.moves, ok && uses(exprs, c.Index) == 1)
	}
	return p
}

// uses is how many expressions are the column.
func uses(exprs []Expr, index int) int {
	n := 0
	for _, e := range exprs {
		if c, ok := e.(ColumnExpr); ok && c.Index == index {
			n++
		}
	}
	return n
}

// Process implements pipeline.Stage.
func (p *Project) Process(_ context.Context, in *batch.Batch, emit pipeline.Emit[*batch.Batch]) error {
	out := p.pool.Get()
	out.SetWidths(p.widths)
	out.Seq, out.Decoded = in.Seq, true
	n, failed := p.compute(in, out)
	if len(in.TIDs) == in.Total() {
		for k := range n {
			out.TIDs = append(out.TIDs, in.TIDs[in.Row(k)])
		}
	}
	out.N = n
	seq := in.Seq
	in.Release()
	if n == 0 {
		out.Release()
	} else if err := emit(out); err != nil {
		return err
	}
	if failed != nil {
		return p.failures.Stop(seq, failed)
	}
	return nil
}

// compute fills out's columns and returns how many rows are good: those before
// the first for which an expression fails.
func (p *Project) compute(in, out *batch.Batch) (n int, failed error) {
	n = in.Rows()
	// Computed columns first: they may read columns that are then moved.
	for i, e := range p.exprs {
		if _, ok := e.(ColumnExpr); ok {
			continue
		}
		err := e.Eval(in, &out.Cols[i])
		if err != nil && (failed == nil || out.Cols[i].N < n) {
			n, failed = out.Cols[i].N, err
		}
	}
	if failed != nil {
		// A row that fails is rare: compute the good ones once more, alone.
		in.Slice(0, n)
		for i, e := range p.exprs {
			if err := e.Eval(in, &out.Cols[i]); err != nil {
				return 0, err
			}
		}
		return n, failed
	}
	for i, e := range p.exprs {
		c, ok := e.(ColumnExpr)
		switch {
		case !ok:
		case p.moves[i] && !in.HasSel:
			out.Cols[i], in.Cols[c.Index] = in.Cols[c.Index], out.Cols[i]
		default:
			if err := c.Eval(in, &out.Cols[i]); err != nil {
				return 0, err
			}
		}
	}
	return n, nil
}

// Flush implements pipeline.Stage.
func (p *Project) Flush(context.Context, pipeline.Emit[*batch.Batch]) error { return nil }

// Explain counts the columns.
func (p *Project) Explain() string { return fmt.Sprintf("%d columns", len(p.exprs)) }
