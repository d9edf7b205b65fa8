package datum

import "github.com/pipescan/pipescan/catalog"

// OIDs of types that only this file names (pg_type.dat).
const (
	pointOID, lsegOID, pathOID, boxOID, polygonOID, lineOID, circleOID catalog.OID = 600, 601, 602, 603, 604, 628, 718
	unknownOID, refcursorOID, txidSnapshotOID, pgSnapshotOID           catalog.OID = 705, 1790, 2970, 5038
	tsvectorOID, tsqueryOID, jsonpathOID                               catalog.OID = 3614, 3615, 4072
)

// scalarTypes are the built-in types whose values need neither the catalogs
// nor other types.
var scalarTypes = map[catalog.OID]builtin{
	catalog.BoolOID:  {textBool, valueBool},
	catalog.Int2OID:  {textInt2, valueInt2},
	catalog.Int4OID:  {textInt4, valueInt4},
	catalog.Int8OID:  {textInt8, valueInt8},
	catalog.OidOID:   {textUint4, valueUint4},
	catalog.XidOID:   {textUint4, valueUint4},
	catalog.CidOID:   {textUint4, valueUint4},
	catalog.TidOID:   {textTID, valueTID},
	catalog.Xid8OID:  {textXid8, valueUint8},
	catalog.PgLSNOID: {textLSN, valueUint8},

	catalog.Float4OID:  {textFloat4, valueFloat4},
	catalog.Float8OID:  {textFloat8, valueFloat8},
	catalog.NumericOID: {textNumeric, valueNumeric},
	catalog.MoneyOID:   {textMoney, valueMoney},

	catalog.TextOID:    {textText, valueText},
	catalog.VarcharOID: {textText, valueText},
	catalog.BpcharOID:  {textText, valueText},
	catalog.CstringOID: {textText, valueText},
	catalog.JSONOID:    {textText, valueText},
	unknownOID:         {textText, valueText},
	refcursorOID:       {textText, valueText},
	catalog.XMLOID:     {textXML, valueXML},
	catalog.NameOID:    {textName, valueName},
	catalog.CharOID:    {textChar, valueChar},
	catalog.ByteaOID:   {textBytea, valueBytea},
	catalog.UUIDOID:    {textUUID, valueUUID},

	catalog.DateOID:        {textDate, valueDate},
	catalog.TimeOID:        {textTime, valueTime},
	catalog.TimetzOID:      {textTimeTZ, valueTimeTZ},
	catalog.TimestampOID:   {textTimestamp, valueTimestamp},
	catalog.TimestamptzOID: {textTimestampTZ, valueTimestampTZ},
	catalog.IntervalOID:    {textInterval, valueInterval},

	catalog.InetOID:     {textInet, valueInet},
	catalog.CidrOID:     {textCIDR, valueInet},
	catalog.MacaddrOID:  {textMacaddr, valueMacaddr},
	catalog.Macaddr8OID: {textMacaddr8, valueMacaddr8},

	catalog.BitOID:    {textBits, valueBits},
	catalog.VarbitOID: {textBits, valueBits},

	pointOID:   {textPoint, valuePoint},
	lineOID:    {textLine, valueLine},
	lsegOID:    {textLseg, valueLseg},
	boxOID:     {textBox, valueBox},
	pathOID:    {textPath, valuePath},
	polygonOID: {textPolygon, valuePolygon},
	circleOID:  {textCircle, valueCircle},

	tsvectorOID: {textTSVector, valueTSVector},
	tsqueryOID:  {textTSQuery, valueTSQuery},
	jsonpathOID: {textJSONPath, valueJSONPath},

	txidSnapshotOID: {textSnapshot, valueSnapshot},
	pgSnapshotOID:   {textSnapshot, valueSnapshot},
}
