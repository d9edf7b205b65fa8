package qual

import (
	"github.com/pipescan/pipescan/batch"
	"github.com/pipescan/pipescan/catalog"
)

// Folding follows the planner's eval_const_expressions (optimizer/util/clauses.c)
// in what it evaluates, in what order, and in what it leaves out, because a
// constant that fails does so here.

// folder simplifies expressions of one scope.
type folder struct {
	a *analyzer
	// stable says that stable functions are evaluated, too.
	stable bool
}

func (f *folder) fold(x *texpr) (*texpr, error) {
	switch x.kind {
	case tConst, tVar, tElement:
		return x, nil
	case tAnd, tOr:
		return f.andOr(x)
	case tNot:
		arg, err := f.fold(x.args[0])
		if err != nil {
			return nil, err
		}
		return f.negate(arg), nil
	case tCase:
		return f.caseWhen(x)
	case tCoalesce:
		return f.coalesce(x)
	}
	args := make([]*texpr, len(x.args))
	for i, arg := range x.args {
		y, err := f.fold(arg)
		if err != nil {
			return nil, err
		}
		args[i] = y
	}
	return f.folded(x.with(args))
}

// folded simplifies an expression whose arguments are.
func (f *folder) folded(x *texpr) (*texpr, error) {
	null, constant := false, true
	for _, a := range x.args {
		null = null || a.kind == tConst && a.null
		constant = constant && a.kind == tConst
	}
	switch x.kind {
	case tCall:
		if x.fn.strict && null {
			return f.null(x), nil
		}
		if !constant || !f.evaluates(x.fn) {
			return f.booleanEquality(x), nil
		}
	case tRelabel:
		if !constant {
			return x, nil
		}
		c := *x.args[0]
		c.typ, c.typmod, c.coll, c.collFrom = x.typ, x.typmod, x.coll, x.collFrom
		return &c, nil
	case tViaIO:
		if null { // the functions are strict, immutable or not
			return f.null(x), nil
		}
		if !constant || !f.ioEvaluates(x) {
			return x, nil
		}
	case tArrayCast:
		if !constant || f.mutable(x.elem) {
			return x, nil
		}
	case tNullTest, tBoolTest, tMinMax, tArray, tSubscript:
		if !constant {
			return x, nil
		}
	case tDistinct, tNullIf, tArrayOp:
		if x.kind == tNullIf && f.a.major() < 14 {
			return x, nil
		}
		if x.kind == tNullIf && x.args[0].kind == tConst && x.args[0].null {
			return f.null(x), nil
		}
		if !constant || !f.evaluates(x.fn) {
			return x, nil
		}
	}
	return f.evaluate(x)
}

// booleanEquality makes x = true x, and x = false NOT x.
func (f *folder) booleanEquality(x *texpr) *texpr {
	if x.fn.src != "booleq" && x.fn.src != "boolne" || x.shown == "" {
		return x
	}
	arg, constant := x.args[0], x.args[1]
	if arg.kind == tConst {
		arg, constant = constant, arg
	}
	if constant.kind != tConst || constant.null {
		return x
	}
	if (constant.val[0] != 0) == (x.fn.src == "booleq") {
		return arg
	}
	return f.negate(arg)
}

// evaluates says whether a function may be evaluated now.
func (f *folder) evaluates(fn *proc) bool {
	return fn.volatility == 'i' || f.stable && fn.volatility == 's'
}

func (f *folder) null(x *texpr) *texpr {
	c := constNull(x.typ)
	c.typmod, c.coll, c.collFrom, c.pos = x.typmod, x.coll, x.collFrom, x.pos
	return c
}

// mutable says whether an expression has functions that are not immutable.
func (f *folder) mutable(x *texpr) bool {
	mutable := false
	x.each(func(x *texpr) {
		mutable = mutable || x.kind == tCall && !f.evaluates(x.fn) ||
			x.kind == tViaIO && !f.ioEvaluates(x)
	})
	return mutable
}

// ioImmutable says whether a type's output function (out) or input function may
// be evaluated now. Their names follow the type's.
func (f *folder) ioImmutable(oid catalog.OID, out bool) bool {
	oid = f.a.base(oid)
	name := f.a.typ(oid).name
	switch {
	case f.a.elemOf(oid) != 0:
		name = "array"
	case f.a.typ(oid).kind == 'e':
		name = "enum"
	}
	suffix := "in"
	if out {
		suffix = "out"
	}
	for _, full := range []string{name + suffix, name + "_" + suffix} {
		for _, p := range f.a.sys.procs[full] {
			return f.evaluates(p)
		}
	}
	return f.stable
}

// ioEvaluates says whether a cast through text may be evaluated now.
func (f *folder) ioEvaluates(x *texpr) bool {
	return f.ioImmutable(x.args[0].typ, true) && f.ioImmutable(x.typ, false)
}

// evaluate makes a constant of an expression over constants.
func (f *folder) evaluate(x *texpr) (*texpr, error) {
	ev, err := newEvaluator(f.a, x)
	if err != nil {
		return nil, at(err, x.pos)
	}
	v, err := ev.root.eval(&frame{b: &batch.Batch{Decoded: true, N: 1}}, sel{n: 1})
	if err != nil {
		return nil, at(err, x.pos)
	}
	value, ok := v.get(0)
	if !ok {
		return f.null(x), nil
	}
	c := f.null(x)
	c.null, c.val = false, append([]byte{}, value...)
	return c, nil
}

// andOr drops neutral constants, is decided by the other ones, and flattens.
// NULLs become one, at the end.
func (f *folder) andOr(x *texpr) (*texpr, error) {
	decides := x.kind == tOr // the value of a constant that decides
	todo := append([]*texpr(nil), x.args...)
	var args []*texpr
	null := false
	for len(todo) > 0 {
		arg := todo[0]
		todo = todo[1:]
		if arg.kind == x.kind {
			todo = append(append([]*texpr(nil), arg.args...), todo...)
			continue
		}
		y, err := f.fold(arg)
		if err != nil {
			return nil, err
		}
		switch {
		case y.kind == x.kind:
			args = append(args, y.args...)
		case y.kind != tConst:
			args = append(args, y)
		case y.null:
			null = true
		case (y.val[0] != 0) == decides:
			return constBool(decides), nil
		}
	}
	if null {
		args = append(args, constNull(catalog.BoolOID))
	}
	switch len(args) {
	case 0:
		return constBool(!decides), nil
	case 1:
		return args[0], nil
	}
	return x.with(args), nil
}

// negate is negate_clause: NOT of a simplified expression.
func (f *folder) negate(x *texpr) *texpr {
	y := *x
	switch x.kind {
	case tConst:
		if x.null {
			return x
		}
		return constBool(x.val[0] == 0)
	case tNot:
		return x.args[0]
	case tNullTest, tBoolTest:
		y.not = !y.not
		return &y
	case tAnd, tOr:
		y.kind = tAnd + tOr - x.kind
		y.args = make([]*texpr, len(x.args))
		for i, a := range x.args {
			y.args[i] = f.negate(a)
		}
		return &y
	case tCall, tArrayOp:
		if n := f.negator(x); n != nil {
			y.fn, y.shown = f.a.sys.procByOID[n.proc], n.name
			y.not = x.kind == tArrayOp && !x.not
			return &y
		}
	}
	return &texpr{kind: tNot, typ: catalog.BoolOID, typmod: -1, args: []*texpr{x}, pos: x.pos}
}

// negator is the operator that is true where x's is false, or nil.
func (f *folder) negator(x *texpr) *operator {
	if x.shown == "" {
		return nil
	}
	name := x.shown
	if name == "!=" {
		name = "<>"
	}
	for _, o := range f.a.sys.operators[name] {
		if o.proc == x.fn.oid && o.negator != 0 {
			return f.a.sys.operByOID[o.negator]
		}
	}
	return nil
}

// caseWhen drops branches that are never taken, and all behind one that always
// is, without looking into them.
func (f *folder) caseWhen(x *texpr) (*texpr, error) {
	var args []*texpr
	last := x.args[len(x.args)-1]
	for i := 0; i+1 < len(x.args); i += 2 {
		cond, err := f.fold(x.args[i])
		if err != nil {
			return nil, err
		}
		if cond.kind == tConst && (cond.null || cond.val[0] == 0) {
			continue
		}
		if cond.kind == tConst {
			last = x.args[i+1]
			break
		}
		result, err := f.fold(x.args[i+1])
		if err != nil {
			return nil, err
		}
		args = append(args, cond, result)
	}
	last, err := f.fold(last)
	if err != nil {
		return nil, err
	}
	if x.tested != nil {
		operand, err := f.fold(x.tested)
		if err != nil {
			return nil, err
		}
		y := *x
		y.tested = operand
		x = &y
	}
	if len(args) == 0 {
		return last, nil
	}
	return x.with(append(args, last)), nil
}

func (f *folder) coalesce(x *texpr) (*texpr, error) {
	var args []*texpr
	for _, arg := range x.args {
		y, err := f.fold(arg)
		if err != nil {
			return nil, err
		}
		if y.kind == tConst && y.null {
			continue
		}
		args = append(args, y)
		if y.kind == tConst {
			break
		}
	}
	switch {
	case len(args) == 0:
		return f.null(x), nil
	case args[0].kind == tConst:
		return args[0], nil
	}
	return x.with(args), nil
}
