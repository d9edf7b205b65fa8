package sqlfront

import (
	"strings"

	"github.com/pipescan/pipescan/qual"
)

// operator translates what the grammar calls A_Expr: operators and the
// constructs that stand for operators, BETWEEN, IN, LIKE and so on.
func (t *translator) operator(n node) qual.Expr {
	kind := strings.TrimPrefix(n.str("kind"), "AEXPR_")
	e := &qual.Node{Pos: t.at(n.tree)}
	switch kind {
	case "OP":
		return t.plainOperator(n)
	case "OP_ANY", "OP_ALL":
		e.Kind, e.All = qual.KArrayOp, kind == "OP_ALL"
		e.Name = t.operatorName(n)
		e.Args = t.operands(n)
	case "DISTINCT", "NOT_DISTINCT":
		e.Kind, e.Not = qual.KDistinct, kind == "NOT_DISTINCT"
		e.Args = t.operands(n)
	case "NULLIF":
		e.Kind, e.Args = qual.KNullIf, t.operands(n)
	case "IN":
		e.Kind, e.Not = qual.KIn, t.operatorName(n) == "<>"
		e.Args = t.operands(n)
	case "BETWEEN", "NOT_BETWEEN", "BETWEEN_SYM", "NOT_BETWEEN_SYM":
		e.Kind, e.Not = qual.KBetween, strings.HasPrefix(kind, "NOT_")
		e.Symmetric = strings.HasSuffix(kind, "_SYM")
		e.Args = t.operands(n)
	case "LIKE", "ILIKE", "SIMILAR":
		return t.like(n, kind)
	default:
		return t.unsupported(e.Pos, "this kind of operator ("+kind+")", "")
	}
	return e
}

// operands are the two sides; a list on the right is as many operands.
func (t *translator) operands(n node) []qual.Expr {
	args := []qual.Expr{t.expr(n.node("lexpr"))}
	right := n.node("rexpr")
	if right.kind == "List" {
		return append(args, t.exprs(right.nodes("items"))...)
	}
	return append(args, t.expr(right))
}

// operatorName is an operator's name; only those of pg_catalog may have a
// schema.
func (t *translator) operatorName(n node) string {
	names := n.names("name")
	if len(names) > 2 || len(names) == 2 && names[0] != "pg_catalog" {
		t.unsupported(t.at(n.tree), "the operator "+strings.Join(names, "."), "only built-in operators are read")
	}
	if len(names) == 0 {
		return ""
	}
	return names[len(names)-1]
}

func (t *translator) plainOperator(n node) qual.Expr {
	e := &qual.Node{Kind: qual.KOp, Name: t.operatorName(n), Pos: t.at(n.tree)}
	if left := n.node("lexpr"); !left.none() {
		e.Args = append(e.Args, t.expr(left))
	}
	e.Args = append(e.Args, t.expr(n.node("rexpr")))
	return e
}

// like translates LIKE, ILIKE and SIMILAR TO. The grammar gives ESCAPE as a
// function around the pattern, and always has that function for SIMILAR TO.
func (t *translator) like(n node, kind string) qual.Expr {
	e := &qual.Node{Kind: qual.KLike, Name: kind, Pos: t.at(n.tree)}
	if kind == "SIMILAR" {
		e.Name = "SIMILAR TO"
	}
	e.Not = strings.HasPrefix(t.operatorName(n), "!")
	e.Args = []qual.Expr{t.expr(n.node("lexpr"))}
	pattern := n.node("rexpr")
	if name, _ := lastName(pattern.nodes("funcname")); pattern.kind == "FuncCall" && isEscape(name, pattern) {
		e.Args = append(e.Args, t.exprs(pattern.nodes("args"))...)
		return e
	}
	e.Args = append(e.Args, t.expr(pattern))
	return e
}

// isEscape says whether a call is one that the grammar put around a pattern:
// a user's own like_escape(a, b) is not in pg_catalog's name.
func isEscape(name string, call node) bool {
	return len(call.nodes("funcname")) == 2 && (name == "like_escape" || name == "similar_to_escape")
}
