package datum

import (
	"bytes"
	"encoding/binary"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/pipescan/pipescan/catalog"
	"github.com/pipescan/pipescan/pgfile"
)

// TestHostileTrees: a small payload can make neither the stack, the time nor
// the text large.
func TestHostileTrees(t *testing.T) {
	const n = 1 << 20
	not := append([]byte{queryOperator, queryNot}, make([]byte, queryNodeSize-2)...)
	nots := append(le32(n), bytes.Repeat(not, n)...)

	// Lexemes that all are the same 2,000 bytes, with the same positions.
	overlap := le32(n / 4)
	for range n / 4 {
		overlap = binary.LittleEndian.AppendUint32(overlap, 1|2000<<1)
	}
	overlap = append(overlap, bytes.Repeat([]byte{'x'}, 2000)...)
	overlap = append(overlap, bytes.Repeat([]byte{0xff}, 2+2*65535)...)

	// Operands that all are the same text.
	operands := le32(2)
	operands = append(operands, not...)
	operands = append(operands, queryOperand, 0, 0, 0, 0, 0, 0, 0, 5, 0, 0, 0)

	// Each item is an addition of the next with itself: 2^k visits of k items.
	mesh := binary.LittleEndian.AppendUint32(nil, jsonpathLax|jsonpathVersion)
	for range 1000 {
		mesh = append(mesh, pathAdd, 0, 0, 0)
		mesh = append(append(append(mesh, le32(0)...), le32(16)...), le32(16)...)
	}
	mesh = append(mesh, pathNull, 0, 0, 0, 0, 0, 0, 0)

	deep := binary.LittleEndian.AppendUint32(nil, jsonpathLax|jsonpathVersion)
	for range n {
		deep = append(append(append(deep, pathNot, 0, 0, 0), le32(0)...), le32(12)...)
	}

	// An item that is its own successor, and one that refers backwards.
	loop := append(binary.LittleEndian.AppendUint32(nil, jsonpathVersion), pathRoot, 0, 0, 0, 0xf8, 0xff, 0xff, 0xff)

	for _, c := range []struct {
		name    string
		oid     catalog.OID
		payload []byte
	}{
		{"not", tsqueryOID, nots},
		{"overlapping lexemes", tsvectorOID, overlap},
		{"operand past the end", tsqueryOID, operands},
		{"mesh", jsonpathOID, mesh},
		{"deep", jsonpathOID, deep},
		{"loop", jsonpathOID, loop},
	} {
		start := time.Now()
		text, err := scalarTypes[c.oid].text(nil, c.payload, env18)
		require.ErrorIs(t, err, pgfile.ErrCorrupt, c.name)
		require.Less(t, len(text), 16<<20, c.name)
		require.Less(t, time.Since(start), 10*time.Second, c.name)
	}
}
