package qual

import (
	"slices"

	"github.com/pipescan/pipescan/catalog"
)

// Choosing one operator or function among several of a name (parse_func.c,
// parse_oper.c).

// candidate is a function or operator that might be meant; args are its
// argument types, a variadic one repeated as often as needed.
type candidate struct {
	args     []catalog.OID
	fn       *proc
	op       *operator
	variadic bool // args were repeated
}

// matching keeps the candidates that the inputs can be cast to implicitly.
func (a *analyzer) matching(inputs []catalog.OID, all []candidate) []candidate {
	var out []candidate
	for _, c := range all {
		if a.canCoerce(inputs, c.args, implicitCast) {
			out = append(out, c)
		}
	}
	return out
}

// best keeps the candidates with the highest score.
func best(all []candidate, score func(candidate) int) []candidate {
	var out []candidate
	top := 0
	for _, c := range all {
		s := score(c)
		if len(out) == 0 || s > top {
			top, out = s, append(out[:0:0], c)
		} else if s == top {
			out = append(out, c)
		}
	}
	return out
}

// choose is func_select_candidate; ok is false when none is better than all
// others.
func (a *analyzer) choose(inputs []catalog.OID, all []candidate) (candidate, bool) {
	in := make([]catalog.OID, len(inputs))
	unknown := 0
	for i, t := range inputs {
		in[i] = a.base(t)
		if t == unknownOID {
			unknown++
		}
	}
	all = best(all, func(c candidate) (n int) {
		for i, t := range in {
			if t != unknownOID && c.args[i] == t {
				n++
			}
		}
		return n
	})
	if len(all) == 1 {
		return all[0], true
	}
	all = best(all, func(c candidate) (n int) {
		for i, t := range in {
			if t != unknownOID && (c.args[i] == t || a.preferred(a.typ(t).category, c.args[i])) {
				n++
			}
		}
		return n
	})
	if len(all) == 1 {
		return all[0], true
	}
	if unknown == 0 {
		return candidate{}, false
	}
	if all = a.byCategory(in, all); len(all) == 1 {
		return all[0], true
	}
	return a.byKnownType(in, unknown, all)
}

// preferred says whether a type is the preferred one of a category.
func (a *analyzer) preferred(category byte, t catalog.OID) bool {
	r := a.typ(t)
	return r.category == category && r.preferred
}

// byCategory decides what category each unknown input is, and keeps the
// candidates that take it.
func (a *analyzer) byCategory(in []catalog.OID, all []candidate) []candidate {
	category, hasPreferred := make([]byte, len(in)), make([]bool, len(in))
	for i, t := range in {
		if t != unknownOID {
			continue
		}
		conflict := false
		for _, c := range all {
			r := a.typ(c.args[i])
			switch {
			case category[i] == categoryInvalid:
				category[i], hasPreferred[i] = r.category, r.preferred
			case category[i] == r.category:
				hasPreferred[i] = hasPreferred[i] || r.preferred
			case r.category == categoryString:
				category[i], hasPreferred[i] = r.category, r.preferred
			default:
				conflict = true
			}
		}
		if conflict && category[i] != categoryString {
			return all
		}
	}
	kept := slices.DeleteFunc(slices.Clone(all), func(c candidate) bool {
		for i, t := range in {
			r := a.typ(c.args[i])
			if t == unknownOID && (r.category != category[i] || hasPreferred[i] && !r.preferred) {
				return true
			}
		}
		return false
	})
	if len(kept) == 0 {
		return all
	}
	return kept
}

// byKnownType takes all unknown inputs to be of the one type that the others
// have.
func (a *analyzer) byKnownType(in []catalog.OID, unknown int, all []candidate) (candidate, bool) {
	if unknown == len(in) {
		return candidate{}, false
	}
	known := unknownOID
	for _, t := range in {
		if t == unknownOID {
			continue
		}
		if known != unknownOID && known != t {
			return candidate{}, false
		}
		known = t
	}
	assumed := make([]catalog.OID, len(in))
	for i := range assumed {
		assumed[i] = known
	}
	found := a.matching(assumed, all)
	if len(found) == 1 {
		return found[0], true
	}
	return candidate{}, false
}

// operatorFor is oper and left_oper: the operator of a name for operands of
// these types; one type is a prefix operator.
func (a *analyzer) operatorFor(name string, in []catalog.OID) (*operator, error) {
	if name == "!=" {
		name = "<>"
	}
	if err := a.foreign(in); err != nil {
		return nil, err
	}
	if o := a.exactOperator(name, in); o != nil {
		return o, nil
	}
	var all []candidate
	for _, o := range a.sys.operators[name] {
		switch {
		case len(in) == 2 && o.left != 0 && o.right != 0:
			all = append(all, candidate{args: []catalog.OID{o.left, o.right}, op: o})
		case len(in) == 1 && o.left == 0:
			all = append(all, candidate{args: []catalog.OID{o.right}, op: o})
		}
	}
	all = a.matching(in, all)
	if len(all) == 1 {
		return all[0].op, nil
	}
	text := a.operatorText(name, in)
	if len(all) > 1 {
		if c, ok := a.choose(in, all); ok {
			return c.op, nil
		}
		return nil, sqlErrorf("42725", "operator is not unique: %s", text)
	}
	return nil, sqlErrorf("42883", "operator does not exist: %s", text)
}

// operatorText is an operator with its operands' types for messages.
func (a *analyzer) operatorText(name string, in []catalog.OID) string {
	if len(in) == 1 {
		return name + " " + a.typeName(in[0])
	}
	return a.typeName(in[0]) + " " + name + " " + a.typeName(in[1])
}

// exactOperator finds an operator for exactly these types, an unknown operand
// taken to be of the other's type.
func (a *analyzer) exactOperator(name string, in []catalog.OID) *operator {
	find := func(l, r catalog.OID) *operator {
		for _, o := range a.sys.operators[name] {
			if o.left == l && o.right == r {
				return o
			}
		}
		return nil
	}
	if len(in) == 1 {
		return find(0, in[0])
	}
	l, r := in[0], in[1]
	assumed := true
	switch {
	case l == unknownOID:
		l = r
	case r == unknownOID:
		r = l
	default:
		assumed = false
	}
	if o := find(l, r); o != nil || !assumed {
		return o
	}
	if b := a.base(l); b != l {
		return find(b, b)
	}
	return nil
}

// foreign refuses types of extensions: their own operators are not known here,
// and the built-in ones are not what the server would choose.
func (a *analyzer) foreign(in []catalog.OID) error {
	for _, t := range in {
		b := a.base(t)
		if e := a.elemOf(b); e != 0 {
			b = a.base(e)
		}
		if b >= firstUserOID && a.typ(b).kind == 'b' {
			return unsupportedf("an operator or function on values of type %s", a.typeName(t))
		}
	}
	return a.failed
}

// functionCandidates are the functions of a name that take n arguments.
func (a *analyzer) functionCandidates(name string, n int) []candidate {
	var out []candidate
	for _, p := range a.sys.procs[name] {
		switch {
		case len(p.args) == n:
			out = append(out, candidate{args: p.args, fn: p})
		case p.variadic == 0 && len(p.args) > n && len(p.args)-p.defaults <= n:
			out = append(out, candidate{args: p.args[:n], fn: p})
		}
		if p.variadic != 0 && n >= len(p.args) {
			args := slices.Clone(p.args[:len(p.args)-1])
			for len(args) < n {
				args = append(args, p.variadic)
			}
			out = append(out, candidate{args: args, fn: p, variadic: true})
		}
	}
	return out
}

// functionFor is func_get_detail. cast is a type when the call is a cast
// written as a function.
func (a *analyzer) functionFor(name string, in []catalog.OID) (c candidate, cast catalog.OID, err error) {
	if err := a.foreign(in); err != nil {
		return c, 0, err
	}
	all := a.functionCandidates(name, len(in))
	for _, c := range all {
		if slices.Equal(c.args, in) {
			return c, 0, nil
		}
	}
	if len(in) == 1 {
		if t := a.sys.typeByName[name]; t != nil && a.castsByName(t.oid, in[0]) {
			return c, t.oid, nil
		}
	}
	all = a.matching(in, all)
	if len(all) == 1 {
		return all[0], 0, nil
	}
	if len(all) > 1 {
		if c, ok := a.choose(in, all); ok {
			return c, 0, nil
		}
		return c, 0, sqlErrorf("42725", "function %s is not unique", a.callText(name, in))
	}
	return c, 0, sqlErrorf("42883", "function %s does not exist", a.callText(name, in))
}

// castsByName says whether a call with a type's name is a cast to it.
func (a *analyzer) castsByName(target, source catalog.OID) bool {
	if source == unknownOID {
		return true
	}
	p, _ := a.path(target, source, explicitCast)
	return p == pathRelabel || p == pathIO
}

// callText is a call with its arguments' types for messages.
func (a *analyzer) callText(name string, in []catalog.OID) string {
	s := name + "("
	for i, t := range in {
		if i > 0 {
			s += ", "
		}
		s += a.typeName(t)
	}
	return s + ")"
}
