package qual

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/pipescan/pipescan/catalog"
)

// testType is a type that generated expressions have, with texts of values.
type testType struct {
	oid    catalog.OID
	name   string // as SQL writes it in a cast
	values []string
}

var testTypes = []testType{
	{catalog.BoolOID, "bool", []string{"t", "f"}},
	{catalog.Int2OID, "int2", []string{"0", "1", "-1", "2", "7", "-32768", "32767", "100"}},
	{catalog.Int4OID, "int4", []string{"0", "1", "-1", "2", "3", "10", "-7", "2147483647", "-2147483648", "46341", "100000"}},
	{catalog.Int8OID, "int8", []string{"0", "1", "-1", "5", "4294967296", "9223372036854775807", "-9223372036854775808", "3037000500", "12345678901"}},
	{catalog.Float4OID, "float4", []string{"0", "1", "-1", "0.5", "3.4e38", "1e-37", "NaN", "Infinity", "-Infinity", "1.1", "16777217", "-2.5"}},
	{catalog.Float8OID, "float8", []string{"0", "1", "-1", "0.5", "2.5", "-0", "1e308", "1e-300", "NaN", "Infinity", "-Infinity", "1.1", "123456.789", "3"}},
	{catalog.NumericOID, "numeric", []string{
		"0", "1", "-1", "0.5", "1.50", "-2.5", "3", "10", "99999.9999", "0.0001", "12345678901234567890.123456789",
		"1e20", "1e-10", "NaN", "7", "-0.00000123", "100000000", "2", "0.000", "33.3333",
	}},
	{catalog.TextOID, "text", []string{
		"", "a", "abc", "ABC", "aBc d", "12", "-7", " 3 ", "1.5", "%", "a%c", "_b_", "foo\\bar", "x\ty", "é", "日本語", "true", "2020-01-31",
		"a,b,c", "zz", "{1,2}", "year", "month", "day", "  pad  ", `{"a": 1}`, "null",
	}},
	{catalog.VarcharOID, "varchar", []string{"", "a", "abc", "ABC ", "12", "b%", "é"}},
	{catalog.BpcharOID, "bpchar", []string{"", "a", "abc", "abc  ", "ABC", "12 "}},
	{catalog.NameOID, "name", []string{"", "a", "abc", "pg_class", "ABC"}},
	{catalog.CharOID, `"char"`, []string{"a", "b", "Z", "1"}},
	{catalog.ByteaOID, "bytea", []string{"", `\x00`, `\x6162`, `\xff00`, "abc"}},
	{catalog.DateOID, "date", []string{"2000-01-01", "1999-12-31", "2024-02-29", "infinity", "-infinity", "4713-01-01 BC", "5874897-12-31", "2020-07-15", "0044-03-15 BC"}},
	{catalog.TimeOID, "time", []string{"00:00", "24:00", "12:34:56.789", "23:59:59.999999", "01:02:03"}},
	{catalog.TimetzOID, "timetz", []string{"00:00+00", "12:34:56.789+05:30", "23:59:59-08", "10:00+01"}},
	{catalog.TimestampOID, "timestamp", []string{"2000-01-01 00:00", "1999-12-31 23:59:59.999999", "2024-02-29 12:00", "infinity", "-infinity", "294276-12-31 23:59:59", "4713-01-01 BC", "2021-10-31 01:30"}},
	{catalog.TimestamptzOID, "timestamptz", []string{"2000-01-01 00:00+00", "1970-01-01 00:00+02", "2024-02-29 12:00-08", "infinity", "-infinity", "2021-03-28 01:59:59.5+00"}},
	{catalog.IntervalOID, "interval", []string{"0", "1 day", "1 month", "-1 year", "1 mon -1 day 00:00:01", "24:00:00", "30 days", "1.5 hours", "100 years", "-00:00:00.000001", "178000000 years"}},
	{catalog.UUIDOID, "uuid", []string{"00000000-0000-0000-0000-000000000000", "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11", "ffffffff-ffff-ffff-ffff-ffffffffffff"}},
	{catalog.OidOID, "oid", []string{"0", "1", "2147483647", "16384"}},
	{catalog.InetOID, "inet", []string{"10.0.0.1", "10.0.0.0/8", "192.168.1.5/24", "::1", "fe80::/10", "0.0.0.0/0"}},
	{catalog.CidrOID, "cidr", []string{"10.0.0.0/8", "192.168.1.0/24", "::/0"}},
	{catalog.MacaddrOID, "macaddr", []string{"08:00:2b:01:02:03", "ff:ff:ff:ff:ff:ff"}},
	{catalog.VarbitOID, "varbit", []string{"", "0", "1", "1010", "10101", "1111111100000000"}},
	{catalog.JSONBOID, "jsonb", []string{
		"null", "1", "1.50", `"a"`, "true", "[]", "{}", "[1, 2, 3]", `["a", "b", null]`, `{"a": 1, "b": [1, {"c": "x"}]}`, `{"a": {"b": 2}, "k": "v"}`, `{"a": null}`,
		`[[1], {"a": []}]`,
	}},
	{catalog.JSONOID, "json", []string{"null", "1", `{"a": 1}`, "[1,2]"}},
	{1007, "int4[]", []string{"{}", "{1}", "{1,2,3}", "{NULL,2}", "{{1,2},{3,4}}", "[0:1]={5,6}", "{2,2}"}},
	{1009, "text[]", []string{"{}", "{a}", "{a,b}", `{NULL,"c d"}`, `{"",abc}`, "{b}"}},
	{1231, "numeric[]", []string{"{}", "{1.0}", "{1,2.50}", "{NULL,0}"}},
}

func typeByOID(oid catalog.OID) *testType {
	for i := range testTypes {
		if testTypes[i].oid == oid {
			return &testTypes[i]
		}
	}
	return nil
}

// generator makes random expressions for one version.
type generator struct {
	*rand.Rand
	sys   *systables
	a     *analyzer
	procs map[catalog.OID][]*proc // by result
	ops   map[catalog.OID][]*operator
}

func newGenerator(seed uint64, major int) *generator {
	g := &generator{Rand: rand.New(rand.NewPCG(seed, 1)), sys: systablesFor(major), a: newAnalyzer(newScope(major)), procs: map[catalog.OID][]*proc{}, ops: map[catalog.OID][]*operator{}}
	for _, p := range g.sys.procByOID {
		if known(p) && p.variadic == 0 && !slices.Contains([]string{"position", "xmlexists", "overlay"}, p.name) && p.volatility != 'v' {
			g.procs[p.result] = append(g.procs[p.result], p)
		}
	}
	for _, o := range g.sys.operByOID {
		if p := g.sys.procByOID[o.proc]; o.right != 0 && p != nil && known(p) {
			g.ops[o.result] = append(g.ops[o.result], o)
		}
	}
	for _, l := range g.procs {
		slices.SortFunc(l, func(a, b *proc) int { return int(a.oid) - int(b.oid) })
	}
	for _, l := range g.ops {
		slices.SortFunc(l, func(a, b *operator) int { return int(a.oid) - int(b.oid) })
	}
	return g
}

// known says whether a function has code here and arguments that can be made.
func known(p *proc) bool {
	_, isCompare := comparisons[p.src]
	_, isInline := inlines[p.name]
	if kernels[p.src] == nil && !isCompare && !(p.src == "-" && isInline) {
		return false
	}
	if systablesFor(15).typeByName[p.name] != nil {
		return false // the grammar has types of these names
	}
	for _, a := range p.args {
		if typeByOID(a) == nil && !isPolymorphic(a) {
			return false
		}
	}
	return true
}

func pick[T any](g *generator, from []T) T { return from[g.IntN(len(from))] }

func (g *generator) chance(percent int) bool { return g.IntN(100) < percent }

// leaf is a column or a literal.
func (g *generator) leaf(t *testType) Expr {
	switch n := g.IntN(100); {
	case n < 60:
		return Col("c_" + columnName(t))
	case n < 64:
		return Null()
	case n < 80:
		return Unknown(pick(g, t.values))
	case n < 90 && t.oid == catalog.Int4OID:
		return Number(pick(g, []string{"0", "1", "2", "5", "100", "3000000000", "1.5"}))
	}
	return Cast(Unknown(pick(g, t.values)), TypeNamed(t.name))
}

func columnName(t *testType) string { return strings.NewReplacer("[]", "s", `"`, "").Replace(t.name) }

// expr is an expression of a type, or nearly.
func (g *generator) expr(t *testType, depth int) Expr {
	if g.chance(2) {
		t = &testTypes[g.IntN(len(testTypes))] // the wrong type
	}
	if depth <= 0 || g.chance(20) {
		return g.leaf(t)
	}
	if t.oid == catalog.BoolOID && g.chance(60) {
		return g.condition(depth - 1)
	}
	switch n := g.IntN(100); {
	case n < 35 && len(g.procs[t.oid]) > 0:
		return g.call(pick(g, g.procs[t.oid]), depth-1)
	case n < 70 && len(g.ops[t.oid]) > 0:
		return g.op(pick(g, g.ops[t.oid]), depth-1)
	case n < 80:
		return g.cast(t, depth-1)
	}
	e := func() Expr { return g.expr(t, depth-1) }
	switch g.IntN(5) {
	case 0:
		return Case(e(), When{g.condition(depth - 1), e()})
	case 1:
		return CaseOf(e(), g.leaf(t), When{g.leaf(t), e()}, When{e(), g.leaf(t)})
	case 2:
		return Coalesce(e(), e())
	case 3:
		return NullIf(e(), e())
	}
	if g.chance(50) {
		return Greatest(e(), e(), e())
	}
	return Least(e(), e())
}

func (g *generator) arg(oid catalog.OID, same *testType, depth int) Expr {
	if isPolymorphic(oid) {
		switch oid {
		case anyArrayOID, anyCompatibleArrayOID:
			return g.expr(pick(g, []*testType{typeByOID(1007), typeByOID(1007), typeByOID(1009), typeByOID(1231)}), depth)
		}
		return g.expr(same, depth)
	}
	return g.expr(typeByOID(oid), depth)
}

func (g *generator) anyType() *testType { return &testTypes[g.IntN(len(testTypes))] }

var fieldNames = []string{
	"year", "month", "day", "hour", "minute", "second", "quarter", "week", "dow", "isodow", "doy", "epoch", "century", "decade", "millennium",
	"milliseconds", "microseconds", "julian", "timezone", "isoyear", "bogus", "Hours", "d",
}

func (g *generator) call(p *proc, depth int) Expr {
	same := g.anyType()
	args := make([]any, len(p.args))
	for i, a := range p.args {
		args[i] = g.arg(a, same, depth)
	}
	if (p.name == "date_part" || p.name == "date_trunc" || p.name == "extract") && g.chance(95) {
		args[0] = Unknown(pick(g, fieldNames))
	}
	if p.name == "extract" {
		args[0] = Unknown(pick(g, fieldNames)) // the grammar takes nothing else
	}
	if slices.Contains([]string{"repeat", "lpad", "rpad", "factorial", "!"}, p.name) {
		args[min(1, len(args)-1)] = Number(pick(g, []string{"0", "1", "3", "10"}))
	}
	return Func(p.name, args...)
}

func (g *generator) op(o *operator, depth int) Expr {
	same := g.anyType()
	if o.left == 0 {
		return Op(o.name, g.arg(o.right, same, depth))
	}
	l, r := g.arg(o.left, same, depth), g.arg(o.right, same, depth)
	if o.name == "^" {
		r = Number(pick(g, []string{"0", "1", "2", "3", "0.5"}))
	}
	if strings.Contains(o.name, "~") && strings.Trim(o.name, "!~*") == "" && !strings.Contains(o.name, "~~") && o.right == catalog.TextOID {
		r = Unknown(pick(g, testRegexes))
	}
	return Op(o.name, l, r)
}

var testRegexes = []string{
	"a", "^a", "c$", "^abc$", "[a-c]+", "b|d", "(a|b)c", "a.c", "a*", "x?", "[^a]", "[[:digit:]]+", `\d`, `^\s`, `\w+`, "a{2}", "a{1,2}b", ".*", "", "[[:upper:]]",
	`\mabc`, "(", "*a", "a**", "[z-a]", `\.`, "é", "[A-Z]{3}", "(?:ab)+", "a+?", "^$", "^(ab|cd)*$", `[\d,]+`, "$a", "a|", "()", "^*",
}

func (g *generator) cast(t *testType, depth int) Expr {
	// Mostly from types that have a cast, and not always from text.
	from := g.anyType()
	for range 20 {
		p, _ := g.a.path(t.oid, from.oid, explicitCast)
		if p != pathNone && (g.a.typ(from.oid).category != categoryString || t.oid == catalog.TextOID || g.chance(15)) {
			break
		}
		from = g.anyType()
	}
	if t.oid == catalog.BpcharOID && from.oid == catalog.CharOID {
		from = t // the empty "char" becomes a text with a zero byte, which cannot be printed
	}
	to := TypeNamed(t.name)
	switch t.oid {
	case catalog.NumericOID:
		if g.chance(40) {
			to.Mods = [][]int32{{5}, {5, 2}, {10, 4}, {3, 0}}[g.IntN(4)]
		}
	case catalog.VarcharOID, catalog.BpcharOID, catalog.VarbitOID:
		if g.chance(50) {
			to.Mods = []int32{int32(1 + g.IntN(5))}
		}
	case catalog.TimestampOID, catalog.TimestamptzOID, catalog.TimeOID, catalog.TimetzOID:
		if g.chance(30) {
			to = Type{Name: t.name, Mods: []int32{int32(g.IntN(7))}}
		}
	}
	return Cast(g.expr(from, depth), to)
}

// condition is a boolean in one of SQL's forms.
func (g *generator) condition(depth int) Expr {
	t := g.anyType()
	e := func() Expr { return g.expr(t, depth) }
	boolean := func() Expr { return g.expr(&testTypes[0], depth) }
	text := func() Expr { return g.expr(typeByOID(catalog.TextOID), depth) }
	switch g.IntN(16) {
	case 0, 1:
		return And(boolean(), boolean())
	case 2, 3:
		return Or(boolean(), boolean(), boolean())
	case 4:
		return Not(boolean())
	case 5:
		return &Node{Kind: KNullTest, Not: g.chance(50), Args: []Expr{e()}}
	case 6:
		return BoolTest(boolean(), pick(g, []string{"TRUE", "FALSE", "UNKNOWN"}), g.chance(50))
	case 7:
		n := e().Between(e(), e())
		n.Symmetric, n.Not = g.chance(30), g.chance(30)
		return n
	case 8, 9:
		n := e().In(e(), g.leaf(t), g.leaf(t))
		n.Not = g.chance(30)
		return n
	case 10:
		n := e().IsDistinctFrom(e())
		n.Not = g.chance(50)
		return n
	case 11:
		pattern := Unknown(pick(g, []string{"a%", "%c", "_b_", "%", "", `\`, "A_C", `%\%%`, "%é%", "a\\bc", "x!%", "%b%"}))
		n := text().Like(pattern)
		n.Name = pick(g, []string{"LIKE", "ILIKE", "LIKE", "SIMILAR TO"})
		n.Not = g.chance(30)
		if g.chance(20) {
			n.Args = append(n.Args, Unknown(pick(g, []string{"!", "", "\\", "xx"})))
		}
		return n
	case 12:
		array := pick(g, []*testType{typeByOID(1007), typeByOID(1009), typeByOID(1231)})
		elem := map[catalog.OID]catalog.OID{1007: catalog.Int4OID, 1009: catalog.TextOID, 1231: catalog.NumericOID}[array.oid]
		op := pick(g, []string{"=", "<>", "<", ">="})
		x, a := g.expr(typeByOID(elem), depth), g.expr(array, depth)
		if g.chance(50) {
			return AllOp(x, op, a)
		}
		return AnyOp(x, op, a)
	}
	u := t
	if g.chance(40) {
		u = g.anyType()
	}
	return Op(pick(g, []string{"=", "<>", "<", "<=", ">", ">="}), e(), g.expr(u, depth))
}

func (t *testType) String() string { return fmt.Sprintf("%s (%d)", t.name, t.oid) }
