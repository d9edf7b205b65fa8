package stages

import (
	"github.com/pipescan/pipescan/batch"
	"github.com/pipescan/pipescan/pipeline"
)

// Lanes describes the scan as n lanes over one shared cursor. Unordered lanes
// (and one lane) claim blocks by PostgreSQL's chunk rule and window is nil;
// ordered ones claim one batch at a time, and window goes into the run's
// options.
func (s *HeapScan) Lanes(n int, ordered bool) (lanes []*pipeline.Chain[*batch.Batch], window *pipeline.Window, err error) {
	panic("not built yet")
}

// Cursor describes the scan as a scrollable one on the caller's goroutine.
func (s *HeapScan) Cursor() (*Cursor, error) { panic("not built yet") }
