package catalog

import (
	"bufio"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// fakeTypes is a Lookup that knows types only.
type fakeTypes struct {
	Lookup
	types   map[OID]*Type
	schemas map[OID]string
	hidden  map[OID]bool
}

func (f *fakeTypes) Type(oid OID) (*Type, bool, error) { t, ok := f.types[oid]; return t, ok, nil }
func (f *fakeTypes) TypeVisible(oid OID) (bool, error) { return !f.hidden[oid], nil }
func (f *fakeTypes) Namespace(oid OID) (string, bool, error) {
	name, ok := f.schemas[oid]
	return name, ok, nil
}

// lines reads a golden file of fields separated by bars.
func lines(t *testing.T, name string) [][]string {
	t.Helper()
	file, err := os.Open(filepath.Join("testdata", name))
	require.NoError(t, err)
	defer func() { require.NoError(t, file.Close()) }()
	var out [][]string
	for s := bufio.NewScanner(file); s.Scan(); {
		if !strings.HasPrefix(s.Text(), "#") {
			out = append(out, strings.Split(s.Text(), "|"))
		}
	}
	require.NotEmpty(t, out)
	return out
}

func number(t *testing.T, s string) int64 {
	t.Helper()
	n, err := strconv.ParseInt(s, 10, 64)
	require.NoError(t, err)
	return n
}

// typesOf builds the types of one version's lines of format_type.txt.
func typesOf(t *testing.T, rows [][]string, major string) *fakeTypes {
	t.Helper()
	f := &fakeTypes{types: map[OID]*Type{}, schemas: map[OID]string{}, hidden: map[OID]bool{}}
	for _, r := range rows {
		if r[0] != major {
			continue
		}
		ns := OID(len(r[3])) // any number that tells the schemas apart
		f.schemas[ns] = r[3]
		oid := OID(number(t, r[1]))
		f.types[oid] = &Type{
			OID: oid, Name: r[2], Namespace: ns, Len: int16(number(t, r[5])), Elem: OID(number(t, r[6])),
			Storage: r[7][0], Subscript: OID(number(t, r[8])),
		}
		f.hidden[oid] = r[4] == "f"
	}
	return f
}

func TestFormatType(t *testing.T) {
	rows := lines(t, "format_type.txt")
	for _, major := range []string{"15", "18"} {
		f := typesOf(t, rows, major)
		m := int(number(t, major))
		for _, r := range rows {
			if r[0] != major {
				continue
			}
			oid := OID(number(t, r[1]))
			if elem := OID(number(t, r[6])); elem != 0 && f.types[elem] == nil {
				t.Fatalf("the golden file lacks type %d", elem)
			}
			typmod := int32(5)
			if strings.Contains(r[2], "interval") {
				typmod = 67698687
			}
			got := make([]string, 3)
			var errs [3]error
			got[0], errs[0] = FormatType(f, m, oid)
			got[1], errs[1] = FormatTypeMod(f, m, oid, -1)
			got[2], errs[2] = FormatTypeMod(f, m, oid, typmod)
			require.Equal(t, [3]error{}, errs)
			require.Equal(t, r[9:12], got, "version %s type %s", major, r[2])
		}
	}
}

func TestFormatTypeMod(t *testing.T) {
	f := typesOf(t, lines(t, "format_type.txt"), "15")
	f.types[1015] = &Type{OID: 1015, Name: "_varchar", Len: -1, Elem: VarcharOID, Storage: 'x', Subscript: 6179}
	for _, r := range lines(t, "format_type_mod.txt") {
		got, err := FormatTypeMod(f, 15, OID(number(t, r[0])), int32(number(t, r[1])))
		require.NoError(t, err)
		require.Equal(t, r[2], got)
	}
}

func TestFormatTypeOfNone(t *testing.T) {
	f := &fakeTypes{types: map[OID]*Type{1: {Len: -1, Elem: 2, Storage: 'x'}}}
	for oid, want := range map[OID]string{0: "-", 77: "???", 1: "???[]"} {
		got, err := FormatType(f, 16, oid)
		require.NoError(t, err)
		require.Equal(t, want, got)
	}
}

func TestQuoteIdent(t *testing.T) {
	for _, c := range []struct {
		major      int
		name, want string
	}{
		{15, "a_1", "a_1"},
		{15, "", `""`},
		{15, "1a", `"1a"`},
		{15, "A", `"A"`},
		{15, `a"b`, `"a""b"`},
		{15, "é", `"é"`},
		{15, "a$", `"a$"`},
		{15, "select", `"select"`},
		{15, "name", "name"},         // unreserved
		{15, "integer", `"integer"`}, // a column may have this name
		{15, "left", `"left"`},       // a type or function may
		{15, "json_array", "json_array"},
		{16, "json_array", `"json_array"`},
		{16, "json", "json"},
		{17, "json", `"json"`},
		{18, "merge_action", `"merge_action"`},
	} {
		require.Equal(t, c.want, QuoteIdent(c.major, c.name), "%d %s", c.major, c.name)
	}
	require.Equal(t, `"My".t`, QuoteQualified(15, "My", "t"))
	require.Equal(t, `t`, QuoteQualified(15, "", "t"))
}

func TestParseName(t *testing.T) {
	long := strings.Repeat("x", 62)
	for sql, want := range map[string][]string{
		"t":                          {"t"},
		"Public.T$1":                 {"public", "t$1"},
		` "My Table" . X `:           {"My Table", "x"},
		`"a""b".c.d`:                 {`a"b`, "c", "d"},
		"ÄRGER":                      {"Ärger"[:2] + "rger"},
		`"` + long + `é"`:            {long},
		`"` + long[:61] + `é"`:       {long[:61] + "é"},
		strings.ToUpper(long) + "yz": {long + "y"},
	} {
		got, err := ParseName(sql)
		require.NoError(t, err, sql)
		require.Equal(t, want, got, sql)
	}
	for _, sql := range []string{"", " ", ".", "a.", ".a", `"`, `"a`, `""`, "a b", "1a", "a-b", "a.\"\"", "\"a\x00\"", `a"b"`} {
		_, err := ParseName(sql)
		require.Error(t, err, "%q", sql)
	}
}

// FuzzParseName: what ParseName accepts comes back the same when it is quoted
// and parsed again.
func FuzzParseName(f *testing.F) {
	for _, s := range []string{"a", `"A""b". c`, "É.x", "a.b.c.d", `"select"`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, sql string) {
		parts, err := ParseName(sql)
		if err != nil {
			return
		}
		quoted := make([]string, len(parts))
		for i, p := range parts {
			require.NotEmpty(t, p)
			require.LessOrEqual(t, len(p), MaxNameLen)
			quoted[i] = QuoteIdent(17, p)
		}
		again, err := ParseName(strings.Join(quoted, "."))
		require.NoError(t, err)
		require.Equal(t, parts, again)
	})
}
