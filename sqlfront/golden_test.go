package sqlfront

import (
	"cmp"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"github.com/pipescan/pipescan"
	"github.com/pipescan/pipescan/datum"
	"github.com/pipescan/pipescan/qual"
)

// TestTexts reads testdata/texts: each text beside what is made of it.
//
//	where                                    a condition
//	query [columns=(a,b)] [primary=(a)] [virtual=(v)] [children]
//	                                         a query, over a table of these columns
func TestTexts(t *testing.T) {
	datadriven.Walk(t, "testdata/texts", func(t *testing.T, path string) {
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			switch d.Cmd {
			case "where":
				e, err := Where(d.Input)
				return shown(d.Input, err, func() string { return e.String() + "\n" })
			case "query":
				return queryGolden(t, d)
			}
			d.Fatalf(t, "unknown command %q", d.Cmd)
			return ""
		})
	})
}

// queryGolden shows the request of a query.
func queryGolden(t *testing.T, d *datadriven.TestData) string {
	rel := &relation{columns: []string{"a", "b", "c"}, alone: true, env: &datum.Env{Major: 18}}
	for _, arg := range d.CmdArgs {
		switch arg.Key {
		case "columns":
			rel.columns = arg.Vals
		case "primary":
			rel.primary = arg.Vals
		case "virtual":
			rel.virtual = arg.Vals
		case "children":
			rel.alone = false
		default:
			d.Fatalf(t, "unknown argument %q", arg.Key)
		}
	}
	q, err := Parse(d.Input)
	if err != nil {
		return shown(d.Input, err, nil)
	}
	b := q.bind(rel)
	return shown(d.Input, cmp.Or(b.err, b.ungroupedErr), func() string { return describe(q, &b.r) })
}

// shown is an error with its place, or what f gives.
func shown(text string, err error, f func() string) string {
	if err == nil {
		return f()
	}
	code := "unsupported"
	var sql *qual.SQLError
	if errors.As(err, &sql) {
		code = "error"
	}
	s := fmt.Sprintf("%s: %v\n", code, err)
	if c := Caret(text, err); c != "" {
		s += c + "\n"
	}
	return s
}

// describe lists what of a request is set.
func describe(q *Query, r *pipescan.Request) string {
	var b strings.Builder
	line := func(name, format string, args ...any) {
		fmt.Fprintf(&b, "%s: %s\n", name, fmt.Sprintf(format, args...))
	}
	line("table", "%s", q.Table)
	if q.Explain != nil {
		line("explain", "%+v", *q.Explain)
	}
	if !r.Descend {
		line("only", "true")
	}
	if r.Columns != nil {
		line("columns", "%s", strings.Join(r.Columns, ", "))
	}
	for _, o := range r.Project {
		line("output "+o.Name, "%v", o.Expr)
	}
	if r.Where != nil {
		line("where", "%v", r.Where)
	}
	for _, o := range r.GroupBy {
		line("key "+o.Name, "%v", o.Expr)
	}
	for _, a := range r.Aggregates {
		line("aggregate "+a.Name, "%s %v star=%t distinct=%t filter=%v", a.Func, a.Args, a.Star, a.Distinct, a.Filter)
	}
	if r.Having != nil {
		line("having", "%v", r.Having)
	}
	for _, k := range r.OrderBy {
		line("order", "%v desc=%t nullsfirst=%t", k.Expr, k.Desc, k.NullsFirst)
	}
	if r.Order != pipescan.OrderForward {
		line("scan order", "%d", r.Order)
	}
	if r.Limit != nil {
		line("limit", "%d", *r.Limit)
	}
	if r.Offset != 0 {
		line("offset", "%d", r.Offset)
	}
	return b.String()
}
