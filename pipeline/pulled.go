package pipeline

import (
	"context"
	"io"
)

// runPulled runs the lanes one after another on this goroutine. Of an ordered
// run the first lane is enough: it has the cursor to itself.
func runPulled[T Item](ctx context.Context, o *Options, lanes []*Chain[T], yield func(T, error) bool) {
	rest := lanes
	defer func() { closeAll(stepsOf(rest)) }()
	for i, lane := range lanes {
		rest = lanes[i+1:]
		p := newPuller(o, lane, i)
		left, err := pullLane(ctx, p, yield)
		if err != nil {
			var zero T
			yield(zero, err)
		}
		if left || err != nil || p.stopped() || o.Ordered {
			return
		}
	}
}

// pullLane yields one lane's outputs.
func pullLane[T Item](ctx context.Context, p *Puller[T], yield func(T, error) bool) (left bool, err error) {
	defer func() { _ = p.Close() }() // only a consumer that left finds it open
	for {
		item, err := p.Next(ctx)
		if err == io.EOF {
			return false, nil
		}
		if err != nil {
			return false, err
		}
		if !lend(item, yield) {
			return true, nil
		}
	}
}

// lend releases the item even if the loop's body panics.
func lend[T Item](item T, yield func(T, error) bool) bool {
	defer item.Release()
	return yield(item, nil)
}
