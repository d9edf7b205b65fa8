package sqlfront

import (
	"strings"

	"github.com/pipescan/pipescan/qual"
)

// expr translates an expression.
func (t *translator) expr(n node) qual.Expr {
	if t.err != nil {
		return qual.Null()
	}
	switch n.kind {
	case "A_Const":
		return t.constant(n)
	case "ColumnRef":
		return t.column(n)
	case "A_Expr":
		return t.operator(n)
	case "BoolExpr":
		return t.logic(n)
	case "FuncCall":
		return t.call(n)
	case "TypeCast":
		return t.cast(n)
	case "CaseExpr":
		return t.caseExpr(n)
	}
	return t.construct(n)
}

// construct translates the rarer kinds.
func (t *translator) construct(n node) qual.Expr {
	e := &qual.Node{Pos: t.at(n.tree)}
	switch n.kind {
	case "NullTest":
		e.Kind, e.Args = qual.KNullTest, []qual.Expr{t.expr(n.node("arg"))}
		e.Not = n.str("nulltesttype") == "IS_NOT_NULL"
	case "BooleanTest":
		return t.booleanTest(n)
	case "CoalesceExpr":
		e.Kind, e.Args = qual.KCoalesce, t.exprs(n.nodes("args"))
	case "MinMaxExpr":
		e.Kind, e.Args = qual.KGreatest, t.exprs(n.nodes("args"))
		if n.str("op") == "IS_LEAST" {
			e.Kind = qual.KLeast
		}
	case "A_ArrayExpr":
		e.Kind, e.Args = qual.KArray, t.exprs(n.nodes("elements"))
	case "CollateClause":
		return t.collate(n)
	case "A_Indirection":
		return t.subscript(n)
	case "ParamRef":
		e.Kind, e.Index = qual.KParam, n.num("number")
	default:
		return t.refuseExpr(n)
	}
	return e
}

// refuseExpr names what is unsupported.
func (t *translator) refuseExpr(n node) qual.Expr {
	pos := t.at(n.tree)
	switch n.kind {
	case "SubLink":
		return t.unsupported(pos, "a subquery", "run it by itself and write its values here: IN (1, 2, 3)")
	case "RowExpr":
		return t.unsupported(pos, "a row of values", "write the comparison of each column: a = 1 AND b = 2")
	case "SQLValueFunction":
		what := strings.TrimPrefix(n.str("op"), "SVFOP_")
		return t.unsupported(pos, what, "write the value: there is no session and no clock that the server would agree with")
	case "GroupingFunc":
		return t.unsupported(pos, "GROUPING", "")
	case "SetToDefault":
		return t.fail(sqlErrorf("42601", pos, "DEFAULT is not allowed in this context"))
	case "CurrentOfExpr":
		return t.unsupported(pos, "CURRENT OF", "there are no cursors")
	case "XmlExpr", "XmlSerialize":
		return t.unsupported(pos, "an XML expression", "")
	}
	if strings.HasPrefix(n.kind, "Json") {
		return t.unsupported(pos, "an SQL/JSON constructor or query", "use -> and ->>")
	}
	return t.unsupported(pos, "this kind of expression ("+n.kind+")", "")
}

func (t *translator) exprs(list []node) []qual.Expr {
	out := make([]qual.Expr, len(list))
	for i, n := range list {
		out[i] = t.expr(n)
	}
	return out
}

// column translates a column's name, with or without the table's.
func (t *translator) column(n node) qual.Expr {
	pos := t.at(n.tree)
	if isStar(n) {
		return t.fail(sqlErrorf("42601", pos, "row expansion via \"*\" is not supported here"))
	}
	names := n.names("fields")
	t.qualifier(names[:len(names)-1], pos)
	return qual.Col(names[len(names)-1]).At(pos)
}

// starQualifier checks t of t.*.
func (t *translator) starQualifier(n node) {
	names := n.names("fields")
	t.qualifier(names[:len(names)-1], t.at(n.tree))
}

// qualifier checks the names before a column's: they have to be the table's.
func (t *translator) qualifier(names []string, pos int) {
	if len(names) == 0 {
		return
	}
	table := names[len(names)-1]
	if t.q == nil {
		t.unsupported(pos, "a table's name in a condition", "write the column alone")
		return
	}
	q := t.q
	switch {
	case len(names) > 3:
		t.fail(sqlErrorf("42601", pos, "improper qualified name (too many dotted names): %s", strings.Join(names, ".")))
	case len(names) == 1 && table == q.Alias:
	case len(names) == 2 && !q.aliased && table == q.relname && (q.schema == names[0] || q.schema == "" && names[0] == "public"):
	case q.aliased && table == q.relname:
		t.fail(&qual.SQLError{
			Code: "42P01", Message: "invalid reference to FROM-clause entry for table \"" + table + "\"", Row: -1, Pos: pos,
			Hint: "Perhaps you meant to reference the table alias \"" + q.Alias + "\".",
		})
	default:
		t.fail(sqlErrorf("42P01", pos, "missing FROM-clause entry for table %q", table))
	}
}

// logic translates AND, OR and NOT.
func (t *translator) logic(n node) qual.Expr {
	kinds := map[string]qual.Kind{"AND_EXPR": qual.KAnd, "OR_EXPR": qual.KOr, "NOT_EXPR": qual.KNot}
	return &qual.Node{Kind: kinds[n.str("boolop")], Args: t.exprs(n.nodes("args")), Pos: t.at(n.tree)}
}

// booleanTest translates IS TRUE and its kin: IS_NOT_UNKNOWN.
func (t *translator) booleanTest(n node) qual.Expr {
	what, not := strings.CutPrefix(strings.TrimPrefix(n.str("booltesttype"), "IS_"), "NOT_")
	return qual.BoolTest(t.expr(n.node("arg")), what, not).At(t.at(n.tree))
}

func (t *translator) collate(n node) qual.Expr {
	names := n.names("collname")
	if len(names) == 2 && names[0] != "pg_catalog" {
		return t.unsupported(t.at(n.tree), "a collation by its schema", "write its name alone")
	}
	return qual.Collate(t.expr(n.node("arg")), names[len(names)-1]).At(t.at(n.tree))
}

// subscript translates a[1][2]. Fields of composite values are not read.
func (t *translator) subscript(n node) qual.Expr {
	arg := n.node("arg")
	e := &qual.Node{Kind: qual.KSubscript, Args: []qual.Expr{t.expr(arg)}}
	e.Pos = e.Args[0].Pos
	for _, index := range n.nodes("indirection") {
		switch {
		case index.kind == "String":
			return t.unsupported(e.Pos, "a field of a composite value", "select the whole value")
		case index.kind != "A_Indices":
			return t.unsupported(e.Pos, "the expansion of a composite value", "select the whole value")
		case index.flag("is_slice"):
			return t.unsupported(e.Pos, "a slice of an array", "write ARRAY[a[1], a[2]]")
		}
		e.Args = append(e.Args, t.expr(index.node("uidx")))
	}
	return e
}

// caseExpr translates both forms of CASE.
func (t *translator) caseExpr(n node) qual.Expr {
	e := &qual.Node{Kind: qual.KCase, Pos: t.at(n.tree)}
	if arg := n.node("arg"); !arg.none() {
		e.Operand, e.Args = true, append(e.Args, t.expr(arg))
	}
	for _, when := range n.nodes("args") {
		e.Args = append(e.Args, t.expr(when.node("expr")), t.expr(when.node("result")))
	}
	if otherwise := n.node("defresult"); !otherwise.none() {
		e.Else, e.Args = true, append(e.Args, t.expr(otherwise))
	}
	return e
}
