// Package qual evaluates SQL expressions over batches with PostgreSQL's
// semantics: types, three-valued logic, results, and errors with their SQLSTATE.
//
//	Col("a").Ge(10)      Node: names and literals      (sqlfront makes them from SQL text)
//	   │  Analyze        which operator, which casts   parse_expr.c, parse_oper.c, parse_coerce.c
//	   ▼
//	Analyzed             typed tree, no constants folded
//	   │  Plan           constants folded, NOT pushed down, conjuncts ordered by cost
//	   ▼
//	Bound ──Filter(batch)──→ batch.Sel narrowed
//	      ──Eval(batch, vector)──→ a value a wanted row
//
// A Bound belongs to one goroutine; Clone makes one for another lane. In the
// steady state Filter and Eval allocate nothing for expressions over
// fixed-width columns.
//
// # Choosing operators
//
// data/*.txt list all operators, functions, casts and types of the catalogs of
// versions 13 to 18, whether or not they can be evaluated here. So the server's
// rules choose the operator the server would choose, and what cannot be
// evaluated is refused by name (*UnsupportedError) rather than replaced by
// something else. Types of extensions are refused: their operators are unknown.
// Operators that users defined over built-in types are not looked for.
//
// # Which errors are raised
//
// The server evaluates row by row, and skips what a row does not need. Here a
// batch is evaluated node by node, so that rows must be narrowed on the way:
// AND, OR, CASE and COALESCE evaluate each argument only for the rows that
// need it. When a node fails for any row, the batch is gone through again row by row
// until the row that the server would have failed at: what is before it counts,
// SQLError.Row is its number.
//
// Constants are folded when an expression is planned, as the server does, with
// their errors: 1/0 fails even over an empty table, and CASE WHEN false THEN 1/0
// END does not. The parts of a condition's AND are evaluated in the server's
// order: cheapest first (procost), equalities behind others of their cost, else
// as written. What a column is compared with is evaluated once more than needed,
// as the server's planner does for its estimates (estimate.go).
//
// # Values
//
// Values are payloads as in batch.Vector: fixed-width types by their width,
// others without their header, detoasted. Package datum prints them.
//
// # Where things are
//
// expr.go and methods.go make nodes; analyze*.go, candidates.go, coerce.go and
// generic.go resolve them; fold.go and plan.go plan; compile.go, eval.go,
// comparenode.go, logic.go and branches.go evaluate. The functions are a file a
// family (arith_int.go, numeric*.go, text*.go, like.go, regex*.go, datetime*.go,
// array*.go, jsonb*.go), each registering its functions by the name that the
// server's C function has.
package qual
