package pipeline

import (
	"context"
	"errors"
)

// Fuse makes of two stages one that runs both on one goroutine in every
// topology. It closes and explains both.
func Fuse[A, B, C Item](a Stage[A, B], b Stage[B, C]) Stage[A, C] {
	f := &fused[A, B, C]{a: a, b: b}
	f.mid = f.between
	return f
}

// fused keeps the context and emit of the running call in itself, so that the
// emit between the two stages is made once and not once an item.
type fused[A, B, C Item] struct {
	a    Stage[A, B]
	b    Stage[B, C]
	mid  Emit[B]
	ctx  context.Context
	emit Emit[C]
	over error // what ended b
}

// between is a's emit.
func (f *fused[A, B, C]) between(item B) error {
	if f.over != nil {
		item.Release()
		return f.over
	}
	f.over = f.b.Process(f.ctx, item, f.emit)
	return f.over
}

// Process runs a, and b on what a emits.
func (f *fused[A, B, C]) Process(ctx context.Context, in A, emit Emit[C]) error {
	f.ctx, f.emit = ctx, emit
	err := f.a.Process(ctx, in, f.mid)
	if f.over != nil {
		return f.over
	}
	if err != nil && errors.Is(err, ErrStop) { // a had enough; b has had all its input
		if err := f.flushB(); err != nil {
			return err
		}
	}
	return err
}

// Flush flushes a, then b unless it is over.
func (f *fused[A, B, C]) Flush(ctx context.Context, emit Emit[C]) error {
	f.ctx, f.emit = ctx, emit
	err := f.a.Flush(ctx, f.mid)
	if f.over != nil {
		return f.over
	}
	if err != nil && !errors.Is(err, ErrStop) {
		return err
	}
	if err := f.flushB(); err != nil {
		return err
	}
	return err
}

func (f *fused[A, B, C]) flushB() error {
	f.over = f.b.Flush(f.ctx, f.emit)
	return f.over
}

// Close closes a, then b.
func (f *fused[A, B, C]) Close() error {
	return closeSteps([]step{{"first", f.a}, {"second", f.b}})
}

// Explain joins what both say.
func (f *fused[A, B, C]) Explain() string {
	var text string
	for _, st := range []any{f.a, f.b} {
		e, ok := st.(Explainer)
		if !ok {
			continue
		}
		if line := e.Explain(); line != "" && text != "" {
			text += "; " + line
		} else {
			text += line
		}
	}
	return text
}
