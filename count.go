package pipescan

import (
	"context"
	"errors"

	"github.com/pipescan/pipescan/catalog"
	"github.com/pipescan/pipescan/pipeline"
)

// Count returns the number of rows that Scan would return, decoding nothing.
// Columns, Order and Stages of the request are not looked at.
func (t *Table) Count(ctx context.Context, r Request) (int64, error) {
	r.Columns, r.Stages, r.Order = []string{}, nil, OrderAny
	p, err := t.Plan(ctx, r)
	if err != nil {
		return 0, err
	}
	return p.Run(ctx).count()
}

// count counts every member's rows and applies OFFSET and LIMIT.
func (s *Scan) count() (int64, error) {
	var total int64
	for _, m := range s.plan.members {
		n, err := s.countMember(m)
		if err != nil {
			return 0, err
		}
		total += n
	}
	total = max(total-s.plan.request.Offset, 0)
	if l := s.plan.request.Limit; l != nil {
		total = min(total, *l)
	}
	return total, nil
}

// countMember folds the row counts of one relation's lanes.
func (s *Scan) countMember(m *catalog.Relation) (n int64, err error) {
	hs, rel, err := s.heapScan(m)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, rel.Close()) }()
	hs.CountOnly = true
	lanes, o, err := s.lanes(m, hs)
	if err != nil {
		return 0, err
	}
	type partial struct{ rows int64 }
	sum, err := pipeline.Fold(s.ctx, o, lanes,
		func(int) *partial { return &partial{} },
		func(p *partial, b *Batch) error { p.rows += int64(b.Rows()); return nil },
		func(into, from *partial) error { into.rows += from.rows; return nil })
	if err != nil {
		return 0, s.place(rel, err)
	}
	return sum.rows, s.unchanged(rel)
}
