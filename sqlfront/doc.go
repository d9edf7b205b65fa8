// Package sqlfront turns SQL text into expressions and scan requests. It is the
// only package that holds an SQL parser, PostgreSQL's own, so a program that
// writes its conditions in Go (qual.Col("a").Eq(0)) does not carry one.
//
//	where, err := sqlfront.Where("a = 0 AND b LIKE 'x%'")
//
//	query, err := sqlfront.Parse("SELECT b, count(*) FROM t WHERE a > 0 GROUP BY b")
//	table, request, err := query.Bind(ctx, db)
//	scan, err := table.Scan(ctx, request)
//
// # The way of a query
//
//	text ──checkText──> text of bounded length and depth
//	     ──parseJSON──> PostgreSQL's raw parse tree, as JSON     parser_cgo.go, parser_nocgo.go
//	     ──decodeTree─> tree, node                               decode.go, tree.go
//	     ──translator─> Query: qual.Nodes, aggregates set apart  select.go, expr.go, operator.go, func.go, const.go
//	     ──binder─────> pipescan.Request                         bind.go, group.go, limit.go
//	                    (needs the table's columns: what * is, and whether GROUP BY a means the column or an alias)
//
// Types, operators and functions are not looked at here: qual.Analyze does
// that when the request is planned.
//
// # What is read
//
// One SELECT over one table: a list of expressions, aliases and *; ONLY; WHERE,
// GROUP BY, HAVING, ORDER BY, LIMIT, OFFSET and FETCH FIRST; the aggregates
// count, sum, min, max and avg with DISTINCT and FILTER; EXPLAIN before it. All
// else that PostgreSQL's grammar has is an *UnsupportedError that says where it
// stands and what would do instead. What the server would refuse is a
// *qual.SQLError with the server's SQLSTATE and message. Caret shows the place
// of either.
//
// # The parser
//
// The grammar is PostgreSQL 17's, whatever the version of the data. With cgo the
// parser is C code (libpg_query); without, the same code as a WebAssembly
// module, which is loaded with the first text and kept compiled in a cache
// directory (see SetCacheDir). Either costs nothing before there is a text.
// Neither bounds its own recursion in all cases, so texts that would nest too
// deeply are refused first, see depthOf.
package sqlfront
