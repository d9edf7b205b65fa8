package stages

import (
	"context"
	"fmt"
	"io"
	"slices"

	"github.com/pipescan/pipescan/batch"
	"github.com/pipescan/pipescan/mvcc"
	"github.com/pipescan/pipescan/pipeline"
)

// Cursor is a scrollable scan on its caller's goroutine: no goroutine, channel
// or pool. It stands on a row, or off the rows at one end of them:
//
//	           row 0   row 1   row 2   ...   row n-1
//	off, begin ──────────▲─────────────────────────── off, end
//	                 Backward │ Forward
//
// Next moves from the row it stands on, so that after Forward gave rows 0, 1,
// 2, Backward gives 1, 0. Past the last row it is off: the same direction again
// is io.EOF again, the other one begins at that end. A new cursor is off and
// may begin at either end.
//
// Directions are relative to the scan's order: Forward on a backward scan goes
// towards the table's beginning.
//
// Rows come a run of pages at a time, 1, 2, 4, ... pages up to the batch size,
// which suits scans that take a few rows only. A Cursor is not safe for
// concurrent use.
type Cursor struct {
	p      *plan
	load   loader
	ext    *Extractor
	vis    *Visibility // nil when all rows are wanted
	dec    *Decoder    // nil with CountOnly
	out    *batch.Batch
	closed bool
	// reversed turns the directions of a backward scan into those of positions.
	reversed bool

	at     position
	marked position
	loaded *batch.Batch // the tuples of positions at.lo..at.hi-1; nil when off, or not loaded
	ramp   uint32       // pages of the next run
}

// position is a place in the scan. lo and hi are block positions, row counts
// the wanted rows of that run; it is -1 and the run's row count when just
// before and just after them.
type position struct {
	on     bool
	lo, hi uint32
	row    int
	// off: the direction that came to the end, 0 for a new cursor.
	ended pipeline.Direction
}

var _ pipeline.Cursor[*batch.Batch] = (*Cursor)(nil)

// Cursor describes the scan as a scrollable one. Close it after use.
func (s *HeapScan) Cursor() (*Cursor, error) {
	p, err := s.plan(1)
	if err != nil {
		return nil, err
	}
	// The cursor itself turns round: below it everything runs forward.
	c := &Cursor{p: p, load: loader{p: p}, ext: newExtractor(p), ramp: 1, reversed: p.backward}
	p.backward = false
	if s.Rows != mvcc.All {
		c.vis = newVisibility(p)
	}
	if p.row != nil {
		c.dec = newDecoder(p)
	}
	return c, nil
}

// Next returns up to max rows in direction dir, the next one first, or io.EOF
// past the last one. It may return fewer before the end. The batch is valid
// until the next call, and is not the caller's to release; it may Retain it.
// With CountOnly the batch is undecoded. After another error the cursor stands where it stood.
func (c *Cursor) Next(ctx context.Context, dir pipeline.Direction, max int) (*batch.Batch, error) {
	switch {
	case c.closed:
		return nil, fmt.Errorf("the cursor is closed")
	case dir != pipeline.Forward && dir != pipeline.Backward:
		return nil, fmt.Errorf("direction %d is neither forward nor backward", dir)
	case max < 1:
		return nil, fmt.Errorf("%d rows are wanted: at least 1", max)
	}
	c.releaseOut()
	if c.reversed {
		dir = -dir
	}
	was := c.at
	out, err := c.next(ctx, dir, max)
	if err != nil && err != io.EOF {
		c.move(was)
	}
	c.out = out
	return out, err
}

// next is Next by positions.
func (c *Cursor) next(ctx context.Context, dir pipeline.Direction, max int) (*batch.Batch, error) {
	for {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		n, err := c.seek(ctx, dir)
		if err != nil {
			return nil, err
		}
		if n == 0 {
			c.move(position{ended: dir})
			return nil, io.EOF
		}
		out, err := c.take(ctx, dir, min(n, max))
		if err != nil || out.Rows() > 0 {
			return out, err
		}
		out.Release() // all of them were lost to damage
	}
}

// seek makes the loaded run one with rows left in direction dir and returns
// how many; 0 at the end.
func (c *Cursor) seek(ctx context.Context, dir pipeline.Direction) (int, error) {
	total := c.p.order.Len()
	if !c.at.on {
		if c.at.ended == dir || total == 0 {
			return 0, nil
		}
		c.ramp = 1
		edge := position{on: true, row: -1}
		if dir == pipeline.Backward {
			edge.lo, edge.hi, edge.row = total, total, 0
		}
		c.move(edge)
	}
	for {
		if n, err := c.rowsLeft(ctx, dir); n > 0 || err != nil {
			return n, err
		}
		next := c.at
		switch {
		case dir == pipeline.Forward && c.at.hi < total:
			next.lo, next.hi, next.row = c.at.hi, c.at.hi+min(c.ramp, total-c.at.hi), -1
		case dir == pipeline.Backward && c.at.lo > 0:
			next.lo, next.hi = c.at.lo-min(c.ramp, c.at.lo), c.at.lo
		default:
			return 0, nil
		}
		b, err := c.read(ctx, next)
		if err != nil {
			return 0, err
		}
		if dir == pipeline.Backward {
			next.row = b.Rows()
		}
		c.move(next)
		c.loaded = b
		c.ramp = min(c.ramp*2, c.p.batch)
	}
}

// rowsLeft is how many rows the current run has in direction dir, loading it
// again after a Restore.
func (c *Cursor) rowsLeft(ctx context.Context, dir pipeline.Direction) (int, error) {
	if c.at.lo == c.at.hi {
		return 0, nil
	}
	if c.loaded == nil {
		b, err := c.read(ctx, c.at)
		if err != nil {
			return 0, err
		}
		c.loaded = b
	}
	if dir == pipeline.Forward {
		return c.loaded.Rows() - c.at.row - 1, nil
	}
	return c.at.row, nil
}

// read loads, extracts and resolves the run of a position.
func (c *Cursor) read(ctx context.Context, at position) (*batch.Batch, error) {
	pages := c.load.describe(run{pos: at.lo, n: at.hi - at.lo})
	ok, err := c.load.mapped(pages)
	if err == nil && !ok {
		if err = c.load.read(ctx, pages); err != nil {
			err = c.load.salvage(ctx, pages, err)
		}
	}
	if err != nil {
		pages.Release()
		return nil, err
	}
	c.p.counters.Pages.Add(int64(len(pages.Blocks)))
	b, err := c.ext.extract(pages)
	if err != nil || c.vis == nil {
		return b, err
	}
	if err := c.vis.resolve(b); err != nil {
		b.Release()
		return nil, err
	}
	return b, nil
}

// take gives out up to n rows from the current one on and moves there.
func (c *Cursor) take(ctx context.Context, dir pipeline.Direction, n int) (*batch.Batch, error) {
	from := c.at.row + int(dir)
	if c.dec == nil {
		return c.takeTuples(dir, from, n), nil
	}
	c.dec.begin(c.loaded, from, int(dir), from+n*int(dir))
	out, err := c.dec.next(ctx)
	if err != nil {
		return nil, err
	}
	c.at.row = c.dec.progress.at - int(dir)
	c.dec.progress.in = nil
	return out, nil
}

// takeTuples is take without a decoder.
func (c *Cursor) takeTuples(dir pipeline.Direction, from, n int) *batch.Batch {
	c.at.row = from + (n-1)*int(dir)
	lo := min(from, c.at.row)
	out := c.p.batches.Get()
	for i := lo; i < lo+n; i++ {
		out.Tuples = append(out.Tuples, c.loaded.Tuples[c.loaded.Row(i)])
	}
	if dir == pipeline.Backward {
		slices.Reverse(out.Tuples)
	}
	out.Pages = c.loaded.Pages
	out.Pages.Retain()
	return out
}

// move changes the position, dropping the loaded run when it is another's.
func (c *Cursor) move(to position) {
	if c.loaded != nil && (!to.on || to.lo != c.at.lo || to.hi != c.at.hi) {
		c.loaded.Release()
		c.loaded = nil
	}
	c.at = to
}

// Mark remembers the position. A new cursor's mark is where it began.
func (c *Cursor) Mark() { c.marked = c.at }

// Restore returns to the marked position. It reads nothing itself.
func (c *Cursor) Restore(context.Context) error {
	if c.closed {
		return fmt.Errorf("the cursor is closed")
	}
	c.releaseOut()
	c.move(c.marked)
	c.ramp = 1
	return nil
}

// releaseOut gives back the batch of the last Next.
func (c *Cursor) releaseOut() {
	if c.out != nil {
		c.out.Release()
		c.out = nil
	}
}

// Close gives the cursor's buffers back, those of the last batch too.
func (c *Cursor) Close() error {
	if c.closed {
		return nil
	}
	c.closed = true
	c.releaseOut()
	c.move(position{})
	c.load.close()
	if c.dec != nil {
		return c.dec.Close()
	}
	return nil
}
