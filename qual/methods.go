package qual

// The methods write SQL's operators in Go: Col("a").Ge(10).And(Col("b").IsNull()).
// Operands that are not Exprs become literals (see Lit).

// Eq is n = v.
func (n *Node) Eq(v any) Expr { return Op("=", n, v) }

// Ne is n <> v.
func (n *Node) Ne(v any) Expr { return Op("<>", n, v) }

// Lt is n < v.
func (n *Node) Lt(v any) Expr { return Op("<", n, v) }

// Le is n <= v.
func (n *Node) Le(v any) Expr { return Op("<=", n, v) }

// Gt is n > v.
func (n *Node) Gt(v any) Expr { return Op(">", n, v) }

// Ge is n >= v.
func (n *Node) Ge(v any) Expr { return Op(">=", n, v) }

// And is n AND all of the others.
func (n *Node) And(others ...any) Expr { return And(append([]any{n}, others...)...) }

// Or is n OR any of the others.
func (n *Node) Or(others ...any) Expr { return Or(append([]any{n}, others...)...) }

// IsNull is n IS NULL.
func (n *Node) IsNull() Expr { return &Node{Kind: KNullTest, Args: []Expr{n}} }

// IsNotNull is n IS NOT NULL.
func (n *Node) IsNotNull() Expr { return &Node{Kind: KNullTest, Not: true, Args: []Expr{n}} }

// IsTrue is n IS TRUE.
func (n *Node) IsTrue() Expr { return BoolTest(n, "TRUE", false) }

// IsFalse is n IS FALSE.
func (n *Node) IsFalse() Expr { return BoolTest(n, "FALSE", false) }

// IsUnknown is n IS UNKNOWN.
func (n *Node) IsUnknown() Expr { return BoolTest(n, "UNKNOWN", false) }

// BoolTest is e IS [NOT] TRUE, FALSE or UNKNOWN, as what says.
func BoolTest(e any, what string, not bool) Expr {
	return &Node{Kind: KBoolTest, Name: what, Not: not, Args: exprs([]any{e})}
}

// Between is n BETWEEN low AND high.
func (n *Node) Between(low, high any) Expr {
	return &Node{Kind: KBetween, Args: exprs([]any{n, low, high})}
}

// BetweenSymmetric is n BETWEEN SYMMETRIC a AND b.
func (n *Node) BetweenSymmetric(a, b any) Expr {
	return &Node{Kind: KBetween, Symmetric: true, Args: exprs([]any{n, a, b})}
}

// In is n IN (values...).
func (n *Node) In(values ...any) Expr {
	return &Node{Kind: KIn, Args: append([]Expr{n}, exprs(values)...)}
}

// NotIn is n NOT IN (values...).
func (n *Node) NotIn(values ...any) Expr {
	return &Node{Kind: KIn, Not: true, Args: append([]Expr{n}, exprs(values)...)}
}

// Like is n LIKE pattern, with an optional ESCAPE.
func (n *Node) Like(pattern any, escape ...any) Expr { return n.like("LIKE", pattern, escape) }

// ILike is n ILIKE pattern, with an optional ESCAPE.
func (n *Node) ILike(pattern any, escape ...any) Expr { return n.like("ILIKE", pattern, escape) }

// SimilarTo is n SIMILAR TO pattern, with an optional ESCAPE.
func (n *Node) SimilarTo(pattern any, escape ...any) Expr {
	return n.like("SIMILAR TO", pattern, escape)
}

func (n *Node) like(name string, pattern any, escape []any) Expr {
	return &Node{Kind: KLike, Name: name, Args: append(exprs([]any{n, pattern}), exprs(escape)...)}
}

// Matches is the POSIX match n ~ pattern.
func (n *Node) Matches(pattern any) Expr { return Op("~", n, pattern) }

// IsDistinctFrom is n IS DISTINCT FROM v.
func (n *Node) IsDistinctFrom(v any) Expr {
	return &Node{Kind: KDistinct, Args: exprs([]any{n, v})}
}

// IsNotDistinctFrom is n IS NOT DISTINCT FROM v.
func (n *Node) IsNotDistinctFrom(v any) Expr {
	return &Node{Kind: KDistinct, Not: true, Args: exprs([]any{n, v})}
}

// Add is n + v.
func (n *Node) Add(v any) Expr { return Op("+", n, v) }

// Sub is n - v.
func (n *Node) Sub(v any) Expr { return Op("-", n, v) }

// Mul is n * v.
func (n *Node) Mul(v any) Expr { return Op("*", n, v) }

// Div is n / v.
func (n *Node) Div(v any) Expr { return Op("/", n, v) }

// Mod is n % v.
func (n *Node) Mod(v any) Expr { return Op("%", n, v) }

// Concat is n || v.
func (n *Node) Concat(v any) Expr { return Op("||", n, v) }

// Cast is CAST(n AS type), by the type's SQL name.
func (n *Node) Cast(name string, mods ...int32) Expr { return Cast(n, TypeNamed(name, mods...)) }

// Walk calls f for n and everything under it, n first; where f returns false,
// what is under the node is left out.
func (n *Node) Walk(f func(Expr) bool) {
	if n == nil || !f(n) {
		return
	}
	for _, a := range n.Args {
		a.Walk(f)
	}
}

// Columns are the names of the columns n refers to, each once, in the order
// they first appear.
func (n *Node) Columns() []string {
	var names []string
	seen := map[string]bool{}
	n.Walk(func(e Expr) bool {
		if e.Kind == KCol && !seen[e.Name] {
			seen[e.Name] = true
			names = append(names, e.Name)
		}
		return true
	})
	return names
}
