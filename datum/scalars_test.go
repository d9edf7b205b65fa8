package datum

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"math"
	"math/big"
	"net"
	"net/netip"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/apd/v3"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/pipescan/pipescan/catalog"
	"github.com/pipescan/pipescan/pgfile"
)

var env18 = &Env{Major: 18}

func le16(n int16) []byte { return binary.LittleEndian.AppendUint16(nil, uint16(n)) }
func le32(n int32) []byte { return binary.LittleEndian.AppendUint32(nil, uint32(n)) }
func le64(n int64) []byte { return binary.LittleEndian.AppendUint64(nil, uint64(n)) }

func scalarText(t require.TestingT, oid catalog.OID, payload []byte) string {
	text, err := scalarTypes[oid].text(nil, payload, env18)
	require.NoError(t, err)
	return string(text)
}

func scalarValue(t require.TestingT, oid catalog.OID, payload []byte) any {
	v, err := scalarTypes[oid].value(payload, env18)
	require.NoError(t, err)
	return v
}

func TestFloatsReadBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		raw := rapid.Uint64().Draw(t, "bits")
		text := scalarText(t, catalog.Float8OID, le64(int64(raw)))
		f, err := strconv.ParseFloat(text, 64)
		require.NoError(t, err)
		if want := math.Float64frombits(raw); want == want {
			require.Equal(t, raw, math.Float64bits(f), text)
			require.LessOrEqual(t, len(text), 25)
		} else {
			require.Equal(t, "NaN", text)
		}
		short := uint32(raw >> 32)
		text = scalarText(t, catalog.Float4OID, le32(int32(short)))
		f, err = strconv.ParseFloat(text, 32)
		require.NoError(t, err)
		if want := math.Float32frombits(short); want == want {
			require.Equal(t, short, math.Float32bits(float32(f)), text)
		} else {
			require.Equal(t, "NaN", text)
		}
	})
}

// numericPayload builds what numeric_in stores for (-1)^neg * coeff * 10^-dscale,
// in the long form if asked or needed.
func numericPayload(neg bool, coeff *big.Int, dscale int, long bool) []byte {
	s := coeff.String()
	if len(s) <= dscale {
		s = strings.Repeat("0", dscale+1-len(s)) + s
	}
	whole, fraction := s[:len(s)-dscale], s[len(s)-dscale:]
	whole = strings.Repeat("0", (4-len(whole)%4)%4) + whole
	fraction += strings.Repeat("0", (4-len(fraction)%4)%4)
	weight := len(whole)/4 - 1
	all := whole + fraction
	for strings.HasPrefix(all, "0000") {
		all, weight = all[4:], weight-1
	}
	all = strings.TrimRight(all, "0")
	all += strings.Repeat("0", (4-len(all)%4)%4)
	if all == "" {
		weight = 0
	}
	var b []byte
	if long || dscale > 63 || weight < -64 || weight > 63 {
		head := dscale
		if neg {
			head |= 0x4000
		}
		b = append(le16(int16(head)), le16(int16(weight))...)
	} else {
		head := 0x8000 | dscale<<7 | weight&0x7f
		if neg {
			head |= 0x2000
		}
		b = le16(int16(head))
	}
	for ; all != ""; all = all[4:] {
		d, _ := strconv.Atoi(all[:4])
		b = append(b, le16(int16(d))...)
	}
	return b
}

func TestNumericAgainstDecimal(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		digits := rapid.StringMatching(`[0-9]{1,60}`).Draw(t, "digits")
		coeff, _ := new(big.Int).SetString(digits, 10)
		dscale := rapid.IntRange(0, 90).Draw(t, "dscale")
		neg := rapid.Bool().Draw(t, "neg") && coeff.Sign() != 0
		want := apd.NewWithBigInt(new(apd.BigInt).SetMathBigInt(coeff), int32(-dscale))
		want.Negative = neg
		payload := numericPayload(neg, coeff, dscale, rapid.Bool().Draw(t, "long"))
		require.Equal(t, want.Text('f'), scalarText(t, catalog.NumericOID, payload))
		got := scalarValue(t, catalog.NumericOID, payload).(*apd.Decimal)
		require.Equal(t, want.Text('f'), got.Text('f'))
		require.Equal(t, int32(-dscale), got.Exponent)
	})
}

func TestDatesAgainstTimePackage(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		micros := rapid.Int64Range(-62135596800-epochUnix+1, 253402300799-epochUnix).Draw(t, "s")*1e6 +
			rapid.Int64Range(0, 999999).Draw(t, "us") // years 1 to 9999
		want := time.UnixMicro(epochUnix*1e6 + micros).UTC()
		text := scalarText(t, catalog.TimestampOID, le64(micros))
		require.Equal(t, want.Format("2006-01-02 15:04:05.999999"), text)
		require.Equal(t, text+"+00", scalarText(t, catalog.TimestamptzOID, le64(micros)))
		stamp := scalarValue(t, catalog.TimestamptzOID, le64(micros)).(TimestampTZ)
		tm, ok := stamp.Time()
		require.True(t, ok)
		require.True(t, want.Equal(tm))
		midnight := time.Date(want.Year(), want.Month(), want.Day(), 0, 0, 0, 0, time.UTC)
		days := int32((midnight.Unix() - epochUnix) / 86400)
		require.Equal(t, want.Format("2006-01-02"), scalarText(t, catalog.DateOID, le32(days)))
		day, ok := scalarValue(t, catalog.DateOID, le32(days)).(Date).Time()
		require.True(t, ok)
		require.Equal(t, want.Format("2006-01-02"), day.Format("2006-01-02"))
		require.Equal(t, want.Format("15:04:05.999999"), scalarText(t, catalog.TimeOID, le64(micros-int64(days)*microsPerDay)))
	})
}

// TestEveryDayHasItsSuccessor walks the whole calendar in steps that hit each
// kind of month and century.
func TestEveryDayHasItsSuccessor(t *testing.T) {
	lengths := [...]int{0, 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31}
	check := func(day int64) {
		y, m, d := civil(day)
		leap := y%4 == 0 && (y%100 != 0 || y%400 == 0)
		last := lengths[m]
		if m == 2 && leap {
			last = 29
		}
		if d++; d > last {
			d, m = 1, m+1
		}
		if m > 12 {
			m, y = 1, y+1
		}
		gotY, gotM, gotD := civil(day + 1)
		require.Equal(t, [3]int64{y, int64(m), int64(d)}, [3]int64{gotY, int64(gotM), int64(gotD)}, day)
	}
	for day := int64(-800000); day < 400000; day++ {
		check(day)
	}
	for day := int64(minDate); day < maxDate; day += 99991 {
		check(day)
	}
}

func TestAddressesAgainstNetip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ip := rapid.SliceOfN(rapid.SampledFrom([]byte{0, 0, 0, 0, 1, 0xff, 0x20}), 16, 16).Draw(t, "ip")
		bits := rapid.IntRange(0, 128).Draw(t, "bits")
		payload := append([]byte{3, byte(bits)}, ip...)
		text := scalarText(t, catalog.CidrOID, payload)
		addr, length, ok := strings.Cut(text, "/")
		require.True(t, ok)
		require.Equal(t, strconv.Itoa(bits), length)
		parsed, err := netip.ParseAddr(addr)
		require.NoError(t, err)
		require.Equal(t, netip.AddrFrom16([16]byte(ip)), parsed)
		want := netip.PrefixFrom(parsed, bits)
		require.Equal(t, want, scalarValue(t, catalog.InetOID, payload))
	})
}

func TestMoneyAgainstIntegers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cents := rapid.Int64().Draw(t, "cents")
		text := scalarText(t, catalog.MoneyOID, le64(cents))
		plain := strings.NewReplacer("$", "", ",", "", ".", "").Replace(text)
		got, err := strconv.ParseInt(plain, 10, 64)
		require.NoError(t, err)
		require.Equal(t, cents, got)
		require.Equal(t, text, scalarValue(t, catalog.MoneyOID, le64(cents)).(Money).String())
	})
}

func TestGoValues(t *testing.T) {
	unhex := func(s string) []byte { b, _ := hex.DecodeString(s); return b }
	for _, c := range []struct {
		oid     catalog.OID
		payload []byte
		want    any
	}{
		{catalog.BoolOID, []byte{1}, true},
		{catalog.Int2OID, le16(-2), int16(-2)},
		{catalog.Int4OID, le32(-3), int32(-3)},
		{catalog.Int8OID, le64(-4), int64(-4)},
		{catalog.OidOID, le32(-1), uint32(math.MaxUint32)},
		{catalog.TidOID, unhex("010002000300"), TID{1<<16 | 2, 3}},
		{catalog.Xid8OID, le64(-1), uint64(math.MaxUint64)},
		{catalog.PgLSNOID, le64(5), uint64(5)},
		{catalog.Float4OID, le32(0x3fc00000), float32(1.5)},
		{catalog.Float8OID, le64(0x3ff8000000000000), 1.5},
		{catalog.MoneyOID, le64(123), Money(123)},
		{catalog.TextOID, []byte("a"), "a"},
		{catalog.NameOID, append([]byte("nm"), make([]byte, 62)...), "nm"},
		{catalog.CharOID, []byte{0x80}, Char(0x80)},
		{catalog.ByteaOID, []byte{0, 1}, []byte{0, 1}},
		{catalog.UUIDOID, bytes.Repeat([]byte{7}, 16), UUID(bytes.Repeat([]byte{7}, 16))},
		{catalog.XMLOID, []byte(`<?xml version="1.0"?><a/>`), "<a/>"},
		{catalog.DateOID, le32(math.MaxInt32), Date{math.MaxInt32}},
		{catalog.TimeOID, le64(9), TimeOfDay{9}},
		{catalog.TimetzOID, append(le64(9), le32(-3600)...), TimeTZ{9, 3600}},
		{catalog.TimestampOID, le64(math.MinInt64), Timestamp{math.MinInt64}},
		{catalog.TimestamptzOID, le64(7), TimestampTZ{7}},
		{catalog.IntervalOID, append(append(le64(1), le32(2)...), le32(3)...), Interval{1, 2, 3}},
		{catalog.InetOID, []byte{2, 24, 10, 0, 0, 1}, netip.MustParsePrefix("10.0.0.1/24")},
		{catalog.MacaddrOID, []byte("abcdef"), net.HardwareAddr("abcdef")},
		{catalog.Macaddr8OID, []byte("abcdefgh"), net.HardwareAddr("abcdefgh")},
		{catalog.VarbitOID, append(le32(9), 0xff, 0x80), Bits{9, []byte{0xff, 0x80}}},
		{pgSnapshotOID, append(append(append(le32(1), le64(3)...), le64(9)...), le64(4)...), PGSnapshot{3, 9, []uint64{4}}},
		{tsqueryOID, le32(0), ""},
	} {
		got := scalarValue(t, c.oid, c.payload)
		require.Equal(t, c.want, got, c.oid)
		if s, ok := got.(interface{ String() string }); ok && c.oid != catalog.InetOID && c.oid != catalog.ByteaOID {
			require.Equal(t, scalarText(t, c.oid, c.payload), s.String(), c.oid)
		}
	}
}

func TestInfinities(t *testing.T) {
	for _, sign := range []int{-1, 0, 1} {
		micros, days, months := int64(0), int32(0), int32(0)
		switch sign {
		case -1:
			micros, days, months = math.MinInt64, math.MinInt32, math.MinInt32
		case 1:
			micros, days, months = math.MaxInt64, math.MaxInt32, math.MaxInt32
		}
		require.Equal(t, sign, Date{days}.IsInfinite())
		require.Equal(t, sign, Timestamp{micros}.IsInfinite())
		require.Equal(t, sign, TimestampTZ{micros}.IsInfinite())
		require.Equal(t, sign, Interval{micros, days, months}.IsInfinite())
		_, ok := Date{days}.Time()
		require.Equal(t, sign == 0, ok)
		_, ok = Timestamp{micros}.Time()
		require.Equal(t, sign == 0, ok)
	}
	require.Equal(t, 0, Interval{math.MaxInt64, math.MaxInt32, 5}.IsInfinite())
}

// TestDamagedScalars: what no server writes is a CorruptError.
func TestDamagedScalars(t *testing.T) {
	raw := func(v ...byte) []byte { return v }
	lengths := map[catalog.OID]int{
		catalog.BoolOID: 1, catalog.Int2OID: 2, catalog.Int4OID: 4, catalog.Int8OID: 8, catalog.OidOID: 4, catalog.XidOID: 4,
		catalog.CidOID: 4, catalog.TidOID: 6, catalog.Xid8OID: 8, catalog.PgLSNOID: 8, catalog.Float4OID: 4, catalog.Float8OID: 8,
		catalog.MoneyOID: 8, catalog.CharOID: 1, catalog.UUIDOID: 16, catalog.DateOID: 4, catalog.TimeOID: 8,
		catalog.TimetzOID: 12, catalog.TimestampOID: 8, catalog.TimestamptzOID: 8, catalog.IntervalOID: 16, catalog.MacaddrOID: 6,
		catalog.Macaddr8OID: 8, pointOID: 16, lineOID: 24, lsegOID: 32, boxOID: 32, circleOID: 24,
	}
	damaged := map[catalog.OID][][]byte{
		catalog.NumericOID:     {nil, raw(1), raw(0, 0), raw(0, 0x80, 0x10, 0x27), raw(0, 0, 0, 0, 0xff, 0xff), raw(0, 0x80, 1)},
		catalog.TextOID:        {[]byte("a\x00b")},
		catalog.XMLOID:         {[]byte("\x00")},
		catalog.NameOID:        {bytes.Repeat([]byte("n"), 64), bytes.Repeat([]byte{0}, 65)},
		catalog.DateOID:        {le32(minDate - 1), le32(maxDate + 1)},
		catalog.TimeOID:        {le64(-1), le64(microsPerDay + 1)},
		catalog.TimetzOID:      {append(le64(-1), 0, 0, 0, 0)},
		catalog.TimestampOID:   {le64(minTimestamp - 1)},
		catalog.TimestamptzOID: {le64(math.MinInt64 + 1)},
		catalog.InetOID:        {nil, raw(2), raw(1, 0, 1, 2, 3, 4), raw(2, 33, 1, 2, 3, 4), raw(2, 0, 1, 2, 3), raw(3, 0, 1, 2, 3, 4)},
		catalog.CidrOID:        {raw(4, 0, 1, 2, 3, 4)},
		catalog.BitOID:         {nil, le32(1), le32(-1), append(le32(8), 1, 2), append(le32(9), 1)},
		pathOID:                {nil, make([]byte, 11), append(le32(1), make([]byte, 8)...), append(le32(-1), make([]byte, 8)...)},
		polygonOID:             {nil, append(le32(1<<30), make([]byte, 48)...)},
		pgSnapshotOID:          {nil, append(le32(1), make([]byte, 16)...), append(le32(-1), make([]byte, 24)...)},
	}
	for oid, n := range lengths {
		damaged[oid] = append(damaged[oid], nil, make([]byte, n-1), make([]byte, n+1))
	}
	for oid, payloads := range damaged {
		for _, p := range payloads {
			before := []byte("before")
			_, err := scalarTypes[oid].text(before, p, env18)
			require.ErrorIs(t, err, pgfile.ErrCorrupt, "text of type %d: % x", oid, p)
			v, err := scalarTypes[oid].value(p, env18)
			require.ErrorIs(t, err, pgfile.ErrCorrupt, "value of type %d: % x", oid, p)
			require.Nil(t, v)
		}
	}
}

// TestTextAllocatesNothing: a dump of a large table renders billions of these.
func TestTextAllocatesNothing(t *testing.T) {
	dst := make([]byte, 0, 4096)
	seen := map[catalog.OID]bool{}
	eachGolden(t, "scalars", func(major int, s sample) {
		if seen[s.oid] || s.oid == jsonpathOID || major != 15 {
			return
		}
		seen[s.oid] = true
		payload, err := hex.DecodeString(s.hex)
		require.NoError(t, err)
		e, text := &Env{Major: major}, scalarTypes[s.oid].text
		require.Zero(t, testing.AllocsPerRun(10, func() { dst, _ = text(dst[:0], payload, e) }), "type %d: %q", s.oid, s.text)
	})
	require.Greater(t, len(seen), 40)
}
