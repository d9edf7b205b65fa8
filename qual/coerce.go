package qual

import (
	"github.com/pipescan/pipescan/catalog"
)

// Casts (parse_coerce.c): which there are between two types, and the
// expressions that carry them out.

// pathway is a way from one type to another.
type pathway uint8

const (
	pathNone pathway = iota
	pathFunc
	pathRelabel
	pathArray
	pathIO
)

// contexts in which casts are applied, weakest last.
const (
	implicitCast   byte = 'i'
	assignmentCast byte = 'a'
	explicitCast   byte = 'e'
)

// strength orders contexts: a cast of a context applies in those at least as
// strong.
func strength(context byte) int {
	switch context {
	case implicitCast:
		return 0
	case assignmentCast:
		return 1
	}
	return 2
}

// path is find_coercion_pathway.
func (a *analyzer) path(target, source catalog.OID, context byte) (pathway, *proc) {
	source, target = a.base(source), a.base(target)
	if source == target {
		return pathRelabel, nil
	}
	if c, ok := a.sys.casts[castKey{source, target}]; ok {
		if strength(context) < strength(c.context) {
			return pathNone, nil
		}
		switch c.method {
		case 'f':
			return pathFunc, a.sys.procByOID[c.fn]
		case 'i':
			return pathIO, nil
		}
		return pathRelabel, nil
	}
	if target != catalog.OidVectorOID && target != catalog.Int2VectorOID {
		te, se := a.elemOf(target), a.elemOf(source)
		if te != 0 && se != 0 {
			if p, _ := a.path(te, se, context); p != pathNone {
				return pathArray, nil
			}
		}
	}
	if strength(context) >= strength(assignmentCast) && a.typ(target).category == categoryString {
		return pathIO, nil
	}
	if context == explicitCast && a.typ(source).category == categoryString {
		return pathIO, nil
	}
	return pathNone, nil
}

// canCoerce is can_coerce_type.
func (a *analyzer) canCoerce(inputs, targets []catalog.OID, context byte) bool {
	generic := false
	for i, in := range inputs {
		target := targets[i]
		switch {
		case in == target, target == anyOID:
		case isPolymorphic(target):
			generic = true
		case in == unknownOID:
		default:
			if p, _ := a.path(target, in, context); p == pathNone {
				return false
			}
		}
	}
	return !generic || a.consistent(inputs, targets)
}

// coerce is coerce_type: x as a value of the target type, which the caller
// knows can be reached.
func (a *analyzer) coerce(x *texpr, target catalog.OID, typmod int32, context byte) (*texpr, error) {
	if x.typ == target || target == anyOID {
		return x, nil
	}
	switch target {
	case anyElementOID, anyNonArrayOID, anyCompatibleOID, anyCompatibleNonArrayOID:
		return x, nil
	case anyArrayOID, anyEnumOID, anyRangeOID, anyMultirangeOID, anyCompatibleArrayOID, anyCompatibleRangeOID, anyCompatibleMultirangeOID:
		if x.typ != unknownOID {
			return a.relabel(x, a.base(x.typ), -1), nil
		}
	}
	if x.kind == tUnknownArg {
		return a.literal(x, target, typmod)
	}
	return a.coerceTyped(x, target, typmod, context)
}

// coerceTyped is coerce for expressions whose type is known.
func (a *analyzer) coerceTyped(x *texpr, target catalog.OID, typmod int32, context byte) (*texpr, error) {
	if a.typ(target).kind == 'd' && a.base(x.typ) != x.typ && a.base(target) == a.base(x.typ) || a.typ(target).kind == 'd' {
		return nil, unsupportedf("a cast to the domain %s", a.typeName(target))
	}
	p, fn := a.path(target, x.typ, context)
	switch p {
	case pathRelabel:
		return a.relabel(x, target, -1), nil
	case pathFunc:
		return a.castCall(fn, x, target, typmod, context == explicitCast)
	case pathIO:
		y := &texpr{kind: tViaIO, typ: target, typmod: -1, args: []*texpr{x}, pos: x.pos, explicit: context == explicitCast}
		a.collateResult(y, x)
		return y, nil
	case pathArray:
		return a.arrayCast(x, target, typmod, context)
	}
	return nil, sqlErrorf("42846", "cannot cast type %s to %s", a.typeName(x.typ), a.typeName(target))
}

// relabel gives x another type without a change of its bytes.
func (a *analyzer) relabel(x *texpr, target catalog.OID, typmod int32) *texpr {
	if x.typ == target {
		return x
	}
	y := &texpr{kind: tRelabel, typ: target, typmod: typmod, args: []*texpr{x}, pos: x.pos}
	a.collateResult(y, x)
	return y
}

// castCall calls a cast function; those with more arguments get the type
// modifier and whether the cast is explicit.
func (a *analyzer) castCall(fn *proc, x *texpr, target catalog.OID, typmod int32, explicit bool) (*texpr, error) {
	if fn == nil {
		return nil, unsupportedf("the cast from %s to %s", a.typeName(x.typ), a.typeName(target))
	}
	args := []*texpr{a.relabelTo(x, fn.args[0])}
	if len(fn.args) >= 2 {
		args = append(args, constInt4(typmod))
	}
	if len(fn.args) >= 3 {
		args = append(args, constBool(explicit))
	}
	y := &texpr{kind: tCall, typ: target, typmod: -1, fn: fn, args: args, pos: x.pos, explicit: explicit}
	if len(fn.args) >= 2 {
		y.typmod = typmod
	}
	return y, a.collateCall(y)
}

// relabelTo makes x's type the one a function declares where they are binary
// coercible; else x stays.
func (a *analyzer) relabelTo(x *texpr, target catalog.OID) *texpr {
	if x.typ == target || isPolymorphic(target) || target == anyOID {
		return x
	}
	return a.relabel(x, target, -1)
}

// arrayCast casts element by element.
func (a *analyzer) arrayCast(x *texpr, target catalog.OID, typmod int32, context byte) (*texpr, error) {
	from := a.elemOf(a.base(x.typ))
	item := &texpr{kind: tElement, typ: from, typmod: -1, coll: a.typ(from).collation, collFrom: collImplicit}
	elem, err := a.coerce(item, a.elemOf(target), typmod, context)
	if err != nil {
		return nil, err
	}
	if typmod >= 0 {
		if elem, err = a.applyTypmod(elem, a.elemOf(target), typmod, context); err != nil {
			return nil, err
		}
	}
	return a.elementwise(x, target, typmod, elem), nil
}

// elementwise is an array cast by a known expression.
func (a *analyzer) elementwise(x *texpr, target catalog.OID, typmod int32, elem *texpr) *texpr {
	y := &texpr{kind: tArrayCast, typ: target, typmod: typmod, args: []*texpr{x}, elem: elem, pos: x.pos}
	if elem.kind == tRelabel || elem.kind == tElement {
		y.kind, y.elem = tRelabel, nil
	}
	a.collateResult(y, x)
	return y
}

// applyTypmod is coerce_type_typmod: cuts, pads or rounds to a modifier.
func (a *analyzer) applyTypmod(x *texpr, target catalog.OID, typmod int32, context byte) (*texpr, error) {
	if typmod < 0 || x.typmod == typmod {
		return x, nil
	}
	c, ok := a.sys.casts[castKey{target, target}]
	if ok && c.method == 'f' {
		return a.castCall(a.sys.procByOID[c.fn], x, target, typmod, context == explicitCast)
	}
	if elem := a.elemOf(target); elem != 0 {
		item := &texpr{kind: tElement, typ: elem, typmod: -1, coll: a.typ(elem).collation, collFrom: collImplicit}
		y, err := a.applyTypmod(item, elem, typmod, context)
		if err != nil || y == item {
			return x, err
		}
		return a.elementwise(x, target, typmod, y), nil
	}
	return x, nil
}

// castTo is coerce_to_target_type, without the error for "no such cast": nil.
func (a *analyzer) castTo(x *texpr, target catalog.OID, typmod int32, context byte) (*texpr, error) {
	if !a.canCoerce([]catalog.OID{x.typ}, []catalog.OID{target}, context) {
		return nil, a.failed
	}
	y, err := a.coerce(x, target, typmod, context)
	if err != nil {
		return nil, err
	}
	return a.applyTypmod(y, target, typmod, context)
}

// boolean is coerce_to_boolean.
func (a *analyzer) boolean(x *texpr, construct string) (*texpr, error) {
	if x.typ != catalog.BoolOID {
		y, err := a.castTo(x, catalog.BoolOID, -1, assignmentCast)
		if err != nil {
			return nil, at(err, x.pos)
		}
		if y == nil {
			return nil, at(sqlErrorf("42804", "argument of %s must be type boolean, not type %s", construct, a.typeName(x.typ)), x.pos)
		}
		x = y
	}
	return x, nil
}
