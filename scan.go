package pipescan

import (
	"context"
	"errors"
	"iter"
	"sync/atomic"
	"time"

	"github.com/pipescan/pipescan/batch"
	"github.com/pipescan/pipescan/pipeline"
	"github.com/pipescan/pipescan/stages"
)

// Scan is one run of a plan. It is iterated once, by Batches or by Rows.
type Scan struct {
	plan   *Plan
	ctx    context.Context
	ledger ledger
	used   atomic.Bool
	stats  pipeline.Stats
	reads  stages.Counters
	rows   int64

	elapsed time.Duration

	pool          *batch.Pool  // of computed batches
	removed       atomic.Int64 // by Where
	removedGroups atomic.Int64 // by Having
	operators     []*OperatorStats
}

var errIterated = errors.New("a scan is iterated once: make another with Table.Scan or Plan.Run")

// Scan plans the request and returns its run; errors of the plan are returned
// here, errors of the run by the iterator. ctx ends the run when it ends.
func (t *Table) Scan(ctx context.Context, r Request) (*Scan, error) {
	p, err := t.Plan(ctx, r)
	if err != nil {
		return nil, err
	}
	return p.Run(ctx), nil
}

// Run starts a run of the plan: nothing is read before it is iterated.
func (p *Plan) Run(ctx context.Context) *Scan {
	s := &Scan{plan: p, ctx: ctx, pool: newResultPool()}
	s.ledger.skip = p.table.db.shared.options.OnCorruption == CorruptionSkip
	return s
}

// Schema is the columns of the scan's result.
func (s *Scan) Schema() *Schema { return s.plan.schema }

// Batches iterates over the result. A batch is valid until the next step;
// Batch.Retain keeps it (Release it then). The error, if any, comes last, with
// a nil batch. Breaking out cancels and joins every goroutine of the scan.
func (s *Scan) Batches() iter.Seq2[*Batch, error] {
	return func(yield func(*Batch, error) bool) {
		if s.used.Swap(true) {
			yield(nil, errIterated)
			return
		}
		out := &sink{scan: s, yield: yield, skip: s.plan.request.Offset, left: -1}
		if s.plan.request.Limit != nil {
			out.left = *s.plan.request.Limit
		}
		start := time.Now()
		err := s.run(out)
		s.elapsed = time.Since(start) - out.outside
		if err != nil && !errors.Is(err, pipeline.ErrStop) && !out.broken {
			yield(nil, err)
		}
	}
}

// Losses is what the scan had to go on without, when the DB's policy is
// CorruptionSkip; complete once the iteration ended.
func (s *Scan) Losses() []Loss { return s.ledger.losses() }

// Stats are the counters of a run.
type Stats struct {
	Rows int64 // returned by the iterator
	// Elapsed is the time from the first pull to the end, without that which
	// the loop's body took.
	Elapsed time.Duration
	Stages  []pipeline.StageStats // source first, summed over lanes
	Pages   int64                 // pages looked at
	Reads   int64                 // read calls
	Bytes   int64                 // bytes those reads brought
	Tuples  int64                 // tuples seen, visible or not
	// RemovedByFilter is how many rows Where removed, RemovedGroups how many
	// groups Having removed.
	RemovedByFilter, RemovedGroups int64
	// Operators are the steps after the lanes, in the order rows go through
	// them; complete once the iteration ended.
	Operators []OperatorStats
}

// Stats returns the counters; complete once the iteration ended.
func (s *Scan) Stats() Stats {
	st := Stats{
		RemovedByFilter: s.removed.Load(), RemovedGroups: s.removedGroups.Load(),
		Rows: s.rows, Elapsed: s.elapsed, Stages: s.stats.Stages(),
		Pages: s.reads.Pages.Load(), Reads: s.reads.Reads.Load(), Bytes: s.reads.Bytes.Load(), Tuples: s.reads.Tuples.Load(),
	}
	for _, op := range s.operators {
		st.Operators = append(st.Operators, *op)
	}
	return st
}

// sink applies OFFSET and LIMIT on the consumer's side and hands batches to
// the iterator's body.
type sink struct {
	scan   *Scan
	yield  func(*Batch, error) bool
	skip   int64
	left   int64 // -1: no limit
	broken bool  // the body broke out
	// outside is the time that the body took.
	outside time.Duration
}

// take hands one batch on; ErrStop means that no more are wanted. The batch
// stays the caller's.
func (k *sink) take(b *Batch) error {
	if k.left == 0 {
		return pipeline.ErrStop
	}
	n := int64(b.Rows())
	if k.skip >= n {
		k.skip -= n
		return nil
	}
	if k.skip > 0 || k.left >= 0 && k.left < n-k.skip {
		keep := n - k.skip
		if k.left >= 0 {
			keep = min(keep, k.left)
		}
		b.Slice(int(k.skip), int(k.skip+keep))
		k.skip, n = 0, keep
	}
	if k.left > 0 {
		k.left -= n
	}
	k.scan.rows += n
	start := time.Now()
	more := k.yield(b, nil)
	k.outside += time.Since(start)
	if !more {
		k.broken = true
		return pipeline.ErrStop
	}
	if k.left == 0 {
		return pipeline.ErrStop
	}
	return nil
}
