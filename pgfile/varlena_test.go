package pgfile

import (
	"bytes"
	"encoding/binary"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// longVarlena is a plain varlena with a 4-byte header.
func longVarlena(payload []byte) []byte {
	return append(binary.LittleEndian.AppendUint32(nil, uint32(len(payload)+4)<<2), payload...)
}

// shortVarlena is a varlena with a 1-byte header.
func shortVarlena(payload []byte) []byte {
	return append([]byte{byte(len(payload)+1)<<1 | 1}, payload...)
}

func toastPointer(raw, info uint32) []byte {
	b := []byte{0x01, 18}
	b = binary.LittleEndian.AppendUint32(b, raw)
	b = binary.LittleEndian.AppendUint32(b, info)
	b = binary.LittleEndian.AppendUint32(b, 16500)
	return binary.LittleEndian.AppendUint32(b, 16400)
}

func TestParseVarlena(t *testing.T) {
	compressed := append([]byte{14<<2 | 2, 0, 0, 0, 100, 0, 0, 0x40}, "stream"...)
	for _, c := range []struct {
		name string
		in   []byte
		want Varlena
	}{
		{"short", shortVarlena([]byte("abc")), Varlena{Data: []byte("abc")}},
		{"short empty", shortVarlena(nil), Varlena{Data: []byte{}}},
		{"short longest", shortVarlena(bytes.Repeat([]byte{7}, 126)), Varlena{Data: bytes.Repeat([]byte{7}, 126)}},
		{"plain", longVarlena([]byte("abcd")), Varlena{Data: []byte("abcd")}},
		{"plain of 64 bytes", longVarlena(make([]byte, 60)), Varlena{Data: make([]byte, 60)}},
		{"compressed", compressed, Varlena{Kind: VarlenaCompressed, Data: []byte("stream"), RawSize: 100, Method: CompressionLZ4}},
		{"external", toastPointer(2004, 2000), Varlena{Kind: VarlenaExternal, Pointer: ToastPointer{2004, 2000, 0, 16500, 16400}}},
		{"external lz4", toastPointer(2004, 1<<30|999), Varlena{Kind: VarlenaExternal, Pointer: ToastPointer{2004, 999, 1, 16500, 16400}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := ParseVarlena(c.in)
			require.NoError(t, err)
			require.Equal(t, c.want, got)
			size, err := VarlenaSize(append(bytes.Clone(c.in), "more"...))
			require.NoError(t, err)
			require.Len(t, c.in, size)
			_, err = ParseVarlena(append(bytes.Clone(c.in), 0))
			requireCorrupt(t, err)
			for n := range c.in {
				_, err := ParseVarlena(c.in[:n])
				requireCorrupt(t, err)
			}
		})
	}
	require.False(t, ToastPointer{RawSize: 2004, ExtSize: 2000}.Compressed())
	require.True(t, ToastPointer{RawSize: 2004, ExtSize: 1999}.Compressed())
}

func TestVarlenaDamage(t *testing.T) {
	memory := toastPointer(2004, 2000)
	memory[1] = 1 // a tag that lives in memory only
	for name, in := range map[string][]byte{
		"nothing": nil, "length 0": {0, 0, 0, 0}, "length 3": {3 << 2, 0, 0, 0}, "in memory": memory,
		"huge":                  {0xfc, 0xff, 0xff, 0xff},
		"compressed, no tcinfo": {7<<2 | 2, 0, 0, 0, 1, 2, 3},
		"raw size 3":            toastPointer(3, 0),
		"raw size too big":      toastPointer(1<<31, 5),
		"stored past raw":       toastPointer(2004, 2001),
		"compressed to 3":       toastPointer(2004, 3),
	} {
		t.Run(name, func(t *testing.T) {
			_, err := ParseVarlena(in)
			requireCorrupt(t, err)
		})
	}
}

// TestRealVarlenas reads the golden table of TOAST values: its row 1 is
// compressed in line and external, row 2 external twice, row 3 short.
func TestRealVarlenas(t *testing.T) {
	attrs := []Attr{{Len: -1, Align: 'i'}, {Len: -1, Align: 'i'}}
	plan, err := NewDeformPlan(attrs, []int{0, 1})
	require.NoError(t, err)
	eachMajor(t, func(t *testing.T, major int) {
		p := goldenPages(t, major, "tc")[0]
		var got []Varlena
		dst := make([]Datum, 2)
		for n := 1; n <= p.NumItems(); n++ {
			require.NoError(t, plan.Deform(p.Tuple(n), dst))
			for _, d := range dst {
				v, err := ParseVarlena(d)
				require.NoError(t, err)
				got = append(got, v)
			}
		}
		require.Len(t, got, 6)
		require.Equal(t, VarlenaCompressed, got[0].Kind)
		require.Equal(t, uint32(4500), got[0].RawSize)
		require.Less(t, len(got[0].Data), 200)
		require.Equal(t, VarlenaExternal, got[1].Kind)
		require.Equal(t, uint32(5004), got[1].Pointer.RawSize)
		require.False(t, got[1].Pointer.Compressed())
		require.Equal(t, uint32(7004), got[3].Pointer.RawSize)
		require.Equal(t, got[1].Pointer.RelID, got[3].Pointer.RelID)
		require.Equal(t, "short", string(got[4].Data))
		require.NotNil(t, got[5].Data)
		require.Empty(t, got[5].Data)
		raw := got[2].RawSize
		if got[2].Kind == VarlenaExternal {
			raw = got[2].Pointer.RawSize - 4
			require.True(t, got[2].Pointer.Compressed())
		}
		require.Equal(t, uint32(len(strings.Repeat("abcdef", 20000))), raw)
	})
}
