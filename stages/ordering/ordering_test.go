package ordering

import (
	"cmp"
	"encoding/binary"
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/pipescan/pipescan/catalog"
	"github.com/pipescan/pipescan/datum"
	"github.com/pipescan/pipescan/pgfile"
)

var bytewise = Text{Name: "C", Bytewise: true, Deterministic: true}

// madeUp are types beyond the built-in ones: an enum, a domain over numeric,
// and arrays of two kinds.
var madeUp = Types{
	Major: 18,
	Lookup: func(oid catalog.OID) (*catalog.Type, bool, error) {
		t, ok := map[catalog.OID]*catalog.Type{
			20001:              {OID: 20001, Name: "mood", Kind: 'e', Len: 4},
			20002:              {OID: 20002, Name: "amount", Kind: 'd', BaseType: catalog.NumericOID, Len: -1},
			1007:               {OID: 1007, Name: "_int4", Kind: 'b', Len: -1, Elem: catalog.Int4OID, Category: 'A', Subscript: 6179, Delim: ','},
			1231:               {OID: 1231, Name: "_numeric", Kind: 'b', Len: -1, Elem: catalog.NumericOID, Category: 'A', Subscript: 6179, Delim: ','},
			1009:               {OID: 1009, Name: "_text", Kind: 'b', Len: -1, Elem: catalog.TextOID, Category: 'A', Subscript: 6179, Delim: ','},
			199:                {OID: 199, Name: "_json", Kind: 'b', Len: -1, Elem: catalog.JSONOID, Category: 'A', Subscript: 6179, Delim: ','},
			catalog.Int4OID:    {OID: catalog.Int4OID, Name: "int4", Len: 4, Align: 'i', Kind: 'b', Delim: ','},
			catalog.NumericOID: {OID: catalog.NumericOID, Name: "numeric", Len: -1, Align: 'i', Kind: 'b', Delim: ','},
			catalog.TextOID:    {OID: catalog.TextOID, Name: "text", Len: -1, Align: 'i', Kind: 'b', Delim: ','},
			catalog.JSONOID:    {OID: catalog.JSONOID, Name: "json", Len: -1, Align: 'i', Kind: 'b', Delim: ','},
			600:                {OID: 600, Name: "point", Len: 16, Kind: 'b', Delim: ','},
		}[oid]
		return t, ok, nil
	},
	EnumLabels: func(catalog.OID) ([]catalog.EnumLabel, error) {
		return []catalog.EnumLabel{{OID: 9, Order: 1, Label: "sad"}, {OID: 5, Order: 2.5, Label: "happy"}, {OID: 7, Order: 2, Label: "ok"}}, nil
	},
}

func word(v uint32) []byte { return binary.LittleEndian.AppendUint32(nil, v) }

// TestAscending lists values of each type in ascending order; "=" says that
// the value is equal to the one before.
func TestAscending(t *testing.T) {
	for typ, values := range map[catalog.OID][]string{
		catalog.BoolOID:     {"f", "t"},
		catalog.Int2OID:     {"-32768", "-1", "0", "32767"},
		catalog.Int8OID:     {"-9223372036854775808", "-1", "9223372036854775807"},
		catalog.OidOID:      {"0", "2147483648", "4294967295"},
		catalog.Float8OID:   {"-Infinity", "-1", "0", "=-0", "1e-300", "Infinity", "NaN"},
		catalog.Float4OID:   {"-Infinity", "-0", "=0", "1.5", "NaN"},
		catalog.NumericOID:  {"-Infinity", "-10000.5", "-10000", "-0.0001", "0", "=0.000", "0.1", "=0.100", "9999.9999", "10000", "1e10", "Infinity", "NaN"},
		20002:               {"-1", "1", "=1.0"},
		catalog.TextOID:     {"", "A", "a", "aa", "b", "é"},
		catalog.BpcharOID:   {"", "= ", "a", "=a  ", "b"},
		catalog.UUIDOID:     {"00000000-0000-0000-0000-000000000001", "a0000000-0000-0000-0000-000000000000"},
		catalog.DateOID:     {"-infinity", "1999-01-01", "2000-01-02", "infinity"},
		catalog.IntervalOID: {"-1 month", "0", "1 day", "=24 hours", "29 days", "1 month", "=30 days", "1 year", "178000000 years"},
		catalog.InetOID:     {"10.0.0.0/8", "10.0.0.0/16", "10.0.0.1/16", "10.0.0.1", "10.0.0.2", "11.0.0.0/8", "::1"},
		catalog.ByteaOID:    {`\x`, `\x00`, `\x0001`, `\xff`},
		catalog.MacaddrOID:  {"00:00:00:00:00:01", "ff:00:00:00:00:00"},
		1007:                {"{}", "{1}", "{1,2}", "{{1,2}}", "{1,NULL}", "[2:3]={2,1}", "{NULL}"},
		1231:                {"{1}", "={1.00}", "{2,1}", "{2.0,1.5}"},
		1009:                {"{}", "{a,b}", "{b}"},
	} {
		o, err := For(typ, bytewise, madeUp)
		require.NoError(t, err)
		var payloads [][]byte
		base := typ
		if typ == 20002 {
			base = catalog.NumericOID
		}
		for i, text := range values {
			equal := len(text) > 0 && text[0] == '='
			if equal {
				text = text[1:]
			}
			v, err := datum.ParseText(base, -1, []byte(text), &datum.Env{Major: 18, Encoding: 6, Lookup: lookup{}})
			require.NoError(t, err, "%d %q", typ, text)
			payloads = append(payloads, v)
			if i == 0 {
				continue
			}
			before := payloads[i-1]
			if equal {
				require.Zero(t, o.Compare(before, v), "%d: %s = %s", typ, values[i-1], values[i])
				require.Equal(t, o.Key(nil, before), o.Key(nil, v))
				continue
			}
			for j, p := range payloads[:i] {
				require.Negative(t, o.Compare(p, v), "%d: %s < %s", typ, values[j], values[i])
				require.Positive(t, o.Compare(v, p))
				if o.Rank != nil {
					require.LessOrEqual(t, o.Rank(p), o.Rank(v), "%d: %s < %s", typ, values[j], values[i])
				}
				require.NotEqual(t, string(o.Key(nil, p)), string(o.Key(nil, v)))
			}
		}
	}
}

// lookup is madeUp for package datum.
type lookup struct{ catalog.Lookup }

func (lookup) Type(oid catalog.OID) (*catalog.Type, bool, error) { return madeUp.Lookup(oid) }

func TestEnum(t *testing.T) {
	o, err := For(20001, Text{}, madeUp)
	require.NoError(t, err)
	require.Negative(t, o.Compare(word(9), word(7)))
	require.Negative(t, o.Compare(word(7), word(5)))
	require.Zero(t, o.Compare(word(5), word(5)))
}

// TestRefused are types and collations without an order, or without equality.
func TestRefused(t *testing.T) {
	var missing *MissingError
	for _, typ := range []catalog.OID{catalog.JSONOID, catalog.XMLOID, 199} {
		_, err := For(typ, bytewise, madeUp)
		require.True(t, errors.As(err, &missing), "%d", typ)
	}
	for _, typ := range []catalog.OID{600, 12345} {
		_, err := For(typ, bytewise, madeUp)
		require.ErrorIs(t, err, pgfile.ErrUnsupported)
	}
	_, err := For(catalog.TextOID, Text{Name: "odd"}, madeUp)
	require.ErrorIs(t, err, pgfile.ErrUnsupported)
	for _, typ := range []catalog.OID{catalog.TextOID, 1009} {
		o, err := For(typ, Text{Name: "de_DE", Deterministic: true}, madeUp)
		require.NoError(t, err)
		require.Nil(t, o.Compare, "equality alone")
	}
	o, err := For(catalog.XidOID, Text{}, madeUp)
	require.NoError(t, err)
	require.Nil(t, o.Compare)
}

// TestTimetz compares moments, then zones.
func TestTimetz(t *testing.T) {
	at := func(micros int64, zone int32) []byte {
		return binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint64(nil, uint64(micros)), uint32(zone))
	}
	require.Negative(t, compareTimetz(at(3600e6, -3600), at(3600e6, 0)))
	require.Negative(t, compareTimetz(at(3600e6, -3600), at(0, 0)))
	require.Positive(t, compareTimetz(at(0, 0), at(3600e6, -3600)))
}

// TestSpan compares spans with arithmetic in floats.
func TestSpan(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 1))
	make := func() ([]byte, float64) {
		micros, days, months := rnd.Int64()-1<<62, int32(rnd.Uint32()), int32(rnd.Uint32())
		if rnd.IntN(3) == 0 {
			months = math.MinInt32
		}
		v := binary.LittleEndian.AppendUint64(nil, uint64(micros))
		v = binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint32(v, uint32(days)), uint32(months))
		return v, (float64(months)*30+float64(days))*86400e6 + float64(micros)
	}
	for range 2000 {
		a, x := make()
		b, y := make()
		if math.Abs(x-y) > 1e8 { // what float64 can tell apart
			require.Equal(t, cmp.Compare(x, y), compareInterval(a, b))
		}
	}
}

// FuzzCompare gives hostile payloads to every type: no panic, and an order
// that does not contradict itself.
func FuzzCompare(f *testing.F) {
	f.Add([]byte{1, 2, 3, 4, 5, 6, 7, 8}, []byte{1})
	f.Add(word(1), []byte{})
	f.Add([]byte{1, 0, 0, 0, 0, 0, 0, 0, 23, 0, 0, 0, 255, 255, 255, 7, 1, 0, 0, 0, 1}, []byte{6, 0, 0, 0})
	all := []catalog.OID{catalog.TextOID, catalog.BpcharOID, catalog.NameOID, 1007, 1231, 1009, 20001}
	for typ := range scalars {
		all = append(all, typ)
	}
	f.Fuzz(func(t *testing.T, a, b []byte) {
		for _, typ := range all {
			o, err := For(typ, bytewise, madeUp)
			require.NoError(t, err)
			_, _ = o.Key(nil, a), o.Key([]byte{1}, b)
			if o.Compare == nil {
				continue
			}
			require.Zero(t, o.Compare(a, a), "type %d", typ)
			require.Equal(t, o.Compare(a, b) < 0, o.Compare(b, a) > 0, "type %d", typ)
			if o.Rank != nil && o.Compare(a, b) <= 0 {
				require.LessOrEqual(t, o.Rank(a), o.Rank(b), "type %d", typ)
			}
		}
	})
}
