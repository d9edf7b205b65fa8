package sqlfront

import (
	"strings"

	"github.com/pipescan/pipescan/catalog"
	"github.com/pipescan/pipescan/qual"
)

// A translator turns parse trees into expressions. Its methods go on after an
// error, which err keeps: the first one counts.
type translator struct {
	q     *Query // nil for a lone condition
	err   error
	shift int // bytes of text that were put before the user's

	// context says where aggregates may not stand; "" is where they may.
	context string
}

// fail keeps an error and stands in for the expression that could not be made.
func (t *translator) fail(err error) qual.Expr {
	if t.err == nil {
		t.err = err
	}
	return qual.Null()
}

func (t *translator) unsupported(pos int, what, instead string) qual.Expr {
	return t.fail(&UnsupportedError{What: what, Instead: instead, Pos: pos})
}

// at is the place of a node, from 1; 0 where the parser does not know it. It
// leaves out a location of zero.
func (t *translator) at(n tree) int {
	return max(n.num("location")+1-t.shift, 0)
}

// statement reads a SELECT or an EXPLAIN of one.
func (t *translator) statement(n node, pos int) {
	switch n.kind {
	case "SelectStmt":
		t.selectStmt(n, pos)
	case "ExplainStmt":
		t.explain(n)
		inner := n.node("query")
		if inner.kind != "SelectStmt" {
			t.unsupported(pos, "EXPLAIN of anything but SELECT", "")
			return
		}
		t.selectStmt(inner, pos)
	case "InsertStmt", "UpdateStmt", "DeleteStmt", "MergeStmt", "TruncateStmt":
		verb := strings.ToUpper(strings.TrimSuffix(n.kind, "Stmt"))
		t.unsupported(pos, verb, "tables are only read here")
	case "CopyStmt":
		t.unsupported(pos, "COPY", "a scan or a SELECT in format copy gives the same bytes")
	default:
		t.unsupported(pos, "this statement", "only SELECT over one table is read")
	}
}

func (t *translator) selectStmt(n node, pos int) {
	t.refuseClauses(n, pos)
	t.from(n, pos)
	if t.err != nil {
		return
	}
	t.q.targets = t.targets(n.nodes("targetList"))
	t.q.where = t.clause("WHERE", n.node("whereClause"))
	t.q.groups = t.groups(n.nodes("groupClause"))
	t.q.having = t.clause("", n.node("havingClause"))
	t.q.orders = t.orders(n.nodes("sortClause"))
	t.q.limit = t.clause("LIMIT", n.node("limitCount"))
	t.q.offset = t.clause("OFFSET", n.node("limitOffset"))
}

// clause translates the expression of a clause, nil if there is none.
func (t *translator) clause(context string, n node) qual.Expr {
	if n.none() {
		return nil
	}
	t.context = context
	e := t.expr(n)
	t.context = ""
	return e
}

// refuseClauses refuses what a SELECT may have and this package does not read.
func (t *translator) refuseClauses(n node, pos int) {
	if with := n.sub("withClause"); with != nil {
		t.unsupported(t.at(with), "WITH", "run each query by itself")
	}
	if n.str("op") != "SETOP_NONE" && n.str("op") != "" {
		t.unsupported(pos, strings.TrimPrefix(n.str("op"), "SETOP_"), "run each query by itself and put the results together")
	}
	if n.get("valuesLists") != nil {
		t.unsupported(pos, "VALUES", "only SELECT over one table is read")
	}
	if n.get("intoClause") != nil {
		t.unsupported(pos, "SELECT INTO", "write the result to a file")
	}
	if list := n.nodes("distinctClause"); n.get("distinctClause") != nil {
		what := "SELECT DISTINCT"
		if len(list) > 0 && !list[0].none() {
			what = "SELECT DISTINCT ON"
		}
		t.unsupported(pos, what, "GROUP BY the columns gives distinct rows")
	}
	if n.get("windowClause") != nil {
		t.unsupported(pos, "WINDOW", "")
	}
	if n.get("lockingClause") != nil {
		t.unsupported(pos, "FOR UPDATE and its like", "nothing can be locked in a directory without a server")
	}
	if n.str("limitOption") == "LIMIT_OPTION_WITH_TIES" {
		t.unsupported(pos, "FETCH FIRST ... WITH TIES", "use ONLY, and a larger number")
	}
}

// from reads the FROM clause: one table.
func (t *translator) from(n node, pos int) {
	list := n.nodes("fromClause")
	switch {
	case len(list) == 0:
		t.unsupported(pos, "SELECT without FROM", "name the table to read")
		return
	case len(list) > 1:
		t.unsupported(t.fromAt(list[1], pos), "a join", "scan each table by itself")
		return
	}
	item := list[0]
	switch item.kind {
	case "RangeVar":
		t.table(item)
	case "JoinExpr":
		t.unsupported(t.fromAt(item.node("rarg"), pos), "a join", "scan each table by itself")
	case "RangeSubselect":
		t.unsupported(pos, "a subquery in FROM", "put its conditions into the query itself")
	case "RangeTableSample":
		t.unsupported(t.at(item.tree), "TABLESAMPLE", "scan a range of blocks")
	default:
		t.unsupported(t.fromAt(item, pos), "a function in FROM", "name the table to read")
	}
}

// fromAt is the place of an item of FROM; not all kinds have one.
func (t *translator) fromAt(n node, otherwise int) int {
	if n.get("location") == nil {
		return otherwise
	}
	return t.at(n.tree)
}

// table reads the one table of FROM.
func (t *translator) table(n node) {
	q := t.q
	for _, part := range []string{"catalogname", "schemaname", "relname"} {
		if name := n.str(part); name != "" {
			q.Table += "." + catalog.QuoteIdent(catalogVersion, name)
		}
	}
	q.Table = strings.TrimPrefix(q.Table, ".")
	q.Only = !n.flag("inh")
	q.relname, q.schema = n.str("relname"), n.str("schemaname")
	q.Alias = q.relname
	if alias := n.sub("alias"); alias != nil {
		q.Alias, q.aliased = alias.str("aliasname"), true
		if alias.get("colnames") != nil {
			t.unsupported(t.at(n.tree), "a list of column aliases in FROM", "name the columns in the select list: a AS x")
		}
	}
}

// catalogVersion is the version whose keywords are quoted; the newest has all.
const catalogVersion = 18

// targets reads the select list.
func (t *translator) targets(list []node) []target {
	out := make([]target, 0, len(list))
	for _, n := range list {
		value := n.node("val")
		if isStar(value) {
			t.starQualifier(value)
			out = append(out, target{pos: t.at(value.tree)})
			continue
		}
		name := n.str("name")
		if name == "" {
			name = outputName(value)
		}
		out = append(out, target{name: name, expr: t.expr(value), pos: t.at(n.tree)})
	}
	return out
}

// isStar says whether a node is * or t.*.
func isStar(n node) bool {
	fields := n.nodes("fields")
	return n.kind == "ColumnRef" && len(fields) > 0 && fields[len(fields)-1].kind == "A_Star"
}

func (t *translator) groups(list []node) []item {
	out := make([]item, 0, len(list))
	for _, n := range list {
		if n.kind == "GroupingSet" {
			t.unsupported(t.at(n.tree), "GROUPING SETS, ROLLUP or CUBE", "run a query for each grouping")
			continue
		}
		t.context = "GROUP BY"
		out = append(out, t.item(n))
		t.context = ""
	}
	return out
}

func (t *translator) orders(list []node) []order {
	out := make([]order, 0, len(list))
	for _, n := range list {
		o := order{item: t.item(n.node("node")), desc: n.str("sortby_dir") == "SORTBY_DESC"}
		if n.str("sortby_dir") == "SORTBY_USING" {
			t.unsupported(o.pos, "ORDER BY ... USING", "use ASC or DESC")
		}
		o.nullsFirst = o.desc
		if nulls := n.str("sortby_nulls"); nulls != "SORTBY_NULLS_DEFAULT" {
			o.nullsFirst = nulls == "SORTBY_NULLS_FIRST"
		}
		out = append(out, o)
	}
	return out
}

// item reads an entry of GROUP BY or ORDER BY.
func (t *translator) item(n node) item {
	i := item{pos: t.at(n.tree)}
	switch fields := n.names("fields"); {
	case n.kind == "A_Const":
		i.constant = true
		if v := n.sub("ival"); v != nil {
			i.integer, i.ordinal = true, v.num("ival")
		}
		return i
	case n.kind == "ColumnRef" && len(fields) == 1:
		i.name = fields[0]
	}
	i.expr = t.expr(n)
	return i
}

// explain reads EXPLAIN's options.
func (t *translator) explain(n node) {
	e := &Explain{}
	t.q.Explain = e
	for _, option := range n.nodes("options") {
		pos, arg := t.at(option.tree), option.node("arg")
		switch name := option.str("defname"); name {
		case "analyze":
			e.Analyze = t.boolean(name, arg, pos)
		case "io":
			e.IO = t.boolean(name, arg, pos)
		case "format":
			e.JSON = t.format(arg, pos)
		case "verbose", "costs", "buffers", "timing", "summary":
			t.boolean(name, arg, pos) // nothing to switch here
		case "settings", "wal", "memory", "serialize", "generic_plan":
			t.unsupported(pos, "EXPLAIN's option "+strings.ToUpper(name), "ANALYZE, IO and FORMAT are read")
		default:
			t.fail(sqlErrorf("42601", pos, "unrecognized EXPLAIN option %q", name))
		}
	}
}

func (t *translator) format(arg node, pos int) (json bool) {
	switch s := arg.str("sval"); s {
	case "json":
		return true
	case "text":
	case "xml", "yaml":
		t.unsupported(pos, "EXPLAIN's format "+s, "use text or json")
	default:
		t.fail(sqlErrorf("22023", pos, "unrecognized value for EXPLAIN option \"format\": %q", s))
	}
	return false
}

// boolean is the value of a switch, as EXPLAIN understands it.
func (t *translator) boolean(name string, arg node, pos int) bool {
	switch arg.kind {
	case "":
		return true
	case "Integer":
		if v := arg.num("ival"); v == 0 || v == 1 {
			return v == 1
		}
	case "Boolean":
		return arg.flag("boolval")
	case "String":
		switch strings.ToLower(arg.str("sval")) {
		case "true", "on":
			return true
		case "false", "off":
			return false
		}
	}
	t.fail(sqlErrorf("42601", pos, "%s requires a Boolean value", name))
	return false
}
