package pipeline

import (
	"context"
	"errors"
	"io"
)

// Fold folds what the lanes put out into partial results, one a lane, inside
// the lane: no item crosses to another goroutine. The partials are merged into
// the first one, serially and in lane order, when all lanes are over.
//
// newPartial makes a lane's partial before the lanes start. Add borrows its
// item: Fold releases it when add returned. An ErrStop from add, or from any
// stage, ends the fold with success. An ordered fold has one partial, to which
// items are added in the order of their tickets.
//
// After an error the result is the zero P.
func Fold[T Item, P any](ctx context.Context, o Options, lanes []*Chain[T],
	newPartial func(lane int) P, add func(P, T) error, merge func(into, from P) error,
) (result P, err error) {
	if o.Ordered {
		return foldOrdered(ctx, o, lanes, newPartial, add)
	}
	o = o.withDefaults()
	if err := takeAll(&o, lanes); err != nil {
		return result, err
	}
	partials := make([]P, len(lanes))
	folds := make([]*Chain[none], len(lanes))
	err = guard("fold", func() error {
		for i, lane := range lanes {
			partials[i] = newPartial(i)
			folds[i] = then(lane, "fold", &folder[T, P]{partials[i], add}, true)
		}
		return nil
	})
	if err != nil {
		closeAll(stepsOf(lanes))
		return result, err
	}
	if err := runFolds(ctx, &o, folds); err != nil {
		return result, err
	}
	err = guard("merge", func() error {
		for _, p := range partials[1:] {
			if err := merge(partials[0], p); err != nil {
				return wrapStage("merge", err)
			}
		}
		return nil
	})
	if err != nil {
		return result, err
	}
	return partials[0], nil
}

// runFolds runs lanes that put nothing out.
func runFolds(ctx context.Context, o *Options, folds []*Chain[none]) error {
	grant := acquire(o, len(folds))
	if o.Topology == Pulled {
		return pullFolds(ctx, o, folds)
	}
	r := newRunner(ctx, o, grant)
	for i, f := range folds {
		w := newWiring(o, i)
		f.wire(w, func(none) error { return nil })
		o.Stats.watch(w, f.steps)
		r.addLane(w, f.steps)
	}
	r.start()
	r.wg.Wait()
	r.join(errDone, nil)
	return r.cause()
}

// pullFolds runs them on the caller's goroutine.
func pullFolds(ctx context.Context, o *Options, folds []*Chain[none]) error {
	for i, f := range folds {
		p := newPuller(o, f, i)
		_, err := p.Next(ctx)
		if err != io.EOF {
			closeAll(stepsOf(folds[i+1:]))
			return err
		}
		if p.stopped() {
			closeAll(stepsOf(folds[i+1:]))
			return nil
		}
	}
	return nil
}

// foldOrdered adds on the caller's goroutine, where the order is made.
func foldOrdered[T Item, P any](ctx context.Context, o Options, lanes []*Chain[T],
	newPartial func(lane int) P, add func(P, T) error,
) (result P, err error) {
	var partial P
	err = guard("fold", func() error {
		partial = newPartial(0)
		for item, err := range Run(ctx, o, lanes) {
			if err != nil {
				return err
			}
			if err := add(partial, item); errors.Is(err, ErrStop) {
				return nil
			} else if err != nil {
				return wrapStage("fold", err)
			}
		}
		return nil
	})
	if err != nil {
		return result, err
	}
	return partial, nil
}

// folder is Fold's last stage.
type folder[T Item, P any] struct {
	partial P
	add     func(P, T) error
}

// Process adds the item to the lane's partial.
func (f *folder[T, P]) Process(_ context.Context, in T, _ Emit[none]) error {
	err := f.add(f.partial, in)
	in.Release()
	return err
}

// Flush has nothing to add.
func (f *folder[T, P]) Flush(context.Context, Emit[none]) error { return nil }

// none is the item that never comes.
type none struct{}

// Release has nothing to give back.
func (none) Release() {}
