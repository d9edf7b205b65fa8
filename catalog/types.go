package catalog

// OID is an object identifier.
type OID = uint32

// OIDs of built-in types that code has to know by number (pg_type.dat; the
// same in every supported version).
const (
	BoolOID, ByteaOID, CharOID, NameOID, Int8OID, Int2OID, Int2VectorOID, Int4OID, RegprocOID, TextOID OID = 16, 17, 18, 19, 20, 21, 22, 23, 24, 25
	OidOID, TidOID, XidOID, CidOID, OidVectorOID, JSONOID, XMLOID, PgNodeTreeOID                       OID = 26, 27, 28, 29, 30, 114, 142, 194
	Float4OID, Float8OID, MoneyOID, MacaddrOID, InetOID, CidrOID, Macaddr8OID, AclitemOID              OID = 700, 701, 790, 829, 869, 650, 774, 1033
	BpcharOID, VarcharOID, DateOID, TimeOID, TimestampOID, TimestamptzOID, IntervalOID, TimetzOID      OID = 1042, 1043, 1082, 1083, 1114, 1184, 1186, 1266
	BitOID, VarbitOID, NumericOID, RecordOID, CstringOID, AnyArrayOID, UUIDOID, PgLSNOID, JSONBOID     OID = 1560, 1562, 1700, 2249, 2275, 2277, 2950, 3220, 3802
	RegprocedureOID, RegoperOID, RegoperatorOID, RegclassOID, RegtypeOID                               OID = 2202, 2203, 2204, 2205, 2206
	RegconfigOID, RegdictionaryOID, RegnamespaceOID, RegroleOID, RegcollationOID, Xid8OID              OID = 3734, 3769, 4089, 4096, 4191, 5069
	PgNdistinctOID, PgDependenciesOID, PgMcvListOID                                                    OID = 3361, 3402, 5017
)

// Type is a row of pg_type.
type Type struct {
	OID       OID
	Name      string
	Namespace OID
	Len       int16 // typlen: >0 fixed, -1 varlena, -2 cstring
	ByVal     bool
	Kind      byte // typtype: b base, c composite, d domain, e enum, p pseudo, r range, m multirange
	Category  byte
	Delim     byte
	RelID     OID // typrelid of a composite
	Elem      OID // typelem
	Array     OID // typarray
	Output    OID // typoutput
	Align     byte
	Storage   byte
	BaseType  OID // typbasetype of a domain
	Typmod    int32
	Ndims     int32
	Collation OID
	Subscript OID // typsubscript, 0 before version 14
}

// IsTrueArray says whether the type is stored as an array by array_out's
// format: varlena with an element type and, from 14 on, the array subscript
// handler (before that, typlen -1 with typelem set).
func (t *Type) IsTrueArray() bool {
	const arraySubscriptHandler = 6179
	if t.Len != -1 || t.Elem == 0 {
		return false
	}
	return t.Subscript == 0 || t.Subscript == arraySubscriptHandler
}

// Column is a row of pg_attribute (attnum > 0).
type Column struct {
	Num         int16
	Name        string
	Type        OID // 0 for a dropped column
	Typmod      int32
	Ndims       int32
	Len         int16
	Align       byte
	ByVal       bool
	Storage     byte
	Compression byte
	NotNull     bool
	HasDefault  bool
	HasMissing  bool
	Missing     []byte // attmissingval's element as stored (varlena with a header), nil: NULL
	Dropped     bool
	Generated   byte // 0, 's' stored, 'v' virtual
	Identity    byte
	IsLocal     bool
	InhCount    int32
	Collation   OID
}

// Relation is a row of pg_class with its columns.
type Relation struct {
	OID         OID
	Name        string
	Namespace   OID
	RowType     OID // reltype
	OfType      OID
	Owner       OID
	AM          OID
	FileNode    OID // 0: mapped, or no storage
	Tablespace  OID // 0: the database's default
	Pages       int32
	Tuples      float32
	Toast       OID
	HasIndex    bool
	Shared      bool
	Persistence byte // p permanent, u unlogged, t temporary
	Kind        byte // r i S t v m c f p I
	Natts       int16
	IsPartition bool
	FrozenXID   uint32
	MinMulti    uint32
	Columns     []Column // in attnum order, dropped ones included
}

// HasStorage says whether relations of this kind have files.
func (r *Relation) HasStorage() bool {
	switch r.Kind {
	case 'r', 'i', 'S', 't', 'm':
		return true
	}
	return false
}

// Index is a row of pg_index.
type Index struct {
	OID              OID // indexrelid
	Table            OID // indrelid
	Natts, KeyNatts  int16
	Unique, Primary  bool
	NullsNotDistinct bool
	Valid, Ready     bool
	Live             bool
	Keys             []int16
	Collations       []OID
	Classes          []OID
	Options          []int16
	Exprs, Predicate string // pg_node_tree text, "" when absent
}

// Namespace is a row of pg_namespace.
type Namespace struct {
	OID   OID
	Name  string
	Owner OID
}

// Database is a row of pg_database.
type Database struct {
	OID        OID
	Name       string
	Owner      OID
	Encoding   int32
	Collate    string
	CType      string
	Locale     string // daticulocale or datlocale
	Provider   byte   // c, i, b; 'c' before 15
	IsTemplate bool
	AllowConn  bool
	ConnLimit  int32 // -2: invalid database
	Tablespace OID
	FrozenXID  uint32
	MinMulti   uint32
}

// Role is a row of pg_authid.
type Role struct {
	OID   OID
	Name  string
	Super bool
}

// Inherit is a row of pg_inherits.
type Inherit struct {
	Child, Parent OID
	Seq           int32
	DetachPending bool
}

// Collation is a row of pg_collation.
type Collation struct {
	OID                    OID
	Name                   string
	Namespace              OID
	Provider               byte
	Deterministic          bool
	Encoding               int32
	Collate, CType, Locale string
}

// EnumLabel is a row of pg_enum.
type EnumLabel struct {
	OID   OID
	Type  OID
	Order float32
	Label string
}

// Range is a row of pg_range.
type Range struct {
	OID        OID // rngtypid
	Subtype    OID
	Multirange OID // rngmultitypid, 0 before version 14
}

// Tablespace is a row of pg_tablespace.
type Tablespace struct {
	OID   OID
	Name  string
	Owner OID
}

// RegKind is a reg* type: what kind of object an OID names.
type RegKind uint8

// The reg* types.
const (
	RegProc RegKind = iota
	RegProcedure
	RegOper
	RegOperator
	RegClass
	RegType
	RegConfig
	RegDictionary
	RegNamespace
	RegRole
	RegCollation
)

// Lookup answers what the output functions of types ask of the catalogs. All
// methods are safe for concurrent use. An error is a catalog that could not be
// read; "not there" is ok == false.
type Lookup interface {
	Type(oid OID) (t *Type, ok bool, err error)
	Relation(oid OID) (r *Relation, ok bool, err error) // with Columns: composite types, tables
	EnumLabel(oid OID) (label string, ok bool, err error)
	Role(oid OID) (name string, ok bool, err error)
	Namespace(oid OID) (name string, ok bool, err error)
	// Range returns the pg_range row of a range type or of a multirange type.
	Range(oid OID) (r *Range, ok bool, err error)
	// TypeVisible is pg_type_is_visible under the oracle's search_path: the
	// type's schema is pg_catalog, the one named like the bootstrap role
	// ("$user") or public, and no earlier one of these has a type of that name.
	TypeVisible(oid OID) (bool, error)
	// RegName is the text that the reg* type's output function prints for an
	// existing object: qualified and quoted as the oracle's search_path asks.
	RegName(kind RegKind, oid OID) (text string, ok bool, err error)
}

// InternalFunctions is what a Lookup may know besides: functions of the server
// itself under other names.
type InternalFunctions interface {
	// InternalFunction returns the C name (prosrc) of a function whose language
	// is internal; ok is false for functions of other languages.
	InternalFunction(oid OID) (symbol string, ok bool, err error)
}
