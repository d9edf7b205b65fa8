package tests

import (
	"fmt"
	"strings"
)

// A generatedQuery is a query and what may be asked of its answer.
type generatedQuery struct {
	sql string
	// anyOrder says that the order of the rows is not defined.
	anyOrder bool
}

// query is one query: of rows, of groups, over the whole table, or one that the server refuses.
func (s *querySource) query() generatedQuery {
	t := queryTables[s.r.IntN(len(queryTables))]
	switch n := s.r.IntN(20); {
	case n < 8:
		return s.rowsQuery(t)
	case n < 12:
		s.distinct, s.sorted = true, false
		return generatedQuery{sql: "SELECT " + list(1+s.r.IntN(4), s.aggregate) + s.rest(t, "")}
	case n < 18:
		return s.groupsQuery(t)
	case n < 19:
		return s.oddQuery(t)
	}
	return s.wrongQuery(t)
}

// rest is FROM and, mostly, WHERE.
func (s *querySource) rest(t queryTable, alias string) string {
	from := " FROM " + t.name
	if alias != "" {
		from += " AS " + alias
	}
	if s.chance(3) {
		return from
	}
	return from + " WHERE " + s.expr("bool", 1+s.r.IntN(3))
}

// limit is LIMIT and OFFSET, or nothing.
func (s *querySource) limit() string {
	switch s.r.IntN(6) {
	case 0:
		return fmt.Sprintf(" LIMIT %d", s.r.IntN(12))
	case 1:
		return fmt.Sprintf(" OFFSET %d LIMIT %d", s.r.IntN(30), s.r.IntN(40))
	case 2:
		return fmt.Sprintf(" OFFSET %s", s.pick("0", "3", "500", "2 + 3"))
	}
	return ""
}

// rowsQuery is a query without groups. Rows with equal keys come in any order from the server, so ctid is the last key.
func (s *querySource) rowsQuery(t queryTable) generatedQuery {
	item := func() string {
		switch s.r.IntN(12) {
		case 0:
			return "*"
		case 1:
			return s.pick("ctid", "tableoid", "x4", "xf", "by", "ta", "c", "v", "j")
		case 2:
			return s.expr(s.pick(kinds...), 2) + " AS " + s.pick("a", "x", "i4")
		}
		return s.expr(s.pick(kinds...), 1+s.r.IntN(3))
	}
	q := "SELECT " + list(1+s.r.IntN(4), item) + s.rest(t, "")
	if !s.chance(3) {
		return generatedQuery{sql: q + s.limit()}
	}
	keys := []string{"tableoid", "ctid" + s.pick("", " DESC")}
	if t.plain {
		keys = keys[1:]
	}
	for range s.r.IntN(3) {
		kind := s.pick("int", "num", "float", "text", "date", "ts", "iv", "bool", "wild", "uuid")
		keys = append([]string{s.expr(kind, s.r.IntN(2)) + s.direction()}, keys...)
	}
	keys = s.withoutConstants(keys)
	return generatedQuery{sql: q + " ORDER BY " + strings.Join(keys, ", ") + s.limit()}
}

// withoutConstants keeps constants out of ORDER BY, where they mean something else.
func (s *querySource) withoutConstants(keys []string) []string {
	for i, k := range keys {
		if strings.ContainsAny(k[:1], "0123456789-'") || strings.HasPrefix(k, "true") || strings.HasPrefix(k, "false") {
			keys[i] = "i4" + s.direction()
		}
	}
	return keys
}

func (s *querySource) direction() string {
	return s.pick("", "", " ASC", " DESC") + s.pick("", "", " NULLS FIRST", " NULLS LAST")
}

// aggregate is a call of an aggregate, maybe with something around it.
func (s *querySource) aggregate() string {
	call := ""
	switch s.r.IntN(8) {
	case 0:
		call = "count(*)"
	case 1:
		call = fmt.Sprintf("count(%s)", s.expr(s.pick(kinds...), 1))
		if s.distinct {
			call = fmt.Sprintf("count(DISTINCT %s)", s.expr(s.pick(comparable...), 1))
		}
	case 2:
		call = fmt.Sprintf("%s(%s)", s.pick("sum", "avg"), s.expr(s.pick("int", "int", "num", "float", "iv"), 2))
	case 3:
		call = fmt.Sprintf("sum(%s)", s.expr(s.pick("int", "int", "num", "float", "iv"), 2))
	case 4:
		if s.distinct {
			call = fmt.Sprintf("%s(DISTINCT %s)", s.pick("sum", "avg", "min", "max"), s.expr("int", 2))
			break
		}
		call = fmt.Sprintf("avg(%s)", s.expr(s.pick("int", "num", "float", "iv"), 1))
	case 5:
		call = fmt.Sprintf("%s(%s)", s.pick("min", "max"), s.pick("x4", "x8", "xf", "xn", "c", "v", "tz"))
	default:
		kinds := []string{"int", "text", "date", "ts", "tz", "num", "float", "iv"}
		if s.sorted {
			kinds = kinds[:5]
		}
		call = fmt.Sprintf("%s(%s)", s.pick("min", "max"), s.expr(s.pick(kinds...), 2))
	}
	if s.chance(6) {
		call += fmt.Sprintf(" FILTER (WHERE %s)", s.expr("bool", 1))
	}
	switch s.r.IntN(12) {
	case 0:
		return call + " IS NULL"
	case 1:
		return fmt.Sprintf("count(*) + %d", s.r.IntN(4))
	case 2:
		return fmt.Sprintf("coalesce(%s::text, 'none')", call)
	}
	return call
}

// groupsQuery is a query with GROUP BY. The order of groups is defined only by all keys. To give them in order, or for an
// aggregate with DISTINCT, the server sorts the rows first, not stably: then it is by chance which of several spellings of a value
// (1 and 1.0, 1 day and 24:00:00) it shows, and there must be none.
func (s *querySource) groupsQuery(t queryTable) generatedQuery {
	ordered := s.chance(2)
	s.distinct = s.chance(3)
	s.sorted = ordered || s.distinct
	var keys []string
	for range 1 + s.r.IntN(3) {
		k := s.pick("i2", "i4", "b", "c", "v", "d", "t", "u", "xf", "xn", s.expr(s.pick("int", "text", "bool"), 2))
		if !s.sorted {
			k = s.pick(k, "n", "f8", "iv", s.expr("num", 2))
		}
		keys = append(keys, k)
	}
	keys = s.withoutConstants(keys)
	for i := range keys {
		keys[i], _, _ = strings.Cut(keys[i], " ASC")
		keys[i], _, _ = strings.Cut(keys[i], " DESC")
		keys[i], _, _ = strings.Cut(keys[i], " NULLS")
	}
	var items []string
	for i, k := range keys {
		items = append(items, s.pick(k, k, k, fmt.Sprintf("%s AS k%d", k, i), fmt.Sprintf("(%s)::text AS k%d_text", k, i)))
	}
	for range s.r.IntN(3) {
		items = append(items, s.aggregate())
	}
	q := "SELECT " + strings.Join(items, ", ") + s.rest(t, "") + " GROUP BY " + strings.Join(keys, ", ")
	if s.chance(3) {
		q += " HAVING " + s.pick("count(*) > 2", "max(i4) > 1", "sum(i4) > 3 OR min(t) = 'a'", "(count(i2) % 2)::int::bool", "avg(n) < 100")
	}
	if !ordered {
		return generatedQuery{sql: q, anyOrder: true}
	}
	for i := range keys {
		keys[i] += s.direction()
	}
	return generatedQuery{sql: q + " ORDER BY " + strings.Join(keys, ", ") + s.limit()}
}

// oddQuery is one whose names and numbers have to be resolved.
func (s *querySource) oddQuery(t queryTable) generatedQuery {
	where := s.rest(t, "q")
	switch s.r.IntN(10) {
	case 0:
		return generatedQuery{sql: "SELECT i2 AS i4, count(*)" + where + " GROUP BY i2 ORDER BY i4"}
	case 1:
		return generatedQuery{sql: "SELECT i4 % 3 AS g, sum(q.i8)" + where + " GROUP BY g ORDER BY 1 DESC NULLS LAST"}
	case 2:
		return generatedQuery{sql: "SELECT upper(t) AS i4, count(*)" + where + " GROUP BY i4", anyOrder: true}
	case 3:
		return generatedQuery{sql: "SELECT q.i4, q.i2" + where + " ORDER BY 2, 1, ctid, tableoid"}
	case 4:
		return generatedQuery{sql: "SELECT 1 AS one" + where + " HAVING " + s.pick("true", "count(*) > 10", "1 > 2")}
	case 5:
		return generatedQuery{sql: "SELECT FROM " + t.name + s.limit()}
	case 6:
		return generatedQuery{sql: "SELECT t, n, count(*) FROM q_key GROUP BY i4 HAVING n > 1 ORDER BY i4"}
	case 7:
		return generatedQuery{sql: "SELECT i4 + 1, i4 + 1 AS x, count(*)" + where + " GROUP BY x, 1 ORDER BY i4 + 1"}
	case 8:
		return generatedQuery{sql: "TABLE " + strings.TrimPrefix(t.name, "ONLY ")}
	}
	return generatedQuery{sql: "SELECT DATE '2020-01-01' - d, (i4)::int8, q.*" + where + " ORDER BY ctid, tableoid FETCH FIRST 3 ROWS ONLY"}
}

// wrongQuery is one that the server refuses, or that ends in an error.
func (s *querySource) wrongQuery(t queryTable) generatedQuery {
	from := " FROM " + t.name
	return generatedQuery{sql: s.pick(
		"SELECT nothing"+from, "SELECT z.i4"+from, "SELECT t.i4"+from, "SELECT t + 1"+from, "SELECT i4 || true"+from,
		"SELECT i4, count(*)"+from, "SELECT i2"+from+" GROUP BY i4", "SELECT i4"+from+" GROUP BY 2", "SELECT i4"+from+" ORDER BY 5",
		"SELECT count(*)"+from+" GROUP BY 1", "SELECT i4"+from+" WHERE sum(i4) > 1", "SELECT sum(sum(i4))"+from, "SELECT sum(t)"+from,
		"SELECT avg(b)"+from, "SELECT min(b)"+from, "SELECT i4"+from+" WHERE i4", "SELECT i4"+from+" WHERE t", "SELECT i4"+from+" LIMIT -1",
		"SELECT i4"+from+" OFFSET -1", "SELECT i4"+from+" LIMIT i4", "SELECT i4"+from+" LIMIT 'x'", "SELECT i4"+from+" LIMIT true",
		"SELECT i4 AS x, i2 AS x"+from+" ORDER BY x", "SELECT i4"+from+" ORDER BY 'x'", "SELECT foo(i4)"+from, "SELECT abs(t)"+from,
		"SELECT 1/0"+from, "SELECT i4"+from+" WHERE 1/0 = 1", "SELECT 1/i4"+from, "SELECT x4 * 2"+from, "SELECT x8 + x8"+from,
		"SELECT xf * xf"+from, "SELECT t::int"+from, "SELECT sum(x8)"+from, "SELECT sum(x4)"+from, "SELECT 'x'::int"+from, "SELECT '2020-13-01'::date"+from,
		"SELECT i4::foo"+from, "SELECT count(*) count"+from+" HAVING i4 > 1", "SELECT j"+from+" WHERE j > 1", "SELECT i4 = 'x'"+from,
		"SELECT CASE WHEN i4 THEN 1 END"+from, "SELECT COALESCE(i4, t)"+from, "SELECT i4"+from+" WHERE i4 IN (1, 'x')", "SELECT (SELECT 1"+from,
		"SELECT abs(DISTINCT i4)"+from, "SELECT count()"+from, "SELECT sum(*)"+from, "SELECT i4, FROM t", "SELECT nothing"+from+" GROUP BY i4",
		"SELECT i4::numeric(2,1)"+from, "SELECT 40000::int2"+from, "SELECT i4 FROM no_such_table", "SELECT power(xf, 2)"+from, "SELECT xn / i4"+from,
		"SELECT q.i4"+from+" AS q ORDER BY z.i4", "SELECT i4 FROM no.such", "SELECT sqrt(i4)"+from, "SELECT 5 % i2"+from,
		"SELECT length(i4)"+from, "SELECT substring(t from 1 for -1)"+from, "SELECT max(i4) FILTER (WHERE i4)"+from, "SELECT t COLLATE \"nope\""+from,
	)}
}
