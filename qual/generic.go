package qual

import (
	"github.com/pipescan/pipescan/catalog"
)

// Polymorphic types (parse_coerce.c): anyelement and its kin have to agree in
// one type; anycompatible and its kin have a common type.

func isPolymorphic(oid catalog.OID) bool {
	switch oid {
	case anyElementOID, anyArrayOID, anyNonArrayOID, anyEnumOID, anyRangeOID, anyMultirangeOID,
		anyCompatibleOID, anyCompatibleArrayOID, anyCompatibleNonArrayOID, anyCompatibleRangeOID, anyCompatibleMultirangeOID:
		return true
	}
	return false
}

// generics is what the polymorphic arguments of a call come to.
type generics struct {
	elem, array, rng, multirange catalog.OID
	common                       catalog.OID // of the anycompatible family
	compatible                   []catalog.OID
	nonArray, enum               bool
	compatNonArray               bool
	hasCompatible                bool
}

// collect gathers the types; false: they disagree.
func (g *generics) collect(a *analyzer, inputs, declared []catalog.OID) bool {
	same := func(have *catalog.OID, t catalog.OID) bool {
		if *have != 0 && *have != t {
			return false
		}
		*have = t
		return true
	}
	for i, in := range inputs {
		d := declared[i]
		switch d {
		case anyNonArrayOID:
			g.nonArray = true
		case anyEnumOID:
			g.enum = true
		case anyCompatibleNonArrayOID:
			g.compatNonArray, g.hasCompatible = true, true
		case anyCompatibleOID, anyCompatibleArrayOID:
			g.hasCompatible = true
		}
		if in == unknownOID {
			continue
		}
		ok := true
		switch d {
		case anyElementOID, anyNonArrayOID, anyEnumOID:
			ok = same(&g.elem, in)
		case anyArrayOID:
			ok = same(&g.array, a.base(in))
		case anyRangeOID:
			ok = same(&g.rng, a.base(in))
		case anyMultirangeOID:
			ok = same(&g.multirange, a.base(in))
		case anyCompatibleOID, anyCompatibleNonArrayOID:
			g.compatible = append(g.compatible, in)
		case anyCompatibleArrayOID:
			elem := a.elemOf(a.base(in))
			ok = elem != 0
			g.compatible = append(g.compatible, elem)
		case anyCompatibleRangeOID, anyCompatibleMultirangeOID:
			ok = false
		}
		if !ok {
			return false
		}
	}
	return g.settle(a)
}

// settle derives what follows from what was collected.
func (g *generics) settle(a *analyzer) bool {
	if g.array != 0 {
		elem := a.elemOf(g.array)
		if elem == 0 || g.elem != 0 && g.elem != elem {
			return false
		}
		g.elem = elem
	}
	if g.rng != 0 && a.typ(g.rng).kind != 'r' || g.multirange != 0 && a.typ(g.multirange).kind != 'm' {
		return false
	}
	if g.rng != 0 && !g.rangeElem(a) {
		return false
	}
	if g.nonArray && g.elem != 0 && a.elemOf(a.base(g.elem)) != 0 {
		return false
	}
	if g.enum && g.elem == 0 && a.major() < 14 {
		return false
	}
	if g.enum && g.elem != 0 && a.typ(a.base(g.elem)).kind != 'e' {
		return false
	}
	if len(g.compatible) > 0 {
		g.common = a.commonType(g.compatible)
		if g.common == 0 {
			return false
		}
		for _, t := range g.compatible {
			if !a.canCoerce([]catalog.OID{t}, []catalog.OID{g.common}, implicitCast) {
				return false
			}
		}
		if g.compatNonArray && a.elemOf(g.common) != 0 {
			return false
		}
	}
	return true
}

// rangeElem checks anyelement against the range's subtype.
func (g *generics) rangeElem(a *analyzer) bool {
	sub, ok := builtinRanges[g.rng]
	if !ok && a.Env.Lookup != nil {
		r, found, err := a.Env.Lookup.Range(g.rng)
		if err != nil || !found {
			return false
		}
		sub = r.Subtype
	}
	if g.elem != 0 && g.elem != sub {
		return false
	}
	g.elem = sub
	return true
}

// builtinRanges are the subtypes of the built-in range types.
var builtinRanges = map[catalog.OID]catalog.OID{
	3904: catalog.Int4OID, 3906: catalog.NumericOID, 3908: catalog.TimestampOID,
	3910: catalog.TimestamptzOID, 3912: catalog.DateOID, 3926: catalog.Int8OID,
}

// consistent is check_generic_type_consistency.
func (a *analyzer) consistent(inputs, declared []catalog.OID) bool {
	var g generics
	return g.collect(a, inputs, declared)
}

// enforce is enforce_generic_type_consistency: the declared types with the
// polymorphic ones replaced, and the result type.
func (a *analyzer) enforce(inputs, declared []catalog.OID, result catalog.OID) ([]catalog.OID, catalog.OID, error) {
	var g generics
	if !g.collect(a, inputs, declared) {
		return nil, 0, sqlErrorf("42804", "arguments declared polymorphic are not all alike")
	}
	if g.hasCompatible && g.common == 0 {
		g.common = catalog.TextOID
	}
	out := make([]catalog.OID, len(declared))
	for i, d := range declared {
		t, err := g.resolve(a, d)
		if err != nil {
			return nil, 0, err
		}
		out[i] = t
	}
	r, err := g.resolve(a, result)
	return out, r, err
}

// resolve is what a declared type stands for.
func (g *generics) resolve(a *analyzer, d catalog.OID) (catalog.OID, error) {
	pick := func(t catalog.OID) (catalog.OID, error) {
		if t == 0 {
			return 0, sqlErrorf("42804", "could not determine polymorphic type because input has type unknown")
		}
		return t, nil
	}
	switch d {
	case anyElementOID, anyNonArrayOID, anyEnumOID:
		return pick(g.elem)
	case anyArrayOID:
		if g.array == 0 && g.elem != 0 {
			return pick(a.arrayOf(g.elem))
		}
		return pick(g.array)
	case anyRangeOID:
		return pick(g.rng)
	case anyMultirangeOID:
		return pick(g.multirange)
	case anyCompatibleOID, anyCompatibleNonArrayOID:
		return pick(g.common)
	case anyCompatibleArrayOID:
		return pick(a.arrayOf(g.common))
	}
	return d, nil
}

// commonType is select_common_type over types: 0 when there is none.
func (a *analyzer) commonType(types []catalog.OID) catalog.OID {
	p := types[0]
	if p != unknownOID {
		same := true
		for _, t := range types[1:] {
			same = same && t == p
		}
		if same {
			return p
		}
	}
	p = a.base(p)
	for _, t := range types[1:] {
		n := a.base(t)
		if n == unknownOID || n == p {
			continue
		}
		switch {
		case p == unknownOID:
			p = n
		case a.typ(n).category != a.typ(p).category:
			return 0
		case !a.typ(p).preferred &&
			a.canCoerce([]catalog.OID{p}, []catalog.OID{n}, implicitCast) &&
			!a.canCoerce([]catalog.OID{n}, []catalog.OID{p}, implicitCast):
			p = n
		}
	}
	if p == unknownOID {
		return catalog.TextOID
	}
	return p
}
