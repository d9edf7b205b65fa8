package datum

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/pipescan/pipescan/catalog"
	"github.com/pipescan/pipescan/pgfile"
)

// FuzzParseText: every text is a value or an error that says why; what is a
// value prints, and what it prints is read as the same value again.
func FuzzParseText(f *testing.F) {
	for _, g := range inputGroups() {
		for _, text := range g.texts {
			f.Add(g.oid, g.typmod, []byte(text))
		}
	}
	l := loadLookup(f, "containers_catalog.json")
	e := &Env{Lookup: l, Major: 18, Encoding: catalog.UTF8}
	f.Fuzz(func(t *testing.T, oid catalog.OID, typmod int32, text []byte) {
		if _, ok := scalarInputs[oid]; !ok && oid != 1007 && oid != 1009 {
			return
		}
		if typmod > 1<<20 || len(text) > 1<<16 || ValidText(text, catalog.UTF8) != nil {
			return
		}
		payload, err := ParseText(oid, typmod, text, e)
		if err != nil {
			var bad *InputError
			require.True(t, errors.As(err, &bad) && len(bad.State) == 5 || errors.Is(err, pgfile.ErrUnsupported), "%v", err)
			return
		}
		c, err := For(oid, typmod, e)
		require.NoError(t, err)
		printed, err := c.AppendText(nil, payload)
		require.NoError(t, err, "%q", text)
		if oid == catalog.CharOID && payload[0] >= 0x80 {
			return
		}
		again, err := ParseText(oid, -1, printed, e)
		var bad *InputError
		if errors.As(err, &bad) && bad.State == StateDatetimeOverflow && typmod >= 0 {
			return // rounding went past the calendar, as it does in a server
		}
		require.NoError(t, err, "%q printed as %q", text, printed)
		reprinted, err := c.AppendText(nil, again)
		require.NoError(t, err)
		require.Equal(t, string(printed), string(reprinted))
	})
}
