package catalog

import "strconv"

// FormatType is format_type(oid, NULL) of a server of the major version, which
// is also what regtype prints of an existing type: SQL's own spelling for the
// types that have one, else the name, qualified where the search_path does not
// find it. Arrays are the element's name and []. An OID that is not in pg_type
// gives "???", and 0 gives "-". Errors are those of l.
func FormatType(l Lookup, major int, oid OID) (string, error) {
	return typeFormatter{l: l, major: major}.format(oid, -1)
}

// FormatTypeMod is format_type(oid, typmod): as FormatType, with the modifier
// of a column's type, such as (10,2), after the name; a modifier below 0 is
// none. Types of extensions whose modifier only their own code can spell get
// the bare number.
func FormatTypeMod(l Lookup, major int, oid OID, typmod int32) (string, error) {
	return typeFormatter{l: l, major: major, given: true}.format(oid, typmod)
}

// typeFormatter is one call; given says that the caller has a modifier, though
// it may be -1: then bit is not BIT, which is short for bit(1), but "bit".
type typeFormatter struct {
	l     Lookup
	major int
	given bool
}

func (f typeFormatter) format(oid OID, typmod int32) (string, error) {
	if oid == 0 {
		return "-", nil
	}
	t, ok, err := f.l.Type(oid)
	if err != nil {
		return "", err
	}
	if !ok {
		return "???", nil
	}
	suffix := ""
	// Vectors such as oidvector have elements too, but plain storage.
	if t.IsTrueArray() && t.Storage != 'p' {
		elem, ok, err := f.l.Type(t.Elem)
		if err != nil {
			return "", err
		}
		if !ok {
			return "???[]", nil
		}
		t, suffix = elem, "[]"
	}
	name, err := f.base(t, typmod)
	return name + suffix, err
}

// base formats a type that is not an array, or is to be named as if it were
// none.
func (f typeFormatter) base(t *Type, typmod int32) (string, error) {
	if name, tail, ok := f.sqlName(t.OID); ok {
		// bit and bpchar without a modifier differ from SQL's BIT and CHARACTER.
		implied := t.OID == BitOID || t.OID == BpcharOID
		if typmod >= 0 || !f.given || !implied {
			return name + f.modifier(t.OID, typmod) + tail, nil
		}
	}
	schema, err := f.schema(t)
	if err != nil {
		return "", err
	}
	name := QuoteQualified(f.major, schema, t.Name)
	if typmod >= 0 {
		name += f.modifier(t.OID, typmod)
	}
	return name, nil
}

// schema is the schema to write before the name of t, "" when it is visible.
func (f typeFormatter) schema(t *Type) (string, error) {
	visible, err := f.l.TypeVisible(t.OID)
	if err != nil || visible {
		return "", err
	}
	name, ok, err := f.l.Namespace(t.Namespace)
	if err != nil || ok {
		return name, err
	}
	return strconv.FormatUint(uint64(t.Namespace), 10), nil
}

// sqlNames are SQL's spellings of the types whose name in pg_type is another,
// in two parts: a modifier goes between them.
var sqlNames = map[OID][2]string{
	BitOID:         {"bit", ""},
	BoolOID:        {"boolean", ""},
	BpcharOID:      {"character", ""},
	Float4OID:      {"real", ""},
	Float8OID:      {"double precision", ""},
	Int2OID:        {"smallint", ""},
	Int4OID:        {"integer", ""},
	Int8OID:        {"bigint", ""},
	NumericOID:     {"numeric", ""},
	IntervalOID:    {"interval", ""},
	TimeOID:        {"time", " without time zone"},
	TimetzOID:      {"time", " with time zone"},
	TimestampOID:   {"timestamp", " without time zone"},
	TimestamptzOID: {"timestamp", " with time zone"},
	VarbitOID:      {"bit varying", ""},
	VarcharOID:     {"character varying", ""},
	JSONOID:        {"json", ""},
}

// sqlName is the entry of sqlNames. json needs one since it became a key word,
// in 17, that format_type does not quote.
func (f typeFormatter) sqlName(oid OID) (name, tail string, ok bool) {
	if oid == JSONOID && f.major < 17 {
		return "", "", false
	}
	n, ok := sqlNames[oid]
	return n[0], n[1], ok
}

// modifier is what typmodout of the type prints for a modifier; "" for none.
func (f typeFormatter) modifier(oid OID, typmod int32) string {
	const header = 4 // character types and numeric count the varlena header in
	if typmod < 0 {
		return ""
	}
	n := int(typmod)
	switch oid {
	case BpcharOID, VarcharOID:
		if n <= header {
			return ""
		}
		n -= header
	case NumericOID:
		if n < header {
			return ""
		}
		// The scale is 11 bits with sign since 15, and 0 to 1000 before.
		n -= header
		scale := (n&0x7ff ^ 0x400) - 0x400
		return "(" + strconv.Itoa(n>>16&0xffff) + "," + strconv.Itoa(scale) + ")"
	case IntervalOID:
		return intervalModifier(typmod)
	case BoolOID, Float4OID, Float8OID, Int2OID, Int4OID, Int8OID:
		return ""
	case JSONOID:
		if f.major >= 17 {
			return ""
		}
	}
	return "(" + strconv.Itoa(n) + ")"
}

// Bits of the fields in an interval's modifier, at 1<<(16+number).
const (
	fieldMonth  = 1 << 1
	fieldYear   = 1 << 2
	fieldDay    = 1 << 3
	fieldHour   = 1 << 10
	fieldMinute = 1 << 11
	fieldSecond = 1 << 12
)

// intervalModifier prints the fields and the precision; all fields print as
// none, and so do fields that no type can have.
func intervalModifier(typmod int32) string {
	fields, precision := int(typmod>>16)&0x7fff, int(typmod)&0xffff
	s := ""
	switch fields {
	case fieldYear:
		s = " year"
	case fieldMonth:
		s = " month"
	case fieldDay:
		s = " day"
	case fieldHour:
		s = " hour"
	case fieldMinute:
		s = " minute"
	case fieldSecond:
		s = " second"
	case fieldYear | fieldMonth:
		s = " year to month"
	case fieldDay | fieldHour:
		s = " day to hour"
	case fieldDay | fieldHour | fieldMinute:
		s = " day to minute"
	case fieldDay | fieldHour | fieldMinute | fieldSecond:
		s = " day to second"
	case fieldHour | fieldMinute:
		s = " hour to minute"
	case fieldHour | fieldMinute | fieldSecond:
		s = " hour to second"
	case fieldMinute | fieldSecond:
		s = " minute to second"
	}
	if precision != 0xffff {
		s += "(" + strconv.Itoa(precision) + ")"
	}
	return s
}
