package table

import (
	_ "embed"
	"fmt"
	"strconv"
	"strings"
	"sync"

	"github.com/pipescan/pipescan/catalog"
)

// Major is the version of PostgreSQL whose types, and whose text, own tables
// have.
const Major = 18

//go:embed types18.tsv
var typesTSV string

// OIDs of the schemas every store has.
const (
	catalogSchema catalog.OID = 11
	publicSchema  catalog.OID = 2200
)

// builtins are the types of types18.tsv.
type builtins struct {
	byOID  map[catalog.OID]*catalog.Type
	byName map[string]*catalog.Type
	ranges map[catalog.OID]*catalog.Range // by range and multirange
}

// builtinTypes parses types18.tsv once. A line that does not parse is a mistake
// in this program, which the first test finds.
var builtinTypes = sync.OnceValue(func() *builtins {
	b := &builtins{byOID: map[catalog.OID]*catalog.Type{}, byName: map[string]*catalog.Type{}, ranges: map[catalog.OID]*catalog.Range{}}
	for line := range strings.Lines(typesTSV) {
		if line[0] == '#' {
			continue
		}
		f := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if f[0] == "range" {
			r := &catalog.Range{OID: oidField(f[1]), Subtype: oidField(f[2]), Multirange: oidField(f[3])}
			b.ranges[r.OID], b.ranges[r.Multirange] = r, r
			continue
		}
		t := typeOf(f)
		b.byOID[t.OID], b.byName[t.Name] = t, t
	}
	return b
})

func typeOf(f []string) *catalog.Type {
	length, err := strconv.ParseInt(f[2], 10, 16)
	if err != nil {
		panic(fmt.Sprintf("types18.tsv: %v", err))
	}
	return &catalog.Type{
		OID: oidField(f[0]), Name: f[1], Namespace: catalogSchema, Len: int16(length), ByVal: f[3] == "1", Kind: f[4][0],
		Category: f[5][0], Delim: f[6][0], Elem: oidField(f[7]), Array: oidField(f[8]), Output: oidField(f[9]),
		Align: f[10][0], Storage: f[11][0], Typmod: -1, Collation: oidField(f[12]), Subscript: oidField(f[13]),
	}
}

func oidField(s string) catalog.OID {
	n, err := strconv.ParseUint(s, 10, 32)
	if err != nil {
		panic(fmt.Sprintf("types18.tsv: %v", err))
	}
	return catalog.OID(n)
}
