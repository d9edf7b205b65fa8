package sqlfront

import (
	"context"
	"errors"
	"strings"

	"github.com/pipescan/pipescan"
	"github.com/pipescan/pipescan/catalog"
	"github.com/pipescan/pipescan/datum"
	"github.com/pipescan/pipescan/qual"
)

// Bind finds the query's table and makes the request that answers the query
// when the table is scanned. The caller may add to the request what SQL does not
// say: lanes, blocks, topology. Errors: those of DB.Table; *qual.SQLError for
// what the server would refuse; *UnsupportedError. Types and operators are
// looked at when the request is planned.
func (q *Query) Bind(ctx context.Context, db *pipescan.DB) (*pipescan.Table, pipescan.Request, error) {
	name := q.Table
	if q.Only {
		name = "ONLY " + name
	}
	table, err := db.Table(ctx, name)
	if err != nil {
		return nil, pipescan.Request{}, err
	}
	rel, err := relationOf(ctx, db, table)
	if err != nil {
		return nil, pipescan.Request{}, err
	}
	b := q.bind(rel)
	if b.err == nil && b.ungroupedErr != nil {
		b.err = b.ungroupedErr
		if _, err := table.Plan(ctx, b.r); isAnalysisError(err) {
			b.err = err
		}
	}
	if b.err != nil {
		return nil, pipescan.Request{}, b.err
	}
	for i := range b.r.Project {
		// The names of a schema are in the database's encoding.
		o := &b.r.Project[i]
		if raw, err := datum.FromUTF8(db.Encoding(), o.Name); err == nil {
			o.Name = raw
		}
	}
	return table, b.r, nil
}

// isAnalysisError says whether the server would raise an error while it looks
// at names, types and literals, before it asks what is grouped and folds
// constants: class 42 of SQLSTATE, and texts that are no value of a type.
func isAnalysisError(err error) bool {
	var sql *qual.SQLError
	if !errors.As(err, &sql) {
		return false
	}
	switch sql.Code {
	case "22P02", "22007", "22008":
		return true
	}
	return strings.HasPrefix(sql.Code, "42")
}

// A relation is what has to be known of a table to read a query over it. Names
// are in UTF-8, as the query's are.
type relation struct {
	columns []string // those of *
	virtual []string // virtual generated columns that the database was told to leave out
	primary []string // the columns of the primary key, nil if there is none
	alone   bool     // no children and no partitions are read
	env     *datum.Env
}

// relationOf reads the table's columns and primary key from the catalogs.
func relationOf(ctx context.Context, db *pipescan.DB, t *pipescan.Table) (*relation, error) {
	rel := t.Relation()
	r := &relation{alone: t.Only(), env: db.Catalog().Env()}
	names, schema := map[int16]string{}, t.Schema()
	for i := range rel.Columns {
		c := &rel.Columns[i]
		name := t.Text(c.Name)
		switch {
		case c.Dropped:
			continue
		case c.Generated == 'v' && schema.Index(c.Name) < 0:
			r.virtual = append(r.virtual, name)
		default:
			r.columns = append(r.columns, name)
		}
		names[c.Num] = name
	}
	if !r.alone && rel.Kind != 'p' {
		members, err := db.Catalog().Expand(ctx, rel)
		if err != nil {
			return nil, err
		}
		r.alone = len(members) == 1
	}
	indexes, err := db.Catalog().Indexes(ctx, rel.OID)
	for i := range indexes {
		if indexes[i].Primary {
			r.primary = columnNames(&indexes[i], names)
		}
	}
	return r, err
}

func columnNames(index *catalog.Index, names map[int16]string) []string {
	var out []string
	for _, num := range index.Keys[:min(int(index.KeyNatts), len(index.Keys))] {
		out = append(out, names[num])
	}
	return out
}

// has says whether a name is a column, system columns included.
func (r *relation) has(name string) bool {
	return contains(r.columns, name) || contains(r.virtual, name) || isSystemColumn(name)
}

func isSystemColumn(name string) bool {
	switch name {
	case "ctid", "xmin", "xmax", "cmin", "cmax", "tableoid":
		return true
	}
	return false
}

func contains(list []string, s string) bool {
	for _, l := range list {
		if l == s {
			return true
		}
	}
	return false
}

// A binder makes one request.
type binder struct {
	q       *Query
	rel     *relation
	targets []target // with * replaced by the columns
	grouped bool
	keys    []pipescan.Output // of GROUP BY: their expressions are over the table
	r       pipescan.Request
	err     error

	ungroupedErr error // a column that is not grouped: counts only if there is nothing else
}

// bind makes the request over a table of these columns, or b.err.
func (q *Query) bind(rel *relation) *binder {
	b := &binder{q: q, rel: rel}
	b.grouped = len(q.groups) > 0 || q.having != nil || len(q.aggs) > 0
	b.r.Descend = !q.Only
	b.expandStars()
	b.checkColumns()
	b.r.Where = q.where
	if b.grouped {
		b.group()
	} else {
		b.project()
	}
	b.order()
	b.r.GroupBy = b.keys
	b.limits()
	return b
}

// fail keeps the first error.
func (b *binder) fail(err error) {
	if b.err == nil {
		b.err = err
	}
}

func (b *binder) expandStars() {
	for _, t := range b.q.targets {
		if t.expr != nil {
			b.targets = append(b.targets, t)
			continue
		}
		if len(b.rel.virtual) > 0 {
			b.fail(virtualColumn(b.rel.virtual[0], t.pos))
		}
		for _, name := range b.rel.columns {
			b.targets = append(b.targets, target{name: name, expr: qual.Col(name).At(t.pos), pos: t.pos})
		}
	}
	if len(b.targets) > maxTargets {
		b.fail(sqlErrorf("54011", 0, "target lists can have at most %d entries", maxTargets))
	}
}

// maxTargets is how many entries a select list may have (MaxTupleAttributeNumber
// of htup_details.h).
const maxTargets = 1664

func virtualColumn(name string, pos int) error {
	return &UnsupportedError{
		What: "the virtual generated column \"" + name + "\"", Pos: pos,
		Instead: "its values are not stored; list the other columns, and write its expression out",
	}
}

// checkColumns looks for names that are no columns but something that is not
// read: a whole row, or a column without stored values. Names that are nothing
// at all are left to qual.
func (b *binder) checkColumns() {
	q := b.q
	for _, t := range b.targets {
		b.checkNames(t.expr)
	}
	for _, a := range q.aggs {
		for _, arg := range a.args {
			b.checkNames(arg)
		}
		b.checkNames(a.filter)
	}
	for i := range q.groups {
		b.checkItem(&q.groups[i])
	}
	for i := range q.orders {
		b.checkItem(&q.orders[i].item)
	}
	b.checkNames(q.where)
	b.checkNames(q.having)
}

// checkItem is checkNames for what may be an output's name.
func (b *binder) checkItem(i *item) {
	if i.name == "" || !b.isOutput(i.name) {
		b.checkNames(i.expr)
	}
}

func (b *binder) checkNames(e qual.Expr) {
	e.Walk(func(n qual.Expr) bool {
		switch {
		case n.Kind != qual.KCol || b.q.refs[n]:
		case contains(b.rel.virtual, n.Name):
			b.fail(virtualColumn(n.Name, n.Pos))
		case n.Name == b.q.Alias && !b.rel.has(n.Name):
			b.fail(&UnsupportedError{What: "a whole row as a value", Instead: "write * or list the columns", Pos: n.Pos})
		}
		return true
	})
}

// isOutput says whether an output column has this name.
func (b *binder) isOutput(name string) bool {
	for i := range b.targets {
		if b.targets[i].name == name {
			return true
		}
	}
	return false
}

// project makes the outputs of a query without groups. Columns under their own
// names are asked for as columns.
func (b *binder) project() {
	b.r.Columns, b.r.Project = []string{}, []pipescan.Output{}
	plain := true
	for _, t := range b.targets {
		plain = plain && t.expr.Kind == qual.KCol && t.expr.Name == t.name
		b.r.Columns = append(b.r.Columns, t.name)
		b.r.Project = append(b.r.Project, pipescan.Output{Name: t.name, Expr: t.expr})
	}
	if !plain {
		b.r.Columns = nil
		return
	}
	b.r.Project = nil
	for _, t := range b.targets {
		if !b.rel.has(t.name) {
			b.fail(sqlErrorf("42703", t.pos, "column %q does not exist", t.name))
		}
	}
}

// resolve finds what an entry of GROUP BY or ORDER BY means (findTargetlistEntrySQL92
// in parse_clause.c): the number of an output column, or its name, or an
// expression. In GROUP BY a name is first that of a column of the table.
func (b *binder) resolve(i *item, clause string) qual.Expr {
	if i.constant {
		switch {
		case !i.integer:
			b.fail(sqlErrorf("42601", i.pos, "non-integer constant in %s", clause))
		case i.ordinal < 1 || i.ordinal > len(b.targets):
			b.fail(sqlErrorf("42P10", i.pos, "%s position %d is not in select list", clause, i.ordinal))
		default:
			return b.targets[i.ordinal-1].expr
		}
		return qual.Null()
	}
	if i.name == "" || clause == "GROUP BY" && b.rel.has(i.name) {
		return i.expr
	}
	var found qual.Expr
	for _, t := range b.targets {
		switch {
		case t.name != i.name:
		case found == nil:
			found = t.expr
		case !same(found, t.expr):
			b.fail(sqlErrorf("42702", i.pos, "%s %q is ambiguous", clause, i.name))
		}
	}
	if found == nil {
		return i.expr
	}
	return found
}

// order makes the sort keys. A query in the order of ctid alone is one in the
// order of the table.
func (b *binder) order() {
	for i := range b.q.orders {
		o := &b.q.orders[i]
		e := b.resolve(&o.item, "ORDER BY")
		if b.grouped {
			e = b.overGroups(e)
		}
		b.r.OrderBy = append(b.r.OrderBy, pipescan.SortKey{Expr: e, Desc: o.desc, NullsFirst: o.nullsFirst})
	}
	if len(b.r.OrderBy) != 1 || b.grouped || !b.rel.alone {
		return
	}
	key := b.r.OrderBy[0]
	if key.Expr.Kind == qual.KCol && key.Expr.Name == "ctid" {
		b.r.OrderBy = nil
		if key.Desc {
			b.r.Order = pipescan.OrderBackward
		}
	}
}

// quoteName is a qualified column's name in a message.
func quoteName(parts ...string) string { return `"` + strings.Join(parts, ".") + `"` }
