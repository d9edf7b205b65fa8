package stagetest

import (
	"context"
	"io"
	"sync"

	"github.com/pipescan/pipescan/pipeline"
)

// Cursor is a list of items that the sources of several lanes share. It owns
// the items that nobody took.
type Cursor[T pipeline.Item] struct {
	mu    sync.Mutex
	items []T
	next  int
	at    func(n int) error // called before item n is given out; may be nil
}

// NewCursor makes a cursor over items. At, unless nil, is called with n before
// the n-th item, counted from 0, and with the number of items at the end; its
// error is the source's.
func NewCursor[T pipeline.Item](items []T, at func(n int) error) *Cursor[T] {
	return &Cursor[T]{items: items, at: at}
}

// Source makes the source of one lane.
func (c *Cursor[T]) Source() pipeline.Source[T] { return (*cursorSource[T])(c) }

// Close releases the items nobody took.
func (c *Cursor[T]) Close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for ; c.next < len(c.items); c.next++ {
		c.items[c.next].Release()
	}
}

type cursorSource[T pipeline.Item] Cursor[T]

// Next gives the next item out.
func (s *cursorSource[T]) Next(ctx context.Context) (T, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var zero T
	if s.at != nil {
		if err := s.at(s.next); err != nil {
			return zero, err
		}
	}
	if ctx.Err() != nil {
		return zero, context.Cause(ctx)
	}
	if s.next == len(s.items) {
		return zero, io.EOF
	}
	s.next++
	return s.items[s.next-1], nil
}

// Each is a stage that calls a function with the number of each item, counted
// from 0, and passes the item on unless the function fails.
type Each[T pipeline.Item] struct {
	Do func(n int, item T) error
	n  int
}

// Process calls Do.
func (e *Each[T]) Process(_ context.Context, in T, emit pipeline.Emit[T]) error {
	n := e.n
	e.n++
	if err := e.Do(n, in); err != nil {
		in.Release()
		return err
	}
	return emit(in)
}

// Flush does nothing.
func (e *Each[T]) Flush(context.Context, pipeline.Emit[T]) error { return nil }
