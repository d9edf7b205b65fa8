package pipescan

import (
	"context"
	"encoding/binary"
	"errors"

	"github.com/pipescan/pipescan/catalog"
	"github.com/pipescan/pipescan/pipeline"
)

// Count returns the number of rows that Scan would return, decoding nothing.
// Columns, Order and Stages of the request are not looked at.
func (t *Table) Count(ctx context.Context, r Request) (int64, error) {
	if r.computes() {
		return t.countQuery(ctx, r)
	}
	r.Columns, r.Stages, r.Order = []string{}, nil, OrderAny
	p, err := t.Plan(ctx, r)
	if err != nil {
		return 0, err
	}
	return p.Run(ctx).count()
}

// countQuery counts the rows that a query returns. One that only filters is
// asked for the number of its rows.
func (t *Table) countQuery(ctx context.Context, r Request) (total int64, err error) {
	r.Stages = nil
	if r.aggregates() {
		s, err := t.Scan(ctx, r)
		if err != nil {
			return 0, err
		}
		for b, err := range s.Batches() {
			if err != nil {
				return 0, err
			}
			total += int64(b.Rows())
		}
		return total, nil
	}
	limit, offset := r.Limit, r.Offset
	r.Columns, r.Project, r.OrderBy, r.Order, r.Limit, r.Offset = nil, nil, nil, OrderForward, nil, 0
	r.Aggregates = []Aggregate{{Name: "count", Func: "count", Star: true}}
	s, err := t.Scan(ctx, r)
	if err != nil {
		return 0, err
	}
	for row, err := range s.Rows() {
		if err != nil {
			return 0, err
		}
		total = int64(binary.LittleEndian.Uint64(row.Bytes(0)))
	}
	return cut(total, limit, offset), nil
}

// cut applies OFFSET and LIMIT to a number of rows.
func cut(total int64, limit *int64, offset int64) int64 {
	total = max(total-offset, 0)
	if limit != nil {
		total = min(total, *limit)
	}
	return total
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
	return cut(total, s.plan.request.Limit, s.plan.request.Offset), nil
}

// countMember folds the row counts of one relation's lanes.
func (s *Scan) countMember(m *catalog.Relation) (n int64, err error) {
	hs, rel, err := s.heapScan(m)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, rel.Close()) }()
	hs.CountOnly = true
	lanes, o, err := s.lanes(m, hs, s.plan.lanes(), false, nil)
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
