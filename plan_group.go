package pipescan

import (
	"errors"
	"fmt"
	"strings"

	"github.com/pipescan/pipescan/catalog"
	"github.com/pipescan/pipescan/qual"
	"github.com/pipescan/pipescan/stages/aggregate"
	"github.com/pipescan/pipescan/stages/ordering"
)

// groupPlan is the part of a plan that makes one row a group.
type groupPlan struct {
	keys   []groupKey
	aggs   []groupAggregate
	fields []Field // keys, then aggregates
	having *bound
	never  bool // having is constant and not true
}

// groupKey is a key with the bytes that equal values share.
type groupKey struct {
	*bound
	hash func(dst, v []byte) []byte
}

// groupAggregate is one aggregate.
type groupAggregate struct {
	function *aggregate.Function
	arg      *bound // nil: count(*)
	filter   *bound
	request  Aggregate
	width    int
}

// planGroup resolves keys and aggregates over the table and returns a binder
// over their results.
func (b *binder) planGroup(r *Request) (*groupPlan, *binder, error) {
	g := &groupPlan{}
	for _, key := range r.GroupBy {
		k, err := b.groupKey(key)
		if err != nil {
			return nil, nil, err
		}
		g.keys = append(g.keys, k)
		g.fields = append(g.fields, k.field)
	}
	for _, agg := range r.Aggregates {
		a, f, err := b.groupAggregate(agg)
		if err != nil {
			return nil, nil, err
		}
		g.aggs = append(g.aggs, a)
		g.fields = append(g.fields, f)
	}
	for i := range g.fields {
		g.fields[i].Num = 0 // no columns of the table any more
	}
	return g, b.db.newBinder(b.ctx, g.fields, ""), nil
}

// groupKey resolves a key.
func (b *binder) groupKey(key Output) (groupKey, error) {
	x, err := b.analyze(key.Name, key.Expr)
	if err != nil {
		return groupKey{}, err
	}
	text, err := b.text(&x.field)
	if err != nil {
		return groupKey{}, place(err, key.Expr)
	}
	o, err := ordering.For(x.field.Type, text, b.types())
	var missing *ordering.MissingError
	if errors.As(err, &missing) {
		return groupKey{}, place(&qual.SQLError{
			Code: "42883", Row: -1, Message: "could not identify an equality operator for type " + x.field.TypeName,
		}, key.Expr)
	}
	if err != nil {
		return groupKey{}, err
	}
	return groupKey{x, o.Key}, nil
}

// groupAggregate resolves an aggregate and makes the field of its results.
func (b *binder) groupAggregate(agg Aggregate) (a groupAggregate, f Field, err error) {
	a.request = agg
	if !aggregate.Names[agg.Func] {
		return a, f, fmt.Errorf("%w: the aggregate function %s; count, sum, avg, min and max are there", ErrUnsupported, agg.Func)
	}
	call := aggregate.Call{Name: agg.Func, Star: agg.Star, Distinct: agg.Distinct}
	switch {
	case agg.Star && (agg.Func != "count" || len(agg.Args) > 0 || agg.Distinct):
		return a, f, fmt.Errorf("only count(*) has a star, and it has no arguments")
	case !agg.Star && len(agg.Args) != 1:
		return a, f, b.noSuchAggregate(agg)
	case !agg.Star:
		if a.arg, err = b.analyze("", agg.Args[0]); err != nil {
			return a, f, err
		}
	}
	if a.filter, err = b.condition(agg.Filter); err != nil {
		return a, f, err
	}
	if err = b.chooseFunction(&a, &call); err != nil {
		if a.arg != nil {
			err = place(err, agg.Args[0])
		}
		return a, f, err
	}
	result, collation := a.function.Result, catalog.OID(0)
	if a.arg != nil {
		collation = a.arg.field.Collation
	}
	if result == 0 {
		result = call.Arg
	}
	f, err = b.db.exprField(agg.Name, result, -1, collation)
	a.width = f.Width
	return a, f, err
}

// chooseFunction finds the function and casts the argument where it takes
// another type, as PostgreSQL does implicitly.
func (b *binder) chooseFunction(a *groupAggregate, call *aggregate.Call) (err error) {
	for {
		if a.arg != nil {
			if err := b.describeCall(call, a.arg); err != nil {
				return err
			}
		}
		if a.function, err = aggregate.Find(*call, b.types()); err != nil || a.function.Arg == 0 {
			return err
		}
		if a.arg, err = b.analyze("", qual.Cast(a.arg.expr, qual.TypeOID(a.function.Arg))); err != nil {
			return err
		}
	}
}

// describeCall fills in what the choice of the function depends on.
func (b *binder) describeCall(call *aggregate.Call, arg *bound) (err error) {
	call.TypeName = arg.field.TypeName
	if i := strings.IndexByte(call.TypeName, '('); i >= 0 && arg.field.Typmod >= 0 {
		call.TypeName, err = catalog.FormatType(b.db.database, b.db.env.Major, arg.field.Type)
		if err != nil {
			return err
		}
	}
	if call.Arg, err = b.base(arg.field.Type); err != nil {
		return err
	}
	if call.Name == "count" && !call.Distinct {
		return nil // no value is looked at
	}
	call.Text, err = b.text(&arg.field)
	return err
}

// noSuchAggregate is PostgreSQL's error for a wrong number of arguments.
func (b *binder) noSuchAggregate(agg Aggregate) error {
	var types []string
	for _, e := range agg.Args {
		x, err := b.analyze("", e)
		if err != nil {
			return err
		}
		types = append(types, x.field.TypeName)
	}
	return &qual.SQLError{
		Code: "42883", Row: -1,
		Message: fmt.Sprintf("function %s(%s) does not exist", agg.Func, strings.Join(types, ", ")),
		Hint:    "No function matches the given name and argument types. You might need to add explicit type casts.",
	}
}

// fold folds the constants of keys, arguments, filters and having.
func (g *groupPlan) fold() error {
	for _, k := range g.keys {
		if err := k.plan(); err != nil {
			return err
		}
	}
	for i := range g.aggs {
		if err := g.aggs[i].arg.plan(); err != nil {
			return err
		}
		if err := g.aggs[i].filter.planCondition(); err != nil {
			return err
		}
	}
	if err := g.having.planCondition(); err != nil || g.having == nil {
		return err
	}
	if answer, constant := g.having.always(); constant {
		g.never, g.having = !answer, nil
	}
	return nil
}

// ordered says whether a result depends on the order of the rows.
func (g *groupPlan) ordered() bool {
	for i := range g.aggs {
		if g.aggs[i].function.Ordered {
			return true
		}
	}
	return false
}

// countsOnly says that nothing is asked for but the number of rows.
func (g *groupPlan) countsOnly() bool {
	for i := range g.aggs {
		if g.aggs[i].arg != nil || g.aggs[i].filter != nil {
			return false
		}
	}
	return len(g.keys) == 0
}

// spec is what one lane aggregates.
func (g *groupPlan) spec(backward bool, memory *aggregate.Memory) aggregate.Spec {
	s := aggregate.Spec{Backward: backward, Memory: memory}
	for _, k := range g.keys {
		s.Keys = append(s.Keys, aggregate.Key{Expr: k.lane(), Hash: k.hash})
	}
	for i := range g.aggs {
		a := &g.aggs[i]
		out := aggregate.Aggregate{Function: a.function, Width: a.width}
		if a.arg != nil {
			out.Arg = a.arg.lane()
		}
		if a.filter != nil {
			out.Filter = a.filter.ready.Clone()
		}
		s.Aggregates = append(s.Aggregates, out)
	}
	return s
}
