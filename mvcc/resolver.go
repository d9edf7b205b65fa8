package mvcc

import "github.com/pipescan/pipescan/batch"

// UnknownFunc is told of a tuple whose visibility cannot be known. Returning
// nil drops the tuple from the batch, an error ends the resolution.
type UnknownFunc func(b *batch.Batch, t batch.Tuple, err error) error

// Resolver applies a snapshot to batches. One a lane: it is not safe for
// concurrent use.
type Resolver struct {
	snap      *Snapshot
	rows      RowSet
	onUnknown UnknownFunc
}

// NewResolver makes a resolver; a nil onUnknown makes unknown visibility an error.
func NewResolver(s *Snapshot, rows RowSet, onUnknown UnknownFunc) *Resolver {
	return &Resolver{snap: s, rows: rows, onUnknown: onUnknown}
}

// Resolve sets b.Sel and b.HasSel to the rows of the resolver's row set. b is
// as the extractor made it: no selection yet, Ranges covering Tuples.
func (r *Resolver) Resolve(b *batch.Batch) error { panic("not built yet") }
