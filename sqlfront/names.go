package sqlfront

// outputName is the name of an output column without an alias, by PostgreSQL's
// rule (FigureColname in parse_target.c): that of a column, function or
// construct, else that of a cast's type, else ?column?.
func outputName(n node) string {
	if name, strength := figureName(n); strength > 0 {
		return name
	}
	return "?column?"
}

// figureName gives the name of an expression and how good it is: 2 for a
// column, a function, or a construct named like one; 1 for the name of a type
// or a CASE, which an inner name of strength 2 replaces; 0 for none.
func figureName(n node) (string, int) {
	switch n.kind {
	case "ColumnRef":
		return lastName(n.nodes("fields"))
	case "FuncCall":
		return lastName(n.nodes("funcname"))
	case "A_Indirection":
		if name, strength := lastName(n.nodes("indirection")); strength > 0 {
			return name, strength
		}
		return figureName(n.node("arg"))
	case "A_Expr":
		if n.str("kind") == "AEXPR_NULLIF" {
			return "nullif", 2
		}
	case "TypeCast":
		name, strength := figureName(n.node("arg"))
		if strength <= 1 {
			if name, ok := lastName(n.sub("typeName").nodes("names")); ok > 0 {
				return name, 1
			}
		}
		return name, strength
	case "CollateClause":
		return figureName(n.node("arg"))
	case "CaseExpr":
		if name, strength := figureName(n.node("defresult")); strength > 1 {
			return name, strength
		}
		return "case", 1
	}
	return constructName(n)
}

// lastName is the last of a list of names, with strength 2; a star or a
// subscript is none.
func lastName(list []node) (string, int) {
	for i := len(list) - 1; i >= 0; i-- {
		if list[i].kind == "String" {
			return list[i].str("sval"), 2
		}
	}
	return "", 0
}

// constructName is the name of what the grammar has words of its own for.
func constructName(n node) (string, int) {
	switch n.kind {
	case "A_ArrayExpr":
		return "array", 2
	case "RowExpr":
		return "row", 2
	case "CoalesceExpr":
		return "coalesce", 2
	case "GroupingFunc":
		return "grouping", 2
	case "MinMaxExpr":
		if n.str("op") == "IS_LEAST" {
			return "least", 2
		}
		return "greatest", 2
	}
	return "", 0
}
