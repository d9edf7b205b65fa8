package pipescan

import (
	"context"
	"fmt"

	"github.com/pipescan/pipescan/qual"
)

// queryPlan is what a plan computes besides reading columns:
//
//	lanes     scan ─→ where ─→ outputs                          rows as they are
//	consumer                            ─→ sort ─→ stages ─→ limit
//
//	lanes     scan ─→ where ─→ group keys and aggregates        a row a group
//	consumer           merge ─→ having ─→ outputs ─→ sort ─→ stages ─→ limit
type queryPlan struct {
	where   *bound
	never   bool // where is constant and not true: nothing is read
	group   *groupPlan
	outputs *outputPlan
}

// merged says that the result is made after all rows were seen.
func (q *queryPlan) merged() bool { return q != nil && (q.group != nil || len(q.outputs.sort) > 0) }

// computes says whether the request asks for more than columns.
func (r *Request) computes() bool {
	return r.Where != nil || r.Project != nil || r.aggregates() || r.Having != nil || len(r.OrderBy) > 0
}

// planQuery plans the request's expressions: it resolves all of them, then
// folds the constants of all, and says which columns are to be decoded.
func (p *Plan) planQuery(ctx context.Context) error {
	r := &p.request
	if err := r.checkQuery(); err != nil {
		return err
	}
	q := &queryPlan{}
	p.query = q
	var err error
	if p.base, err = p.decoded(); err != nil {
		return err
	}
	b := p.table.db.newBinder(ctx, p.base.Fields, p.table.Name())
	if q.where, err = b.condition(r.Where); err != nil {
		return err
	}
	if r.aggregates() {
		if q.group, b, err = b.planGroup(r); err != nil {
			return err
		}
		if q.group.having, err = b.condition(r.Having); err != nil {
			return err
		}
	}
	if q.outputs, err = b.planOutputs(p.wanted(b), r); err != nil {
		return err
	}
	p.schema = q.outputs.schema()
	if err := q.fold(); err != nil {
		return err
	}
	p.base.Fields = p.base.Fields[:q.columns()]
	return nil
}

// columns is how many of the columns that were to be decoded still are, now
// that constants are folded: those after the last one that is used are not.
// When no condition is left to drop columns from rows that are returned as
// they are, there are none but those.
func (q *queryPlan) columns() (n int) {
	use := func(x *bound) {
		switch {
		case x == nil:
		case x.ready == nil:
			n = max(n, x.column+1)
		default:
			for _, c := range x.ready.Columns() {
				n = max(n, c+1)
			}
		}
	}
	use(q.where)
	if q.group == nil {
		for _, x := range q.outputs.exprs {
			use(x)
		}
		return n
	}
	for _, k := range q.group.keys {
		use(k.bound)
	}
	for _, a := range q.group.aggs {
		use(a.arg)
		use(a.filter)
	}
	return n
}

// checkQuery refuses what makes no sense.
func (r *Request) checkQuery() error {
	if r.Having != nil && !r.aggregates() {
		return fmt.Errorf("a request with Having needs GroupBy or Aggregates")
	}
	seen := map[string]bool{}
	for _, g := range r.GroupBy {
		if seen[g.Name] {
			return fmt.Errorf("two group keys are called %q", g.Name)
		}
		seen[g.Name] = true
	}
	for _, a := range r.Aggregates {
		if seen[a.Name] {
			return fmt.Errorf("two group keys or aggregates are called %q", a.Name)
		}
		seen[a.Name] = true
	}
	return nil
}

// wanted is the outputs asked for.
func (p *Plan) wanted(b *binder) []Output {
	r := &p.request
	if r.Project != nil {
		return r.Project
	}
	var outs []Output
	if r.aggregates() {
		for i := range b.fields {
			outs = append(outs, Output{Name: b.fields[i].Name, Expr: qual.Col(b.fields[i].Name)})
		}
		return outs
	}
	for _, name := range p.visible {
		outs = append(outs, Output{Name: name, Expr: qual.Col(name)})
	}
	return outs
}

// decoded is the columns that the scan has to decode: those returned first,
// then those that only conditions and keys need, each once. Names that are no
// columns are left to the binding of the expressions, which knows where they
// stand.
func (p *Plan) decoded() (*Schema, error) {
	r := &p.request
	all, err := p.table.resolve()
	if err != nil {
		return nil, err
	}
	s := &Schema{}
	add := func(names []string) error {
		for _, name := range names {
			if s.Index(name) >= 0 {
				continue
			}
			f, err := p.table.field(all, name)
			if isNotFound(err) {
				continue
			}
			if err != nil {
				return err
			}
			s.Fields = append(s.Fields, f)
		}
		return nil
	}
	if r.Project == nil && !r.aggregates() {
		visible, err := p.table.project(r.Columns)
		if err != nil {
			return nil, err
		}
		p.visible = visible.Names()
		if err := add(p.visible); err != nil {
			return nil, err
		}
	}
	for _, e := range r.overTable() {
		if err := add(e.Columns()); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// overTable lists the expressions over the table's columns.
func (r *Request) overTable() (list []qual.Expr) {
	if r.aggregates() {
		for _, g := range r.GroupBy {
			list = append(list, g.Expr)
		}
		for _, a := range r.Aggregates {
			list = append(append(list, a.Args...), a.Filter)
		}
		return append(list, r.Where)
	}
	for _, o := range r.Project {
		list = append(list, o.Expr)
	}
	for _, k := range r.OrderBy {
		list = append(list, k.Expr)
	}
	return append(list, r.Where)
}

// fold folds the constants of all expressions.
func (q *queryPlan) fold() error {
	for _, x := range q.outputs.exprs {
		if err := x.plan(); err != nil {
			return err
		}
	}
	if err := q.where.planCondition(); err != nil {
		return err
	}
	if q.group != nil {
		if err := q.group.fold(); err != nil {
			return err
		}
	}
	if q.where == nil {
		return nil
	}
	if answer, constant := q.where.always(); constant {
		q.never = !answer
		q.where = nil
	}
	return nil
}
