package qual

import (
	"strings"

	"github.com/pipescan/pipescan/catalog"
)

// Arrays, subscripts and COLLATE.

// array is ARRAY[...]; arrays as items make it multidimensional.
func (a *analyzer) array(args []*texpr) (*texpr, error) {
	if len(args) == 0 {
		return nil, sqlErrorf("42P18", "cannot determine type of empty array")
	}
	items, typ, err := a.common("ARRAY", args)
	if err != nil {
		return nil, err
	}
	return a.arrayOfType(items, typ)
}

func (a *analyzer) arrayOfType(items []*texpr, elem catalog.OID) (*texpr, error) {
	x := &texpr{kind: tArray, typmod: -1, args: items}
	if a.elemOf(elem) != 0 {
		x.typ, x.name = elem, "multi"
	} else if x.typ = a.arrayOf(elem); x.typ == 0 {
		return nil, sqlErrorf("42704", "could not find array type for data type %s", a.typeName(elem))
	}
	return x, a.collateCall(x)
}

// subscript is x[i][j]: the element of an array, or of a jsonb.
func (a *analyzer) subscript(args []*texpr) (*texpr, error) {
	typ := a.base(args[0].typ)
	if typ == catalog.JSONBOID && a.major() >= 14 {
		return a.jsonSubscript(args)
	}
	elem := a.elemOf(typ)
	if elem == 0 {
		return nil, sqlErrorf("42804", "cannot subscript type %s because it does not support subscripting", a.typeName(args[0].typ))
	}
	out := []*texpr{a.relabel(args[0], typ, -1)}
	for _, i := range args[1:] {
		y, err := a.castTo(i, catalog.Int4OID, -1, assignmentCast)
		if err != nil {
			return nil, at(err, i.pos)
		}
		if y == nil {
			return nil, at(sqlErrorf("42804", "array subscript must have type integer"), i.pos)
		}
		out = append(out, y)
	}
	x := &texpr{kind: tSubscript, typ: elem, typmod: args[0].typmod, args: out}
	a.collateResult(x, args[0])
	return x, nil
}

// jsonSubscript is jsonb's x['a'][0], which is the path operator without its
// error for missing parts.
func (a *analyzer) jsonSubscript(args []*texpr) (*texpr, error) {
	x := args[0]
	for _, i := range args[1:] {
		to := catalog.TextOID
		if i.typ == catalog.Int4OID || i.typ == catalog.Int2OID {
			to = catalog.Int4OID
		}
		y, err := a.castTo(i, to, -1, implicitCast)
		if err != nil || y == nil {
			return nil, unsupportedf("a jsonb subscript of type %s", a.typeName(i.typ))
		}
		if x, err = a.op("->", []*texpr{x, y}, i.pos); err != nil {
			return nil, err
		}
	}
	return x, nil
}

// collate is x COLLATE name.
func (a *analyzer) collate(name string, x *texpr) (*texpr, error) {
	if x.kind == tUnknownArg {
		var err error
		if x, err = a.literal(x, catalog.TextOID, -1); err != nil {
			return nil, err
		}
	}
	if a.typ(x.typ).collation == 0 {
		return nil, sqlErrorf("42804", "collations are not supported by type %s", a.typeName(x.typ))
	}
	oid, err := a.collationNamed(name)
	if err != nil {
		return nil, err
	}
	y := *x
	y.coll, y.collFrom = oid, collExplicit
	return &y, nil
}

func (a *analyzer) collationNamed(name string) (catalog.OID, error) {
	schema, base, qualified := strings.Cut(name, ".")
	if !qualified {
		schema, base = "", name
	}
	if schema == "" || schema == "pg_catalog" {
		switch {
		case base == "C":
			return cCollation, nil
		case base == "POSIX":
			return posixCollation, nil
		case base == "default":
			return defaultCollation, nil
		case base == "ucs_basic":
			return ucsBasic, nil
		case base == "pg_c_utf8" && a.major() >= 17:
			return pgCUTF8, nil
		}
	}
	if a.CollationNamed != nil {
		c, ok, err := a.CollationNamed(schema, base)
		if err != nil {
			return 0, err
		}
		if ok {
			return c.OID, nil
		}
	}
	return 0, sqlErrorf("42704", "collation %q for encoding %q does not exist", name, catalog.EncodingName(a.Env.Encoding))
}
