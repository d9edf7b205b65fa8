package qual

import (
	"strings"

	"github.com/pipescan/pipescan/catalog"
)

// OIDs of built-in collations (pg_collation.dat).
const (
	defaultCollation catalog.OID = 100
	cCollation       catalog.OID = 950
	posixCollation   catalog.OID = 951
	ucsBasic         catalog.OID = 962
	pgCUTF8          catalog.OID = 811
)

// collateConst gives a constant, or any expression without collatable
// arguments, its type's collation.
func (a *analyzer) collateConst(x *texpr) {
	if c := a.typ(x.typ).collation; c != 0 {
		x.coll, x.collFrom = c, collImplicit
	}
}

// collateResult gives x the collation of an argument, if its type has any.
func (a *analyzer) collateResult(x, arg *texpr) {
	c := a.typ(x.typ).collation
	if c == 0 {
		return
	}
	x.coll, x.collFrom = c, collImplicit
	if arg.collFrom != collNone {
		x.coll, x.collFrom = arg.coll, arg.collFrom
	}
}

// mergeCollations is the collation that follows from several arguments
// (parse_collate.c).
func mergeCollations(args []*texpr) (coll catalog.OID, from collSource, err error) {
	for _, x := range args {
		switch {
		case x.collFrom > from:
			coll, from = x.coll, x.collFrom
		case x.collFrom < from || x.collFrom == collNone:
		case from == collExplicit && x.coll != coll:
			return 0, 0, at(sqlErrorf("42P21", "collation mismatch between explicit collations"), x.pos)
		case from == collImplicit && x.coll != coll:
			if coll == defaultCollation {
				coll = x.coll
			} else if x.coll != defaultCollation {
				coll, from = 0, collConflict
			}
		}
	}
	return coll, from, nil
}

// collateCall sets a call's collations from its arguments.
func (a *analyzer) collateCall(x *texpr) error {
	coll, from, err := mergeCollations(x.args)
	if err != nil {
		return err
	}
	x.inColl = coll
	if c := a.typ(x.typ).collation; c != 0 {
		x.coll, x.collFrom = c, collImplicit
		if from != collNone {
			x.coll, x.collFrom = coll, from
		}
	}
	return nil
}

// collInfo is what is known of a collation when values are compared.
type collInfo struct {
	name          string
	bytewise      bool // order is memcmp
	deterministic bool
	// cType: case and character classes are ASCII's alone. builtin: Unicode's,
	// by PostgreSQL's own tables.
	cType, builtin bool
	indeterminate  bool
	special        bool // tr, az, lt: not even ASCII's case rules hold
}

// collInfoOf looks a collation up. 0 is indeterminate.
func (s *Scope) collInfoOf(oid catalog.OID) (collInfo, error) {
	switch oid {
	case 0:
		return collInfo{indeterminate: true}, nil
	case cCollation, posixCollation:
		return collInfo{name: "C", bytewise: true, deterministic: true, cType: true}, nil
	case ucsBasic:
		if s.Env.Major < 17 {
			return collInfo{name: "ucs_basic", bytewise: true, deterministic: true, cType: true}, nil
		}
		return collInfo{name: "ucs_basic", bytewise: true, deterministic: true, builtin: true}, nil
	case pgCUTF8:
		return collInfo{name: "pg_c_utf8", bytewise: true, deterministic: true, builtin: true}, nil
	case defaultCollation:
		return s.defaultColl(), nil
	}
	if s.Collation == nil {
		return collInfo{}, unsupportedf("collation %d", oid)
	}
	c, ok, err := s.Collation(oid)
	if err != nil {
		return collInfo{}, err
	}
	if !ok {
		return collInfo{}, unsupportedf("collation %d", oid)
	}
	return rowColl(c), nil
}

func rowColl(c *catalog.Collation) collInfo {
	i := providerColl(c.Provider, c.Collate, c.CType, c.Locale)
	i.name, i.deterministic = c.Name, c.Deterministic
	return i
}

// defaultColl is the database's.
func (s *Scope) defaultColl() collInfo {
	if s.Database == nil {
		return collInfo{name: "default", bytewise: true, deterministic: true, cType: true}
	}
	d := s.Database
	i := providerColl(d.Provider, d.Collate, d.CType, d.Locale)
	i.name = "default (" + d.Collate + ")"
	return i
}

func providerColl(provider byte, collate, ctype, locale string) collInfo {
	i := collInfo{deterministic: true}
	switch provider {
	case 'i':
		i.special = turkic(locale)
	case 'b':
		// Both C and C.UTF-8 order by bytes, which is by code point in UTF-8.
		i.bytewise, i.cType = true, locale == "C"
		i.builtin = !i.cType
	default:
		i.bytewise, i.cType = isC(collate), isC(ctype)
		i.special = turkic(ctype)
	}
	return i
}

// isC says whether a libc locale orders by bytes. C.UTF-8 of glibc does so by
// code point, but PostgreSQL asks libc, whose version matters: not C.
func isC(locale string) bool { return locale == "C" || locale == "POSIX" }

// turkic says whether a locale has its own rules for the case of ASCII letters.
func turkic(locale string) bool {
	l := strings.ToLower(locale)
	return strings.HasPrefix(l, "tr") || strings.HasPrefix(l, "az") || strings.HasPrefix(l, "lt")
}
