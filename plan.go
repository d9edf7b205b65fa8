package pipescan

import (
	"context"
	"fmt"

	"github.com/pipescan/pipescan/catalog"
	"github.com/pipescan/pipescan/cluster"
)

// Plan is a request bound to a table: which relations are read, which columns
// are decoded, on how many lanes. It may be run many times.
type Plan struct {
	table   *Table
	request Request
	schema  *Schema // of the stages' output
	base    *Schema // of the decoder's output
	members []*catalog.Relation
	query   *queryPlan // nil: columns as they are stored
	visible []string   // the names of the columns returned, of a query without Project
}

// Plan binds a request to the table. Errors: ErrNotFound for a column that is
// not there, ErrUnsupported for one that cannot be read.
func (t *Table) Plan(ctx context.Context, r Request) (*Plan, error) {
	p := &Plan{table: t, request: r}
	if r.Limit != nil && *r.Limit < 0 || r.Offset < 0 || r.Lanes < 0 || r.BatchPages < 0 {
		return nil, fmt.Errorf("a limit, an offset, a number of lanes or pages must not be negative")
	}
	var err error
	if r.computes() {
		err = p.planQuery(ctx)
	} else {
		p.base, err = t.project(r.Columns)
		p.schema = p.base
	}
	if err != nil {
		return nil, err
	}
	if p.members, err = t.members(ctx, r.Descend && !t.only); err != nil {
		return nil, err
	}
	if len(p.members) > 1 && r.Blocks != (BlockRange{}) {
		return nil, fmt.Errorf("a block range needs one table: %s has %d", t.Name(), len(p.members))
	}
	for _, spec := range r.Stages {
		if spec.Schema == nil {
			continue
		}
		if p.schema, err = spec.Schema(p.schema); err != nil {
			return nil, fmt.Errorf("stage %s: %w", spec.Name, err)
		}
	}
	return p, nil
}

// Schema is the columns of the plan's result.
func (p *Plan) Schema() *Schema { return p.schema }

// smallLimit is the LIMIT up to which a scan is pulled on the caller's
// goroutine a few pages at a time: starting lanes would cost more.
const smallLimit = 1000

// small says that the rows wanted are the first few of the table.
func (p *Plan) small() bool {
	r, q := &p.request, p.query
	return r.Limit != nil && *r.Limit <= smallLimit-r.Offset && !q.merged() && (q == nil || q.where == nil)
}

// lanes is how many lanes the plan asks the budget for.
func (p *Plan) lanes() int {
	if p.request.Lanes <= 1 || p.request.Topology == Pulled || p.small() {
		return 1
	}
	return p.request.Lanes
}

// project resolves the requested columns.
func (t *Table) project(names []string) (*Schema, error) {
	all, err := t.resolve()
	if err != nil {
		return nil, err
	}
	if names == nil {
		return all, nil
	}
	s := &Schema{}
	for _, name := range names {
		if name == "*" {
			s.Fields = append(s.Fields, all.Fields...)
			continue
		}
		f, err := t.field(all, name)
		if err != nil {
			return nil, err
		}
		s.Fields = append(s.Fields, f)
	}
	return s, nil
}

// textNames are the fields' names in UTF-8.
func (s *Schema) textNames(db *DB) []string {
	names := s.Names()
	for i := range names {
		names[i] = db.Text(names[i])
	}
	return names
}

// field resolves one column by its exact name, in UTF-8 or in the database's
// encoding.
func (t *Table) field(all *Schema, name string) (Field, error) {
	if raw := t.db.raw(name); all.Index(raw) >= 0 {
		name = raw
	}
	if i := all.Index(name); i >= 0 {
		return all.Fields[i], nil
	}
	if f, ok, err := systemField(name, t.db.env); ok || err != nil {
		return f, err
	}
	for i := range t.rel.Columns {
		if c := &t.rel.Columns[i]; c.Name == name && c.Generated == 'v' {
			return Field{}, fmt.Errorf("%w: %s: column %q is a virtual generated column: its values are not stored", ErrUnsupported, t.Name(), name)
		}
	}
	return Field{}, &cluster.NotFoundError{Kind: "column", Name: name, Nearest: cluster.Nearest(name, all.textNames(t.db))}
}

// members is the relations to read, in the order the server reads them.
func (t *Table) members(ctx context.Context, descend bool) ([]*catalog.Relation, error) {
	if !descend {
		if t.rel.Kind == 'p' {
			return nil, nil
		}
		return []*catalog.Relation{t.rel}, nil
	}
	return t.db.database.Expand(ctx, t.rel)
}

// memberColumns maps the plan's columns to a member's by name.
func (p *Plan) memberColumns(m *catalog.Relation) (map[int]int16, error) {
	nums := make(map[int]int16, len(p.base.Fields))
	for i := range p.base.Fields {
		f := &p.base.Fields[i]
		if f.Num < 0 || m == p.table.rel {
			nums[i] = f.Num
			continue
		}
		for j := range m.Columns {
			c := &m.Columns[j]
			if !c.Dropped && c.Name == f.Name && c.Type == f.Type {
				nums[i] = c.Num
			}
		}
		if _, ok := nums[i]; !ok {
			return nil, fmt.Errorf("%w: child table %s lacks column %q of %s, or has it with another type", ErrCorrupt, m.Name, f.Name, p.table.Name())
		}
	}
	return nums, nil
}
