package cluster

import (
	"context"
	"strings"

	"github.com/pipescan/pipescan/catalog"
)

// RegName is what the output function of a reg* type prints for an existing
// object: its name, with the schema where the bare name would not find it.
// When a bare name counts as found differs from kind to kind:
//
//	regproc, regoper                    no other function of that name is visible
//	regprocedure, regoperator           with these argument types it is the first
//	regcollation                        it is of the database's encoding or of any
//	all others                          it is the first of that name
func (d *Database) RegName(kind catalog.RegKind, oid catalog.OID) (string, bool, error) {
	ctx := context.Background()
	switch kind {
	case catalog.RegProc, catalog.RegProcedure:
		t, err := d.procTable(ctx)
		return d.functionName(ctx, t, err, oid, kind == catalog.RegProcedure)
	case catalog.RegOper, catalog.RegOperator:
		t, err := d.operatorTable(ctx)
		return d.operatorName(ctx, t, err, oid, kind == catalog.RegOperator)
	case catalog.RegClass:
		t, err := d.relNameTable(ctx)
		return d.plainName(ctx, t, err, oid)
	case catalog.RegConfig:
		t, err := d.tsConfigTable(ctx)
		return d.plainName(ctx, t, err, oid)
	case catalog.RegDictionary:
		t, err := d.tsDictTable(ctx)
		return d.plainName(ctx, t, err, oid)
	case catalog.RegCollation:
		return d.collationName(ctx, oid)
	case catalog.RegType:
		if _, ok, err := d.Type(oid); !ok || err != nil {
			return "", false, err
		}
		text, err := catalog.FormatType(d, d.c.major, oid)
		return text, err == nil, err
	case catalog.RegNamespace:
		name, ok, err := d.Namespace(oid)
		return catalog.QuoteIdent(d.c.major, name), ok, err
	case catalog.RegRole:
		name, ok, err := d.Role(oid)
		return catalog.QuoteIdent(d.c.major, name), ok, err
	}
	return "", false, nil
}

// qualified is the quoted name, with its schema unless that is visible.
func (d *Database) qualified(ns catalog.OID, name string, visible bool) (string, error) {
	if !visible {
		space, ok, err := d.Namespace(ns)
		if err != nil {
			return "", err
		}
		if ok {
			return catalog.QuoteQualified(d.c.major, space, name), nil
		}
	}
	return catalog.QuoteIdent(d.c.major, name), nil
}

// plainName names an object of a nameTable.
func (d *Database) plainName(ctx context.Context, t *nameTable, err error, oid catalog.OID) (string, bool, error) {
	if err != nil {
		return "", false, err
	}
	k, ok := t.byOID[oid]
	if !ok {
		return "", false, nil
	}
	p, err := d.searchPath(ctx)
	if err != nil {
		return "", false, err
	}
	text, err := d.qualified(k.namespace, k.name, t.visible(oid, p))
	return text, err == nil, err
}

// functionName is regproc's text, or regprocedure's with argument types.
func (d *Database) functionName(ctx context.Context, t *funcTable, err error, oid catalog.OID, args bool) (string, bool, error) {
	if err != nil {
		return "", false, err
	}
	f := t.byOID[oid]
	if f == nil {
		return "", false, nil
	}
	p, err := d.searchPath(ctx)
	if err != nil {
		return "", false, err
	}
	if !args {
		text, err := d.qualified(f.Namespace, f.Name, t.alone(f, p))
		return text, err == nil, err
	}
	text, err := d.qualified(f.Namespace, f.Name, t.visible(f, p))
	if err != nil {
		return "", false, err
	}
	types, err := d.typeNames(f.Args, "-")
	return text + "(" + types + ")", err == nil, err
}

// operatorName is regoper's text, or regoperator's with operand types. An
// operator's own name is never quoted.
func (d *Database) operatorName(ctx context.Context, t *funcTable, err error, oid catalog.OID, args bool) (string, bool, error) {
	if err != nil {
		return "", false, err
	}
	f := t.byOID[oid]
	if f == nil {
		return "", false, nil
	}
	p, err := d.searchPath(ctx)
	if err != nil {
		return "", false, err
	}
	text, bare := f.Name, t.alone(f, p)
	if args {
		bare = t.visible(f, p)
	}
	if !bare {
		space, ok, err := d.Namespace(f.Namespace)
		if err != nil {
			return "", false, err
		}
		if ok {
			text = catalog.QuoteIdent(d.c.major, space) + "." + text
		}
	}
	if !args {
		return text, true, nil
	}
	types, err := d.typeNames(f.Args, "NONE")
	return text + "(" + types + ")", err == nil, err
}

// typeNames joins the names of types; none stands for type 0.
func (d *Database) typeNames(oids []catalog.OID, none string) (string, error) {
	names := make([]string, len(oids))
	for i, oid := range oids {
		names[i] = none
		if oid == 0 {
			continue
		}
		var err error
		if names[i], err = catalog.FormatType(d, d.c.major, oid); err != nil {
			return "", err
		}
	}
	return strings.Join(names, ","), nil
}

// Encodings that ICU does not know (pg_enc numbers: SQL_ASCII, EUC_JIS_2004,
// MULE_INTERNAL), so that no ICU collation is found in a database of them.
func icuKnows(encoding int32) bool { return encoding != 0 && encoding != 5 && encoding != 7 }

// collationName is regcollation's text. A bare name finds a collation of the
// database's encoding first, then one for any encoding (-1).
func (d *Database) collationName(ctx context.Context, oid catalog.OID) (string, bool, error) {
	all, err := d.collationTable(ctx)
	if err != nil {
		return "", false, err
	}
	c, ok := all[oid]
	if !ok {
		return "", false, nil
	}
	p, err := d.searchPath(ctx)
	if err != nil {
		return "", false, err
	}
	text, err := d.qualified(c.Namespace, c.Name, d.findCollation(all, p, c.Name) == oid)
	return text, err == nil, err
}

// findCollation is the collation that a bare name finds, 0 for none.
func (d *Database) findCollation(all map[catalog.OID]catalog.Collation, p searchPath, name string) catalog.OID {
	for _, ns := range p {
		anyEncoding := catalog.OID(0)
		for _, c := range all {
			if c.Namespace != ns || c.Name != name {
				continue
			}
			if c.Encoding == d.info.Encoding {
				return c.OID
			}
			if c.Encoding == -1 && (c.Provider != 'i' || icuKnows(d.info.Encoding)) {
				anyEncoding = c.OID
			}
		}
		if anyEncoding != 0 {
			return anyEncoding
		}
	}
	return 0
}
