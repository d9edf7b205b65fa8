package tests

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// A querySource generates SQL text. Everything follows from its random source.
type querySource struct {
	r     *rand.Rand
	major int

	distinct bool // aggregates may have DISTINCT
	sorted   bool // the server may sort the rows of the query, see groupsQuery
}

// pick is one of several texts.
func (s *querySource) pick(of ...string) string { return of[s.r.IntN(len(of))] }

// chance is true once in n times.
func (s *querySource) chance(n int) bool { return s.r.IntN(n) == 0 }

// kinds are the kinds of values that expressions have; number is what an aggregate can sum without rounding.
var kinds = []string{"int", "num", "float", "text", "bool", "date", "ts", "tz", "iv", "ia", "json", "uuid", "wild"}

// expr is an expression of a kind, nested at most depth deep.
func (s *querySource) expr(kind string, depth int) string {
	if depth <= 0 || s.chance(4) {
		return s.leaf(kind)
	}
	if s.chance(8) {
		return s.branch(kind, depth)
	}
	e := func(kind string) string { return s.expr(kind, depth-1) }
	switch kind {
	case "int":
		return s.intExpr(e)
	case "num":
		return s.numExpr(e)
	case "float":
		return s.floatExpr(e)
	case "text":
		return s.textExpr(e)
	case "bool":
		return s.boolExpr(depth)
	}
	return s.timeExpr(kind, e)
}

// leaf is a column or a literal.
func (s *querySource) leaf(kind string) string {
	switch kind {
	case "int":
		return s.pick("i2", "i4", "i4", "i8", "0", "1", "2", "-3", "10", "cardinality(ia)")
	case "num":
		return s.pick("n", "n", "i4", "1.5", "0.25", "-2.0", "'3.50'::numeric", "7::numeric(6,2)")
	case "float":
		return s.pick("f8", "f8", "0.5::float8", "'-1.25'::float8", "i2::float8")
	case "text":
		return s.pick("t", "t", "v", "c", "'a'", "'abc'", "'12'", "''", "i4::text", "j->>'a'")
	case "bool":
		return s.pick("b", "b", "true", "false", "i4 > 1", "t IS NULL", "n < 2", "t = 'a'", "i2 = 1", "d > '2000-01-01'")
	case "date":
		return s.pick("d", "d", "'2010-05-06'::date", "date '2000-01-01'")
	case "ts":
		return s.pick("ts", "ts", "d::timestamp", "timestamp '2005-06-07 08:09:10.5'")
	case "tz":
		return s.pick("tz", "tz", "'2011-12-13 14:15:16+00'::timestamptz")
	case "iv":
		return s.pick("iv", "iv", "interval '1 day'", "'2 hours'::interval", "interval '3 months'")
	case "ia":
		return s.pick("ia", "ia", "'{1,2}'::int[]", "ARRAY[i4, 2]")
	case "json":
		return s.pick("j", "j", "j->'b'", `'{"a": 1}'::jsonb`)
	case "uuid":
		return s.pick("u", "'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'::uuid")
	}
	return s.pick("x4", "x8", "xf", "xn")
}

// branch is a construct that any kind may have.
func (s *querySource) branch(kind string, depth int) string {
	e := func() string { return s.expr(kind, depth-1) }
	cond := func() string { return s.expr("bool", depth-1) }
	switch s.r.IntN(5) {
	case 0:
		return fmt.Sprintf("CASE WHEN %s THEN %s ELSE %s END", cond(), e(), e())
	case 1:
		return fmt.Sprintf("CASE WHEN %s THEN %s WHEN %s THEN %s END", cond(), e(), cond(), e())
	case 2:
		return fmt.Sprintf("COALESCE(%s, %s)", e(), e())
	case 3:
		if kind == "json" || kind == "wild" {
			return e()
		}
		return fmt.Sprintf("NULLIF(%s, %s)", e(), s.leaf(kind))
	}
	if kind == "json" || kind == "ia" || kind == "wild" {
		return e()
	}
	return fmt.Sprintf("%s(%s, %s)", s.pick("GREATEST", "LEAST"), e(), e())
}

func (s *querySource) intExpr(e func(string) string) string {
	switch s.r.IntN(11) {
	case 0, 1:
		return fmt.Sprintf("(%s %s %s)", e("int"), s.pick("+", "-"), e("int"))
	case 2:
		return fmt.Sprintf("(%s * %s)", e("int"), s.pick("2", "3", "-1", "i2"))
	case 3:
		return fmt.Sprintf("(%s %s %s)", e("int"), s.pick("%", "/"), s.pick("2", "3", "-7", "10", "7", "3", "5", "NULLIF(i4, 0)"))
	case 4:
		return fmt.Sprintf("%s(%s)", s.pick("abs", "-", "+", "~"), e("int"))
	case 5:
		return fmt.Sprintf("%s(%s)", s.pick("length", "char_length", "octet_length"), e("text"))
	case 6:
		return fmt.Sprintf("(%s %s %s)", e("int"), s.pick("&", "|", "#"), e("int"))
	case 7:
		return fmt.Sprintf("(%s - %s)", e("date"), e("date"))
	case 8:
		return fmt.Sprintf("position(%s in %s)", s.pick("'a'", "'b'", "''"), e("text"))
	case 9:
		return fmt.Sprintf("(%s)[%s]", e("ia"), s.pick("1", "2", "0", "i2"))
	}
	if s.chance(6) {
		return fmt.Sprintf("(%s / %s)", e("int"), e("int")) // may divide by zero
	}
	if s.chance(6) {
		// Of a column: the server's planner may compute constants to guess how many rows there will be.
		return s.pick("t", "v", "c", "left(t, 2)", "(j->>'a')") + "::int"
	}
	return fmt.Sprintf("round(%s)::int", s.leaf("float"))
}

func (s *querySource) numExpr(e func(string) string) string {
	switch s.r.IntN(6) {
	case 0, 1:
		return fmt.Sprintf("(%s %s %s)", e("num"), s.pick("+", "-", "*"), e("num"))
	case 2:
		return fmt.Sprintf("(%s / %s)", e("num"), s.pick("3.0", "7", "0.001", "NULLIF(n, 0)", "11.25"))
	case 3:
		return fmt.Sprintf("round((%s)::numeric, %s)", e("num"), s.pick("0", "1", "2", "-1"))
	case 4:
		return fmt.Sprintf("%s(%s)", s.pick("abs", "floor", "ceil", "trunc", "sign", "-"), e("num"))
	}
	return fmt.Sprintf("extract(%s from %s)", s.pick("year", "month", "day", "hour", "dow", "doy", "epoch", "second"), s.leaf(s.pick("ts", "tz")))
}

func (s *querySource) floatExpr(e func(string) string) string {
	switch s.r.IntN(4) {
	case 0, 1:
		return fmt.Sprintf("(%s %s %s)", e("float"), s.pick("+", "-"), e("float"))
	case 2:
		return fmt.Sprintf("(%s * %s)", e("float"), s.pick("2", "0.5", "-1"))
	}
	return fmt.Sprintf("%s(%s)", s.pick("abs", "floor", "ceil", "round", "trunc", "-"), e("float"))
}

func (s *querySource) textExpr(e func(string) string) string {
	switch s.r.IntN(8) {
	case 0, 1:
		return fmt.Sprintf("(%s || %s)", e("text"), e("text"))
	case 2:
		return fmt.Sprintf("%s((%s)::text)", s.pick("upper", "lower", "btrim", "ltrim", "rtrim"), e("text"))
	case 3:
		return fmt.Sprintf("substring(%s from %s for %s)", e("text"), s.pick("1", "2", "0"), s.pick("1", "3", "100"))
	case 4:
		return fmt.Sprintf("%s(%s, %s)", s.pick("left", "right"), e("text"), s.pick("1", "2", "-1", "i2"))
	case 5:
		return fmt.Sprintf("replace(%s, %s, %s)", e("text"), s.pick("'a'", "'b'"), s.pick("''", "'xy'"))
	case 6:
		return "(" + e(s.pick("int", "bool", "date", "num", "ia")) + ")::text"
	}
	return fmt.Sprintf("concat(%s, %s)", e("text"), e("int"))
}

func (s *querySource) timeExpr(kind string, e func(string) string) string {
	switch kind {
	case "date":
		return s.pick(fmt.Sprintf("(%s %s %s)", e("date"), s.pick("+", "-"), s.pick("1", "30", "-365", "i2::int")), e("ts")+"::date")
	case "ts":
		return s.pick(
			fmt.Sprintf("(%s %s %s)", e("ts"), s.pick("+", "-"), e("iv")),
			fmt.Sprintf("date_trunc('%s', %s)", s.pick("year", "month", "day", "hour", "minute", "week", "quarter"), e("ts")),
			fmt.Sprintf("(%s + %s)", e("date"), e("iv")))
	case "tz":
		return fmt.Sprintf("(%s %s interval '%s')", e("tz"), s.pick("+", "-"), s.pick("1 hour", "90 minutes", "1 second"))
	case "iv":
		return s.pick(fmt.Sprintf("(%s %s %s)", e("iv"), s.pick("+", "-"), e("iv")), fmt.Sprintf("(%s - %s)", e("ts"), e("ts")), "(- "+e("iv")+")")
	case "json":
		return fmt.Sprintf("(%s -> %s)", e("json"), s.pick("'a'", "'b'", "0", "-1"))
	}
	return s.leaf(kind)
}

// comparable are the kinds that have an order.
var comparable = []string{"int", "num", "float", "text", "date", "ts", "tz", "iv", "uuid", "wild", "int", "int", "text"}

// boolExpr is a condition.
func (s *querySource) boolExpr(depth int) string {
	e := func(kind string) string { return s.expr(kind, depth-1) }
	kind := s.pick(comparable...)
	op := s.pick("=", "<>", "<", "<=", ">", ">=")
	switch s.r.IntN(14) {
	case 0, 1, 2:
		return fmt.Sprintf("(%s %s %s)", e(kind), op, s.operand(kind, e))
	case 3:
		return fmt.Sprintf("(%s AND %s)", e("bool"), e("bool"))
	case 4:
		return fmt.Sprintf("(%s OR %s)", e("bool"), e("bool"))
	case 5:
		return fmt.Sprintf("(NOT %s)", e("bool"))
	case 6:
		return fmt.Sprintf("(%s IS %sNULL)", e(s.pick(kinds...)), s.pick("", "NOT "))
	case 7:
		return fmt.Sprintf("(%s %sIN (%s, %s, %s))", e(kind), s.pick("", "NOT "), s.leaf(kind), s.leaf(kind), s.pick(s.leaf(kind), "NULL"))
	case 8:
		return fmt.Sprintf("(%s %sBETWEEN %s%s AND %s)", e(kind), s.pick("", "NOT "), s.pick("", "SYMMETRIC "), s.leaf(kind), s.leaf(kind))
	case 9:
		return fmt.Sprintf("(%s %s %s)", e("text"), s.pick("LIKE", "NOT LIKE", "ILIKE", "~", "!~"), s.pick("'a'", "'%b%'", "'A_c'", "'abc'", "'_'", "''"))
	case 10:
		return fmt.Sprintf("(%s IS %sDISTINCT FROM %s)", e(kind), s.pick("", "NOT "), e(kind))
	case 11:
		return fmt.Sprintf("(%s IS %s%s)", e("bool"), s.pick("", "NOT "), s.pick("TRUE", "FALSE", "UNKNOWN"))
	case 12:
		return fmt.Sprintf("(%s %s %s (%s))", e("int"), op, s.pick("ANY", "ALL"), s.pick("ia", "ARRAY[1, 2]", "'{3,NULL}'"))
	}
	return s.pick("(ia @> ARRAY[1])", "(ia && '{2,3}')", "(ta <@ '{a,b,c}')", "(j ? 'a')", `(j @> '{"a": 1}')`, "('a' = ANY (ta))", "(j->'a' = '1')", "(by > '\\x00')")
}

// operand is the other side of a comparison: often of another type of the same family.
func (s *querySource) operand(kind string, e func(string) string) string {
	switch {
	case kind == "int" && s.chance(3), kind == "num" && s.chance(3):
		return e(s.pick("num", "float", "wild"))
	case kind == "ts" && s.chance(4):
		return e(s.pick("date", "tz"))
	case kind == "date" && s.chance(4):
		return e("ts")
	}
	return e(kind)
}

// list joins n texts that f makes.
func list(n int, f func() string) string {
	out := make([]string, n)
	for i := range out {
		out[i] = f()
	}
	return strings.Join(out, ", ")
}
