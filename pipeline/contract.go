package pipeline

import (
	"context"
	"errors"
)

// Item is what travels along a link: a batch of pages, a batch of tuples.
// Whoever holds an item owns it; Release gives its buffers back and is called
// exactly once for each item.
type Item interface{ Release() }

// Sequenced is an Item that knows its place in an ordered scan. A source of an
// ordered scan emits Sequenced items; the sequence numbers are dense, start at
// zero and are shared by all lanes.
type Sequenced interface {
	Item
	Sequence() uint64
}

// Emit hands an item to the next stage and gives up its ownership, whatever
// it returns. An error means that the stage must return it without further
// work: the scan is over.
type Emit[T Item] func(T) error

// Source produces items. Next returns io.EOF at the end and must not be
// called after it returned an error.
type Source[Out Item] interface {
	Next(ctx context.Context) (Out, error)
}

// Stage is one step of a lane: a plain function over one item, with state of
// its own and no goroutine. Process owns the item it is given and either
// releases it or emits it. Flush is called once after the last item of a
// successful input. Returning ErrStop means "enough": upstream is cancelled
// and the scan ends with success.
type Stage[In, Out Item] interface {
	Process(ctx context.Context, in In, emit Emit[Out]) error
	Flush(ctx context.Context, emit Emit[Out]) error
}

// ErrStop ends a scan early and successfully.
var ErrStop = errors.New("pipeline: enough")

// Direction is the way a cursor moves through its rows.
type Direction int8

// The two directions of a cursor.
const (
	Forward  Direction = 1
	Backward Direction = -1
)

// Cursor is the pull form of a scan: no goroutine, channel or pool. Next
// returns at most max rows in direction dir, io.EOF past the end in that
// direction; Mark remembers the position, Restore returns to it. The item is
// valid until the next call.
type Cursor[T any] interface {
	Next(ctx context.Context, dir Direction, max int) (T, error)
	Mark()
	Restore(ctx context.Context) error
}
