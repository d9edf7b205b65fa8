package cluster

import (
	"context"
	"sync"
)

// lazy is a value read on first use. A failure is not kept: the next call
// tries again, because it may have been its context that ended.
type lazy[T any] struct {
	mu   sync.Mutex
	done bool
	v    T
}

// get returns the value, loading it when no call has yet.
func (l *lazy[T]) get(ctx context.Context, load func(context.Context) (T, error)) (T, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.done {
		return l.v, nil
	}
	v, err := load(ctx)
	if err != nil {
		var none T
		return none, err
	}
	l.v, l.done = v, true
	return v, nil
}
