package datum

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/pipescan/pipescan/catalog"
	"github.com/pipescan/pipescan/pgfile"
)

// seedFuzz adds the golden values of the types that pick chooses and runs what
// must hold of any bytes: no panic; text, JSON and Go value agree on whether
// they are sound; what was in dst stays; the value is not written to.
func seedFuzz(f *testing.F, pick func(l *fakeLookup, oid catalog.OID) bool) {
	l := loadLookup(f, "containers_catalog.json")
	e := &Env{Lookup: l, Major: 15, Encoding: 6}
	seeds := 0
	eachContainer(f, func(s sample) {
		if pick(l, s.oid) {
			payload, err := hex.DecodeString(s.hex)
			require.NoError(f, err)
			f.Add(s.oid, payload)
			seeds++
		}
	})
	require.NotZero(f, seeds)
	f.Fuzz(func(t *testing.T, oid catalog.OID, payload []byte) {
		if !pick(l, oid) {
			return
		}
		checkAnyBytes(t, e, oid, payload)
	})
}

func checkAnyBytes(t *testing.T, e *Env, oid catalog.OID, payload []byte) {
	c, err := For(oid, -1, e)
	if err != nil {
		return
	}
	before := bytes.Clone(payload)
	text, textErr := c.AppendText([]byte("kept"), payload)
	if textErr == nil {
		require.True(t, bytes.HasPrefix(text, []byte("kept")))
	}
	_, valueErr := c.Value(payload)
	require.Equal(t, textErr == nil, valueErr == nil, "text: %v; value: %v", textErr, valueErr)
	_, jsonErr := c.(JSONCodec).AppendJSON(nil, payload)
	require.Equal(t, textErr == nil, jsonErr == nil, "text: %v; JSON: %v", textErr, jsonErr)
	require.Equal(t, before, payload)
}

func kindIs(kinds string) func(*fakeLookup, catalog.OID) bool {
	return func(l *fakeLookup, oid catalog.OID) bool {
		t := l.Types[oid]
		return t != nil && strings.IndexByte(kinds, t.Kind) >= 0
	}
}

func FuzzArray(f *testing.F) {
	seedFuzz(f, func(l *fakeLookup, oid catalog.OID) bool {
		return oid == catalog.AnyArrayOID || l.Types[oid] != nil && l.Types[oid].IsTrueArray()
	})
}

func FuzzRecord(f *testing.F) { seedFuzz(f, kindIs("c")) }
func FuzzRange(f *testing.F)  { seedFuzz(f, kindIs("rm")) }

func oidIs(oids ...catalog.OID) func(*fakeLookup, catalog.OID) bool {
	return func(_ *fakeLookup, oid catalog.OID) bool { return slices.Contains(oids, oid) }
}

func FuzzACL(f *testing.F) { seedFuzz(f, oidIs(catalog.AclitemOID)) }

func FuzzVector(f *testing.F) {
	seedFuzz(f, oidIs(catalog.OidVectorOID, catalog.Int2VectorOID))
}

// Golden files have no statistics of pg_statistic_ext_data, which is a system
// catalog: these are their seeds.
func FuzzExtendedStatistics(f *testing.F) {
	f.Add(catalog.PgNdistinctOID, ndistinctOf(11, 1, 2))
	f.Add(catalog.PgDependenciesOID, dependencyOf(0.5, 3, -1))
	e := &Env{Major: 15}
	f.Fuzz(func(t *testing.T, oid catalog.OID, payload []byte) {
		if oid == catalog.PgNdistinctOID || oid == catalog.PgDependenciesOID {
			checkAnyBytes(t, e, oid, payload)
		}
	})
}

// FuzzJSONB also checks that what is printed is JSON.
func FuzzJSONB(f *testing.F) {
	eachContainer(f, func(s sample) {
		if s.oid == catalog.JSONBOID {
			payload, err := hex.DecodeString(s.hex)
			require.NoError(f, err)
			f.Add(payload)
		}
	})
	e := &Env{Major: 15}
	f.Fuzz(func(t *testing.T, payload []byte) {
		checkAnyBytes(t, e, catalog.JSONBOID, payload)
		text, err := textJSONB(nil, payload, e)
		if err == nil && numbersAreJSON(t, payload, e) {
			require.True(t, json.Valid(text), "%.200q", text)
		}
	})
}

// numbersAreJSON says whether all numbers in a sound container are JSON:
// damaged ones may be NaN or have zeros in front.
func numbersAreJSON(t *testing.T, v []byte, e *Env) bool {
	c, err := parseJSONContainer(v)
	require.NoError(t, err)
	for at := (jsonCursor{}); 4*at.index < len(c.entries); {
		kind, data, err := c.next(&at)
		require.NoError(t, err)
		if kind == entryContainer && !numbersAreJSON(t, data, e) {
			return false
		}
		if kind == entryNumeric {
			payload, err := e.plain(data)
			require.NoError(t, err)
			if text, err := textNumeric(nil, payload, e); err != nil || !json.Valid(text) {
				return false
			}
		}
	}
	return true
}

// arrayOf builds the payload of an array of one dimension of 4-aligned values.
func arrayOf(elem catalog.OID, values ...[]byte) []byte {
	b := binary.LittleEndian.AppendUint32(nil, 1)
	b = binary.LittleEndian.AppendUint32(b, 0)
	b = binary.LittleEndian.AppendUint32(b, elem)
	b = binary.LittleEndian.AppendUint32(b, uint32(len(values)))
	b = binary.LittleEndian.AppendUint32(b, 1)
	for _, v := range values {
		for len(b)%4 != 0 {
			b = append(b, 0)
		}
		b = append(b, v...)
	}
	return b
}

// varlenaOf puts a 4-byte header before a payload.
func varlenaOf(payload []byte) []byte {
	return append(binary.LittleEndian.AppendUint32(nil, uint32(len(payload)+4)<<2), payload...)
}

// TestDepth nests a hostile array type in itself: an error, not a stack
// overflow, ends it.
func TestDepth(t *testing.T) {
	const loop = 5000
	l := newFakeLookup(15)
	l.Types[loop] = &catalog.Type{OID: loop, Name: "loop", Len: -1, Kind: 'b', Delim: ',', Elem: loop, Align: 'i', Output: arrayOut}
	e := &Env{Lookup: l, Major: 15}
	c, err := For(loop, -1, e)
	require.NoError(t, err)
	nest := func(levels int) []byte {
		v := binary.LittleEndian.AppendUint64(nil, 0)
		v = binary.LittleEndian.AppendUint32(v, loop)
		for range levels {
			v = arrayOf(loop, varlenaOf(v))
		}
		return v
	}
	text, err := c.AppendText(nil, nest(3))
	require.NoError(t, err)
	require.Equal(t, `{"{\"{\\\"{}\\\"}\"}"}`, string(text))
	jsonText, err := c.(JSONCodec).AppendJSON(nil, nest(maxDepth))
	require.NoError(t, err)
	require.True(t, json.Valid(jsonText))
	for _, levels := range []int{maxDepth + 1, 20 * maxDepth} {
		_, err = c.AppendText(nil, nest(levels))
		require.ErrorIs(t, err, pgfile.ErrCorrupt)
		_, err = c.Value(nest(levels))
		require.ErrorIs(t, err, pgfile.ErrCorrupt)
		_, err = c.(JSONCodec).AppendJSON(nil, nest(levels))
		require.ErrorIs(t, err, pgfile.ErrCorrupt)
	}
}

// TestDeepJSONB: documents as deep as servers make them are read, and deeper
// ones are an error.
func TestDeepJSONB(t *testing.T) {
	nest := func(levels int) []byte {
		b := make([]byte, 0, 8*levels+4)
		for i := range levels {
			b = binary.LittleEndian.AppendUint32(b, jsonArray|1)
			b = binary.LittleEndian.AppendUint32(b, entryContainer|uint32(8*(levels-i)-4))
		}
		return binary.LittleEndian.AppendUint32(b, jsonArray)
	}
	e := &Env{Major: 15}
	text, err := textJSONB(nil, nest(20000), e)
	require.NoError(t, err)
	require.Equal(t, strings.Repeat("[", 20001)+strings.Repeat("]", 20001), string(text))
	_, err = valueJSONB(nest(20000), e)
	require.NoError(t, err)
	_, err = textJSONB(nil, nest(maxJSONDepth+1), e)
	require.ErrorIs(t, err, pgfile.ErrCorrupt)
	_, err = valueJSONB(nest(maxJSONDepth+1), e)
	require.ErrorIs(t, err, pgfile.ErrCorrupt)
}

// TestDomainLoop: a domain over itself is an error.
func TestDomainLoop(t *testing.T) {
	l := newFakeLookup(15)
	l.Types[1] = &catalog.Type{OID: 1, Name: "a", Len: 4, Kind: 'd', BaseType: 2, Align: 'i'}
	l.Types[2] = &catalog.Type{OID: 2, Name: "b", Len: 4, Kind: 'd', BaseType: 1, Align: 'i'}
	_, err := For(1, -1, &Env{Lookup: l})
	require.ErrorIs(t, err, pgfile.ErrCorrupt)
}

// TestUnsupported: a type that cannot be read errs at its first value, alone
// and in an array, and is named.
func TestUnsupported(t *testing.T) {
	l := newFakeLookup(15)
	l.Types[90000] = &catalog.Type{OID: 90000, Name: "geometry", Len: -1, Kind: 'b', Align: 'd', Delim: ','}
	l.Types[90001] = &catalog.Type{OID: 90001, Name: "_geometry", Len: -1, Kind: 'b', Align: 'd', Delim: ',', Elem: 90000, Output: arrayOut}
	e := &Env{Lookup: l, Major: 15}
	for oid, payload := range map[catalog.OID][]byte{90000: {1}, 90001: arrayOf(90000, []byte{5, 1})} {
		c, err := For(oid, -1, e)
		require.NoError(t, err)
		_, err = c.AppendText(nil, payload)
		var u *UnsupportedTypeError
		require.ErrorAs(t, err, &u)
		require.Equal(t, "geometry", u.Type)
		require.ErrorIs(t, err, pgfile.ErrUnsupported)
		_, err = c.Value(payload)
		require.ErrorAs(t, err, &u)
		_, err = c.(JSONCodec).AppendJSON(nil, payload)
		require.ErrorAs(t, err, &u)
	}
	_, err := For(90002, -1, e)
	require.ErrorIs(t, err, pgfile.ErrCorrupt)
	_, err = For(90000, -1, &Env{})
	require.ErrorIs(t, err, errNoCatalogs)
	_, err = For(catalog.Int4OID, -1, &Env{})
	require.NoError(t, err, "built-in types need no catalogs")
}

func ndistinctOf(n float64, attrs ...int16) []byte {
	b := []byte{0xa4, 0xbf, 0x52, 0xa3, 1, 0, 0, 0, 1, 0, 0, 0}
	b, _ = binary.Append(b, binary.LittleEndian, n)
	b, _ = binary.Append(b, binary.LittleEndian, int32(len(attrs)))
	b, _ = binary.Append(b, binary.LittleEndian, attrs)
	return b
}

func dependencyOf(degree float64, attrs ...int16) []byte {
	b := []byte{0x2c, 0x9a, 0x54, 0xb4, 1, 0, 0, 0, 1, 0, 0, 0}
	b, _ = binary.Append(b, binary.LittleEndian, degree)
	b, _ = binary.Append(b, binary.LittleEndian, int16(len(attrs)))
	b, _ = binary.Append(b, binary.LittleEndian, attrs)
	return b
}

func TestExtendedStatistics(t *testing.T) {
	e := &Env{}
	text, err := textNdistinct(nil, ndistinctOf(11, 1, 2, -1), e)
	require.NoError(t, err)
	require.Equal(t, `{"1, 2, -1": 11}`, string(text))
	value, err := valueNdistinct(ndistinctOf(11, 1, 2, -1), e)
	require.NoError(t, err)
	require.Equal(t, []NDistinct{{[]int16{1, 2, -1}, 11}}, value)
	text, err = textDependencies(nil, dependencyOf(0.5, 3, 4, 6), e)
	require.NoError(t, err)
	require.Equal(t, `{"3, 4 => 6": 0.500000}`, string(text))
	value, err = valueDependencies(dependencyOf(0.5, 3, 6), e)
	require.NoError(t, err)
	require.Equal(t, []Dependency{{[]int16{3, 6}, 0.5}}, value)
}

// TestPartsAreDetoasted: a compressed item is given to Detoast with its
// header, and without a Detoast it is an error.
func TestPartsAreDetoasted(t *testing.T) {
	l := newFakeLookup(15)
	l.Types[catalog.TextOID] = &catalog.Type{OID: catalog.TextOID, Name: "text", Len: -1, Kind: 'b', Delim: ',', Align: 'i'}
	l.Types[1009] = &catalog.Type{OID: 1009, Name: "_text", Len: -1, Kind: 'b', Delim: ',', Align: 'i', Elem: catalog.TextOID, Output: arrayOut}
	compressed := varlenaOf([]byte{9, 0, 0, 0, 'p'})
	compressed[0] |= 2
	v := arrayOf(catalog.TextOID, []byte{3<<1 | 1, 'a', 'b'}, compressed, []byte{2<<1 | 1, 'z'})
	e := &Env{Lookup: l, Detoast: func(dst, varlena []byte) ([]byte, error) {
		if !bytes.Equal(varlena, compressed) {
			return dst, errors.New("not the value that was stored")
		}
		return append(dst, "plain \x22"...), nil
	}}
	c, err := For(1009, -1, e)
	require.NoError(t, err)
	text, err := c.AppendText(nil, v)
	require.NoError(t, err)
	require.Equal(t, `{ab,"plain \"",z}`, string(text))
	c, err = For(1009, -1, &Env{Lookup: l})
	require.NoError(t, err)
	_, err = c.AppendText(nil, v)
	require.ErrorIs(t, err, pgfile.ErrCorrupt)
}

func TestContainerValues(t *testing.T) {
	e := &Env{Lookup: loadLookup(t, "containers_catalog.json"), Major: 15, Encoding: 6}
	want := map[string]any{
		`[0:1][-1:0]={{1,2},{NULL,4}}`: Array{Dims: []Dim{{2, 0}, {2, -1}}, Elems: []any{int32(1), int32(2), nil, int32(4)}},
		`(1,x)`:                        Record{Names: []string{"a", "b"}, Fields: []any{int32(1), "x"}},
		`[1,5)`:                        Range{Lower: int32(1), Upper: int32(5), LowerInc: true},
		`o k`:                          "o k",
		`{"": [true, false, null], "b": 1, "aa": 2}`: map[string]any{"b": json.Number("1"), "aa": json.Number("2"), "": []any{true, false, nil}},
		`pg_class`: "pg_class",
	}
	seen := map[string]bool{}
	eachContainer(t, func(s sample) {
		w, ok := want[s.text]
		if !ok || w == nil || seen[s.text] {
			return
		}
		seen[s.text] = true
		payload, err := hex.DecodeString(s.hex)
		require.NoError(t, err)
		c, err := For(s.oid, -1, e)
		require.NoError(t, err)
		got, err := c.Value(payload)
		require.NoError(t, err)
		require.Equal(t, w, got)
	})
	require.Len(t, seen, 6)
}
