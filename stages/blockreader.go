package stages

import (
	"context"
	"fmt"
	"io"

	"github.com/pipescan/pipescan/batch"
)

// BlockReader is the source of a lane: it claims runs of blocks, brings them
// into memory, and gives them out in the order claimed. With a read pool it
// reads ahead:
//
//	claimed, in flight on the pool        given out
//	| run 7 | run 6 | run 5 | ──Next──>  run 4
//	 └──── at most distance ───┘
//
// The distance is 1 (no look-ahead, reads on the lane's own goroutine) as long
// as the blocks are in memory already. It doubles, up to the plan's limit,
// whenever a read had to be waited for, and shrinks by one after as many runs
// in a row that were ready when wanted as the limit says.
type BlockReader struct {
	p       *plan
	claimer claimer
	load    loader

	slots    []slot // a ring
	head     int    // the oldest claimed run
	count    int    // claimed runs not given out
	distance int
	calm     int // runs to come without a wait before the distance shrinks
}

func newBlockReader(p *plan, c claimer) *BlockReader {
	r := &BlockReader{p: p, claimer: c, load: loader{p: p}, distance: 1}
	ahead := 1
	if p.scan.ReadPool != nil && p.mapper == nil {
		ahead = p.maxAhead
	}
	r.slots = make([]slot, ahead)
	for i := range r.slots {
		r.slots[i].init(&r.load)
	}
	return r
}

// Next implements pipeline.Source: it returns the next run's pages, with one
// holder, or io.EOF.
func (r *BlockReader) Next(ctx context.Context) (*batch.Pages, error) {
	if r.count == 0 {
		claimed, ok, err := r.claimer.claim(ctx, true)
		if err != nil {
			return nil, err
		}
		if !ok {
			r.finish()
			return nil, io.EOF
		}
		r.slots[r.head].pages = r.load.describe(claimed)
		r.count = 1
	}
	if err := r.lookAhead(ctx); err != nil {
		return nil, err
	}
	s := &r.slots[r.head]
	waited, err := s.finish(ctx)
	if err == nil {
		r.adapt(waited)
	} else if err = r.load.salvage(ctx, s.pages, err); err != nil {
		return nil, err
	}
	pages := s.pages
	s.pages = nil
	r.head = (r.head + 1) % len(r.slots)
	r.count--
	r.p.counters.Pages.Add(int64(len(pages.Blocks)))
	r.report(pages)
	return pages, nil
}

// lookAhead claims runs up to the distance and starts reading them.
func (r *BlockReader) lookAhead(ctx context.Context) error {
	for r.count < r.distance {
		claimed, ok, err := r.claimer.claim(ctx, false)
		if err != nil {
			return err
		}
		if !ok {
			return nil
		}
		s := &r.slots[(r.head+r.count)%len(r.slots)]
		s.pages = r.load.describe(claimed)
		r.count++
		s.start(ctx, r.p.scan.ReadPool)
	}
	return nil
}

// adapt changes the distance after a run was given out.
func (r *BlockReader) adapt(waited bool) {
	switch {
	case waited:
		r.p.counters.Waits.Add(1)
		r.distance = min(r.distance*2, len(r.slots))
		r.calm = len(r.slots)
	case r.calm > 0:
		r.calm--
	case r.distance > 1:
		r.distance--
	}
}

// report tells scans to come where this one is, at each 16th block.
func (r *BlockReader) report(p *batch.Pages) {
	o := &r.p.scan.Order
	if o.Sync == nil || r.p.backward || r.p.order.Len() != r.p.order.NBlocks {
		return
	}
	for i := len(p.Blocks) - 1; i >= 0; i-- {
		if p.Blocks[i]%syncInterval == 0 {
			o.Sync.report(o.SyncKey, r.p.order.NBlocks, p.Blocks[i])
			return
		}
	}
}

// finish reports the place where the scan began, so that the next one reads
// what this one read last.
func (r *BlockReader) finish() {
	o := &r.p.scan.Order
	if o.Sync != nil && !r.p.backward && r.p.order.Len() == r.p.order.NBlocks {
		o.Sync.report(o.SyncKey, r.p.order.NBlocks, r.p.order.Start)
	}
}

// Close joins the reads in flight and gives back what they read into.
func (r *BlockReader) Close() error {
	for i := range r.slots {
		r.slots[i].close()
	}
	r.count = 0
	r.load.close()
	return nil
}

// Explain implements pipeline.Explainer.
func (r *BlockReader) Explain() string {
	method := "pread"
	if r.p.mapper != nil {
		method = "mmap"
	}
	direction := ""
	if r.p.backward {
		direction = " backward"
	}
	return fmt.Sprintf("%s: %d blocks from %d%s, %s, %d pages a batch",
		r.p.scan.Source.Name(), r.p.order.Len(), r.p.order.Start, direction, method, r.p.batch)
}
