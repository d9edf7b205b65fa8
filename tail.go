package pipescan

import (
	"context"
	"errors"

	"github.com/pipescan/pipescan/pipeline"
)

// tail is the part of a scan after the merge: the serial stages, then the
// sink, all on the consumer's goroutine.
type tail struct {
	stages []Stage
	emits  []pipeline.Emit[*Batch] // emits[i] is where stage i-1 sends; the last is the sink
	ctx    context.Context
}

// newTail links the serial stages to out.
func newTail(stages []Stage, out *sink) *tail {
	t := &tail{stages: stages, emits: make([]pipeline.Emit[*Batch], len(stages)+1)}
	t.emits[len(stages)] = func(b *Batch) error {
		defer b.Release()
		return out.take(b)
	}
	for i := len(stages) - 1; i >= 0; i-- {
		t.emits[i] = func(b *Batch) error { return stages[i].Process(t.ctx, b, t.emits[i+1]) }
	}
	return t
}

// push gives a batch to the first stage. The batch stays its owner's: the tail
// works on a reference of its own.
func (t *tail) push(ctx context.Context, b *Batch) error {
	t.ctx = ctx
	b.Retain()
	return t.emits[0](b)
}

// flush ends the stages, first to last.
func (t *tail) flush(ctx context.Context) error {
	t.ctx = ctx
	for i, st := range t.stages {
		if err := st.Flush(ctx, t.emits[i+1]); err != nil && !errors.Is(err, pipeline.ErrStop) {
			return err
		}
	}
	return nil
}
