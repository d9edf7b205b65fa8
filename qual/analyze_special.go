package qual

import (
	"github.com/pipescan/pipescan/catalog"
)

// The forms of SQL that are more than one operator (parse_expr.c).

// sugar rewrites BETWEEN, IN, LIKE and CASE. Their operands are analyzed as
// often as they appear in what they stand for.
func (a *analyzer) sugar(e Expr, depth int) (*texpr, error) {
	switch e.Kind {
	case KBetween:
		return a.expr(betweenOf(e), depth+1)
	case KIn:
		return a.in(e, depth)
	case KLike:
		return a.expr(likeOf(e), depth+1)
	}
	return a.caseWhen(e, depth)
}

// betweenOf is BETWEEN as comparisons.
func betweenOf(e Expr) Expr {
	op := func(name string, x, y Expr) Expr { return Op(name, x, y).At(e.Pos) }
	both := func(lo, hi Expr) Expr {
		x := e.Args[0]
		if e.Not {
			return Or(op("<", x, lo), op(">", x, hi)).At(e.Pos)
		}
		return And(op(">=", x, lo), op("<=", x, hi)).At(e.Pos)
	}
	lo, hi := e.Args[1], e.Args[2]
	switch {
	case !e.Symmetric:
		return both(lo, hi)
	case e.Not:
		return And(both(lo, hi), both(hi, lo)).At(e.Pos)
	}
	return Or(both(lo, hi), both(hi, lo)).At(e.Pos)
}

// likeOf is LIKE, ILIKE and SIMILAR TO as operators.
func likeOf(e Expr) Expr {
	x, pattern := e.Args[0], e.Args[1]
	name := map[string]string{"LIKE": "~~", "ILIKE": "~~*", "SIMILAR TO": "~"}[e.Name]
	if e.Not {
		name = "!" + name
	}
	if e.Name == "SIMILAR TO" {
		pattern = (&Node{Kind: KFunc, Name: "similar_to_escape", Args: e.Args[1:]}).At(e.Pos)
	} else if len(e.Args) == 3 {
		pattern = Func("like_escape", pattern, e.Args[2]).At(e.Pos)
	}
	return Op(name, x, pattern).At(e.Pos)
}

// in is transformAExprIn: the values that are not of columns become an array,
// if there are two or more and they have a common type.
func (a *analyzer) in(e Expr, depth int) (*texpr, error) {
	args, err := a.exprs(e.Args, depth)
	if err != nil {
		return nil, err
	}
	op := "="
	if e.Not {
		op = "<>"
	}
	var vars, rest []*texpr
	for _, x := range args[1:] {
		if len(x.columns()) > 0 {
			vars = append(vars, x)
		} else {
			rest = append(rest, x)
		}
	}
	var result *texpr
	if len(rest) > 1 {
		if result, err = a.inArray(op, args[0], rest, e); err != nil {
			return nil, err
		}
	}
	if result == nil {
		vars = args[1:]
	}
	parts := []*texpr{}
	if result != nil {
		parts = append(parts, result)
	}
	for _, v := range vars {
		x, err := a.op(op, []*texpr{args[0], v}, e.Pos)
		if err != nil {
			return nil, err
		}
		parts = append(parts, x)
	}
	return allOf(e.Not, parts), nil
}

// inArray is x op ANY (ARRAY[values]); nil: no common type.
func (a *analyzer) inArray(op string, x *texpr, values []*texpr, e Expr) (*texpr, error) {
	common := a.commonType(typesOf(append([]*texpr{x}, values...)))
	if common == 0 || a.arrayOf(common) == 0 {
		return nil, nil
	}
	items := make([]*texpr, len(values))
	for i, v := range values {
		y, err := a.castTo(v, common, -1, implicitCast)
		if err != nil {
			return nil, at(err, v.pos)
		}
		if y == nil {
			return nil, nil
		}
		items[i] = y
	}
	array, err := a.arrayOfType(items, common)
	if err != nil {
		return nil, err
	}
	return a.arrayOp(op, x, array, e.Not, e.Pos)
}

// arrayOp is make_scalar_array_op.
func (a *analyzer) arrayOp(op string, x, array *texpr, all bool, pos int) (*texpr, error) {
	elem := unknownOID
	if array.typ != unknownOID {
		if elem = a.elemOf(a.base(array.typ)); elem == 0 {
			return nil, at(sqlErrorf("42809", "op ANY/ALL (array) requires array on right side"), pos)
		}
	}
	in := []catalog.OID{x.typ, elem}
	o, err := a.operatorFor(op, in)
	if err != nil {
		return nil, at(err, pos)
	}
	fn := a.sys.procByOID[o.proc]
	if fn == nil {
		return nil, at(unsupportedf("operator %s", a.operatorText(op, in)), pos)
	}
	if o.result != catalog.BoolOID {
		return nil, at(sqlErrorf("42809", "op ANY/ALL (array) requires operator to yield boolean"), pos)
	}
	types, _, err := a.enforce(in, []catalog.OID{o.left, o.right}, o.result)
	if err != nil {
		return nil, at(err, pos)
	}
	arrayType := a.arrayOf(types[1])
	if arrayType == 0 {
		return nil, at(sqlErrorf("42704", "could not find array type for data type %s", a.typeName(types[1])), pos)
	}
	place := x.pos
	if x, err = a.coerce(x, types[0], -1, implicitCast); err != nil {
		return nil, at(err, place)
	}
	if array.typ == unknownOID || a.elemOf(a.base(array.typ)) != types[1] {
		if array, err = a.coerce(array, arrayType, -1, implicitCast); err != nil {
			return nil, at(err, pos)
		}
	}
	y := &texpr{kind: tArrayOp, typ: catalog.BoolOID, typmod: -1, fn: fn, args: []*texpr{x, array}, not: all, pos: pos, shown: op}
	return y, a.collateCall(y)
}

// distinct is IS [NOT] DISTINCT FROM.
func (a *analyzer) distinct(e Expr, args []*texpr) (*texpr, error) {
	for i, x := range args {
		if x.kind == tUnknownArg && x.null {
			return a.nullTest(args[1-i], !e.Not)
		}
	}
	x, err := a.op("=", args, e.Pos)
	if err != nil {
		return nil, err
	}
	y := *x
	y.kind, y.not = tDistinct, e.Not
	return &y, nil
}

func (a *analyzer) nullIf(args []*texpr, pos int) (*texpr, error) {
	x, err := a.op("=", args, pos)
	if err != nil {
		return nil, err
	}
	if x.typ != catalog.BoolOID {
		return nil, sqlErrorf("42804", "NULLIF requires = operator to yield boolean")
	}
	y := *x
	y.kind = tNullIf
	// The result is the first argument as the operator takes it.
	y.typ = x.args[0].typ
	y.typmod = x.args[0].typmod
	y.coll, y.collFrom = 0, collNone
	a.collateResult(&y, x.args[0])
	return &y, nil
}
