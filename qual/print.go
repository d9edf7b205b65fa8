package qual

import (
	"fmt"
	"strings"
)

// String is the expression as SQL. It is for people: operands are in
// parentheses wherever precedence could matter.
func (n *Node) String() string {
	if n == nil {
		return "<none>"
	}
	not := ""
	if n.Not {
		not = "NOT "
	}
	arg := func(i int) string { return n.Args[i].operand() }
	switch n.Kind {
	case KCol:
		return quoteIdent(n.Name)
	case KLit:
		return literalText(n.Value)
	case KUnknown:
		return quoteLiteral(n.Text)
	case KTyped:
		return quoteLiteral(n.Text) + "::" + n.To.String()
	case KParam:
		return fmt.Sprintf("$%d", n.Index)
	case KOp:
		if len(n.Args) == 1 {
			return n.Name + " " + arg(0)
		}
		return arg(0) + " " + n.Name + " " + arg(1)
	case KCast:
		return arg(0) + "::" + n.To.String()
	case KCollate:
		return arg(0) + " COLLATE " + quoteIdent(n.Name)
	case KAnd, KOr:
		return n.join(map[Kind]string{KAnd: " AND ", KOr: " OR "}[n.Kind])
	case KNot:
		return "NOT " + arg(0)
	case KNullTest:
		return arg(0) + " IS " + not + "NULL"
	case KBoolTest:
		return arg(0) + " IS " + not + n.Name
	case KDistinct:
		return arg(0) + " IS " + not + "DISTINCT FROM " + arg(1)
	}
	return n.callString(not)
}

// callString is String for the forms that look like calls, and the rest.
func (n *Node) callString(not string) string {
	arg := func(i int) string { return n.Args[i].operand() }
	switch n.Kind {
	case KBetween:
		symmetric := ""
		if n.Symmetric {
			symmetric = "SYMMETRIC "
		}
		return arg(0) + " " + not + "BETWEEN " + symmetric + arg(1) + " AND " + arg(2)
	case KIn:
		return arg(0) + " " + not + "IN (" + list(n.Args[1:]) + ")"
	case KLike:
		s := arg(0) + " " + not + n.Name + " " + arg(1)
		if len(n.Args) == 3 {
			s += " ESCAPE " + arg(2)
		}
		return s
	case KCase:
		return n.caseString()
	case KArrayOp:
		which := "ANY"
		if n.All {
			which = "ALL"
		}
		return arg(0) + " " + n.Name + " " + which + " (" + n.Args[1].String() + ")"
	case KArray:
		return "ARRAY[" + list(n.Args) + "]"
	case KSubscript:
		s := "(" + n.Args[0].String() + ")"
		for _, i := range n.Args[1:] {
			s += "[" + i.String() + "]"
		}
		return s
	}
	if n.Kind == KFunc && n.Name == "extract" && len(n.Args) == 2 {
		return "EXTRACT(" + n.Args[0].String() + " FROM " + n.Args[1].String() + ")"
	}
	name := map[Kind]string{KCoalesce: "COALESCE", KNullIf: "NULLIF", KGreatest: "GREATEST", KLeast: "LEAST", KFunc: n.Name}[n.Kind]
	return name + "(" + list(n.Args) + ")"
}

func (n *Node) caseString() string {
	args, s := n.Args, "CASE"
	if n.Operand {
		s += " " + args[0].operand()
		args = args[1:]
	}
	for ; len(args) >= 2; args = args[2:] {
		s += " WHEN " + args[0].String() + " THEN " + args[1].String()
	}
	if len(args) == 1 {
		s += " ELSE " + args[0].String()
	}
	return s + " END"
}

// operand is String, in parentheses unless it is a single word.
func (n *Node) operand() string {
	switch n.Kind {
	case KCol, KUnknown, KParam, KFunc, KCoalesce, KNullIf, KGreatest, KLeast, KArray, KCase:
		return n.String()
	case KLit:
		if s := n.String(); !strings.HasPrefix(s, "-") {
			return s
		}
	}
	return "(" + n.String() + ")"
}

func (n *Node) join(sep string) string {
	parts := make([]string, len(n.Args))
	for i, a := range n.Args {
		parts[i] = a.operand()
	}
	return strings.Join(parts, sep)
}

func list(args []Expr) string {
	parts := make([]string, len(args))
	for i, a := range args {
		parts[i] = a.String()
	}
	return strings.Join(parts, ", ")
}

// String is the type as SQL writes it.
func (t Type) String() string {
	s := t.Name
	if s == "" {
		s = fmt.Sprintf("oid %d", t.OID)
	}
	if t.Schema != "" {
		s = quoteIdent(t.Schema) + "." + s
	}
	if len(t.Mods) > 0 {
		mods := make([]string, len(t.Mods))
		for i, m := range t.Mods {
			mods[i] = fmt.Sprint(m)
		}
		s += "(" + strings.Join(mods, ",") + ")"
	}
	if t.Array {
		s += "[]"
	}
	return s
}

func literalText(v any) string {
	switch v := v.(type) {
	case nil:
		return "NULL"
	case bool:
		return strings.ToUpper(fmt.Sprint(v))
	case numberText:
		return string(v)
	case int, int8, int16, int32, int64, uint, uint8, uint16, uint32, uint64:
		return fmt.Sprint(v)
	case []byte:
		return fmt.Sprintf(`'\x%x'`, v)
	}
	return quoteLiteral(fmt.Sprint(v))
}

func quoteLiteral(s string) string {
	s = strings.ReplaceAll(s, "'", "''")
	if strings.Contains(s, `\`) {
		return " E'" + strings.ReplaceAll(s, `\`, `\\`) + "'"
	}
	return "'" + s + "'"
}

// quoteIdent quotes a name unless it is plain lower case. Key words are not
// known here: the text is for people.
func quoteIdent(s string) string {
	for i, c := range s {
		if c >= 'a' && c <= 'z' || c == '_' || i > 0 && c >= '0' && c <= '9' {
			continue
		}
		return `"` + strings.ReplaceAll(s, `"`, `""`) + `"`
	}
	if s == "" {
		return `""`
	}
	return s
}
