package qual

import "github.com/pipescan/pipescan/catalog"

// Kind says what a Node is.
type Kind uint8

// The kinds of nodes. What Args hold is said for each.
const (
	KCol       Kind = iota // a column, by Name
	KLit                   // Value, a Go value
	KUnknown               // Text, a quoted literal whose type the context decides
	KTyped                 // Text as a literal of type To: DATE '2020-01-01'
	KParam                 // $N, N in Index (from 1)
	KOp                    // operator Name over one (prefix) or two Args
	KFunc                  // function Name over Args
	KCast                  // Args[0] cast to To
	KCollate               // Args[0] COLLATE Name
	KAnd                   // Args, two or more
	KOr                    // Args, two or more
	KNot                   // NOT Args[0]
	KNullTest              // Args[0] IS NULL; Not: IS NOT NULL
	KBoolTest              // Args[0] IS Name (TRUE, FALSE, UNKNOWN); Not: IS NOT
	KBetween               // Args[0] BETWEEN Args[1] AND Args[2]; Not; Symmetric
	KIn                    // Args[0] IN (Args[1:]); Not
	KLike                  // Args[0] LIKE Args[1] [ESCAPE Args[2]]; Name is LIKE, ILIKE or SIMILAR TO; Not
	KDistinct              // Args[0] IS DISTINCT FROM Args[1]; Not: IS NOT DISTINCT FROM
	KCase                  // Args: [condition, result]..., else if Else; operand first if Operand
	KCoalesce              // COALESCE(Args...)
	KNullIf                // NULLIF(Args[0], Args[1])
	KGreatest              // GREATEST(Args...)
	KLeast                 // LEAST(Args...)
	KArrayOp               // Args[0] operator Name ANY (Args[1]); All: ALL
	KArray                 // ARRAY[Args...]
	KSubscript             // Args[0][Args[1]][Args[2]]...
)

// Node is an expression that is not bound to columns yet: names and literals,
// as SQL text has them. Nodes are made by the functions of this package (or by
// sqlfront from SQL text), are not changed once they are in use, and may be
// shared by goroutines and by several expressions.
type Node struct {
	Kind  Kind
	Name  string // see Kind
	Text  string // of KUnknown and KTyped
	Value any    // of KLit
	Index int    // of KParam
	To    Type   // of KTyped and KCast
	Args  []Expr

	Not       bool // see Kind
	Symmetric bool // of KBetween
	All       bool // of KArrayOp
	Operand   bool // of KCase: Args[0] is compared with the conditions
	Else      bool // of KCase: the last of Args is the else branch

	// Pos is where the node stands in SQL text, a byte offset from 1 on;
	// 0 is unknown. Errors about the node carry it.
	Pos int
}

// Expr is an expression that is not bound yet; nil is none.
type Expr = *Node

// Type names a type in a cast or a typed literal, by OID or as SQL writes it.
type Type struct {
	OID    catalog.OID // 0: by Name
	Schema string      // "" or pg_catalog for built-in types
	Name   string      // "int4", "integer", "timestamp with time zone", "numeric", "text[]"
	// Mods are the numbers in parentheses after the name, (10,2). For interval:
	// the field mask and precision, as PostgreSQL's parser gives them.
	Mods []int32
	// Typmod is the finished modifier, when HasTypmod; Mods are not used then.
	Typmod    int32
	HasTypmod bool
	Array     bool // an array of the named type
}

// At returns the node with its place in SQL text set: a byte offset from 1.
// It changes n, so it is for whoever has just made it.
func (n *Node) At(pos int) Expr {
	n.Pos = pos
	return n
}

// Col is a column by its exact name; system columns are understood where the
// Scope has them.
func Col(name string) Expr { return &Node{Kind: KCol, Name: name} }

// Lit is a literal from a Go value: bool, the integer and float types,
// []byte (bytea), time.Time (timestamptz), nil (NULL), and the value types of
// package datum. int, uint and their kin are what the same digits are in SQL:
// int4 where it fits, else int8 or numeric; int16, int32 and int64 are smallint,
// integer and bigint. A string is a quoted SQL literal, so that its type
// follows from what it is compared with. An Expr is returned as it is.
func Lit(v any) Expr {
	switch v := v.(type) {
	case Expr:
		return v
	case nil:
		return Null()
	case string:
		return Unknown(v)
	}
	return &Node{Kind: KLit, Value: v}
}

// Unknown is a quoted SQL literal: its type follows from the context.
func Unknown(text string) Expr { return &Node{Kind: KUnknown, Text: text} }

// Number is a numeric constant as SQL text has it, digits with or without
// fraction and exponent: int4, int8 or numeric, the first that holds it.
func Number(digits string) Expr { return &Node{Kind: KLit, Value: numberText(digits)} }

// numberText is the text of a numeric constant.
type numberText string

// Typed is a literal of a named type: TYPE 'text'.
func Typed(to Type, text string) Expr { return &Node{Kind: KTyped, To: to, Text: text} }

// Null is NULL without a type.
func Null() Expr { return &Node{Kind: KLit} }

// Param is the parameter $n, from 1 on; the Scope has its value.
func Param(n int) Expr { return &Node{Kind: KParam, Index: n} }

// Op applies an operator to one or two operands: Op("+", a, b), Op("-", a).
func Op(name string, args ...any) Expr { return &Node{Kind: KOp, Name: name, Args: exprs(args)} }

// Func calls a function.
func Func(name string, args ...any) Expr { return &Node{Kind: KFunc, Name: name, Args: exprs(args)} }

// Cast is CAST(e AS to).
func Cast(e any, to Type) Expr { return &Node{Kind: KCast, To: to, Args: exprs([]any{e})} }

// TypeNamed is a type by its SQL name, with modifiers: TypeNamed("numeric", 10, 2).
func TypeNamed(name string, mods ...int32) Type { return Type{Name: name, Mods: mods} }

// TypeOID is a type by its OID, without a modifier.
func TypeOID(oid catalog.OID) Type { return Type{OID: oid} }

// When is one branch of a Case.
type When struct{ If, Then any }

// Case is CASE WHEN ... THEN ... ELSE otherwise END; a nil otherwise is NULL.
func Case(otherwise any, whens ...When) Expr { return caseOf(nil, otherwise, whens) }

// CaseOf is CASE operand WHEN ... THEN ... ELSE otherwise END.
func CaseOf(operand, otherwise any, whens ...When) Expr {
	return caseOf(Lit(operand), otherwise, whens)
}

func caseOf(operand Expr, otherwise any, whens []When) Expr {
	n := &Node{Kind: KCase, Operand: operand != nil}
	if operand != nil {
		n.Args = append(n.Args, operand)
	}
	for _, w := range whens {
		n.Args = append(n.Args, Lit(w.If), Lit(w.Then))
	}
	if otherwise != nil {
		n.Else = true
		n.Args = append(n.Args, Lit(otherwise))
	}
	return n
}

// Coalesce is the first of its arguments that is not NULL.
func Coalesce(args ...any) Expr { return &Node{Kind: KCoalesce, Args: exprs(args)} }

// NullIf is NULL where a = b, else a.
func NullIf(a, b any) Expr { return &Node{Kind: KNullIf, Args: exprs([]any{a, b})} }

// Greatest is the greatest of its arguments, NULLs left out.
func Greatest(args ...any) Expr { return &Node{Kind: KGreatest, Args: exprs(args)} }

// Least is the least of its arguments, NULLs left out.
func Least(args ...any) Expr { return &Node{Kind: KLeast, Args: exprs(args)} }

// AnyOp is e operator ANY (array).
func AnyOp(e any, operator string, array any) Expr {
	return &Node{Kind: KArrayOp, Name: operator, Args: exprs([]any{e, array})}
}

// AllOp is e operator ALL (array).
func AllOp(e any, operator string, array any) Expr {
	return &Node{Kind: KArrayOp, Name: operator, All: true, Args: exprs([]any{e, array})}
}

// Array is ARRAY[args...].
func Array(args ...any) Expr { return &Node{Kind: KArray, Args: exprs(args)} }

// Subscript is e[i][j]...
func Subscript(e any, indexes ...any) Expr {
	return &Node{Kind: KSubscript, Args: append(exprs([]any{e}), exprs(indexes)...)}
}

// And is all of its arguments; one argument is itself.
func And(args ...any) Expr { return logic(KAnd, args) }

// Or is any of its arguments; one argument is itself.
func Or(args ...any) Expr { return logic(KOr, args) }

func logic(k Kind, args []any) Expr {
	if len(args) == 1 {
		return Lit(args[0])
	}
	return &Node{Kind: k, Args: exprs(args)}
}

// Not is NOT e.
func Not(e any) Expr { return &Node{Kind: KNot, Args: exprs([]any{e})} }

// Collate is e COLLATE name.
func Collate(e any, name string) Expr {
	return &Node{Kind: KCollate, Name: name, Args: exprs([]any{e})}
}

func exprs(args []any) []Expr {
	out := make([]Expr, len(args))
	for i, a := range args {
		out[i] = Lit(a)
	}
	return out
}
