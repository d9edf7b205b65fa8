package pipescan

import (
	"github.com/pipescan/pipescan/catalog"
	"github.com/pipescan/pipescan/datum"
)

// Field is one column of a scan's result.
type Field struct {
	Name     string
	Type     catalog.OID
	Typmod   int32
	TypeName string // as format_type prints it
	NotNull  bool
	Num      int16 // attnum; negative for system columns
	Width    int   // bytes a value in its Vector; 0 for variable width
	Codec    datum.Codec
	// Collation of the values, 0 for types without.
	Collation catalog.OID
}

// Schema is the columns of a table or of a scan's result, in order.
type Schema struct {
	Fields []Field
}

// Index returns the position of the field called name, or -1.
func (s *Schema) Index(name string) int {
	for i := range s.Fields {
		if s.Fields[i].Name == name {
			return i
		}
	}
	return -1
}

// Names returns the names of the fields, in order.
func (s *Schema) Names() []string {
	names := make([]string, len(s.Fields))
	for i := range s.Fields {
		names[i] = s.Fields[i].Name
	}
	return names
}

// systemColumns are the columns every heap has, by name; numbers and types are
// PostgreSQL's (sysattr.h).
var systemColumns = map[string]struct {
	num   int16
	typ   catalog.OID
	name  string
	width int
}{
	"ctid":     {-1, catalog.TidOID, "tid", 6},
	"xmin":     {-2, catalog.XidOID, "xid", 4},
	"cmin":     {-3, catalog.CidOID, "cid", 4},
	"xmax":     {-4, catalog.XidOID, "xid", 4},
	"cmax":     {-5, catalog.CidOID, "cid", 4},
	"tableoid": {-6, catalog.OidOID, "oid", 4},
}

// systemField makes the field of a system column.
func systemField(name string, env *datum.Env) (Field, bool, error) {
	c, ok := systemColumns[name]
	if !ok {
		return Field{}, false, nil
	}
	codec, err := datum.For(c.typ, -1, env)
	if err != nil {
		return Field{}, false, err
	}
	return Field{Name: name, Type: c.typ, Typmod: -1, TypeName: c.name, NotNull: true, Num: c.num, Width: c.width, Codec: codec}, true, nil
}

// isVarlena says whether the column is stored as a varlena: variable width and
// not a cstring, which no table column can be.
func (f *Field) isVarlena() bool { return f.Width == 0 && f.Type != catalog.CstringOID }
