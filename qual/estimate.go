package qual

import (
	"errors"
	"strings"
)

// The server's planner looks at the constants that columns are compared with
// to guess how many rows there are. For that it evaluates stable functions too
// (estimate_expression_value), and an error in one ends the query, though its
// value would not be used. estimates raises these errors.
func (f *folder) estimates(x *texpr) error {
	switch x.kind {
	case tAnd, tOr, tNot, tBoolTest:
		for _, a := range x.args {
			if err := f.estimates(a); err != nil {
				return err
			}
		}
		return nil
	case tCall:
		// Of functions, those behind LIKE and ~ are estimated like the operators.
		if x.shown == "" && !strings.HasSuffix(x.fn.src, "regexeq") && !strings.HasSuffix(x.fn.src, "like") {
			return nil
		}
	case tArrayOp, tDistinct:
	default:
		return nil
	}
	if len(x.args) != 2 {
		return nil
	}
	if err := f.badPattern(x); err != nil {
		return err
	}
	for i, a := range x.args {
		// Of ANY and ALL both sides are looked at, whatever they are.
		if x.kind != tArrayOp && (a.hasColumns() || !x.args[1-i].hasColumns()) {
			continue
		}
		stable := folder{a: f.a, stable: true}
		var sql *SQLError
		if _, err := stable.fold(a); errors.As(err, &sql) {
			return err
		}
	}
	return nil
}

// oneTime evaluates the parts of a condition's AND that have no columns: the
// server does so once, before it scans.
func (f *folder) oneTime(x *texpr) (*texpr, error) {
	stable := folder{a: f.a, stable: true}
	var rest []*texpr
	for _, p := range conjunctsOf(x) {
		if p.hasColumns() {
			rest = append(rest, p)
			continue
		}
		y, err := stable.fold(p)
		if err != nil {
			return nil, err
		}
		switch {
		case y.kind != tConst:
			rest = append(rest, p)
		case y.null || y.val[0] == 0:
			return constBool(false), nil
		}
	}
	return joined(tAnd, rest), nil
}

// badPattern compiles a constant regular expression: the planner looks for its
// fixed prefix.
func (f *folder) badPattern(x *texpr) error {
	pattern := x.args[1]
	if x.kind != tCall || !strings.Contains(x.fn.src, "regex") || pattern.kind != tConst || pattern.null || !x.args[0].hasColumns() {
		return nil
	}
	ctx := &fctx{env: f.a.Env, a: f.a, x: x}
	c := compiler{a: f.a}
	if c.collate(x, ctx) != nil {
		return nil
	}
	var sql *SQLError
	if _, err := ctx.regex(pattern.val, strings.Contains(x.fn.src, "icregex")); errors.As(err, &sql) {
		return at(err, x.pos)
	}
	return nil
}

func (x *texpr) hasColumns() bool {
	if x.kind == tVar {
		return true
	}
	for _, a := range x.args {
		if a.hasColumns() {
			return true
		}
	}
	return false
}

// moved says whether a condition is an equality that the server takes for an
// equivalence of its sides: those are evaluated behind others of their cost.
func moved(x *texpr) bool {
	if x.kind != tCall || x.shown != "=" || len(x.args) != 2 {
		return false
	}
	c, ok := comparisons[x.fn.src]
	if !ok || c.op != opEq || x.fn.src == "xideq" || x.fn.src == "cideq" {
		return false
	}
	volatile := false
	x.each(func(x *texpr) { volatile = volatile || x.kind == tCall && x.fn.volatility == 'v' })
	return !volatile
}

// ordered puts the parts of a condition's AND in the order the server has them
// in before it sorts by cost. x = x becomes x IS NOT NULL.
func ordered(parts []*texpr) []*texpr {
	var first, last []*texpr
	for _, p := range parts {
		switch {
		case moved(p) && p.fn.strict && equalExpr(p.args[0], p.args[1]):
			first = append(first, &texpr{kind: tNullTest, not: true, typ: p.typ, typmod: -1, args: p.args[:1], pos: p.pos})
		case moved(p):
			last = append(last, p)
		default:
			first = append(first, p)
		}
	}
	return append(first, last...)
}
