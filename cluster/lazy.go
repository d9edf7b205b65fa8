package cluster

import (
	"context"
	"errors"
	"sync"

	"github.com/pipescan/pipescan/pgfile"
)

// lazy is a value read on first use. Damage is kept as the value is: else each
// of a million values that need a damaged catalog would read it again. Other
// failures are not: it may have been the call's context that ended.
type lazy[T any] struct {
	mu   sync.Mutex
	done bool
	v    T
	err  error
}

// get returns the value, loading it when no call has yet.
func (l *lazy[T]) get(ctx context.Context, load func(context.Context) (T, error)) (T, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.done {
		return l.v, l.err
	}
	v, err := load(ctx)
	if err != nil {
		var none T
		v = none
	}
	if err == nil || errors.Is(err, pgfile.ErrCorrupt) && ctx.Err() == nil {
		l.v, l.err, l.done = v, err, true
	}
	return v, err
}
