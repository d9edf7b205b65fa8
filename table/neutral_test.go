package table

import (
	"encoding/hex"
	"fmt"

	"github.com/pipescan/pipescan/pgfile"
)

// neutral prints a page without what depends on when it was written: LSN,
// checksum, and each tuple's xmin and command.
func neutral(b []byte) string {
	p := pgfile.Page(append([]byte(nil), b...))
	clear(p[:10])
	for i := 1; i <= p.NumItems(); i++ {
		clear(p.Tuple(i)[:4])
		clear(p.Tuple(i)[8:12])
	}
	out := ""
	for off := 0; off < len(p); off += 64 {
		out += fmt.Sprintf("%04d %s\n", off, hex.EncodeToString(p[off:off+64]))
	}
	return out
}
