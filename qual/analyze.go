package qual

import (
	"strings"

	"github.com/pipescan/pipescan/catalog"
)

// maxDepth bounds how deep expressions nest.
const maxDepth = 5000

func newAnalyzer(s *Scope) *analyzer { return &analyzer{Scope: s, sys: systablesFor(s.Env.Major)} }

func analyze(e Expr, s *Scope) (*Analyzed, error) {
	a := newAnalyzer(s)
	x, err := a.expr(e, 0)
	if err != nil {
		return nil, err
	}
	if x.kind == tUnknownArg {
		if x, err = a.literal(x, catalog.TextOID, -1); err != nil {
			return nil, err
		}
	}
	if a.failed != nil {
		return nil, a.failed
	}
	return &Analyzed{scope: s, root: x}, nil
}

func analyzeCondition(e Expr, s *Scope) (*Analyzed, error) {
	a := newAnalyzer(s)
	x, err := a.expr(e, 0)
	if err != nil {
		return nil, err
	}
	if x, err = a.boolean(x, "WHERE"); err != nil {
		return nil, err
	}
	if a.failed != nil {
		return nil, a.failed
	}
	return &Analyzed{scope: s, root: x}, nil
}

// expr analyzes a node; errors get its place.
func (a *analyzer) expr(e Expr, depth int) (*texpr, error) {
	if e == nil {
		return nil, unsupportedf("an empty expression")
	}
	if depth > maxDepth {
		return nil, at(sqlErrorf("54001", "stack depth limit exceeded"), e.Pos)
	}
	x, err := a.node(e, depth)
	if err != nil {
		return nil, at(err, e.Pos)
	}
	if x.pos == 0 && e.Pos != 0 {
		y := *x
		y.pos = e.Pos
		x = &y
	}
	return x, nil
}

func (a *analyzer) exprs(es []Expr, depth int) ([]*texpr, error) {
	out := make([]*texpr, len(es))
	for i, e := range es {
		x, err := a.expr(e, depth+1)
		if err != nil {
			return nil, err
		}
		out[i] = x
	}
	return out, nil
}

func (a *analyzer) node(e Expr, depth int) (*texpr, error) {
	if n, ok := arity[e.Kind]; ok && (len(e.Args) < n[0] || n[1] >= 0 && len(e.Args) > n[1]) {
		return nil, unsupportedf("an expression with %d operands", len(e.Args))
	}
	switch e.Kind {
	case KCol:
		return a.column(e)
	case KLit:
		return a.goLiteral(e.Value)
	case KUnknown:
		return a.unknown(e)
	case KTyped:
		return a.typedLiteral(e)
	case KParam:
		if e.Index < 1 || e.Index > len(a.Params) {
			return nil, sqlErrorf("42P02", "there is no parameter $%d", e.Index)
		}
		return a.expr(a.Params[e.Index-1], depth+1)
	}
	switch e.Kind {
	case KIn, KBetween, KLike, KCase:
		return a.sugar(e, depth)
	case KAnd, KOr:
		return a.andOr(e, depth)
	}
	args, err := a.exprs(e.Args, depth)
	if err != nil {
		return nil, err
	}
	return a.composite(e, args)
}

// arity is how many Args a node has, at least and at most.
var arity = map[Kind][2]int{
	KOp: {1, 2}, KCast: {1, 1}, KCollate: {1, 1}, KAnd: {1, -1}, KOr: {1, -1}, KNot: {1, 1}, KNullTest: {1, 1}, KBoolTest: {1, 1},
	KBetween: {3, 3}, KIn: {2, -1}, KLike: {2, 3}, KDistinct: {2, 2}, KCase: {2, -1}, KCoalesce: {1, -1}, KNullIf: {2, 2},
	KGreatest: {1, -1}, KLeast: {1, -1}, KArrayOp: {2, 2}, KSubscript: {2, 7}, KFunc: {0, 100},
}

// composite builds the nodes that are made from their analyzed arguments.
func (a *analyzer) composite(e Expr, args []*texpr) (*texpr, error) {
	switch e.Kind {
	case KOp:
		return a.op(e.Name, args, e.Pos)
	case KFunc:
		return a.call(e.Name, args, e.Pos)
	case KCast:
		return a.cast(e, args[0])
	case KCollate:
		return a.collate(e.Name, args[0])
	case KNot:
		x, err := a.boolean(args[0], "NOT")
		if err != nil {
			return nil, err
		}
		return &texpr{kind: tNot, typ: catalog.BoolOID, typmod: -1, args: []*texpr{x}}, nil
	case KNullTest:
		return a.nullTest(args[0], e.Not)
	case KBoolTest:
		x, err := a.boolean(args[0], "IS "+e.Name)
		if err != nil {
			return nil, err
		}
		return &texpr{kind: tBoolTest, name: e.Name, not: e.Not, typ: catalog.BoolOID, typmod: -1, args: []*texpr{x}}, nil
	case KDistinct:
		return a.distinct(e, args)
	case KCoalesce, KGreatest, KLeast:
		return a.variadic(e, args)
	case KNullIf:
		return a.nullIf(args, e.Pos)
	case KArrayOp:
		return a.arrayOp(e.Name, args[0], args[1], e.All, e.Pos)
	case KArray:
		return a.array(args)
	case KSubscript:
		return a.subscript(args)
	}
	return nil, unsupportedf("an expression of kind %d", e.Kind)
}

// unknown is a quoted literal before its type is known.
func (a *analyzer) unknown(e Expr) (*texpr, error) {
	text, err := a.encode(e.Text)
	if err != nil {
		return nil, at(err, e.Pos)
	}
	return &texpr{kind: tUnknownArg, typ: unknownOID, typmod: -1, text: text, pos: e.Pos}, nil
}

func (a *analyzer) column(e Expr) (*texpr, error) {
	for i := range a.Columns {
		c := &a.Columns[i]
		if !a.isColumn(c, e.Name) {
			continue
		}
		x := &texpr{kind: tVar, typ: c.Type, typmod: c.Typmod, col: c.Index, name: c.Name, notNull: c.NotNull}
		if c.Collation != 0 {
			x.coll, x.collFrom = c.Collation, collImplicit
		}
		return x, nil
	}
	err := &SQLError{Code: "42703", Message: `column "` + e.Name + `" does not exist`, Row: -1}
	return nil, err
}

// nullTest is IS [NOT] NULL; of a row it would ask about the fields.
func (a *analyzer) nullTest(x *texpr, not bool) (*texpr, error) {
	if k := a.typ(a.base(x.typ)).kind; k == 'c' {
		return nil, unsupportedf("IS NULL of a composite value")
	}
	if x.kind == tUnknownArg {
		var err error
		if x, err = a.literal(x, catalog.TextOID, -1); err != nil {
			return nil, err
		}
	}
	return &texpr{kind: tNullTest, not: not, typ: catalog.BoolOID, typmod: -1, args: []*texpr{x}}, nil
}

// andOr checks each argument before the next is looked at.
func (a *analyzer) andOr(e Expr, depth int) (*texpr, error) {
	name := "AND"
	if e.Kind == KOr {
		name = "OR"
	}
	args := make([]*texpr, len(e.Args))
	for i, arg := range e.Args {
		x, err := a.expr(arg, depth+1)
		if err == nil {
			args[i], err = a.boolean(x, name)
		}
		if err != nil {
			return nil, err
		}
	}
	return allOf(e.Kind == KAnd, args), nil
}

// allOf is AND, or OR, of conditions; one is itself.
func allOf(and bool, args []*texpr) *texpr {
	if len(args) == 1 {
		return args[0]
	}
	kind := tOr
	if and {
		kind = tAnd
	}
	return &texpr{kind: kind, typ: catalog.BoolOID, typmod: -1, args: args}
}

// op is make_op: an operator over operands.
func (a *analyzer) op(name string, args []*texpr, pos int) (*texpr, error) {
	in := typesOf(args)
	o, err := a.operatorFor(name, in)
	if err != nil {
		return nil, at(err, pos)
	}
	fn := a.sys.procByOID[o.proc]
	if fn == nil {
		return nil, at(unsupportedf("operator %s", a.operatorText(name, in)), pos)
	}
	declared := []catalog.OID{o.right}
	if len(args) == 2 {
		declared = []catalog.OID{o.left, o.right}
	}
	return a.apply(fn, name, declared, o.result, args, pos)
}

// apply is a call of a chosen function.
func (a *analyzer) apply(fn *proc, shown string, declared []catalog.OID, result catalog.OID, args []*texpr, pos int) (*texpr, error) {
	types, result, err := a.enforce(typesOf(args), declared, result)
	if err != nil {
		return nil, at(err, pos)
	}
	out := make([]*texpr, len(args))
	for i, x := range args {
		if out[i], err = a.coerce(x, types[i], -1, implicitCast); err != nil {
			return nil, at(err, x.pos)
		}
	}
	return a.callTo(fn, shown, result, out, pos)
}

// callTo makes the call once its arguments have their types.
func (a *analyzer) callTo(fn *proc, shown string, result catalog.OID, args []*texpr, pos int) (*texpr, error) {
	for i, x := range args {
		if x.kind == tUnknownArg {
			// Only a variadic "any" leaves a literal without a type.
			y, err := a.literal(x, catalog.TextOID, -1)
			if err != nil {
				return nil, err
			}
			args[i] = y
		}
	}
	x := &texpr{kind: tCall, typ: result, typmod: -1, fn: fn, args: args, pos: pos, shown: shown}
	if err := a.collateCall(x); err != nil {
		return nil, err
	}
	if y, err := a.inline(x); y != nil || err != nil {
		return y, err
	}
	return x, nil
}

// call is ParseFuncOrColumn.
func (a *analyzer) call(name string, args []*texpr, pos int) (*texpr, error) {
	name = a.functionName(name)
	in := typesOf(args)
	c, cast, err := a.functionFor(name, in)
	if err != nil {
		return nil, at(err, pos)
	}
	if cast != 0 {
		y, err := a.coerce(args[0], cast, -1, explicitCast)
		if err != nil {
			return nil, at(err, pos)
		}
		return y, nil
	}
	if len(c.args) < len(c.fn.args) && !c.variadic {
		return nil, at(unsupportedf("function %s without its default arguments", a.callText(name, in)), pos)
	}
	return a.apply(c.fn, "", c.args, c.fn.result, args, pos)
}

// functionName is the catalog's name of what SQL's grammar gives a function's
// form.
func (a *analyzer) functionName(name string) string {
	name = strings.TrimPrefix(name, "pg_catalog.")
	if name == "extract" && a.major() < 14 {
		return "date_part"
	}
	return name
}

func typesOf(args []*texpr) []catalog.OID {
	out := make([]catalog.OID, len(args))
	for i, x := range args {
		out[i] = x.typ
	}
	return out
}
