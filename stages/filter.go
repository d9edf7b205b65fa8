package stages

import (
	"context"
	"fmt"
	"sync/atomic"

	"github.com/pipescan/pipescan/batch"
	"github.com/pipescan/pipescan/pipeline"
)

// Filter keeps the rows for which a condition is true. It narrows the
// selection; no value moves.
type Filter struct {
	condition Condition
	keep      int
	removed   *atomic.Int64
	failures  *Failures
}

var _ pipeline.Stage[*batch.Batch, *batch.Batch] = (*Filter)(nil)

// NewFilter makes the filter of one lane. Columns from keep on, which only the
// condition needed, are dropped after it; a negative keep drops none. The rows
// removed are added to removed; failures gets the error of a row. Lanes share
// both.
func NewFilter(c Condition, keep int, removed *atomic.Int64, failures *Failures) *Filter {
	return &Filter{condition: c, keep: keep, removed: removed, failures: failures}
}

// Process implements pipeline.Stage.
func (f *Filter) Process(_ context.Context, in *batch.Batch, emit pipeline.Emit[*batch.Batch]) error {
	before := in.Rows()
	failed := f.condition.Filter(in)
	if failed == nil {
		f.removed.Add(int64(before - in.Rows()))
	}
	if f.keep >= 0 {
		in.Cols = in.Cols[:f.keep]
	}
	seq := in.Seq
	if in.Rows() == 0 {
		in.Release()
	} else if err := emit(in); err != nil {
		return err
	}
	if failed != nil {
		return f.failures.Stop(seq, failed)
	}
	return nil
}

// Flush implements pipeline.Stage.
func (f *Filter) Flush(context.Context, pipeline.Emit[*batch.Batch]) error { return nil }

// Explain is the condition.
func (f *Filter) Explain() string { return fmt.Sprint(f.condition) }
