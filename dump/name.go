package dump

import (
	"fmt"
	"strings"
)

// maxFileName is the longest name of a file, in bytes, on Linux's file systems.
const maxFileName = 255

// escapeName writes each byte outside A-Za-z0-9_- as %XX.
func escapeName(name string) string {
	var b strings.Builder
	for i := range len(name) {
		c := name[i]
		if c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c == '-' {
			b.WriteByte(c)
			continue
		}
		fmt.Fprintf(&b, "%%%02X", c)
	}
	return b.String()
}

// FileName is the name of a table's file in a dump: <schema>.<table>.<ext>,
// escaped; when it would be longer than a file name may be, it is cut and ended
// in ~<oid>.
func FileName(schema, table string, oid uint32, ext string) string {
	name := escapeName(schema) + "." + escapeName(table)
	if len(name)+1+len(ext) <= maxFileName {
		return name + "." + ext
	}
	tail := fmt.Sprintf("~%d.%s", oid, ext)
	cut := maxFileName - len(tail)
	// Do not cut through a %XX.
	for i := 1; i <= 2; i++ {
		if name[cut-i] == '%' {
			cut -= i
			break
		}
	}
	return name[:cut] + tail
}

// dirName is the name of a database's folder.
func dirName(database string) string {
	name := escapeName(database)
	if name == "" || name == "." || name == ".." {
		return "%"
	}
	return name
}
