package datum

import (
	"encoding/hex"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/pipescan/pipescan/catalog"
	"github.com/pipescan/pipescan/internal/pgtest"
)

// TestCharsetsAgainstServer converts every byte of the single-byte encodings
// and every pair of bytes of the others as the server does. Of pairs that the
// server has no character for, some have one here: text that it converted
// itself holds none of them.
func TestCharsetsAgainstServer(t *testing.T) {
	s := pgtest.New(t, 15, pgtest.Options{})
	s.Start()
	s.SQL("postgres", `CREATE FUNCTION utf8_of(b bytea, enc text) RETURNS text LANGUAGE plpgsql AS $$ BEGIN
		RETURN encode(convert(b, enc, 'UTF8'), 'hex'); EXCEPTION WHEN OTHERS THEN RETURN ''; END $$`)
	const eucJP, multibyte = 1, 3 // EUC_CN and EUC_KR are 2 and 3
	lacking := 0
	for enc := range charsets {
		name, from, to := catalog.EncodingName(enc), 0x80, 0xff
		if enc <= multibyte {
			from, to = 0x8080, 0xffff
		}
		for _, r := range s.Query("postgres", fmt.Sprintf(`SELECT to_hex(i), utf8_of(decode(to_hex(i), 'hex'), '%s') FROM generate_series(%d, %d) i`, name, from, to)) {
			in, err := hex.DecodeString(*r[0])
			require.NoError(t, err)
			got, err := ToUTF8(enc, in)
			if *r[1] == "" {
				require.True(t, err != nil || enc <= multibyte, "%s: %x is %q, the server has no such character", name, in, got)
				continue
			}
			if err != nil && enc <= multibyte {
				lacking++
				continue
			}
			require.NoError(t, err, "%s: %x", name, in)
			require.Equal(t, *r[1], hex.EncodeToString(got), "%s: %x", name, in)
			back, err := FromUTF8(enc, string(got))
			require.NoError(t, err)
			if enc != eucJP { // where some characters stand twice
				require.Equal(t, string(in), back, name)
			}
		}
	}
	require.LessOrEqual(t, lacking, 1, "the mark of Korean post, a2e8, came after the table here")
}
