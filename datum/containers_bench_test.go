package datum

import (
	"encoding/binary"
	"encoding/hex"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/pipescan/pipescan/catalog"
)

// BenchmarkContainers renders one golden value of each kind; the text must not
// allocate beyond its buffer.
func BenchmarkContainers(b *testing.B) {
	e := &Env{Lookup: loadLookup(b, "containers_catalog.json"), Major: 15}
	benchmark := func(name string, oid catalog.OID, payload []byte) {
		b.Run(name, func(b *testing.B) {
			c, err := For(oid, -1, e)
			require.NoError(b, err)
			var dst []byte
			b.ReportAllocs()
			b.SetBytes(int64(len(payload)))
			for b.Loop() {
				if dst, err = c.AppendText(dst[:0], payload); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	var ints [][]byte
	for i := range 100 {
		ints = append(ints, binary.LittleEndian.AppendUint32(nil, uint32(i*i*i)))
	}
	benchmark("int4array", 1007, arrayOf(catalog.Int4OID, ints...))
	names := map[string]string{`(1,x)`: "record", `{"": [true, false, null], "b": 1, "aa": 2}`: "jsonb", `[1,5)`: "range", `o k`: "enum"}
	eachContainer(b, func(s sample) {
		if name, ok := names[s.text]; ok {
			delete(names, s.text)
			payload, err := hex.DecodeString(s.hex)
			require.NoError(b, err)
			benchmark(name, s.oid, payload)
		}
	})
	require.Empty(b, names)
}
