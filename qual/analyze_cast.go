package qual

import (
	"strings"

	"github.com/pipescan/pipescan/catalog"
)

// cast is CAST(x AS type).
func (a *analyzer) cast(e Expr, x *texpr) (*texpr, error) {
	target, typmod, err := a.typeOf(e.To)
	if err != nil {
		return nil, err
	}
	if x.typ != target && x.kind != tUnknownArg {
		if err := a.foreign([]catalog.OID{x.typ, target}); err != nil {
			return nil, err
		}
	}
	y, err := a.castTo(x, target, typmod, explicitCast)
	if err != nil {
		return nil, err
	}
	if y == nil {
		return nil, sqlErrorf("42846", "cannot cast type %s to %s", a.typeName(x.typ), a.typeName(target))
	}
	return y, nil
}

// typedLiteral is type 'text'.
func (a *analyzer) typedLiteral(e Expr) (*texpr, error) {
	x, err := a.unknown(e)
	if err != nil {
		return nil, err
	}
	return a.cast(e, x)
}

// typeOf finds a named type and its modifier.
func (a *analyzer) typeOf(t Type) (catalog.OID, int32, error) {
	oid, array := t.OID, t.Array
	name := t.Name
	if oid == 0 {
		for strings.HasSuffix(name, "[]") {
			name, array = strings.TrimSuffix(name, "[]"), true
		}
		var err error
		if oid, err = a.typeNamed(t.Schema, name); err != nil {
			return 0, 0, err
		}
	}
	typmod := int32(-1)
	switch {
	case t.HasTypmod:
		typmod = t.Typmod
	case len(t.Mods) > 0:
		var err error
		if typmod, err = a.typmodOf(oid, t.Mods); err != nil {
			return 0, 0, err
		}
	case t.Schema == "" && (name == "character" || name == "char" || name == "bit") && t.OID == 0:
		// SQL's CHARACTER and BIT are of length 1.
		typmod = 1
		if oid == catalog.BpcharOID {
			typmod += varlenaHeader
		}
	}
	if array {
		if oid = a.arrayOf(oid); oid == 0 {
			return 0, 0, sqlErrorf("42704", "type %q does not exist", name+"[]")
		}
	}
	return oid, typmod, nil
}

const varlenaHeader = 4

func (a *analyzer) typeNamed(schema, name string) (catalog.OID, error) {
	if schema == "" {
		if oid, ok := sqlTypeNames[name]; ok {
			return oid, nil
		}
	}
	if schema == "" || schema == "pg_catalog" {
		if t, ok := a.sys.typeByName[name]; ok {
			return t.oid, nil
		}
	}
	if a.TypeNamed != nil {
		oid, ok, err := a.TypeNamed(schema, name)
		if err != nil {
			return 0, err
		}
		if ok {
			return oid, nil
		}
	}
	if schema != "" {
		name = schema + "." + name
	}
	return 0, sqlErrorf("42704", "type %q does not exist", name)
}

// typmodOf is a type's typmodin function.
func (a *analyzer) typmodOf(oid catalog.OID, mods []int32) (int32, error) {
	first := mods[0]
	switch oid {
	case catalog.VarcharOID, catalog.BpcharOID:
		return a.lengthMod(oid, mods, 10485760, varlenaHeader)
	case catalog.BitOID, catalog.VarbitOID:
		return a.lengthMod(oid, mods, 10485760*8, 0)
	case catalog.NumericOID:
		return a.numericMod(mods)
	case catalog.TimeOID, catalog.TimetzOID, catalog.TimestampOID, catalog.TimestamptzOID:
		if len(mods) != 1 {
			return 0, sqlErrorf("22023", "invalid type modifier")
		}
		if first < 0 {
			return 0, sqlErrorf("22023", "%s(%d) precision must not be negative", strings.ToUpper(a.typ(oid).name), first)
		}
		return min(first, 6), nil
	case catalog.IntervalOID:
		if len(mods) == 1 {
			return first<<16 | 0xffff, nil
		}
		if mods[1] < 0 {
			return 0, sqlErrorf("22023", "INTERVAL(%d) precision must not be negative", mods[1])
		}
		return first<<16 | min(mods[1], 6), nil
	}
	return 0, sqlErrorf("42601", "type modifier is not allowed for type %q", a.typ(oid).name)
}

func (a *analyzer) lengthMod(oid catalog.OID, mods []int32, most, header int32) (int32, error) {
	name := map[catalog.OID]string{catalog.VarcharOID: "varchar", catalog.BpcharOID: "char", catalog.BitOID: "bit", catalog.VarbitOID: "varbit"}[oid]
	switch {
	case len(mods) != 1:
		return 0, sqlErrorf("22023", "invalid type modifier")
	case mods[0] < 1:
		return 0, sqlErrorf("22023", "length for type %s must be at least 1", name)
	case mods[0] > most:
		return 0, sqlErrorf("22023", "length for type %s cannot exceed %d", name, most)
	}
	return mods[0] + header, nil
}

func (a *analyzer) numericMod(mods []int32) (int32, error) {
	precision, scale := mods[0], int32(0)
	if len(mods) > 1 {
		scale = mods[1]
	}
	lowest, highest := int32(-1000), int32(1000)
	if a.major() < 15 {
		lowest, highest = 0, precision
	}
	switch {
	case len(mods) > 2:
		return 0, sqlErrorf("22023", "invalid NUMERIC type modifier")
	case precision < 1 || precision > 1000:
		return 0, sqlErrorf("22023", "NUMERIC precision %d must be between 1 and 1000", precision)
	case scale < lowest || scale > highest:
		return 0, sqlErrorf("22023", "NUMERIC scale %d must be between %d and %d", scale, lowest, highest)
	}
	if a.major() < 15 {
		return precision<<16 | scale + varlenaHeader, nil
	}
	return (precision<<16 | scale&0x7ff) + varlenaHeader, nil
}
