package qual

import (
	"embed"
	"strconv"
	"strings"
	"sync"

	"github.com/pipescan/pipescan/catalog"
)

// The tables of data/ are what the system catalogs of versions 13 to 18 say of
// built-in types, operators, functions and casts: facts that choosing an
// operator needs, whether or not this package can evaluate it. Each line starts
// with the first and the last version that has it.
//
//go:embed data/*.txt
var catalogFiles embed.FS

// typeRow is what a built-in type's row of pg_type says.
type typeRow struct {
	oid       catalog.OID
	name      string
	len       int16
	kind      byte
	category  byte
	preferred bool
	elem      catalog.OID
	array     catalog.OID
	collation catalog.OID
	align     byte
}

// proc is a function.
type proc struct {
	oid        catalog.OID
	name       string
	src        string // the C function's name; "-" for SQL functions
	result     catalog.OID
	strict     bool
	leakproof  bool
	volatility byte // i, s, v
	cost       float64
	variadic   catalog.OID
	defaults   int
	args       []catalog.OID
}

// operator is an operator; left is 0 for prefix operators.
type operator struct {
	oid, left, right, result, proc, negator catalog.OID
	name                                    string
}

// castRow is a cast: by function, by relabelling ('b') or through text ('i').
type castRow struct {
	fn      catalog.OID
	context byte // i implicit, a assignment, e explicit
	method  byte // f, b, i
}

type castKey struct{ from, to catalog.OID }

// systables are the tables of one version.
type systables struct {
	types      map[catalog.OID]*typeRow
	typeByName map[string]*typeRow
	operators  map[string][]*operator
	operByOID  map[catalog.OID]*operator
	procs      map[string][]*proc
	procByOID  map[catalog.OID]*proc
	casts      map[castKey]castRow
}

const firstMajor, lastMajor = 13, 18

var systablesOf [lastMajor + 1]func() *systables

func init() {
	for major := firstMajor; major <= lastMajor; major++ {
		systablesOf[major] = sync.OnceValue(func() *systables { return loadSystables(major) })
	}
}

// systablesFor returns the tables of a version; they are shared and only read.
func systablesFor(major int) *systables {
	return systablesOf[min(max(major, firstMajor), lastMajor)]()
}

// lineOf returns a line without its versions, and whether major has it.
func lineOf(line string, major int) (string, bool) {
	versions, rest, _ := strings.Cut(line, "\t")
	first, last, _ := strings.Cut(versions, "-")
	from, _ := strconv.Atoi(first)
	to, _ := strconv.Atoi(last)
	return rest, from <= major && major <= to
}

func loadSystables(major int) *systables {
	t := &systables{
		types: map[catalog.OID]*typeRow{}, typeByName: map[string]*typeRow{},
		operators: map[string][]*operator{}, operByOID: map[catalog.OID]*operator{},
		procs: map[string][]*proc{}, procByOID: map[catalog.OID]*proc{},
		casts: map[castKey]castRow{},
	}
	eachLine("types", major, func(f []string) {
		r := &typeRow{
			oid: oidOf(f[0]), name: f[1], len: int16(numberOf(f[2])), kind: f[3][0], category: f[4][0], preferred: f[5] == "t",
			elem: oidOf(f[6]), array: oidOf(f[7]), collation: oidOf(f[8]), align: f[9][0],
		}
		t.types[r.oid], t.typeByName[r.name] = r, r
	})
	eachLine("operators", major, func(f []string) {
		o := &operator{
			oid: oidOf(f[0]), name: f[1], left: oidOf(f[2]), right: oidOf(f[3]), result: oidOf(f[4]),
			proc: oidOf(f[5]), negator: oidOf(f[6]),
		}
		t.operators[o.name] = append(t.operators[o.name], o)
		t.operByOID[o.oid] = o
	})
	eachLine("functions", major, func(f []string) {
		p := procOf(f)
		t.procs[p.name] = append(t.procs[p.name], p)
		t.procByOID[p.oid] = p
	})
	eachLine("casts", major, func(f []string) {
		t.casts[castKey{oidOf(f[0]), oidOf(f[1])}] = castRow{fn: oidOf(f[2]), context: f[3][0], method: f[4][0]}
	})
	return t
}

func procOf(f []string) *proc {
	cost, _ := strconv.ParseFloat(f[7], 64)
	p := &proc{
		oid: oidOf(f[0]), name: f[1], src: f[2], result: oidOf(f[3]), strict: f[4] == "t", leakproof: f[5] == "t",
		volatility: f[6][0], cost: cost, variadic: oidOf(f[8]), defaults: numberOf(f[9]),
	}
	if f[10] != "" {
		for _, a := range strings.Split(f[10], ",") {
			p.args = append(p.args, oidOf(a))
		}
	}
	return p
}

// eachLine calls f with the fields of each line of a file that a version has.
func eachLine(name string, major int, f func([]string)) {
	text, err := catalogFiles.ReadFile("data/" + name + ".txt")
	if err != nil {
		panic(err) // it is embedded
	}
	for line := range strings.Lines(string(text)) {
		if line, ok := lineOf(strings.TrimSuffix(line, "\n"), major); ok {
			f(strings.Split(line, "\t"))
		}
	}
}

func oidOf(s string) catalog.OID {
	n, _ := strconv.ParseUint(s, 10, 32)
	return catalog.OID(n)
}

func numberOf(s string) int {
	n, _ := strconv.Atoi(s)
	return n
}
