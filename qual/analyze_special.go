package qual

import (
	"strings"

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

// variadic is COALESCE, GREATEST and LEAST: arguments of one common type.
func (a *analyzer) variadic(e Expr, args []*texpr) (*texpr, error) {
	name := map[Kind]string{KCoalesce: "COALESCE", KGreatest: "GREATEST", KLeast: "LEAST"}[e.Kind]
	args, typ, err := a.common(name, args)
	if err != nil {
		return nil, err
	}
	x := &texpr{kind: tCoalesce, typ: typ, typmod: commonTypmod(typ, args), args: args, name: name}
	if e.Kind != KCoalesce {
		x.kind = tMinMax
		// Without a comparison the server errs only when it is to execute.
		if lt, err := a.op("<", []*texpr{args[0], args[0]}, e.Pos); err == nil {
			x.fn = lt.fn
		}
	}
	return x, a.collateCall(x)
}

// common casts arguments to their common type.
func (a *analyzer) common(name string, args []*texpr) ([]*texpr, catalog.OID, error) {
	typ := a.commonType(typesOf(args))
	if typ == 0 {
		for _, x := range args[1:] {
			if a.typ(a.base(x.typ)).category != a.typ(a.base(args[0].typ)).category && x.typ != unknownOID {
				return nil, 0, at(sqlErrorf("42804", "%s types %s and %s cannot be matched", name, a.typeName(args[0].typ), a.typeName(x.typ)), x.pos)
			}
		}
		return nil, 0, sqlErrorf("42804", "%s types cannot be matched", name)
	}
	out := make([]*texpr, len(args))
	for i, x := range args {
		if !a.canCoerce([]catalog.OID{x.typ}, []catalog.OID{typ}, implicitCast) {
			return nil, 0, at(sqlErrorf("42846", "%s could not convert type %s to %s", name, a.typeName(x.typ), a.typeName(typ)), x.pos)
		}
		y, err := a.coerce(x, typ, -1, implicitCast)
		if err != nil {
			return nil, 0, at(err, x.pos)
		}
		out[i] = y
	}
	return out, typ, nil
}

// commonTypmod is the modifier that all of the arguments have, or -1.
func commonTypmod(typ catalog.OID, args []*texpr) int32 {
	for _, x := range args {
		if x.typ != typ || x.typmod != args[0].typmod {
			return -1
		}
	}
	return args[0].typmod
}

// caseWhen is CASE. The operand form compares the operand with each condition;
// the operand is evaluated anew each time, which nothing can tell.
func (a *analyzer) caseWhen(e Expr, depth int) (*texpr, error) {
	in := e.Args
	var operand *texpr
	var err error
	if e.Operand {
		if operand, err = a.typedText(a.expr(in[0], depth+1)); err != nil {
			return nil, err
		}
		in = in[1:]
	}
	whens := in
	if e.Else {
		whens = in[:len(in)-1]
	}
	if len(whens) < 2 || len(whens)%2 != 0 {
		return nil, unsupportedf("a CASE with %d conditions and results", len(whens))
	}
	var conds []*texpr
	results := []*texpr{nil}
	for i := 0; i < len(whens); i += 2 {
		cond, err := a.expr(whens[i], depth+1)
		if err == nil && operand != nil {
			cond, err = a.op("=", []*texpr{operand, cond}, e.Pos)
		}
		if err == nil {
			cond, err = a.boolean(cond, "CASE/WHEN")
		}
		if err != nil {
			return nil, err
		}
		result, err := a.expr(whens[i+1], depth+1)
		if err != nil {
			return nil, err
		}
		conds, results = append(conds, cond), append(results, result)
	}
	// The type of ELSE counts first.
	results[0] = &texpr{kind: tUnknownArg, typ: unknownOID, typmod: -1, null: true}
	if e.Else {
		if results[0], err = a.expr(in[len(in)-1], depth+1); err != nil {
			return nil, err
		}
	}
	return a.caseOf(conds, results)
}

// typedText makes a literal without a type a text.
func (a *analyzer) typedText(x *texpr, err error) (*texpr, error) {
	if err != nil || x.kind != tUnknownArg {
		return x, err
	}
	return a.literal(x, catalog.TextOID, -1)
}

// caseOf makes the CASE of conditions and results, the one of ELSE first.
func (a *analyzer) caseOf(conds, results []*texpr) (*texpr, error) {
	results, typ, err := a.common("CASE", results)
	if err != nil {
		return nil, err
	}
	var out []*texpr
	for i, cond := range conds {
		out = append(out, cond, results[1+i])
	}
	x := &texpr{kind: tCase, typ: typ, typmod: commonTypmod(typ, results), args: append(out, results[0])}
	coll, from, err := mergeCollations(results)
	if err != nil {
		return nil, err
	}
	if a.typ(typ).collation != 0 {
		x.coll, x.collFrom = coll, from
	}
	return x, nil
}

// array is ARRAY[...]; arrays as items make it multidimensional.
func (a *analyzer) array(args []*texpr) (*texpr, error) {
	if len(args) == 0 {
		return nil, sqlErrorf("42P18", "cannot determine type of empty array")
	}
	items, typ, err := a.common("ARRAY", args)
	if err != nil {
		return nil, err
	}
	return a.arrayOfType(items, typ)
}

func (a *analyzer) arrayOfType(items []*texpr, elem catalog.OID) (*texpr, error) {
	x := &texpr{kind: tArray, typmod: -1, args: items}
	if a.elemOf(elem) != 0 {
		x.typ, x.name = elem, "multi"
	} else if x.typ = a.arrayOf(elem); x.typ == 0 {
		return nil, sqlErrorf("42704", "could not find array type for data type %s", a.typeName(elem))
	}
	return x, a.collateCall(x)
}

// subscript is x[i][j]: the element of an array, or of a jsonb.
func (a *analyzer) subscript(args []*texpr) (*texpr, error) {
	typ := a.base(args[0].typ)
	if typ == catalog.JSONBOID && a.major() >= 14 {
		return a.jsonSubscript(args)
	}
	elem := a.elemOf(typ)
	if elem == 0 {
		return nil, sqlErrorf("42804", "cannot subscript type %s because it does not support subscripting", a.typeName(args[0].typ))
	}
	out := []*texpr{a.relabel(args[0], typ, -1)}
	for _, i := range args[1:] {
		y, err := a.castTo(i, catalog.Int4OID, -1, assignmentCast)
		if err != nil {
			return nil, at(err, i.pos)
		}
		if y == nil {
			return nil, at(sqlErrorf("42804", "array subscript must have type integer"), i.pos)
		}
		out = append(out, y)
	}
	x := &texpr{kind: tSubscript, typ: elem, typmod: args[0].typmod, args: out}
	a.collateResult(x, args[0])
	return x, nil
}

// jsonSubscript is jsonb's x['a'][0], which is the path operator without its
// error for missing parts.
func (a *analyzer) jsonSubscript(args []*texpr) (*texpr, error) {
	x := args[0]
	for _, i := range args[1:] {
		to := catalog.TextOID
		if i.typ == catalog.Int4OID || i.typ == catalog.Int2OID {
			to = catalog.Int4OID
		}
		y, err := a.castTo(i, to, -1, implicitCast)
		if err != nil || y == nil {
			return nil, unsupportedf("a jsonb subscript of type %s", a.typeName(i.typ))
		}
		if x, err = a.op("->", []*texpr{x, y}, i.pos); err != nil {
			return nil, err
		}
	}
	return x, nil
}

// collate is x COLLATE name.
func (a *analyzer) collate(name string, x *texpr) (*texpr, error) {
	if x.kind == tUnknownArg {
		var err error
		if x, err = a.literal(x, catalog.TextOID, -1); err != nil {
			return nil, err
		}
	}
	if a.typ(x.typ).collation == 0 {
		return nil, sqlErrorf("42804", "collations are not supported by type %s", a.typeName(x.typ))
	}
	oid, err := a.collationNamed(name)
	if err != nil {
		return nil, err
	}
	y := *x
	y.coll, y.collFrom = oid, collExplicit
	return &y, nil
}

func (a *analyzer) collationNamed(name string) (catalog.OID, error) {
	schema, base, qualified := strings.Cut(name, ".")
	if !qualified {
		schema, base = "", name
	}
	if schema == "" || schema == "pg_catalog" {
		switch {
		case base == "C":
			return cCollation, nil
		case base == "POSIX":
			return posixCollation, nil
		case base == "default":
			return defaultCollation, nil
		case base == "ucs_basic":
			return ucsBasic, nil
		case base == "pg_c_utf8" && a.major() >= 17:
			return pgCUTF8, nil
		}
	}
	if a.CollationNamed != nil {
		c, ok, err := a.CollationNamed(schema, base)
		if err != nil {
			return 0, err
		}
		if ok {
			return c.OID, nil
		}
	}
	return 0, sqlErrorf("42704", "collation %q for encoding %q does not exist", name, catalog.EncodingName(a.Env.Encoding))
}
