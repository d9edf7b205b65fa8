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

// smallLimit is the LIMIT up to which a scan is pulled on the caller's
// goroutine a few pages at a time: starting lanes would cost more.
const smallLimit = 1000

// run reads the members one after another into out.
func (s *Scan) run(out *sink) error {
	if out.left == 0 {
		return nil
	}
	for _, m := range s.plan.members {
		if err := s.runMember(m, out); err != nil {
			return err
		}
	}
	return nil
}

// runMember scans one relation and looks, at the end, whether it changed.
func (s *Scan) runMember(m *catalog.Relation, out *sink) (err error) {
	hs, rel, err := s.heapScan(m)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, rel.Close()) }()
	serial, err := s.serialStages(m, hs)
	if err != nil {
		return err
	}
	chain := newTail(serial, out)
	lanes, o, err := s.lanes(m, hs)
	if err != nil {
		return err
	}
	for b, err := range pipeline.Run(s.ctx, o, lanes) {
		if err != nil {
			return s.place(rel, err)
		}
		if err := chain.push(s.ctx, b); err != nil {
			return err
		}
	}
	if err := chain.flush(s.ctx); err != nil {
		return err
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
	if hs.BatchPages == 0 && s.small() {
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

// small says that the rows wanted are few.
func (s *Scan) small() bool {
	r := &s.plan.request
	return r.Limit != nil && *r.Limit+r.Offset <= smallLimit
}

// lanes makes the lanes that the budget grants, with the caller's stages on
// top; done gives the workers back.
func (s *Scan) lanes(m *catalog.Relation, hs *stages.HeapScan) ([]*pipeline.Chain[*Batch], pipeline.Options, error) {
	r := &s.plan.request
	o := pipeline.Options{Topology: r.Topology, Ordered: r.Order != OrderAny, Stats: &s.stats}
	want := s.plan.lanes()
	if s.small() {
		want, o.Topology = 1, Pulled
	}
	if want > 1 {
		o.Budget = s.plan.table.db.shared.budget
	}
	lanes, window, err := hs.Lanes(want, o.Ordered)
	if err != nil {
		return nil, o, err
	}
	o.Window = window
	for i := range lanes {
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
	base := s.plan.base
	return Lane{
		Index: i, Lanes: n, Table: m.Name, Schema: base,
		Fail: func(b *Batch, row, column int, err error) error {
			name := ""
			if column >= 0 && column < len(base.Fields) {
				name = base.Fields[column].Name
			}
			return s.ledger.value(hs.Source, b, row, name, err)
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
