package qual

import "github.com/pipescan/pipescan/catalog"

// inline replaces a call of a function written in SQL by what it stands for,
// as the server's planner does. It returns nil for all other functions.
func (a *analyzer) inline(x *texpr) (*texpr, error) {
	if x.fn.src != "-" {
		return nil, nil
	}
	for _, arg := range x.args {
		if x.fn.strict && arg.kind == tConst && arg.null {
			return (&folder{a: a}).null(x), nil
		}
	}
	f, ok := inlines[x.fn.name]
	if !ok {
		return nil, nil
	}
	return f(a, x)
}

type inlineFunc func(a *analyzer, x *texpr) (*texpr, error)

// inlines are the SQL functions by name; where a name has several, all are
// alike, or the function tells them apart (nil: not inlined).
var inlines map[string]inlineFunc

func init() {
	inlines = map[string]inlineFunc{
		"textanycat":              concatAny(1),
		"anytextcat":              concatAny(0),
		"timedate_pl":             swapped,
		"timetzdate_pl":           swapped,
		"interval_pl_time":        swapped,
		"interval_pl_timetz":      swapped,
		"interval_pl_date":        swapped,
		"interval_pl_timestamp":   swapped,
		"interval_pl_timestamptz": swapped,
		"integer_pl_date":         swapped,
		"lpad":                    withArgs("lpad", func(a *analyzer, x []*texpr) []*texpr { return append(x, a.constText(" ")) }),
		"rpad":                    withArgs("rpad", func(a *analyzer, x []*texpr) []*texpr { return append(x, a.constText(" ")) }),
		"round":                   withArgs("round", func(_ *analyzer, x []*texpr) []*texpr { return append(x, constInt4(0)) }),
		"trunc":                   withArgs("trunc", func(_ *analyzer, x []*texpr) []*texpr { return append(x, constInt4(0)) }),
		"log":                     withArgs("log", base10),
		"log10":                   withArgs("log", base10),
		"date_part":               datePartOfDate,
		"substring":               substringSimilar,
		"bit_length":              bitLength,
	}
}

// concatAny is text || any: the other operand is cast to text.
func concatAny(which int) inlineFunc {
	return func(a *analyzer, x *texpr) (*texpr, error) {
		y, err := a.castTo(x.args[which], catalog.TextOID, -1, explicitCast)
		if err != nil || y == nil {
			return nil, err
		}
		args := []*texpr{x.args[0], x.args[1]}
		args[which] = y
		return a.op("||", args, x.pos)
	}
}

// swapped is a + b where b + a is the operator with code of its own.
func swapped(a *analyzer, x *texpr) (*texpr, error) {
	return a.op("+", []*texpr{x.args[1], x.args[0]}, x.pos)
}

func withArgs(name string, args func(*analyzer, []*texpr) []*texpr) inlineFunc {
	return func(a *analyzer, x *texpr) (*texpr, error) {
		return a.call(name, args(a, append([]*texpr(nil), x.args...)), x.pos)
	}
}

func base10(a *analyzer, x []*texpr) []*texpr {
	_, v, _ := a.textValue(catalog.NumericOID, "10")
	return append([]*texpr{{kind: tConst, typ: catalog.NumericOID, typmod: -1, val: v}}, x...)
}

func (a *analyzer) constText(s string) *texpr {
	return &texpr{kind: tConst, typ: catalog.TextOID, typmod: -1, val: []byte(s), coll: defaultCollation, collFrom: collImplicit}
}

func datePartOfDate(a *analyzer, x *texpr) (*texpr, error) {
	t, err := a.castTo(x.args[1], catalog.TimestampOID, -1, explicitCast)
	if err != nil || t == nil {
		return nil, err
	}
	return a.call("date_part", []*texpr{x.args[0], t}, x.pos)
}

func substringSimilar(a *analyzer, x *texpr) (*texpr, error) {
	pattern, err := a.call("similar_to_escape", []*texpr{x.args[1], x.args[2]}, x.pos)
	if err != nil {
		return nil, err
	}
	return a.call("substring", []*texpr{x.args[0], pattern}, x.pos)
}

func bitLength(a *analyzer, x *texpr) (*texpr, error) {
	name := "octet_length"
	if x.args[0].typ == catalog.VarbitOID || x.args[0].typ == catalog.BitOID {
		name = "length"
	}
	n, err := a.call(name, x.args, x.pos)
	if err != nil || name == "length" {
		return n, err
	}
	return a.op("*", []*texpr{n, constInt4(8)}, x.pos)
}
