package stages

import (
	"context"

	"github.com/pipescan/pipescan/batch"
	"github.com/pipescan/pipescan/mvcc"
	"github.com/pipescan/pipescan/pipeline"
)

// Visibility selects the tuples of a batch that belong to the scan's row set.
type Visibility struct {
	p        *plan
	resolver *mvcc.Resolver
	in       *batch.Batch
}

var _ pipeline.Stage[*batch.Batch, *batch.Batch] = (*Visibility)(nil)

func newVisibility(p *plan) *Visibility {
	v := &Visibility{p: p}
	v.resolver = mvcc.NewResolver(p.scan.Snapshot, p.scan.Rows, v.unknown)
	return v
}

// unknown is told of tuples whose transactions nobody knows any more.
func (v *Visibility) unknown(b *batch.Batch, t batch.Tuple, err error) error {
	return v.p.lost(UnknownVisibility, err, spot{block: b.TID(t).Block, item: t.Item})
}

// Process implements pipeline.Stage. A batch without rows is not emitted.
func (v *Visibility) Process(_ context.Context, in *batch.Batch, emit pipeline.Emit[*batch.Batch]) error {
	if err := v.resolve(in); err != nil {
		in.Release()
		return err
	}
	if in.Rows() == 0 {
		in.Release()
		return nil
	}
	return emit(in)
}

// resolve sets the batch's selection.
func (v *Visibility) resolve(in *batch.Batch) error {
	v.in = in
	err := guarded(in.Pages, v, func(v *Visibility) error { return v.resolver.Resolve(v.in) })
	v.in = nil
	v.p.counters.Visible.Add(int64(in.Rows()))
	return err
}

// Flush implements pipeline.Stage.
func (v *Visibility) Flush(context.Context, pipeline.Emit[*batch.Batch]) error { return nil }

// Explain implements pipeline.Explainer.
func (v *Visibility) Explain() string { return v.p.scan.Rows.String() + " rows" }
