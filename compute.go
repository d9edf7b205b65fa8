package pipescan

import (
	"errors"
	"time"

	"github.com/pipescan/pipescan/batch"
	"github.com/pipescan/pipescan/catalog"
	"github.com/pipescan/pipescan/pipeline"
	"github.com/pipescan/pipescan/stages"
	"github.com/pipescan/pipescan/stages/aggregate"
	"github.com/pipescan/pipescan/stages/sorter"
)

// OperatorStats are the counters of a step that runs once, after the lanes.
type OperatorStats struct {
	Name            string
	RowsIn, RowsOut int64
	Self            time.Duration
}

// Names of the operators in Stats.
const (
	opAggregate = "aggregate"
	opHaving    = "having"
	opProject   = "project"
	opSort      = "sort"
)

// computeStages adds the stages of the query's expressions to a lane.
func (s *Scan) computeStages(lane *pipeline.Chain[*Batch], failures *stages.Failures) *pipeline.Chain[*Batch] {
	q := s.plan.query
	if q == nil {
		return lane
	}
	computed := q.group == nil && q.outputs.computed
	if q.where != nil {
		keep := -1
		if q.group == nil && !computed && len(q.outputs.sort) == 0 {
			keep = q.outputs.visible
		}
		lane = pipeline.Then(lane, "filter", Stage(stages.NewFilter(q.where.ready.Clone(), keep, &s.removed, failures)))
	}
	if computed {
		lane = pipeline.Then(lane, "project", Stage(stages.NewProject(lanes(q.outputs.exprs), s.pool, failures)))
	}
	return lane
}

// runMerged makes a result that needs all rows first: groups, or sorted rows.
func (s *Scan) runMerged(out *sink) error {
	end, err := s.resultTail(out)
	if err != nil {
		return err
	}
	q := s.plan.query
	emit := func(b *Batch) error {
		defer b.Release()
		return end.push(s.ctx, b)
	}
	var sort *sorter.Sorter
	if len(q.outputs.sort) > 0 {
		sort = s.newSorter()
		emit = s.sortInto(sort)
	}
	if q.group != nil {
		err = s.runGroups(emit)
	} else {
		err = s.runSorted(emit)
	}
	if err != nil {
		return err
	}
	if sort != nil {
		err = s.timed(opSort, func(op *OperatorStats) error {
			return sort.Result(s.ctx, q.outputs.visible, s.pool, func(b *Batch) error {
				op.RowsOut += int64(b.Rows())
				defer b.Release()
				return s.paused(op, func() error { return end.push(s.ctx, b) })
			})
		})
		if err != nil {
			return err
		}
	}
	return end.flush(s.ctx)
}

// newSorter makes the sorter of the result.
func (s *Scan) newSorter() *sorter.Sorter {
	o, r := s.plan.query.outputs, &s.plan.request
	first := int64(-1)
	if r.Limit != nil && *r.Limit+r.Offset >= 0 {
		first = *r.Limit + r.Offset
	}
	return sorter.New(s.sortedWidths(), sorter.Options{
		Keys: o.sort, First: first, Memory: s.plan.table.db.shared.options.Memory,
	})
}

// sortedWidths are the vector widths of the columns that are sorted.
func (s *Scan) sortedWidths() (widths []int) {
	q := s.plan.query
	fields := s.plan.base.Fields
	switch {
	case q.outputs.computed:
		for _, x := range q.outputs.exprs {
			widths = append(widths, x.field.Width)
		}
		return widths
	case q.group != nil:
		fields = q.group.fields
	}
	for i := range fields {
		widths = append(widths, fields[i].Width)
	}
	return widths
}

// sortInto returns what adds batches, which it releases, to a sorter.
func (s *Scan) sortInto(sort *sorter.Sorter) func(*Batch) error {
	return func(b *Batch) error {
		defer b.Release()
		return s.timed(opSort, func(op *OperatorStats) error {
			op.RowsIn += int64(b.Rows())
			return sort.Add(s.ctx, b)
		})
	}
}

// runSorted hands the rows of all members on.
func (s *Scan) runSorted(emit func(*Batch) error) error {
	for _, m := range s.plan.members {
		if s.plan.query.never {
			break
		}
		err := s.runMember(m, func(b *Batch) error {
			b.Retain()
			return emit(b)
		}, nil, nil)
		if err != nil {
			return err
		}
	}
	return nil
}

// runGroups aggregates the rows of all members and hands the groups on.
func (s *Scan) runGroups(emit func(*Batch) error) error {
	g := s.plan.query.group
	memory := &aggregate.Memory{Limit: s.plan.table.db.shared.options.Memory}
	spec := func() aggregate.Spec { return g.spec(s.plan.request.Order == OrderBackward, memory) }
	if g.never {
		return nil
	}
	total := aggregate.New(spec())
	for i, m := range s.plan.members {
		if s.plan.query.never {
			break
		}
		total.SetMember(i)
		if err := s.foldMember(i, m, total, spec); err != nil {
			return err
		}
	}
	finish, err := s.afterGroups(emit)
	if err != nil {
		return err
	}
	return s.timed(opAggregate, func(op *OperatorStats) error {
		return total.Result(s.pool, func(b *Batch) error {
			op.RowsOut += int64(b.Rows())
			return s.paused(op, func() error { return finish(b) })
		})
	})
}

// afterGroups makes what the groups go through: having, then outputs.
func (s *Scan) afterGroups(emit func(*Batch) error) (func(*Batch) error, error) {
	q := s.plan.query
	var failures stages.Failures
	next := emit
	if q.outputs.computed {
		next = s.step(opProject, stages.NewProject(lanes(q.outputs.exprs), s.pool, &failures), &failures, next)
	}
	if q.group.having != nil {
		keep := -1
		if !q.outputs.computed && len(q.outputs.sort) == 0 {
			keep = q.outputs.visible
		}
		next = s.step(opHaving, stages.NewFilter(q.group.having.ready.Clone(), keep, &s.removedGroups, &failures), &failures, next)
	}
	return next, nil
}

// step makes of a stage a function that feeds it on this goroutine, with
// counters.
func (s *Scan) step(name string, st Stage, failures *stages.Failures, next func(*Batch) error) func(*Batch) error {
	return func(b *Batch) error {
		err := s.timed(name, func(op *OperatorStats) error {
			op.RowsIn += int64(b.Rows())
			return st.Process(s.ctx, b, func(out *Batch) error {
				op.RowsOut += int64(out.Rows())
				return s.paused(op, func() error { return next(out) })
			})
		})
		if errors.Is(err, pipeline.ErrStop) && failures.Err() != nil {
			return failures.Err()
		}
		return err
	}
}

// foldMember aggregates the rows of one relation into total.
func (s *Scan) foldMember(i int, m *catalog.Relation, total *aggregate.Partial, spec func() aggregate.Spec) error {
	ordered, want := s.plan.query.group.ordered(), s.plan.lanes()
	err := s.foldLanes(i, m, total, spec, want, ordered)
	if err != nil && want > 1 && !ordered && isRowError(err) {
		// Which row failed first is only known to a scan in order. What total
		// has of this member does not matter any more.
		if first := s.foldLanes(i, m, total, spec, 1, true); first != nil {
			return first
		}
	}
	return err
}

// isRowError says that the error is about a row's values, such as a division
// by zero.
func isRowError(err error) bool {
	var e interface{ SQLState() string }
	return errors.As(err, &e) && e.SQLState() != "53200"
}

// foldLanes runs the lanes of a fold. One lane, or ordered ones, add to total
// itself; others to partials, which are merged into it.
func (s *Scan) foldLanes(i int, m *catalog.Relation, total *aggregate.Partial, spec func() aggregate.Spec, want int, ordered bool) (err error) {
	hs, rel, err := s.heapScan(m)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, rel.Close()) }()
	hs.CountOnly = s.plan.query.group.countsOnly() && s.plan.query.where == nil
	var failures stages.Failures
	list, o, err := s.lanes(m, hs, want, ordered, &failures)
	if err != nil {
		return err
	}
	direct := ordered || len(list) == 1
	result, err := pipeline.Fold(s.ctx, o, list,
		func(int) *aggregate.Partial {
			if direct {
				return total
			}
			p := aggregate.New(spec())
			p.SetMember(i)
			return p
		},
		func(p *aggregate.Partial, b *Batch) error {
			if !ordered {
				return p.Add(b) // counted and timed in the lane
			}
			return s.timed(opAggregate, func(op *OperatorStats) error {
				op.RowsIn += int64(b.Rows())
				return p.Add(b)
			})
		},
		func(into, from *aggregate.Partial) error { return into.Merge(from) })
	if err != nil {
		return s.place(rel, unwrapStage(err))
	}
	if err := failures.Err(); err != nil {
		return err
	}
	if !direct {
		if err := total.Merge(result); err != nil {
			return err
		}
	}
	return s.unchanged(rel)
}

// unwrapStage takes the stage's name off an error that is the query's fault and
// not the stage's.
func unwrapStage(err error) error {
	var e *pipeline.StageError
	var sql interface{ SQLState() string }
	if errors.As(err, &e) && errors.As(e.Err, &sql) {
		return e.Err
	}
	return err
}

// resultTail makes what a merged result goes through: the caller's stages, all
// of them on this goroutine, and the sink.
func (s *Scan) resultTail(out *sink) (*tail, error) {
	var list []Stage
	for _, spec := range s.plan.request.Stages {
		st, err := spec.New(s.resultLane())
		if err != nil {
			return nil, err
		}
		list = append(list, st)
	}
	return newTail(list, out), nil
}

// resultLane describes where stages over a merged result run.
func (s *Scan) resultLane() Lane {
	schema := s.plan.query.outputs.schema()
	return Lane{
		Lanes: 1, Table: s.plan.table.rel.Name, Schema: schema,
		Fail: func(b *Batch, row, column int, err error) error {
			return s.ledger.value(tableFile(s.plan.table.Name()), b, row, fieldName(schema, column), err)
		},
	}
}

// tableFile stands for the file of a value in a result that has no one file.
type tableFile string

func (t tableFile) Name() string            { return string(t) }
func (t tableFile) BlockName(uint32) string { return string(t) }

func fieldName(s *Schema, column int) string {
	if column < 0 || column >= len(s.Fields) {
		return ""
	}
	return s.Fields[column].Name
}

// operator returns the counters of a step after the lanes.
func (s *Scan) operator(name string) *OperatorStats {
	for _, op := range s.operators {
		if op.Name == name {
			return op
		}
	}
	op := &OperatorStats{Name: name}
	s.operators = append(s.operators, op)
	return op
}

// timed charges the time of f to an operator.
func (s *Scan) timed(name string, f func(*OperatorStats) error) error {
	op := s.operator(name)
	start := time.Now()
	err := f(op)
	op.Self += time.Since(start)
	return err
}

// paused runs f, whose time is not the operator's own.
func (s *Scan) paused(op *OperatorStats, f func() error) error {
	start := time.Now()
	err := f()
	op.Self -= time.Since(start)
	return err
}

// poolSize is how many released batches of computed columns are kept.
const poolSize = 16

func newResultPool() *batch.Pool { return batch.NewPool(poolSize) }
