package datum

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/pipescan/pipescan/pgfile"
)

func TestCharsets(t *testing.T) {
	for _, c := range []struct {
		enc  int32
		raw  string
		text string
	}{
		{6, "täble", "täble"},
		{8, "t\xe4ble", "täble"},
		{16, "\xa4", "€"},
		{24, "\x80", "€"},
		{22, "\xf2\xf5\xf3", "РУС"},
		{1, "\xb4\xc1\xbb\xfa", "漢字"},
		{3, "\xc7\xd1", "한"},
		{0, "täble", "täble"},
		{5, "plain", "plain"},
	} {
		got, err := ToUTF8(c.enc, []byte(c.raw))
		require.NoError(t, err)
		require.Equal(t, c.text, string(got), "encoding %d", c.enc)
		back, err := FromUTF8(c.enc, c.text)
		require.NoError(t, err)
		require.Equal(t, c.raw, back, "encoding %d", c.enc)
		require.Equal(t, c.text, Printable(c.enc, c.raw))
	}
	_, err := ToUTF8(7, []byte("\x81\xa1"))
	require.ErrorIs(t, err, pgfile.ErrUnsupported)
	_, err = ToUTF8(6, []byte("t\xe4ble"))
	require.ErrorIs(t, err, pgfile.ErrCorrupt)
	_, err = ToUTF8(1, []byte("\xff\xff"))
	require.ErrorIs(t, err, pgfile.ErrCorrupt)
	_, err = FromUTF8(8, "漢")
	require.Error(t, err)
	require.Equal(t, `t\xE4ble`, Printable(6, "t\xe4ble"))
}

// FuzzToUTF8 reads bytes in every encoding, and wants them back.
func FuzzToUTF8(f *testing.F) {
	f.Add(int32(8), []byte("t\xe4ble"))
	f.Add(int32(1), []byte("\xb4\xc1"))
	f.Fuzz(func(t *testing.T, enc int32, b []byte) {
		text, err := ToUTF8(enc, b)
		if err == nil {
			require.True(t, len(text) <= 4*len(b)+4)
		}
		_ = Printable(enc, string(b))
	})
}
