package sqlfront

import (
	"math/big"
	"strconv"
	"strings"

	"github.com/pipescan/pipescan/qual"
)

// constant translates a literal. The parser's A_Const holds one of the fields
// ival, fval, boolval, sval, bsval, isnull.
func (t *translator) constant(n node) qual.Expr {
	pos := t.at(n.tree)
	for _, f := range n.tree {
		v, _ := f.value.(tree)
		switch f.name {
		case "isnull":
			return qual.Null().At(pos)
		case "ival":
			return qual.Number(strconv.Itoa(v.num("ival"))).At(pos)
		case "fval":
			return qual.Number(decimal(v.str("fval"))).At(pos)
		case "boolval":
			return qual.Lit(v.flag("boolval")).At(pos)
		case "sval":
			return qual.Unknown(v.str("sval")).At(pos)
		case "bsval":
			return t.bitString(v.str("bsval"), pos)
		}
	}
	return t.unsupported(pos, "this kind of constant", "")
}

// decimal writes a number as plain digits: the grammar keeps numbers that are
// no int4 as they were written, 0xFFFFFFFFFF and 1_000_000_000_000 for example.
func decimal(s string) string {
	s = strings.ReplaceAll(s, "_", "")
	digits, negative := strings.CutPrefix(s, "-")
	if len(digits) > 2 && digits[0] == '0' && strings.ContainsRune("xXoObB", rune(digits[1])) {
		if n, ok := new(big.Int).SetString(digits, 0); ok {
			digits = n.String()
		}
	}
	if negative {
		return "-" + digits
	}
	return digits
}

// bitString translates B'101' and X'1f', of which the parser keeps the letter
// in small.
func (t *translator) bitString(s string, pos int) qual.Expr {
	if hex, ok := strings.CutPrefix(s, "x"); ok {
		return &qual.Node{Kind: qual.KTyped, To: qual.Type{Name: "bit", Schema: "pg_catalog", Mods: []int32{int32(4 * len(hex))}}, Text: s, Pos: pos}
	}
	bits := strings.TrimPrefix(s, "b")
	return &qual.Node{Kind: qual.KTyped, To: qual.Type{Name: "bit", Schema: "pg_catalog", Mods: []int32{int32(len(bits))}}, Text: s, Pos: pos}
}

// cast translates CAST(e AS type), e::type and type 'text'.
func (t *translator) cast(n node) qual.Expr {
	pos := t.at(n.tree)
	typ := n.sub("typeName")
	if pos == 0 {
		pos = t.at(typ)
	}
	to := t.typeName(typ)
	arg := n.node("arg")
	if s := arg.sub("sval"); arg.kind == "A_Const" && s != nil {
		return &qual.Node{Kind: qual.KTyped, To: to, Text: s.str("sval"), Pos: t.at(arg.tree)}
	}
	return &qual.Node{Kind: qual.KCast, To: to, Args: []qual.Expr{t.expr(arg)}, Pos: pos}
}

// typeName translates a type's name.
func (t *translator) typeName(n tree) qual.Type {
	pos := t.at(n)
	names := n.names("names")
	to := qual.Type{Array: len(n.nodes("arrayBounds")) > 0}
	switch {
	case n.flag("setof"), n.flag("pct_type"):
		t.unsupported(pos, "a type written with SETOF or %TYPE", "name the type")
		return to
	case len(names) == 1:
		to.Name = names[0]
	case len(names) == 2:
		to.Schema, to.Name = names[0], names[1]
	default:
		t.fail(sqlErrorf("42601", pos, "improper qualified name (too many dotted names): %s", strings.Join(names, ".")))
		return to
	}
	for _, m := range n.nodes("typmods") {
		v := m.sub("ival")
		if m.kind != "A_Const" || v == nil {
			t.unsupported(t.at(m.tree), "a type modifier that is no number", "")
			return to
		}
		to.Mods = append(to.Mods, int32(v.num("ival")))
	}
	return to
}
