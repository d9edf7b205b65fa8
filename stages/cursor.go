package stages

import (
	"context"

	"github.com/pipescan/pipescan/batch"
	"github.com/pipescan/pipescan/pipeline"
)

// Cursor is a scrollable scan; it implements pipeline.Cursor[*batch.Batch].
type Cursor struct{}

// Next returns up to max rows in direction dir, or io.EOF.
func (c *Cursor) Next(ctx context.Context, dir pipeline.Direction, max int) (*batch.Batch, error) {
	panic("not built yet")
}

// Mark remembers the position.
func (c *Cursor) Mark() { panic("not built yet") }

// Restore returns to the marked position.
func (c *Cursor) Restore(ctx context.Context) error { panic("not built yet") }

// Close gives the cursor's buffers back.
func (c *Cursor) Close() error { panic("not built yet") }
