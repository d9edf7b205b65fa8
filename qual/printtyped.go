package qual

import (
	"strings"

	"github.com/pipescan/pipescan/catalog"
	"github.com/pipescan/pipescan/datum"
)

// String is a typed expression as SQL, for plans. Columns are printed by name,
// constants as literals; casts the server's EXPLAIN would print are left out.
func (x *texpr) String() string {
	arg := func(i int) string { return x.args[i].operand() }
	not := ""
	if x.not {
		not = "NOT "
	}
	switch x.kind {
	case tConst:
		return x.constString()
	case tVar:
		return quoteIdent(x.name)
	case tUnknownArg:
		return quoteLiteral(x.text)
	case tElement:
		return "element"
	case tAnd:
		return x.join(" AND ")
	case tOr:
		return x.join(" OR ")
	case tNot:
		return "NOT " + arg(0)
	case tNullTest:
		return arg(0) + " IS " + not + "NULL"
	case tBoolTest:
		return arg(0) + " IS " + not + x.name
	case tDistinct:
		return arg(0) + " IS " + not + "DISTINCT FROM " + arg(1)
	case tRelabel:
		return x.args[0].String()
	case tViaIO, tArrayCast:
		return arg(0) + "::" + builtinTypeName(x.typ)
	case tCase:
		return x.caseString()
	case tArrayOp:
		which := "ANY"
		if x.not {
			which = "ALL"
		}
		return arg(0) + " " + x.shown + " " + which + " (" + x.args[1].String() + ")"
	case tArray:
		return "ARRAY[" + x.list() + "]"
	case tSubscript:
		s := "(" + x.args[0].String() + ")"
		for _, i := range x.args[1:] {
			s += "[" + i.String() + "]"
		}
		return s
	}
	return x.callString()
}

func (x *texpr) callString() string {
	switch x.kind {
	case tCoalesce:
		return "COALESCE(" + x.list() + ")"
	case tMinMax:
		return x.name + "(" + x.list() + ")"
	case tNullIf:
		return "NULLIF(" + x.list() + ")"
	}
	switch {
	case x.shown != "" && len(x.args) == 1:
		return x.shown + " " + x.args[0].operand()
	case x.shown != "":
		return x.args[0].operand() + " " + x.shown + " " + x.args[1].operand()
	}
	return x.fn.name + "(" + x.list() + ")"
}

func (x *texpr) operand() string {
	switch x.kind {
	case tConst, tVar, tCoalesce, tMinMax, tNullIf, tArray, tCase:
		return x.String()
	case tRelabel:
		return x.args[0].operand()
	case tCall:
		if x.shown == "" {
			return x.String()
		}
	}
	return "(" + x.String() + ")"
}

func (x *texpr) join(sep string) string {
	parts := make([]string, len(x.args))
	for i, a := range x.args {
		parts[i] = a.operand()
	}
	return strings.Join(parts, sep)
}

func (x *texpr) list() string {
	parts := make([]string, len(x.args))
	for i, a := range x.args {
		parts[i] = a.String()
	}
	return strings.Join(parts, ", ")
}

func (x *texpr) caseString() string {
	s := "CASE"
	for i := 0; i+1 < len(x.args); i += 2 {
		s += " WHEN " + x.args[i].String() + " THEN " + x.args[i+1].String()
	}
	return s + " ELSE " + x.args[len(x.args)-1].String() + " END"
}

// constString is a constant as a literal; numbers and booleans go without
// quotes.
func (x *texpr) constString() string {
	if x.null {
		return "NULL"
	}
	codec, err := datum.For(x.typ, -1, &datum.Env{Major: lastMajor, Encoding: catalog.UTF8})
	if err != nil {
		return "'...'::" + builtinTypeName(x.typ)
	}
	text, err := codec.AppendText(nil, x.val)
	if err != nil {
		return "'...'::" + builtinTypeName(x.typ)
	}
	switch x.typ {
	case catalog.Int4OID:
		return string(text)
	case catalog.BoolOID:
		return map[string]string{"t": "true", "f": "false"}[string(text)]
	}
	return quoteLiteral(string(text)) + "::" + builtinTypeName(x.typ)
}

// builtinTypeName is SQL's name of a built-in type; others are by number.
func builtinTypeName(oid catalog.OID) string {
	a := newAnalyzer(&Scope{Env: &datum.Env{Major: lastMajor}})
	return a.typeName(oid)
}
