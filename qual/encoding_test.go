package qual

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/pipescan/pipescan/catalog"
	"github.com/pipescan/pipescan/datum"
)

func TestLiteralsAreInTheDatabasesEncoding(t *testing.T) {
	const latin1, eucTW = 8, 4
	for _, c := range []struct {
		encoding     int32
		text, stored string
		code         string
	}{
		{latin1, "é", "\xe9", ""},
		{catalog.UTF8, "é", "é", ""},
		{sqlASCII, "é", "é", ""},
		{eucTW, "plain", "plain", ""},
		{latin1, "a€b", "", "22P05"},
		{eucTW, "é", "", "unsupported"},
	} {
		s := &Scope{Env: &datum.Env{Major: 18, Encoding: c.encoding}}
		for _, e := range []Expr{Unknown(c.text), Lit(c.text), {Kind: KTyped, To: TypeNamed("text"), Text: c.text}} {
			b, err := Bind(e, s)
			var sql *SQLError
			var other *UnsupportedError
			switch c.code {
			case "":
				require.NoError(t, err)
				v, _, ok := b.Constant()
				require.True(t, ok)
				require.Equal(t, c.stored, string(v))
			case "unsupported":
				require.ErrorAs(t, err, &other)
			default:
				require.ErrorAs(t, err, &sql)
				require.Equal(t, c.code, sql.Code)
				require.Equal(t, `character with byte sequence 0xe2 0x82 0xac in encoding "UTF8" has no equivalent in encoding "LATIN1"`, sql.Message)
			}
		}
	}
}

func TestColumnsAreFoundByNamesInUTF8(t *testing.T) {
	s := &Scope{Env: &datum.Env{Major: 18, Encoding: 8}, Columns: []Column{{Name: "\xfc", Type: catalog.Int4OID, Typmod: -1}}}
	for _, name := range []string{"ü", "\xfc"} {
		_, err := Bind(Col(name), s)
		require.NoError(t, err)
	}
	_, err := Bind(Col("u"), s)
	require.Error(t, err)
}
