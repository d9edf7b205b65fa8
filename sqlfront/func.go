package sqlfront

import (
	"slices"
	"strings"

	"github.com/pipescan/pipescan/qual"
)

// call translates a function call. Those of aggregates are set apart.
func (t *translator) call(n node) qual.Expr {
	pos := t.at(n.tree)
	name, ok := t.functionName(n, pos)
	if !ok {
		return qual.Null()
	}
	switch {
	case n.get("over") != nil:
		return t.unsupported(pos, "a window function", "")
	case slices.Contains(aggregateNames, name):
		return t.aggregate(n, name)
	case isOtherAggregate(name):
		return t.unsupported(pos, "the aggregate "+name, "there are count, sum, min, max and avg")
	case n.flag("agg_star"):
		return t.fail(sqlErrorf("42809", pos, "%s(*) specified, but %s is not an aggregate function", name, name))
	case n.flag("agg_distinct"):
		return t.fail(sqlErrorf("42809", pos, "DISTINCT specified, but %s is not an aggregate function", name))
	case n.flag("agg_within_group"):
		return t.fail(sqlErrorf("42809", pos, "WITHIN GROUP specified, but %s is not an aggregate function", name))
	case n.get("agg_order") != nil:
		return t.fail(sqlErrorf("42809", pos, "ORDER BY specified, but %s is not an aggregate function", name))
	case n.get("agg_filter") != nil:
		return t.fail(sqlErrorf("42809", pos, "FILTER specified, but %s is not an aggregate function", name))
	}
	return &qual.Node{Kind: qual.KFunc, Name: name, Args: t.arguments(n), Pos: pos}
}

// functionName is a function's name without pg_catalog.
func (t *translator) functionName(n node, pos int) (string, bool) {
	names := n.names("funcname")
	if len(names) > 2 || len(names) == 2 && names[0] != "pg_catalog" {
		t.unsupported(pos, "the function "+strings.Join(names, "."), "only built-in functions are read")
		return "", false
	}
	return names[len(names)-1], true
}

func (t *translator) arguments(n node) []qual.Expr {
	args := n.nodes("args")
	if n.flag("func_variadic") {
		t.unsupported(t.at(n.tree), "VARIADIC", "write the arguments one by one")
	}
	for _, a := range args {
		if a.kind == "NamedArgExpr" {
			t.unsupported(t.at(a.tree), "an argument by its name", "write the arguments in their order")
		}
	}
	return t.exprs(args)
}

// aggregateNames are the aggregates that are read.
var aggregateNames = []string{"count", "sum", "min", "max", "avg"}

// otherAggregates are the rest of PostgreSQL's (pg_aggregate), by name.
var otherAggregates = []string{
	"any_value", "array_agg", "bit_and", "bit_or", "bit_xor", "bool_and", "bool_or", "corr", "covar_pop", "covar_samp",
	"cume_dist", "dense_rank", "every", "json_agg", "json_agg_strict", "json_object_agg", "json_object_agg_strict",
	"json_object_agg_unique", "json_object_agg_unique_strict", "jsonb_agg", "jsonb_agg_strict", "jsonb_object_agg",
	"jsonb_object_agg_strict", "jsonb_object_agg_unique", "jsonb_object_agg_unique_strict", "mode", "percent_rank",
	"percentile_cont", "percentile_disc", "range_agg", "range_intersect_agg", "rank", "stddev", "stddev_pop",
	"stddev_samp", "string_agg", "var_pop", "var_samp", "variance", "xmlagg",
}

func isOtherAggregate(name string) bool {
	return strings.HasPrefix(name, "regr_") || slices.Contains(otherAggregates, name)
}

// inAggregate is the context of an aggregate's arguments.
const inAggregate = "an aggregate"

// aggregate translates the call of an aggregate into a column that stands for
// its result.
func (t *translator) aggregate(n node, name string) qual.Expr {
	pos := t.at(n.tree)
	switch {
	case t.context == inAggregate:
		return t.fail(sqlErrorf("42803", pos, "aggregate function calls cannot be nested"))
	case t.context != "":
		return t.fail(sqlErrorf("42803", pos, "aggregate functions are not allowed in %s", t.context))
	case n.get("agg_order") != nil:
		return t.unsupported(pos, "ORDER BY in an aggregate", "the order does not change "+name)
	case n.flag("agg_within_group"):
		return t.fail(sqlErrorf("42809", pos, "%s is not an ordered-set aggregate, so it cannot have WITHIN GROUP", name))
	}
	a := aggregate{fn: name, star: n.flag("agg_star"), unique: n.flag("agg_distinct")}
	t.context = inAggregate
	a.args = t.arguments(n)
	if filter := n.node("agg_filter"); !filter.none() {
		t.context = "FILTER"
		a.filter = t.expr(filter)
	}
	t.context = ""
	if err := a.check(pos); err != nil {
		return t.fail(err)
	}
	return t.addAggregate(a, pos)
}

// check refuses calls with a wrong number of arguments.
func (a *aggregate) check(pos int) error {
	switch {
	case len(a.args) == 1 && !a.star, a.star && a.fn == "count":
		return nil
	case len(a.args) == 0 && a.fn == "count":
		return sqlErrorf("42809", pos, "count(*) must be used to call a parameterless aggregate function")
	case len(a.args) == 0:
		return sqlErrorf("42883", pos, "function %s() does not exist", a.fn)
	}
	return sqlErrorf("42883", pos, "function %s with %d arguments does not exist", a.fn, len(a.args))
}

// addAggregate gives the column of an aggregate's result: a new one, or that of
// an earlier call that is the same.
func (t *translator) addAggregate(a aggregate, pos int) qual.Expr {
	q := t.q
	i := 0
	for i < len(q.aggs) && !a.same(&q.aggs[i]) {
		i++
	}
	if i == maxTargets {
		return t.unsupported(pos, "a query of so many aggregates", "use several queries")
	}
	if i == len(q.aggs) {
		q.aggs = append(q.aggs, a)
	}
	ref := qual.Col(aggregateColumn(i)).At(pos)
	q.refs[ref] = true
	return ref
}

// same says whether two calls are the same.
func (a *aggregate) same(b *aggregate) bool {
	return a.fn == b.fn && a.star == b.star && a.unique == b.unique && sameAll(a.args, b.args) && same(a.filter, b.filter)
}
