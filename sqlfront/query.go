package sqlfront

import (
	"errors"

	"github.com/pipescan/pipescan/qual"
)

// A Query is a SELECT over one table that has been read, but not yet compared
// with the table. It is not changed after Parse and may be shared.
type Query struct {
	// Table is the table's name as DB.Table takes it, quoted as needed.
	Table string
	// Only says that the query asked for ONLY the table, without its children.
	Only bool
	// Alias is the name that the query gives the table, by default its own.
	Alias string
	// Explain is what stood before the SELECT; nil is nothing.
	Explain *Explain

	relname string // the table, without its schema
	schema  string // as written, or ""
	aliased bool

	targets []target
	where   qual.Expr
	groups  []item
	having  qual.Expr
	orders  []order
	limit   qual.Expr
	offset  qual.Expr
	aggs    []aggregate
	refs    map[qual.Expr]bool // nodes that stand for an aggregate's result
}

// Explain is EXPLAIN's options.
type Explain struct {
	Analyze bool
	IO      bool
	JSON    bool // FORMAT JSON
}

// A target is one entry of the select list.
type target struct {
	name string    // of the output column
	expr qual.Expr // nil: *, all columns
	pos  int
}

// An item is an entry of GROUP BY or ORDER BY. PostgreSQL reads a lone integer
// as the number of a target, a lone name maybe as a target's name, and anything
// else as an expression.
type item struct {
	expr     qual.Expr
	name     string // a lone name, "" for others
	constant bool   // a lone constant
	ordinal  int    // of a constant that is an integer
	integer  bool
	pos      int
}

// An order is an entry of ORDER BY.
type order struct {
	item
	desc, nullsFirst bool
}

// An aggregate is a call of an aggregate function. Where it stood, the
// expression has a column of its name (aggregateColumn of its index), a node
// that Query.refs knows by its address.
type aggregate struct {
	fn           string
	args         []qual.Expr
	star, unique bool
	filter       qual.Expr
}

// Where reads a condition, such as stands behind WHERE. Columns are named
// without the table. Errors: *qual.SQLError, with the place, for text that is
// no condition; *UnsupportedError.
func Where(text string) (qual.Expr, error) {
	const before = "SELECT WHERE "
	top, err := parse(before + text)
	if err != nil {
		return nil, shift(err, len(before))
	}
	stmts := top.trees("stmts")
	if len(stmts) != 1 {
		return nil, sqlErrorf("42601", 0, "a condition is one expression, not several statements")
	}
	sel := stmts[0].node("stmt")
	for _, f := range sel.tree {
		switch {
		case f.name == "whereClause", f.name == "limitOption", f.name == "op" && f.value == "SETOP_NONE":
		default:
			return nil, sqlErrorf("42601", 0, "a condition is one expression, without clauses after it")
		}
	}
	t := &translator{shift: len(before), context: "WHERE"}
	e := t.expr(sel.node("whereClause"))
	if t.err != nil {
		return nil, t.err
	}
	return e, nil
}

// shift takes a text put before the user's out of an error's place.
func shift(err error, n int) error {
	var sql *qual.SQLError
	if errors.As(err, &sql) && sql.Pos > 0 {
		sql.Pos = max(sql.Pos-n, 1)
	}
	return err
}

// Parse reads a query: one SELECT, maybe behind EXPLAIN, maybe with a semicolon
// at the end. Errors: *qual.SQLError, with the place, for text that the server
// would refuse too; *UnsupportedError.
func Parse(text string) (*Query, error) {
	top, err := parse(text)
	if err != nil {
		return nil, err
	}
	stmts := top.trees("stmts")
	switch len(stmts) {
	case 0:
		return nil, sqlErrorf("42601", 0, "there is no query in the text")
	case 1:
	default:
		return nil, &UnsupportedError{What: "more than one statement", Instead: "give one query at a time", Pos: firstWord(text, stmts[1].num("stmt_location"))}
	}
	q := &Query{refs: map[qual.Expr]bool{}}
	t := &translator{q: q}
	t.statement(stmts[0].node("stmt"), firstWord(text, stmts[0].num("stmt_location")))
	if t.err != nil {
		return nil, t.err
	}
	return q, nil
}

// firstWord is the place of the first token from an offset on: where the
// parser says a statement begins, spaces and comments may come first.
func firstWord(text string, offset int) int {
	l := lexer{text: text[min(offset, len(text)):]}
	l.skipSpace()
	return len(text) - len(l.text) + 1
}
