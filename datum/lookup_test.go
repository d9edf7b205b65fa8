package datum

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/pipescan/pipescan/catalog"
	"github.com/pipescan/pipescan/internal/pgtest"
)

// fakeLookup is a Lookup over maps, which a server's catalogs or a file fill.
type fakeLookup struct {
	Major     int
	Types     map[catalog.OID]*catalog.Type
	Relations map[catalog.OID]*catalog.Relation
	Labels    map[catalog.OID]string
	Roles     map[catalog.OID]string
	Schemas   map[catalog.OID]string
	Ranges    map[catalog.OID]*catalog.Range
	RegNames  map[string]string
	Symbols   map[catalog.OID]string `json:",omitempty"`

	mu sync.Mutex
	// used, if set, gets a copy of everything that was asked for.
	used *fakeLookup
}

func newFakeLookup(major int) *fakeLookup {
	return &fakeLookup{
		Major: major, Types: map[catalog.OID]*catalog.Type{}, Relations: map[catalog.OID]*catalog.Relation{},
		Labels: map[catalog.OID]string{}, Roles: map[catalog.OID]string{}, Schemas: map[catalog.OID]string{},
		Ranges: map[catalog.OID]*catalog.Range{}, RegNames: map[string]string{}, Symbols: map[catalog.OID]string{},
	}
}

// find looks a key up and notes it in noted.
func find[K comparable, V any](f *fakeLookup, m map[K]V, key K, noted func(*fakeLookup) map[K]V) (V, bool, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	v, ok := m[key]
	if ok && f.used != nil {
		noted(f.used)[key] = v
	}
	return v, ok, nil
}

func (f *fakeLookup) Type(oid catalog.OID) (*catalog.Type, bool, error) {
	return find(f, f.Types, oid, func(u *fakeLookup) map[catalog.OID]*catalog.Type { return u.Types })
}

func (f *fakeLookup) Relation(oid catalog.OID) (*catalog.Relation, bool, error) {
	return find(f, f.Relations, oid, func(u *fakeLookup) map[catalog.OID]*catalog.Relation { return u.Relations })
}

func (f *fakeLookup) EnumLabel(oid catalog.OID) (string, bool, error) {
	return find(f, f.Labels, oid, func(u *fakeLookup) map[catalog.OID]string { return u.Labels })
}

func (f *fakeLookup) Role(oid catalog.OID) (string, bool, error) {
	return find(f, f.Roles, oid, func(u *fakeLookup) map[catalog.OID]string { return u.Roles })
}

func (f *fakeLookup) Namespace(oid catalog.OID) (string, bool, error) {
	return find(f, f.Schemas, oid, func(u *fakeLookup) map[catalog.OID]string { return u.Schemas })
}

func (f *fakeLookup) Range(oid catalog.OID) (*catalog.Range, bool, error) {
	return find(f, f.Ranges, oid, func(u *fakeLookup) map[catalog.OID]*catalog.Range { return u.Ranges })
}

func (f *fakeLookup) TypeVisible(catalog.OID) (bool, error) { return true, nil }

func (f *fakeLookup) RegName(kind catalog.RegKind, oid catalog.OID) (string, bool, error) {
	return find(f, f.RegNames, regKey(kind, oid), func(u *fakeLookup) map[string]string { return u.RegNames })
}

func (f *fakeLookup) InternalFunction(oid catalog.OID) (string, bool, error) {
	return find(f, f.Symbols, oid, func(u *fakeLookup) map[catalog.OID]string { return u.Symbols })
}

// save writes the lookup to a file in testdata, load reads it.
func (f *fakeLookup) save(tb testing.TB, name string) {
	text, err := json.MarshalIndent(f, "", " ")
	require.NoError(tb, err)
	require.NoError(tb, os.WriteFile(filepath.Join("testdata", name), append(text, '\n'), 0o644))
}

func loadLookup(tb testing.TB, name string) *fakeLookup {
	text, err := os.ReadFile(filepath.Join("testdata", name))
	require.NoError(tb, err)
	f := &fakeLookup{}
	require.NoError(tb, json.Unmarshal(text, f))
	return f
}

// rows runs a query and calls f with each row's fields, nulls as "".
func rows(s *pgtest.Server, sql string, f func(r []string)) {
	for _, row := range s.Query("postgres", sql) {
		fields := make([]string, len(row))
		for i, v := range row {
			if v != nil {
				fields[i] = *v
			}
		}
		f(fields)
	}
}

func num(s string) int {
	n, err := strconv.Atoi(s)
	if err != nil {
		panic(err)
	}
	return n
}

// serverLookup reads the catalogs of a running server.
func serverLookup(s *pgtest.Server) *fakeLookup {
	f := newFakeLookup(s.Version())
	serverTypes(s, f)
	serverRelations(s, f)
	rows(s, "SELECT oid, enumlabel FROM pg_enum", func(r []string) { f.Labels[oidOf(r[0])] = r[1] })
	rows(s, "SELECT oid, rolname FROM pg_roles", func(r []string) { f.Roles[oidOf(r[0])] = r[1] })
	rows(s, "SELECT oid, nspname FROM pg_namespace", func(r []string) { f.Schemas[oidOf(r[0])] = r[1] })
	rows(s, "SELECT oid, prosrc FROM pg_proc WHERE prolang = 12", func(r []string) { f.Symbols[oidOf(r[0])] = r[1] })
	multirange := "rngmultitypid::oid"
	if s.Version() < 14 {
		multirange = "0"
	}
	rows(s, "SELECT rngtypid::oid, rngsubtype::oid, "+multirange+" FROM pg_range", func(r []string) {
		row := &catalog.Range{OID: oidOf(r[0]), Subtype: oidOf(r[1]), Multirange: oidOf(r[2])}
		f.Ranges[row.OID] = row
		if row.Multirange != 0 {
			f.Ranges[row.Multirange] = row
		}
	})
	serverRegNames(s, f)
	return f
}

// serverRegNames asks for the names of all objects that reg* types name.
func serverRegNames(s *pgtest.Server, f *fakeLookup) {
	for kind, names := range map[catalog.RegKind][2]string{
		catalog.RegProc: {"regproc", "pg_proc"}, catalog.RegProcedure: {"regprocedure", "pg_proc"}, catalog.RegOper: {"regoper", "pg_operator"},
		catalog.RegOperator: {"regoperator", "pg_operator"}, catalog.RegClass: {"regclass", "pg_class"}, catalog.RegType: {"regtype", "pg_type"},
		catalog.RegConfig: {"regconfig", "pg_ts_config"}, catalog.RegDictionary: {"regdictionary", "pg_ts_dict"}, catalog.RegNamespace: {"regnamespace", "pg_namespace"},
		catalog.RegRole: {"regrole", "pg_authid"}, catalog.RegCollation: {"regcollation", "pg_collation"},
	} {
		rows(s, "SELECT oid, oid::"+names[0]+" FROM "+names[1], func(r []string) { f.RegNames[regKey(kind, oidOf(r[0]))] = r[1] })
	}
}

func regKey(kind catalog.RegKind, oid catalog.OID) string {
	return strconv.Itoa(int(kind)) + " " + strconv.FormatUint(uint64(oid), 10)
}

func oidOf(s string) catalog.OID { return catalog.OID(num(s)) }

func serverTypes(s *pgtest.Server, f *fakeLookup) {
	subscript := "typsubscript::oid"
	if s.Version() < 14 {
		subscript = "0"
	}
	rows(s, `SELECT oid, typname, typlen, typtype, typdelim, typrelid, typelem, typalign, typstorage, typbasetype, `+subscript+`, typbyval, typoutput::oid FROM pg_type`, func(r []string) {
		f.Types[oidOf(r[0])] = &catalog.Type{
			OID: oidOf(r[0]), Name: r[1], Len: int16(num(r[2])), Kind: r[3][0], Delim: r[4][0], RelID: oidOf(r[5]), Elem: oidOf(r[6]),
			Align: r[7][0], Storage: r[8][0], BaseType: oidOf(r[9]), Subscript: oidOf(r[10]), ByVal: r[11] == "t", Output: oidOf(r[12]),
		}
	})
}

func serverRelations(s *pgtest.Server, f *fakeLookup) {
	rows(s, "SELECT oid, relname FROM pg_class", func(r []string) {
		f.Relations[oidOf(r[0])] = &catalog.Relation{OID: oidOf(r[0]), Name: r[1]}
	})
	rows(s, `SELECT attrelid, attname, atttypid, attlen, attalign, attisdropped, attnum FROM pg_attribute
		WHERE attnum > 0 ORDER BY attrelid, attnum`, func(r []string) {
		rel := f.Relations[oidOf(r[0])]
		rel.Columns = append(rel.Columns, catalog.Column{
			Num: int16(num(r[6])), Name: r[1], Type: oidOf(r[2]), Len: int16(num(r[3])), Align: r[4][0], Dropped: r[5] == "t",
		})
	})
}
