package stages

import (
	"sync"

	"github.com/pipescan/pipescan/pipeline"
)

// Failures remembers the error that a serial scan would have met first.
//
// A row whose expression fails must not take away the rows before it: a LIMIT
// may be satisfied by them. So a stage passes on the good rows of its batch,
// leaves the error here and stops the run with success; an ordered run then
// delivers everything up to that batch, and its consumer asks Err at the end.
// All lanes of a run share one; it is safe for concurrent use.
type Failures struct {
	mu  sync.Mutex
	seq uint64
	err error
}

// Stop books the error of batch seq and returns what the stage must return.
func (f *Failures) Stop(seq uint64, err error) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.err == nil || seq < f.seq {
		f.seq, f.err = seq, err
	}
	return pipeline.ErrStop
}

// Err is the error of the earliest batch, nil when there was none.
func (f *Failures) Err() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.err
}
