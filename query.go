package pipescan

import "github.com/pipescan/pipescan/qual"

// Output is a column of the result that is computed.
type Output struct {
	Name string
	Expr qual.Expr
}

// Aggregate is one aggregate function over the rows, or over each group.
type Aggregate struct {
	// Name of the result's column, which Request.Project, Having and OrderBy
	// refer to with qual.Col.
	Name string
	// Func is count, sum, avg, min or max.
	Func string
	// Args are the arguments, one but for count(*).
	Args []qual.Expr
	// Star says that it is count(*); Distinct, that each value counts once.
	Star, Distinct bool
	// Filter, when set, lets the aggregate see only rows for which it is true.
	Filter qual.Expr
}

// SortKey is a key of ORDER BY. PostgreSQL's default for NullsFirst is Desc.
type SortKey struct {
	Expr             qual.Expr
	Desc, NullsFirst bool
}

// aggregates says whether the request has one row a group instead of one a row
// of the table.
func (r *Request) aggregates() bool { return len(r.GroupBy) > 0 || len(r.Aggregates) > 0 }
