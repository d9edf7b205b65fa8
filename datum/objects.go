package datum

import (
	"encoding/binary"
	"strconv"
	"strings"

	"github.com/pipescan/pipescan/catalog"
	"github.com/pipescan/pipescan/pgfile"
)

// containerTypes are the built-in types, by OID, whose values hold others or
// name objects of the catalogs.
var containerTypes = map[catalog.OID]builtin{
	catalog.JSONBOID:          {textJSONB, valueJSONB},
	catalog.AclitemOID:        {textACL, valueACL},
	catalog.OidVectorOID:      {textOidVector, valueOidVector},
	catalog.Int2VectorOID:     {textInt2Vector, valueInt2Vector},
	catalog.PgNodeTreeOID:     {textText, valueText},
	catalog.PgNdistinctOID:    {textNdistinct, valueNdistinct},
	catalog.PgDependenciesOID: {textDependencies, valueDependencies},
	catalog.PgMcvListOID:      {textBytea, valueBytea},
	catalog.RegprocOID:        regType(catalog.RegProc, "-"),
	catalog.RegprocedureOID:   regType(catalog.RegProcedure, "-"),
	catalog.RegoperOID:        regType(catalog.RegOper, "0"),
	catalog.RegoperatorOID:    regType(catalog.RegOperator, "0"),
	catalog.RegclassOID:       regType(catalog.RegClass, "-"),
	catalog.RegtypeOID:        regType(catalog.RegType, "-"),
	catalog.RegconfigOID:      regType(catalog.RegConfig, "-"),
	catalog.RegdictionaryOID:  regType(catalog.RegDictionary, "-"),
	catalog.RegnamespaceOID:   regType(catalog.RegNamespace, "-"),
	catalog.RegroleOID:        regType(catalog.RegRole, "-"),
	catalog.RegcollationOID:   regType(catalog.RegCollation, "-"),
}

// regType renders a reg* type: the name of an object, the OID itself when
// there is no such object, and none for OID 0.
func regType(kind catalog.RegKind, none string) builtin {
	text := func(dst, v []byte, e *Env) ([]byte, error) {
		if len(v) != 4 {
			return dst, wrongLength("reg type", 4, v)
		}
		oid := binary.LittleEndian.Uint32(v)
		if oid == 0 {
			return append(dst, none...), nil
		}
		if e.Lookup == nil {
			return dst, errNoCatalogs
		}
		name, ok, err := e.Lookup.RegName(kind, oid)
		if err != nil {
			return dst, err
		}
		if !ok {
			return strconv.AppendUint(dst, uint64(oid), 10), nil
		}
		return append(dst, name...), nil
	}
	value := func(v []byte, e *Env) (any, error) {
		name, err := text(nil, v, e)
		if err != nil {
			return nil, err
		}
		return string(name), nil
	}
	return builtin{text, value}
}

// ACLItem is the Go value of an aclitem: what Grantor has granted to Grantee,
// both by OID; Grantee 0 is PUBLIC. Bit i of the two words is letter i of
// "arwdDxtXUCTcsAm".
type ACLItem struct {
	Grantee, Grantor         catalog.OID
	Privileges, GrantOptions uint32
}

// aclLetters are the letters of the privileges, by bit. 13 and 14 know the
// first 12; 15 added s and A, 17 added m.
const aclLetters = "arwdDxtXUCTcsAm"

// parseACL reads an aclitem: grantee, grantor, and a word whose low half is the
// privileges and whose high half is the grant options. The word has 32 bits to
// version 15 and 64 since.
func parseACL(v []byte) (a ACLItem, err error) {
	if len(v) != 12 && len(v) != 16 {
		return a, pgfile.Corruptf(0, "aclitem of %d bytes", len(v))
	}
	a.Grantee, a.Grantor = binary.LittleEndian.Uint32(v), binary.LittleEndian.Uint32(v[4:])
	if len(v) == 12 {
		a.Privileges, a.GrantOptions = uint32(binary.LittleEndian.Uint16(v[8:])), uint32(binary.LittleEndian.Uint16(v[10:]))
	} else {
		a.Privileges, a.GrantOptions = binary.LittleEndian.Uint32(v[8:]), binary.LittleEndian.Uint32(v[12:])
	}
	return a, nil
}

// textACL is aclitemout.
func textACL(dst, v []byte, e *Env) ([]byte, error) {
	a, err := parseACL(v)
	if err != nil {
		return dst, err
	}
	if a.Grantee != 0 {
		if dst, err = e.appendRole(dst, a.Grantee); err != nil {
			return dst, err
		}
	}
	dst = append(dst, '=')
	letters := aclLetters
	switch {
	case e.Major < 15:
		letters = letters[:12]
	case e.Major < 17:
		letters = letters[:14]
	}
	for i := range len(letters) {
		if a.Privileges&(1<<i) != 0 {
			dst = append(dst, letters[i])
		}
		if a.GrantOptions&(1<<i) != 0 {
			dst = append(dst, '*')
		}
	}
	return e.appendRole(append(dst, '/'), a.Grantor)
}

// appendRole appends a role as aclitems show it: its name, in double quotes
// unless it is ASCII letters, digits and underscores, or its number when there
// is no such role.
func (e *Env) appendRole(dst []byte, oid catalog.OID) ([]byte, error) {
	if e.Lookup == nil {
		return dst, errNoCatalogs
	}
	name, ok, err := e.Lookup.Role(oid)
	if err != nil {
		return dst, err
	}
	if !ok {
		return strconv.AppendUint(dst, uint64(oid), 10), nil
	}
	for i := range len(name) {
		c := name[i]
		if c != '_' && (c < '0' || c > '9') && (c|0x20 < 'a' || c|0x20 > 'z') {
			dst = append(dst, '"')
			dst = append(dst, strings.ReplaceAll(name, `"`, `""`)...)
			return append(dst, '"'), nil
		}
	}
	return append(dst, name...), nil
}

func valueACL(v []byte, _ *Env) (any, error) {
	a, err := parseACL(v)
	if err != nil {
		return nil, err
	}
	return a, nil
}

// parseVector returns the items of an oidvector or int2vector: an array of one
// dimension, from 0, without nulls.
func parseVector(v []byte, elem catalog.OID, width int) ([]byte, error) {
	h, err := parseArray(v)
	if err != nil {
		return nil, err
	}
	if h.ndim > 1 || h.nulls != nil || h.elem != elem || h.items*width > len(v)-h.data {
		return nil, pgfile.Corruptf(0, "a vector of type %d and %d dimensions with %d items in %d bytes is none", h.elem, h.ndim, h.items, len(v))
	}
	return v[h.data : h.data+h.items*width], nil
}

// textOidVector is oidvectorout.
func textOidVector(dst, v []byte, _ *Env) ([]byte, error) {
	items, err := parseVector(v, catalog.OidOID, 4)
	for i := 0; i < len(items); i += 4 {
		if i > 0 {
			dst = append(dst, ' ')
		}
		dst = strconv.AppendUint(dst, uint64(binary.LittleEndian.Uint32(items[i:])), 10)
	}
	return dst, err
}

func valueOidVector(v []byte, _ *Env) (any, error) {
	items, err := parseVector(v, catalog.OidOID, 4)
	if err != nil {
		return nil, err
	}
	oids := make([]uint32, len(items)/4)
	for i := range oids {
		oids[i] = binary.LittleEndian.Uint32(items[4*i:])
	}
	return oids, nil
}

// textInt2Vector is int2vectorout.
func textInt2Vector(dst, v []byte, _ *Env) ([]byte, error) {
	items, err := parseVector(v, catalog.Int2OID, 2)
	for i := 0; i < len(items); i += 2 {
		if i > 0 {
			dst = append(dst, ' ')
		}
		dst = strconv.AppendInt(dst, int64(int16(binary.LittleEndian.Uint16(items[i:]))), 10)
	}
	return dst, err
}

func valueInt2Vector(v []byte, _ *Env) (any, error) {
	items, err := parseVector(v, catalog.Int2OID, 2)
	if err != nil {
		return nil, err
	}
	ints := make([]int16, len(items)/2)
	for i := range ints {
		ints[i] = int16(binary.LittleEndian.Uint16(items[2*i:]))
	}
	return ints, nil
}
