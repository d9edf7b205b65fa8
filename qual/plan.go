package qual

import (
	"cmp"
	"slices"
)

func (t *Analyzed) plan(condition bool) (*Bound, error) {
	a := newAnalyzer(t.scope)
	f := folder{a: a}
	root, err := f.fold(t.root)
	if err != nil {
		return nil, err
	}
	b := &Bound{typed: t, root: root}
	if condition {
		b.root = canonical(root)
		root = b.root
		if root, err = f.oneTime(root); err != nil {
			return nil, err
		}
		b.root = root
		b.quals = conjuncts(a, root)
		for _, q := range b.quals {
			if err := f.estimates(q); err != nil {
				return nil, err
			}
		}
	}
	return b, b.compile(a)
}

// compile makes the evaluators.
func (b *Bound) compile(a *analyzer) (err error) {
	if b.quals == nil {
		b.ev, err = newEvaluator(a, b.root)
		return err
	}
	b.ev = evaluator{width: 1}
	defer func() { b.ev.parts = b.ev.quals }()
	for _, q := range b.quals {
		e, err := newEvaluator(a, q)
		if err != nil {
			return err
		}
		b.ev.quals = append(b.ev.quals, e.root)
	}
	return nil
}

func (b *Bound) clone() *Bound {
	c := &Bound{typed: b.typed, root: b.root, quals: b.quals}
	if err := c.compile(newAnalyzer(b.typed.scope)); err != nil {
		// What could be compiled once can be compiled again; were it not so,
		// the clone would say so at its first use.
		c.ev.broken = err
	}
	return c
}

// conjuncts are the parts of a condition's AND, the cheapest first
// (order_qual_clauses); those of equal cost keep their order. Never nil.
func conjuncts(a *analyzer, x *texpr) []*texpr {
	parts := ordered(conjunctsOf(x))
	slices.SortStableFunc(parts, func(p, q *texpr) int { return cmp.Compare(costOf(a, p), costOf(a, q)) })
	return parts
}

// costOf is cost_qual_eval: operators and functions weigh their procost, the
// rest nothing.
func costOf(a *analyzer, x *texpr) float64 {
	total := 0.0
	switch x.kind {
	case tCall, tDistinct, tNullIf:
		total = x.fn.cost
	case tArrayOp:
		total = arrayOpCost(a, x)
	case tMinMax:
		total = 1
	case tCase:
		if x.tested != nil { // it is evaluated once
			total = -costOf(a, x.tested) * float64(len(x.args)/2-1)
		}
	case tViaIO:
		total = 2 // an output and an input function
	case tArrayCast:
		return costOf(a, x.args[0]) + costOf(a, x.elem)*arrayLength(x.args[0])
	}
	for _, arg := range x.args {
		total += costOf(a, arg)
	}
	return total
}

// minHashedArray is from how many constants on the server looks them up in a
// hash table (MIN_ARRAY_SIZE_FOR_HASHED_SAOP, from 14 on).
const minHashedArray = 9

func arrayOpCost(a *analyzer, x *texpr) float64 {
	n := arrayLength(x.args[1])
	equal := x.shown == "=" && !x.not || x.not && x.shown == "<>" && a.major() >= 15
	if a.major() >= 14 && equal && x.args[1].kind == tConst && n >= minHashedArray {
		return 1 + x.fn.cost
	}
	return x.fn.cost * n * 0.5
}

// arrayLength is estimate_array_length.
func arrayLength(x *texpr) float64 {
	for x.kind == tRelabel {
		x = x.args[0]
	}
	switch x.kind {
	case tConst:
		if x.null {
			return 0
		}
		if h, err := readArray(x.val); err == nil {
			return float64(h.items)
		}
		return 0
	case tArray:
		if x.name == "" {
			return float64(len(x.args))
		}
	}
	return 10
}

func (b *Bound) columns() []int {
	if b.quals == nil {
		return b.root.columns()
	}
	var cols []int
	for _, q := range b.quals {
		for _, c := range q.columns() {
			if !slices.Contains(cols, c) {
				cols = append(cols, c)
			}
		}
	}
	slices.Sort(cols)
	return cols
}

// canError is whether some part may fail. Comparisons of the simple types and
// the logic over them cannot.
func (b *Bound) canError() bool {
	fails := false
	b.root.each(func(x *texpr) {
		switch x.kind {
		case tCall, tDistinct, tNullIf, tArrayOp, tMinMax:
			fails = fails || x.fn == nil || !neverFails(x.fn)
		case tViaIO, tArrayCast, tArray, tSubscript:
			fails = true
		}
	})
	return fails
}

// neverFails says whether a function returns for all sound values.
func neverFails(fn *proc) bool {
	_, ok := comparisons[fn.src]
	return ok && fn.leakproof
}

func (b *Bound) leakproof() bool {
	ok := true
	b.root.each(func(x *texpr) {
		switch x.kind {
		case tCall, tDistinct, tNullIf, tArrayOp, tMinMax:
			ok = ok && x.fn != nil && x.fn.leakproof
		case tViaIO, tArrayCast, tArray, tSubscript:
			ok = false
		}
	})
	return ok
}

// comparisons finds the simple parts.
func (b *Bound) comparisons() (simple []Comparison, rest bool) {
	parts := b.quals
	if parts == nil {
		parts = []*texpr{b.root}
	}
	for _, q := range parts {
		if c, ok := comparisonOf(q); ok {
			simple = append(simple, c)
		} else {
			rest = true
		}
	}
	return simple, rest
}

var mirrored = map[string]string{"=": "=", "<>": "<>", "<": ">", "<=": ">=", ">": "<", ">=": "<="}

func comparisonOf(x *texpr) (Comparison, bool) {
	if x.kind != tCall || len(x.args) != 2 {
		return Comparison{}, false
	}
	spec, ok := comparisons[x.fn.src]
	if !ok || spec.left == 0 {
		return Comparison{}, false
	}
	l, r, op := x.args[0], x.args[1], spec.op.String()
	if l.kind == tConst {
		l, r, op = r, l, mirrored[op]
	}
	if l.kind != tVar || r.kind != tConst || r.null {
		return Comparison{}, false
	}
	return Comparison{Column: l.col, Operator: op, Type: l.typ, ConstType: r.typ, Constant: r.val}, true
}
