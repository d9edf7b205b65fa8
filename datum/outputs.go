package datum

import "github.com/pipescan/pipescan/catalog"

// outputTypes says of the C names of output functions, as prosrc has them,
// which built-in type's values they print. CREATE FUNCTION ... LANGUAGE
// internal gives such a function to other types too: citext prints with
// textout. Types with a symbol of their own only (pg_proc.dat).
var outputTypes = map[string]catalog.OID{
	"boolout": catalog.BoolOID, "int2out": catalog.Int2OID, "int4out": catalog.Int4OID, "int8out": catalog.Int8OID,
	"oidout": catalog.OidOID, "xidout": catalog.XidOID, "cidout": catalog.CidOID, "tidout": catalog.TidOID,
	"xid8out": catalog.Xid8OID, "pg_lsn_out": catalog.PgLSNOID,
	"float4out": catalog.Float4OID, "float8out": catalog.Float8OID, "numeric_out": catalog.NumericOID, "cash_out": catalog.MoneyOID,
	"textout": catalog.TextOID, "varcharout": catalog.VarcharOID, "bpcharout": catalog.BpcharOID, "json_out": catalog.JSONOID,
	"cstring_out": catalog.CstringOID, "unknownout": unknownOID, "xml_out": catalog.XMLOID, "nameout": catalog.NameOID, "charout": catalog.CharOID,
	"byteaout": catalog.ByteaOID, "uuid_out": catalog.UUIDOID,
	"date_out": catalog.DateOID, "time_out": catalog.TimeOID, "timetz_out": catalog.TimetzOID, "timestamp_out": catalog.TimestampOID,
	"timestamptz_out": catalog.TimestamptzOID, "interval_out": catalog.IntervalOID,
	"inet_out": catalog.InetOID, "cidr_out": catalog.CidrOID, "macaddr_out": catalog.MacaddrOID, "macaddr8_out": catalog.Macaddr8OID,
	"bit_out": catalog.BitOID, "varbit_out": catalog.VarbitOID,
	"point_out": pointOID, "line_out": lineOID, "lseg_out": lsegOID, "box_out": boxOID, "path_out": pathOID, "poly_out": polygonOID, "circle_out": circleOID,
	"tsvectorout": tsvectorOID, "tsqueryout": tsqueryOID, "jsonpath_out": jsonpathOID, "jsonb_out": catalog.JSONBOID,
	"pg_snapshot_out": pgSnapshotOID, "txid_snapshot_out": txidSnapshotOID,
	"aclitemout": catalog.AclitemOID, "oidvectorout": catalog.OidVectorOID, "int2vectorout": catalog.Int2VectorOID,
	"regprocout": catalog.RegprocOID, "regprocedureout": catalog.RegprocedureOID, "regoperout": catalog.RegoperOID,
	"regoperatorout": catalog.RegoperatorOID, "regclassout": catalog.RegclassOID, "regtypeout": catalog.RegtypeOID,
	"regconfigout": catalog.RegconfigOID, "regdictionaryout": catalog.RegdictionaryOID, "regnamespaceout": catalog.RegnamespaceOID,
	"regroleout": catalog.RegroleOID, "regcollationout": catalog.RegcollationOID,
	"array_out": catalog.AnyArrayOID, "record_out": catalog.RecordOID,
}

// arrayOut is the OID of array_out, which prints every array type that the
// server makes beside another type.
const arrayOut catalog.OID = 751

// printedAs returns the node of the built-in type whose output function a base
// type of a user or an extension has, nil when its function is another. Both
// types must hand the function the same: a value of the same width, by value
// or not.
func (e *Env) printedAs(t *catalog.Type) (node, error) {
	functions, ok := e.Lookup.(catalog.InternalFunctions)
	if !ok || t.Kind != 'b' {
		return nil, nil
	}
	symbol, ok, err := functions.InternalFunction(t.Output)
	if !ok || err != nil {
		return nil, err
	}
	oid, ok := outputTypes[symbol]
	if !ok {
		return nil, nil
	}
	like, ok, err := e.Lookup.Type(oid)
	if !ok || err != nil || like.Len != t.Len || like.ByVal != t.ByVal {
		return nil, err
	}
	return printedNode{builtinNode(oid, e)}, nil
}

// printedNode is a type that prints as a built-in one. It has that type's text
// and Go values, but is a string in JSON: to_json knows only the built-in
// types themselves.
type printedNode struct{ node }

func (n printedNode) json(dst, v []byte, depth int) ([]byte, error) {
	return textAsJSON(n.node, dst, v, depth)
}
