package qual

import (
	"bytes"
	"slices"

	"github.com/pipescan/pipescan/catalog"
)

// canonical is canonicalize_qual (optimizer/prep/prepqual.c) of a simplified
// condition: NULL counts as false in it, and what all arguments of an OR have
// in common is taken out.
func canonical(x *texpr) *texpr {
	switch x.kind {
	case tOr:
		var args []*texpr
		for _, arg := range x.args {
			y := canonical(arg)
			switch {
			case y.kind == tConst && !y.null && y.val[0] != 0:
				return constBool(true)
			case y.kind == tConst:
			case y.kind == tOr:
				args = append(args, y.args...)
			default:
				args = append(args, y)
			}
		}
		return commonFactors(x, args)
	case tAnd:
		var args []*texpr
		for _, arg := range x.args {
			y := canonical(arg)
			switch {
			case y.kind == tConst && (y.null || y.val[0] == 0):
				return constBool(false)
			case y.kind == tConst:
			case y.kind == tAnd:
				args = append(args, y.args...)
			default:
				args = append(args, y)
			}
		}
		return joined(tAnd, args)
	}
	return x
}

// joined is AND or OR of conditions.
func joined(kind tkind, args []*texpr) *texpr {
	switch len(args) {
	case 0:
		return constBool(kind == tAnd)
	case 1:
		return args[0]
	}
	return &texpr{kind: kind, typ: catalog.BoolOID, typmod: -1, args: args}
}

// conjunctsOf are the arguments of an AND, or the condition itself.
func conjunctsOf(x *texpr) []*texpr {
	if x.kind == tAnd {
		return x.args
	}
	return []*texpr{x}
}

// commonFactors is process_duplicate_ors: (a AND b) OR (a AND c) becomes a AND
// (b OR c).
func commonFactors(x *texpr, args []*texpr) *texpr {
	if len(args) < 2 {
		return joined(tOr, args)
	}
	shortest := conjunctsOf(args[0])
	for _, arg := range args {
		if c := conjunctsOf(arg); len(c) < len(shortest) {
			shortest = c
		}
	}
	var common []*texpr
	for _, c := range shortest {
		if containsExpr(common, c) {
			continue
		}
		if !slices.ContainsFunc(args, func(arg *texpr) bool { return !containsExpr(conjunctsOf(arg), c) }) {
			common = append(common, c)
		}
	}
	if len(common) == 0 {
		return x.with(args)
	}
	var rest []*texpr
	for _, arg := range args {
		var left []*texpr
		for _, c := range conjunctsOf(arg) {
			if !containsExpr(common, c) {
				left = append(left, c)
			}
		}
		if len(left) == 0 {
			rest = nil // x OR (x AND y) is x
			break
		}
		rest = append(rest, joined(tAnd, left))
	}
	if len(rest) > 0 {
		common = append(common, joined(tOr, rest))
	}
	return joined(tAnd, common)
}

func containsExpr(in []*texpr, x *texpr) bool {
	return slices.ContainsFunc(in, func(y *texpr) bool { return equalExpr(x, y) })
}

// equalExpr says whether two expressions are written alike.
func equalExpr(x, y *texpr) bool {
	if x == y {
		return true
	}
	if x.kind != y.kind || x.typ != y.typ || x.typmod != y.typmod || x.coll != y.coll || x.inColl != y.inColl ||
		x.fn != y.fn || x.name != y.name && x.kind != tVar || x.not != y.not || x.null != y.null || x.col != y.col ||
		!bytes.Equal(x.val, y.val) || (x.elem == nil) != (y.elem == nil) || len(x.args) != len(y.args) {
		return false
	}
	if x.elem != nil && !equalExpr(x.elem, y.elem) {
		return false
	}
	for i := range x.args {
		if !equalExpr(x.args[i], y.args[i]) {
			return false
		}
	}
	return true
}
