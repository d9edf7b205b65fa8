package sqlfront

import (
	"strconv"

	"github.com/pipescan/pipescan"
	"github.com/pipescan/pipescan/qual"
)

// The columns of the schema over which a grouped query's outputs, HAVING and
// ORDER BY are made: SQL cannot write these names without quotes, and where a
// table has columns so called they are not meant.
func keyColumn(i int) string       { return "#key" + strconv.Itoa(i) }
func aggregateColumn(i int) string { return "#agg" + strconv.Itoa(i) }

// group makes the request of a query with groups: keys, aggregates, and what is
// made of them.
//
//	SELECT b || 'x', sum(a) + 1 FROM t GROUP BY b HAVING count(*) > 2
//
//	GroupBy     #key0 = b
//	Aggregates  #agg0 = sum(a), #agg1 = count(*)
//	Project     "?column?" = #key0 || 'x', "?column?" = #agg0 + 1
//	Having      #agg1 > 2
func (b *binder) group() {
	for i := range b.q.groups {
		g := &b.q.groups[i]
		e := b.resolve(g, "GROUP BY")
		b.noAggregate(e)
		b.addKey(e)
	}
	for i, a := range b.q.aggs {
		b.r.Aggregates = append(b.r.Aggregates, pipescan.Aggregate{
			Name: aggregateColumn(i), Func: a.fn, Args: a.args, Star: a.star, Distinct: a.unique, Filter: a.filter,
		})
	}
	b.r.Project = []pipescan.Output{}
	for _, t := range b.targets {
		b.r.Project = append(b.r.Project, pipescan.Output{Name: t.name, Expr: b.overGroups(t.expr)})
	}
	if b.q.having != nil {
		b.r.Having = b.overGroups(b.q.having)
	}
	if len(b.r.Aggregates) == 0 && len(b.keys) == 0 {
		// HAVING alone makes one group of the table.
		b.r.Aggregates = []pipescan.Aggregate{{Name: aggregateColumn(0), Func: "count", Star: true}}
	}
}

// addKey adds a key, unless there is one like it; it returns the key's column.
func (b *binder) addKey(e qual.Expr) string {
	for i := range b.keys {
		if same(b.keys[i].Expr, e) {
			return b.keys[i].Name
		}
	}
	name := keyColumn(len(b.keys))
	b.keys = append(b.keys, pipescan.Output{Name: name, Expr: e})
	return name
}

// noAggregate refuses a key that is an output made of aggregates.
func (b *binder) noAggregate(e qual.Expr) {
	e.Walk(func(n qual.Expr) bool {
		if b.q.refs[n] {
			b.fail(sqlErrorf("42803", n.Pos, "aggregate functions are not allowed in GROUP BY"))
		}
		return true
	})
}

// overGroups turns an expression over the table into one over keys and
// aggregates.
func (b *binder) overGroups(e qual.Expr) qual.Expr {
	if e == nil || b.q.refs[e] {
		return e
	}
	for i := range b.keys {
		if same(b.keys[i].Expr, e) {
			return qual.Col(b.keys[i].Name).At(e.Pos)
		}
	}
	if e.Kind == qual.KCol {
		return b.ungrouped(e)
	}
	if len(e.Args) == 0 {
		return e
	}
	out := *e
	out.Args = make([]qual.Expr, len(e.Args))
	for i, a := range e.Args {
		out.Args[i] = b.overGroups(a)
	}
	return &out
}

// ungrouped is a column that is no key. It has one value a group if the keys
// include the table's primary key; it is then one more key. Where it is an
// error it is made a key as well, so that the types of the request can be
// looked at, whose errors come first.
func (b *binder) ungrouped(e qual.Expr) qual.Expr {
	switch {
	case !b.rel.has(e.Name):
		b.fail(sqlErrorf("42703", e.Pos, "column %q does not exist", e.Name))
	case isSystemColumn(e.Name) || !b.byPrimaryKey():
		if b.ungroupedErr == nil {
			b.ungroupedErr = sqlErrorf("42803", e.Pos, "column %s must appear in the GROUP BY clause or be used in an aggregate function", quoteName(b.q.Alias, e.Name))
		}
	case !b.rel.alone:
		b.fail(&UnsupportedError{What: "a column that follows from the primary key of a table with children", Instead: "add it to GROUP BY", Pos: e.Pos})
	}
	return qual.Col(b.addKey(e)).At(e.Pos)
}

// byPrimaryKey says whether the keys include the whole primary key.
func (b *binder) byPrimaryKey() bool {
	if len(b.rel.primary) == 0 {
		return false
	}
	for _, name := range b.rel.primary {
		found := false
		for i := range b.keys {
			found = found || b.keys[i].Expr.Kind == qual.KCol && b.keys[i].Expr.Name == name
		}
		if !found {
			return false
		}
	}
	return true
}
