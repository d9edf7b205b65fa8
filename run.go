package pipescan

import (
	"context"
	"errors"
	"fmt"

	"github.com/pipescan/pipescan/catalog"
	"github.com/pipescan/pipescan/fileio"
	"github.com/pipescan/pipescan/pipeline"
	"github.com/pipescan/pipescan/stages"
)

// run reads the members one after another into out.
func (s *Scan) run(out *sink) error {
	q := s.plan.query
	switch {
	case out.left == 0:
		return nil
	case q.merged():
		return s.runMerged(out)
	case q != nil && q.never:
		return nil
	}
	for _, m := range s.plan.members {
		if err := s.runStream(m, out); err != nil {
			return err
		}
	}
	return nil
}

// runStream passes the rows of one relation on as they come.
func (s *Scan) runStream(m *catalog.Relation, out *sink) error {
	var chain *tail
	return s.runMember(m, func(b *Batch) error { return chain.push(s.ctx, b) }, func(hs *stages.HeapScan) error {
		serial, err := s.serialStages(m, hs)
		chain = newTail(serial, out)
		return err
	}, func() error { return chain.flush(s.ctx) })
}

// runMember scans one relation and looks, at the end, whether it changed. The
// batches that take gets are lent to it. Begin, unless nil, is called before
// the first, flush after the last.
func (s *Scan) runMember(m *catalog.Relation, take func(*Batch) error, begin func(*stages.HeapScan) error, flush func() error) (err error) {
	hs, rel, err := s.heapScan(m)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, rel.Close()) }()
	if begin != nil {
		if err := begin(hs); err != nil {
			return err
		}
	}
	var failures stages.Failures
	lanes, o, err := s.lanes(m, hs, s.plan.lanes(), s.plan.request.Order != OrderAny, &failures)
	if err != nil {
		return err
	}
	for b, err := range pipeline.Run(s.ctx, o, lanes) {
		if err != nil {
			return s.place(rel, err)
		}
		if err := take(b); err != nil {
			return err
		}
	}
	if err := failures.Err(); err != nil {
		return err
	}
	if flush != nil {
		if err := flush(); err != nil {
			return err
		}
	}
	return s.unchanged(rel)
}

// place prefers "changed under the scan" to whatever error the change caused.
func (s *Scan) place(rel *fileio.Relation, err error) error {
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	if changed := s.unchanged(rel); changed != nil {
		return errors.Join(changed, err)
	}
	return err
}

// unchanged checks that neither the relation nor the control file changed.
// A store's file may grow meanwhile, past the end that the scan knows.
func (s *Scan) unchanged(rel *fileio.Relation) error {
	if err := rel.Changed(); err != nil {
		return err
	}
	return s.plan.table.db.shared.checkUnchanged()
}

// heapScan wires the scan of one relation.
func (s *Scan) heapScan(m *catalog.Relation) (*stages.HeapScan, *fileio.Relation, error) {
	db, r := s.plan.table.db, &s.plan.request
	nums, err := s.plan.memberColumns(m)
	if err != nil {
		return nil, nil, err
	}
	hs, rel, err := db.database.HeapScan(s.ctx, m)
	if err != nil {
		return nil, nil, err
	}
	hs.Columns = hs.Columns[:0:0]
	for i := range s.plan.base.Fields {
		f := &s.plan.base.Fields[i]
		hs.Columns = append(hs.Columns, stages.Column{Name: f.Name, Num: nums[i], Width: f.Width, Varlena: f.isVarlena()})
	}
	if r.Blocks != (BlockRange{}) {
		hs.Blocks = r.Blocks
	}
	db.database.SetRows(hs, r.Rows)
	hs.BatchPages = r.BatchPages
	if hs.BatchPages == 0 && s.plan.small() {
		hs.BatchPages = 1
	}
	if r.IO.Method != IOAuto {
		hs.IO = r.IO.Method
	}
	hs.OnLoss, hs.ReadPool, hs.Counters = s.ledger.lossFunc(), db.shared.reads, &s.reads
	switch r.Order {
	case OrderBackward:
		hs.Order.Direction = pipeline.Backward
	case OrderAny:
		hs.Order.Sync, hs.Order.SyncKey = &db.shared.sync, stages.SyncKey{Database: db.database.Info().OID, Node: m.OID}
	}
	return hs, rel, nil
}

// lanes makes the lanes that the budget grants, with the query's and the
// caller's stages on top.
func (s *Scan) lanes(m *catalog.Relation, hs *stages.HeapScan, want int, ordered bool, failures *stages.Failures) ([]*pipeline.Chain[*Batch], pipeline.Options, error) {
	r := &s.plan.request
	o := pipeline.Options{Topology: r.Topology, Ordered: ordered, Stats: &s.stats}
	if s.plan.small() {
		o.Topology = Pulled
	}
	if want > 1 {
		o.Budget = s.plan.table.db.shared.budget
	}
	lanes, window, err := hs.Lanes(want, ordered)
	if err != nil {
		return nil, o, err
	}
	o.Window = window
	for i := range lanes {
		lanes[i] = s.computeStages(lanes[i], failures)
		if s.plan.query.merged() {
			continue // the caller's stages see the result
		}
		for _, spec := range r.Stages {
			if spec.Serial {
				continue
			}
			st, err := spec.New(s.lane(m, hs, i, len(lanes)))
			if err != nil {
				return nil, o, fmt.Errorf("stage %s: %w", spec.Name, err)
			}
			lanes[i] = pipeline.Then(lanes[i], spec.Name, st)
		}
	}
	return lanes, o, nil
}

// lane describes a lane to a caller's stage.
func (s *Scan) lane(m *catalog.Relation, hs *stages.HeapScan, i, n int) Lane {
	schema := s.plan.base
	if q := s.plan.query; q != nil {
		schema = q.outputs.schema()
	}
	return Lane{
		Index: i, Lanes: n, Table: m.Name, Schema: schema,
		Fail: func(b *Batch, row, column int, err error) error {
			return s.ledger.value(hs.Source, b, row, fieldName(schema, column), err)
		},
	}
}

// serialStages makes the stages that run after the merge.
func (s *Scan) serialStages(m *catalog.Relation, hs *stages.HeapScan) ([]Stage, error) {
	var list []Stage
	for _, spec := range s.plan.request.Stages {
		if !spec.Serial {
			continue
		}
		st, err := spec.New(s.lane(m, hs, 0, 1))
		if err != nil {
			return nil, fmt.Errorf("stage %s: %w", spec.Name, err)
		}
		list = append(list, st)
	}
	return list, nil
}
