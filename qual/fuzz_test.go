package qual

import (
	"errors"
	"regexp"
	"strings"
	"testing"

	"github.com/pipescan/pipescan/batch"
	"github.com/pipescan/pipescan/catalog"
	"github.com/pipescan/pipescan/datum"
	"github.com/pipescan/pipescan/pgfile"
)

// FuzzRegex: what is translated compiles, and errors are of the known kinds.
func FuzzRegex(f *testing.F) {
	for _, s := range testRegexes {
		f.Add(s, true)
	}
	f.Add(`[[:alpha:]-\]a{1,255}`, false)
	f.Fuzz(func(t *testing.T, pattern string, fold bool) {
		tr := regexTranslator{in: pattern, fold: fold}
		text, err := tr.translate()
		if err != nil {
			knownError(t, err)
			return
		}
		if _, err := regexp.Compile(text); err == nil && strings.Count(text, "(") < strings.Count(pattern, "(?:") {
			t.Fatalf("%q became %q", pattern, text)
		}
	})
}

// knownError fails the test for errors that are neither PostgreSQL's nor refusals.
func knownError(t *testing.T, err error) {
	var e *SQLError
	if !errors.As(err, &e) && !errors.Is(err, pgfile.ErrUnsupported) && !errors.Is(err, pgfile.ErrCorrupt) {
		t.Fatalf("an error of no kind: %v", err)
	}
}

// FuzzLike compares with a matcher that is plainly right.
func FuzzLike(f *testing.F) {
	f.Add("abc", "a%c")
	f.Add("a%c", `a\%c`)
	f.Add("", "%%_")
	f.Fuzz(func(t *testing.T, s, p string) {
		if len(s) > 30 || len(p) > 12 || !isASCII([]byte(s+p)) {
			return
		}
		r, err := likeMatch([]byte(s), []byte(p), oneByte)
		if err != nil {
			return // a pattern that ends in an escape
		}
		if want := plainLike(s, p); (r == likeTrue) != want {
			t.Fatalf("%q LIKE %q: %v", s, p, r)
		}
	})
}

// plainLike matches by trying everything. A trailing escape matches nothing.
func plainLike(s, p string) bool {
	if p == "" {
		return s == ""
	}
	switch p[0] {
	case '%':
		for i := 0; i <= len(s); i++ {
			if plainLike(s[i:], p[1:]) {
				return true
			}
		}
		return false
	case '_':
		return s != "" && plainLike(s[1:], p[1:])
	case '\\':
		if p = p[1:]; p == "" {
			return false
		}
	}
	return s != "" && s[0] == p[0] && plainLike(s[1:], p[1:])
}

// FuzzValues evaluates functions over damaged values of variable width.
func FuzzValues(f *testing.F) {
	env := &datum.Env{Major: 18, Encoding: catalog.UTF8}
	types := []catalog.OID{catalog.NumericOID, catalog.JSONBOID, 1007, 1009, catalog.VarbitOID, catalog.InetOID, catalog.TextOID}
	for i, oid := range types {
		for _, text := range typeByOID(oid).values {
			if v, err := datum.ParseText(oid, -1, []byte(text), newScope(18).Env); err == nil {
				f.Add(v, uint8(i))
			}
		}
	}
	s := newScope(18)
	s.Env = &datum.Env{Major: 18, Encoding: catalog.UTF8, Lookup: s.Env.Lookup}
	bounds := map[catalog.OID][]*Bound{}
	for _, oid := range types {
		col := Column{Name: "x", Type: oid, Typmod: -1, Collation: systablesFor(18).types[oid].collation}
		scope := &Scope{Env: s.Env, Columns: []Column{col}}
		for _, e := range valueExprs {
			if b, err := Bind(e, scope); err == nil {
				bounds[oid] = append(bounds[oid], b)
			}
		}
	}
	_ = env
	f.Fuzz(func(t *testing.T, v []byte, which uint8) {
		if len(v) > 4096 {
			return
		}
		oid := types[int(which)%len(types)]
		in := batch.NewPool(1).Get()
		in.SetWidths([]int{0})
		if err := in.Cols[0].AppendVar(v); err != nil {
			t.Fatal(err)
		}
		in.N, in.Decoded = 1, true
		var out batch.Vector
		for _, b := range bounds[oid] {
			if err := b.Eval(in, &out); err != nil {
				knownError(t, err)
			}
		}
	})
}

var valueExprs = []Expr{
	Op("=", Col("x"), Col("x")), Op("<", Col("x"), Col("x")), Op("+", Col("x"), Col("x")), Op("*", Col("x"), Number("3")), Op("/", Number("1"), Col("x")),
	Op("%", Col("x"), Number("7")), Func("round", Col("x"), Number("2")), Func("floor", Col("x")), Func("sqrt", Col("x")), Cast(Col("x"), TypeNamed("int8")),
	Op("->", Col("x"), Unknown("a")), Op("->>", Col("x"), Number("0")), Op("@>", Col("x"), Col("x")), Op("?", Col("x"), Unknown("a")), Op("||", Col("x"), Col("x")),
	Op("&&", Col("x"), Col("x")), AnyOp(Number("1"), "=", Col("x")), AnyOp(Unknown("a"), "<", Col("x")), Subscript(Col("x"), 1), Func("array_length", Col("x"), 1),
	Op("~", Col("x")), Op("&", Col("x"), Col("x")), Op("<<", Col("x"), 3), Op("<<", Col("x"), Col("x")), Func("host", Col("x")), Func("length", Col("x")),
	Func("upper", Col("x")), Func("reverse", Col("x")), Func("left", Col("x"), 2), Op("#>", Col("x"), Unknown("{a,0}")), Cast(Col("x"), TypeNamed("cidr")),
	Func("substring", Col("x"), 2, 3), Func("strpos", Col("x"), Col("x")), Col("x").Like(Col("x")), Func("btrim", Col("x")), Func("jsonb_typeof", Col("x")),
}
