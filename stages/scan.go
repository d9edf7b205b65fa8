package stages

import (
	"fmt"

	"github.com/pipescan/pipescan/batch"
	"github.com/pipescan/pipescan/mvcc"
	"github.com/pipescan/pipescan/pgfile"
	"github.com/pipescan/pipescan/pipeline"
)

// Defaults of HeapScan.
const (
	DefaultBatchPages    = 32
	DefaultMaxBatchBytes = 4 << 20
	DefaultMaxAhead      = 8
	maxBatchPages        = 1024 // Tuple.Page and the size of a read set the limit
)

// plan is a HeapScan made ready: what its lanes share.
type plan struct {
	scan     *HeapScan
	order    BlockOrder
	backward bool
	batch    uint32 // pages
	maxBytes int
	maxAhead int
	mapper   Mapper // nil: pread
	counters *Counters

	pages   *batch.PagesPool
	batches *batch.Pool
	row     *rowPlan // nil with CountOnly
}

// plan checks the description and fixes what must not change during the scan.
func (s *HeapScan) plan(lanes int) (*plan, error) {
	switch {
	case s.Source == nil:
		return nil, fmt.Errorf("a heap scan needs a source of blocks")
	case s.Rows != mvcc.All && (s.Snapshot == nil || s.Snapshot.Xacts == nil):
		return nil, fmt.Errorf("a heap scan of %v rows needs a snapshot", s.Rows)
	case s.BatchPages < 0 || s.BatchPages > maxBatchPages:
		return nil, fmt.Errorf("batches of %d pages: 1 to %d are possible", s.BatchPages, maxBatchPages)
	case s.MaxBatchBytes < 0 || s.MaxAhead < 0:
		return nil, fmt.Errorf("a negative limit")
	}
	order, err := newBlockOrder(s.Source.NBlocks(), s.Order, s.Blocks)
	if err != nil {
		return nil, err
	}
	p := &plan{
		scan: s, order: order, backward: s.Order.Direction == pipeline.Backward,
		batch: uint32(orDefault(s.BatchPages, DefaultBatchPages)), maxBytes: orDefault(s.MaxBatchBytes, DefaultMaxBatchBytes),
		maxAhead: orDefault(s.MaxAhead, DefaultMaxAhead), counters: s.Counters,
	}
	if p.counters == nil {
		p.counters = new(Counters)
	}
	if p.mapper, err = s.chooseMapper(order); err != nil {
		return nil, err
	}
	p.pages = batch.NewPagesPool(lanes * (p.maxAhead + 4))
	p.batches = batch.NewPool(lanes * 8)
	if !s.CountOnly {
		if p.row, err = newRowPlan(s); err != nil {
			return nil, err
		}
	}
	return p, ReportTail(s.Source, s.OnLoss)
}

func orDefault(v, def int) int {
	if v == 0 {
		return def
	}
	return v
}

// residentProbes is how many places of the table IOAuto asks about.
const residentProbes = 8

// chooseMapper returns the mapper when blocks are to be mapped. A fault loses
// the rest of a batch, so a scan that is to pass over damage reads instead; so
// does one of an unclean cluster, whose files may be truncated yet.
func (s *HeapScan) chooseMapper(o BlockOrder) (Mapper, error) {
	m, ok := s.Source.(Mapper)
	switch s.IO {
	case IOPread:
		return nil, nil
	case IOMmap:
		if !ok {
			return nil, fmt.Errorf("%s cannot be mapped: %w", s.Source.Name(), pgfile.ErrUnsupported)
		}
		if s.OnLoss != nil {
			return nil, fmt.Errorf("mapped files and going on after damage exclude each other: use pread")
		}
		return m, nil
	case IOAuto:
	default:
		return nil, fmt.Errorf("input method %d is not known", s.IO)
	}
	probe, knows := s.Source.(Prober)
	if !ok || !knows || s.OnLoss != nil || s.Snapshot == nil || !s.Snapshot.Clean || o.Len() == 0 {
		return nil, nil
	}
	for i := range uint64(residentProbes) {
		pos := uint32(i * uint64(o.Len()-1) / (residentProbes - 1))
		if !probe.Resident(o.Block(pos), 1) {
			return nil, nil
		}
	}
	return m, nil
}

// Lanes describes the scan as n lanes over one shared cursor. Unordered lanes
// claim blocks by PostgreSQL's chunk rule, one lane alone a batch at a time,
// and window is nil; ordered lanes claim one batch at a time with at most 2n in
// flight, and window goes into the run's options. Ordered, the lanes' merged
// output is that of one lane.
func (s *HeapScan) Lanes(n int, ordered bool) (lanes []*pipeline.Chain[*batch.Batch], window *pipeline.Window, err error) {
	if n < 1 {
		return nil, nil, fmt.Errorf("a scan of %d lanes", n)
	}
	p, err := s.plan(n)
	if err != nil {
		return nil, nil, err
	}
	total := p.order.Len()
	var chunks *chunkAllocator
	switch {
	case ordered:
		window = pipeline.NewWindow(2 * n)
	case n > 1:
		chunks = newChunkAllocator(total)
	}
	for range n {
		var c claimer
		switch {
		case ordered:
			c = &windowClaimer{window: window, total: total, batch: p.batch, backward: p.backward}
		case n > 1:
			c = newChunkClaimer(chunks, p.batch, p.backward)
		default:
			c = &serialClaimer{total: total, batch: p.batch, backward: p.backward}
		}
		lanes = append(lanes, p.lane(c))
	}
	return lanes, window, nil
}

// lane chains the stages of one lane.
func (p *plan) lane(c claimer) *pipeline.Chain[*batch.Batch] {
	chain := pipeline.From("block reader", pipeline.Source[*batch.Pages](newBlockReader(p, c)))
	out := pipeline.Then(chain, "tuple extractor", pipeline.Stage[*batch.Pages, *batch.Batch](newExtractor(p)))
	if p.scan.Rows != mvcc.All {
		out = pipeline.Then(out, "visibility", pipeline.Stage[*batch.Batch, *batch.Batch](newVisibility(p)))
	}
	if p.row != nil {
		out = pipeline.Then(out, "decoder", pipeline.Stage[*batch.Batch, *batch.Batch](newDecoder(p)))
	}
	return out
}
