package qual

import (
	"github.com/pipescan/pipescan/catalog"
)

// CASE, COALESCE, GREATEST and LEAST: branches of one common type.

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
	return a.caseOf(operand, conds, results)
}

// typedText makes a literal without a type a text.
func (a *analyzer) typedText(x *texpr, err error) (*texpr, error) {
	if err != nil || x.kind != tUnknownArg {
		return x, err
	}
	return a.literal(x, catalog.TextOID, -1)
}

// caseOf makes the CASE of conditions and results, the one of ELSE first.
func (a *analyzer) caseOf(operand *texpr, conds, results []*texpr) (*texpr, error) {
	results, typ, err := a.common("CASE", results)
	if err != nil {
		return nil, err
	}
	var out []*texpr
	for i, cond := range conds {
		out = append(out, cond, results[1+i])
	}
	x := &texpr{kind: tCase, typ: typ, typmod: commonTypmod(typ, results), args: append(out, results[0]), tested: operand}
	coll, from, err := mergeCollations(results)
	if err != nil {
		return nil, err
	}
	if a.typ(typ).collation != 0 {
		x.coll, x.collFrom = coll, from
	}
	return x, nil
}
