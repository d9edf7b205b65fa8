package stages

import (
	"github.com/pipescan/pipescan/batch"
)

// Expr is an expression bound to the columns of a batch. *qual.Bound is one,
// and so is Column. An Expr belongs to one goroutine at a time.
type Expr interface {
	// Eval makes out the values for the wanted rows of in, densely. On an error
	// out holds those of the rows before the failing one.
	Eval(in *batch.Batch, out *batch.Vector) error
	// Width is the vector width of the values.
	Width() int
}

// Condition is a bound boolean expression. Filter narrows the wanted rows to
// those where it is true; on an error, to those before the failing row.
// *qual.Bound is one.
type Condition interface {
	Filter(in *batch.Batch) error
}

var _ Expr = ColumnExpr{}

// ColumnExpr is a column of the batch as an expression. Stages know it and do
// without the copy where they can.
type ColumnExpr struct {
	Index int // into Batch.Cols
	Size  int // the column's vector width
}

// Eval copies the wanted values.
func (c ColumnExpr) Eval(in *batch.Batch, out *batch.Vector) error {
	out.Reset(c.Size)
	return out.Gather(&in.Cols[c.Index], wanted(in))
}

// Width is the column's.
func (c ColumnExpr) Width() int { return c.Size }

// wanted is the wanted rows of a batch as Gather takes them: nil for all. A
// filter may leave a nil Sel where it leaves no rows.
func wanted(in *batch.Batch) []int32 {
	switch {
	case !in.HasSel:
		return nil
	case in.Sel == nil:
		return []int32{}
	}
	return in.Sel
}
