package datum

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/pipescan/pipescan/catalog"
	"github.com/pipescan/pipescan/pgfile"
)

// TestPrintedAs reads base types by the name of their output function, and
// only where their values are what that function is made for.
func TestPrintedAs(t *testing.T) {
	l := newFakeLookup(15)
	l.Symbols = map[catalog.OID]string{1: "int4out", 2: "textout", 3: "hstore_out"}
	l.Types[catalog.Int4OID] = &catalog.Type{OID: catalog.Int4OID, Name: "int4", Len: 4, ByVal: true, Kind: 'b', Align: 'i'}
	l.Types[catalog.TextOID] = &catalog.Type{OID: catalog.TextOID, Name: "text", Len: -1, Kind: 'b', Align: 'i'}
	e := &Env{Lookup: l, Major: 15}
	for _, c := range []struct {
		typ   catalog.Type
		value string
		text  string // "": unsupported
	}{
		{catalog.Type{Len: 4, ByVal: true, Output: 1}, "\xfe\xff\xff\xff", "-2"},
		{catalog.Type{Len: -1, Output: 2}, `a"b`, `a"b`},
		{catalog.Type{Len: -1, Elem: catalog.Int4OID, Output: 2}, "no array", "no array"},
		{catalog.Type{Len: 4, Output: 1}, "\xfe\xff\xff\xff", ""},
		{catalog.Type{Len: 8, ByVal: true, Output: 1}, "\xfe\xff\xff\xff\xff\xff\xff\xff", ""},
		{catalog.Type{Len: -2, Output: 2}, "x", ""},
		{catalog.Type{Len: -1, Output: 3}, "x", ""},
		{catalog.Type{Len: -1, Output: 4}, "x", ""},
	} {
		c.typ.OID, c.typ.Name, c.typ.Kind, c.typ.Align = 90000, "mine", 'b', 'i'
		e.types.Clear()
		l.Types[90000] = &c.typ
		codec, err := For(90000, -1, e)
		require.NoError(t, err)
		text, err := codec.AppendText(nil, []byte(c.value))
		if c.text == "" {
			require.ErrorIs(t, err, pgfile.ErrUnsupported, "%+v", c.typ)
			continue
		}
		require.NoError(t, err)
		require.Equal(t, c.text, string(text))
		json, err := codec.(JSONCodec).AppendJSON(nil, []byte(c.value))
		require.NoError(t, err)
		require.Equal(t, appendJSONString(nil, text), json, "to_json knows only the built-in type")
	}
}

// TestOutputTypes: every name is of a type that has a codec.
func TestOutputTypes(t *testing.T) {
	for symbol, oid := range outputTypes {
		require.NotNil(t, builtinNode(oid, &Env{}), symbol)
	}
}
