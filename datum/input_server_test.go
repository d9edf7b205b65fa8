package datum

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pipescan/pipescan/catalog"
	"github.com/pipescan/pipescan/internal/pgtest"
	"github.com/pipescan/pipescan/pgfile"
)

// inputGroup is texts for one type; they and random changes of them go to a
// server and through ParseText.
type inputGroup struct {
	typ    string // as SQL spells it, with modifier
	oid    catalog.OID
	typmod int32
	texts  []string
}

const intTexts = "0|1|-1|+5| 42 |007|32767|32768|-32768|-32769|2147483647|2147483648|-2147483648|9223372036854775807|9223372036854775808|-9223372036854775808|" +
	"99999999999999999999|x|12x||-|+| |1 2|0x1F|0X_1f|0b101|0o17|0x|0b2|1_000|_1|1_|1__0|0x1_F|1.0|1e3|--1|0x8000000000000000|-0x8000"

const dateTexts = "1999-01-08|1999-1-8|January 8, 1999|1/8/1999|1/18/1999|18/1/1999|01/02/03|1999-Jan-08|Jan-08-1999|08-Jan-1999|99-Jan-08|08-Jan-99|Jan-08-99|" +
	"19990108|990108|1999.008|J2451187|J0|January 8, 99 BC|infinity|-infinity|+infinity|epoch|2000-02-29|1999-02-29|1900-02-29|2000-13-01|2000-00-01|2000-01-00|2000-01-32|" +
	"2000-04-31|4714-11-24 BC|4714-11-23 BC|5874897-12-31|5874898-01-01|0000-01-01|0001-01-01 BC|99999999-01-01|x|||1999|1999-01|1999-01-08-05|Mon Jan 08 1999|8 January 1999|" +
	"January 1999 8|1999 January 8|1999 01 08|1 8 1999|2000-366|2000366|1999-01-08 04:05:06|12-25|12/25|Feb 30, 2000|sept 1 2001|1999-01-08 BC AD|08.01.1999|1999/01/08|2001-02-03T04:05:06|monday"

const timeTexts = "04:05:06.789|04:05:06|04:05|040506|0405|04:05 AM|04:05 PM|12:00 AM|12:00 PM|13:00 PM|00:00 PM|24:00:00|24:00:01|25:00|23:59:60|23:59:60.5|23:60|04:05:06.7894999|04:05:06.7895001|" +
	"04:05:06.1234565|04:05:06-08|04:05:06-08:00|040506-08|04:05:06Z|04:05:06 UTC|allballs|T040506|T04:05:06|04:05:06+15:59|04:05:06+16|04:05:06+5:30|04:05:06+0530|04:05:06+053015|" +
	"x||1|04:|:05|04:05:|04:05:06.|04:05:06:07|4:5:6|1999-01-08 04:05:06|infinity|04:05:06.1.2|04:05:06 +08:60"

const stampTexts = "1999-01-08 04:05:06|1999-01-08 04:05:06.789123|1999-01-08 04:05:06.7891235|1999-01-08 04:05:06 -8:00|January 8 04:05:06 1999|January 8 04:05:06 1999 UTC|1999-01-08T04:05:06Z|" +
	"19990108T040506|19990108 040506|19990108T040506.789|1999-01-08T040506+05|1999-01-08|1999-01-08 24:00:00|1999-12-31 23:59:60|1999-12-31 23:59:59.9999999|infinity|-infinity|epoch|294276-12-31 23:59:59.999999|" +
	"294277-01-01|4714-11-24 00:00:00 BC|4714-11-23 23:59:59 BC|2000-01-01 12:00 PM|2000-01-01 25:00|2000-01-01 x|x||04:05:06|2000-01-01 04:05:06.5 BC|2000-01-01 +05|20000101|2000-02-30 00:00|2000-01-01 00:00+99|" +
	"2000-01-01 1:2:3|2000-01-01 1:2:3.4|1/2/2000 3:4|Sat Jan 01 2000 10:00 AM|J2451187 04:05:06|2000.001 04:05|2000-01-01 0405"

const intervalTexts = "1 year 2 mons -3 days 04:05:06.7|1 day|1 days|-1 day|+1 day|1.5 days|1.5 months|1.5 years|1.5 weeks|2 weeks|1 century|1 decade|1 millennium|1 hour|1.5 hours|90 minutes|1 sec|1.5|5|1:30|1:30:15.5|-1:30|" +
	"1 day 1:30|1 1:30:00|1-2|-1-2|1-12|P1Y2M3DT4H5M6S|P1Y|PT1.5S|P1W|P|PT|@ 1 minute|@ 1 minute ago|1 day ago|1 mon -1 hours|infinity|-infinity|0|00:00|x||1 x|day|1 day 2|1d|1h30m|1y2mon|1m|100 years|9999999999 years|" +
	"178956970 years 7 mons|2147483647 days|2147483648 days|0.1 us|0.5 us|1.5 us|1 ms|1 us|1 msec|25:00:00|1:60|1:00:60|1:00:61|0.0000001|1.123456789 seconds|-0.5 days|1 month 1.5 day|1.1 mons|0.33 years"

const numericTexts = "0|1|-1|1.5|+.5|.5|5.|1e5|1E-5|1e+5|-1.5e10|123456789012345678901234567890.123456789|0.0001|0.00000001|10000|9999.9999|1000000000000000000000000|NaN|nan|Infinity|-inf|inf|+Infinity|-NaN|x||.|e5|1e|1e5x|" +
	"1 2| 7 |1_000|1__0|1_|0x1F|0xg|1e131071|1e131072|1e-16383|1e-16384|1e9999999999|0e9999999|1.2.3|-0|-0.00|0.5|0.005|0.995|999.995|99999.99|999999.99|999999.994|999999.995|1e6|-999999.995|0.00|1e-20|0x_ff|0o7_7|0b1111|- 5|++1"

func inputGroups() []inputGroup {
	one := func(typ string, oid catalog.OID, typmod int32, texts string) inputGroup {
		return inputGroup{typ, oid, typmod, strings.Split(texts, "|")}
	}
	floats := "0|1|-1|1.5|1e10|1e308|1e309|-1e309|1e-320|1e-400|0e-400|1e38|1e39|1e-46|NaN|nan|-nan|inf|-Infinity|+inf|x||1x|0x10|0x1p3|.5|5.|.|1e|1_0| 3 |infinit|1e5 |3.4028235e38|3.4028236e38|1.17e-38|0.1|1/2"
	return []inputGroup{
		one("smallint", catalog.Int2OID, -1, intTexts), one("integer", catalog.Int4OID, -1, intTexts), one("bigint", catalog.Int8OID, -1, intTexts),
		one("oid", catalog.OidOID, -1, intTexts+"|4294967295|4294967296|-4294967296"),
		one("real", catalog.Float4OID, -1, floats), one("double precision", catalog.Float8OID, -1, floats),
		one("numeric", catalog.NumericOID, -1, numericTexts), one("numeric(8,2)", catalog.NumericOID, 8<<16|2+4, numericTexts),
		one("numeric(3,3)", catalog.NumericOID, 3<<16|3+4, numericTexts),
		one("boolean", catalog.BoolOID, -1, "t|f|true|FALSE|yes|no|on|off|o|of|1|0|tr|y|n| t |x||truee|yess|2|tru e|10"),
		one("varchar(3)", catalog.VarcharOID, 7, "|a|abc|abcd|abc   |ab d|äöü|äöüx|äöü "), one("char(3)", catalog.BpcharOID, 7, "|a|abc|abcd|abc   |äö|äöüx"),
		one("name", catalog.NameOID, -1, "|a|"+strings.Repeat("n", 63)+"|"+strings.Repeat("n", 70)+"|"+strings.Repeat("ä", 40)),
		one(`"char"`, catalog.CharOID, -1, "|a|ab|\\101|\\1|ä"),
		one("bytea", catalog.ByteaOID, -1, `\x|\xdeadBEEF|\xde ad|\xd|\xg0|\x0g|abc|a\\b|a\001b|\777|\377|\|a\|\xé0`),
		one("uuid", catalog.UUIDOID, -1, "00112233-4455-6677-8899-aabbccddeeff|{00112233-4455-6677-8899-aabbccddeeff}|00112233445566778899AABBCCDDEEFF|0011-2233-4455-6677-8899-aabb-ccdd-eeff|x||00112233-4455-6677-8899-aabbccddeef|001-12233-4455-6677-8899-aabbccddeeff|{00112233-4455-6677-8899-aabbccddeeff"),
		one("bit(4)", catalog.BitOID, 4, "1010|101|10101|b1010|xa|XF|2|x1|xg||B"), one("varbit(5)", catalog.VarbitOID, 5, "1010|101|10101|101010|b1010|xa|2||xff"),
		one("date", catalog.DateOID, -1, dateTexts), one("time", catalog.TimeOID, -1, timeTexts), one("time(2)", catalog.TimeOID, 2, timeTexts),
		one("timetz", catalog.TimetzOID, -1, timeTexts), one("timestamp", catalog.TimestampOID, -1, stampTexts), one("timestamp(0)", catalog.TimestampOID, 0, stampTexts),
		one("timestamptz", catalog.TimestamptzOID, -1, stampTexts), one("interval", catalog.IntervalOID, -1, intervalTexts),
		one("interval(2)", catalog.IntervalOID, 0x7fff<<16|2, intervalTexts),
		one("json", catalog.JSONOID, -1, jsonTexts), one("jsonb", catalog.JSONBOID, -1, jsonTexts),
		one("inet", catalog.InetOID, -1, netTexts), one("cidr", catalog.CidrOID, -1, netTexts),
		one("macaddr", catalog.MacaddrOID, -1, macTexts), one("macaddr8", catalog.Macaddr8OID, -1, macTexts),
		one("pg_lsn", catalog.PgLSNOID, -1, "0/0|16/B374D848|FFFFFFFF/FFFFFFFF|x|1/|/1|1/123456789| 0/0|1/g"), one("tid", catalog.TidOID, -1, "(0,1)|(4294967295,65535)|(1,65536)|0,1|(0,1|x||( 0,1)|(1)|(-1,1)"),
		one("money", catalog.MoneyOID, -1, "1|$1|-1|($1.50)|1,234.56|$-1|-$1.005|1.999|92233720368547758.07|92233720368547758.08|-92233720368547758.08|x||$|1.2.3|12,34"),
		one("point", pointOID, -1, "(1,2)|1,2| ( 1 , 2 ) |(1,2|1,2)|x||(1,)|(1 2)|(1e400,0)|(nan,inf)"),
		one("int[]", 1007, -1, arrayTexts), one("text[]", 1009, -1, arrayTexts),
	}
}

const jsonTexts = `1|-1.50|1e5|"a"|"a\nb"|"\u00e4"|"\ud83d\ude00"|"\ud83d"|"\u0000"|"\x"|true|false|null|nul|True|[]|{}|[1,2]|[1,]|[,]|{"a":1}|{"a":1,"a":2}|{"b":1,"aa":2,"a":3}|{"a"}|{a:1}|{"a":}|[1 2]| [ 1 , {"x" : [ ] } ] |01|1.|.5|-|+1|1e|"abc||{"a":1}x|[1e400,1e-5]|1.0|12abc|{"a":1,}|[[[[]]]]|"tab	"|"\/"|-0|-0.0|"\u00"`

const netTexts = "192.168.1.5|192.168.1.5/24|192.168.1.0/24|10|10.1|10.0.0.0/8|10.1.2.3/8|256.1.1.1|1.2.3.4.5|1.2.3.4/33|1.2.3.4/|/8|x||::1|::1/128|2001:db8::/32|2001:db8::1/32|::ffff:1.2.3.4|1:2:3:4:5:6:7:8|1:2:3:4:5:6:7:8:9|:::|fe80::1%eth0|128.1|192.168.1|224|240.0|1.2.3.4/08|01.2.3.4|::/0|0.0.0.0/0| 1.2.3.4|1..2"

const macTexts = "08:00:2b:01:02:03|08-00-2b-01-02-03|08002b:010203|08002b-010203|0800.2b01.0203|0800-2b01-0203|08002b010203|08:00:2b:01:02:03:04:05|08002b0102030405|8:0:2b:1:2:3|x||08:00:2b:01:02|08:00:2b:01:02:0g|08:00-2b:01:02:03|0800.2b01.0203.0405| 08:00:2b:01:02:03 "

const arrayTexts = `{}|{1}|{1,2,3}|{1,NULL,3}|{ 1 , 2 }|{{1,2},{3,4}}|{{1,2},{3}}|{{1},2}|[0:1]={1,2}|[2]={1,2}|[1:2][1:2]={{1,2},{3,4}}|[1:3]={1,2}|{"1","2"}|{1,|{1|1||{1,,2}|{,}|{1}x|{a,"b c",d}|{"a\"b"}|{a\,b}|{null,"null"}|{""}|{ a b }|{"a"b}|{{{{{{1}}}}}}|{{{{{{{1}}}}}}}|[2:1]={}|[a]={1}|{{}}|{{},{}}| {1} |{1,2}}`

// changed is text with one small change.
func changed(rng *rand.Rand, text, other string) string {
	b := []byte(text)
	at := func() int { return rng.IntN(len(b) + 1) }
	switch rng.IntN(4) {
	case 0:
		if len(b) > 0 {
			i := rng.IntN(len(b))
			b = append(b[:i:i], b[i+1:]...)
		}
	case 1:
		i := at()
		b = append(b[:i:i], append([]byte{"0123456789 .-:+/,eET"[rng.IntN(20)]}, b[i:]...)...)
	case 2:
		if len(b) > 0 {
			b[rng.IntN(len(b))] = "0123456789 -:"[rng.IntN(13)]
		}
	case 3:
		i := at()
		j := rng.IntN(len(other) + 1)
		b = append(b[:i:i], other[j:]...)
	}
	return strings.ToValidUTF8(string(b), "")
}

// TestInputAgainstServers: texts are read as servers read them: the same value,
// or the same SQLSTATE and message.
func TestInputAgainstServers(t *testing.T) {
	for _, major := range []int{15, 18} {
		t.Run(fmt.Sprint(major), func(t *testing.T) {
			s := pgtest.New(t, major, pgtest.Options{})
			s.Start()
			s.SQL("postgres", `
				CREATE FUNCTION try(txt text, typ text) RETURNS text LANGUAGE plpgsql SET timezone TO 'UTC' SET datestyle TO 'ISO, MDY'
				SET extra_float_digits TO 1 SET lc_monetary TO 'C' AS $$
				DECLARE r text; st text; msg text;
				BEGIN EXECUTE format('SELECT (%L::in_%s).v::text', txt, typ) INTO r; RETURN 'ok ' || r;
				EXCEPTION WHEN OTHERS THEN RETURN SQLSTATE || ' ' || SQLERRM; END $$;`)
			l := loadLookup(t, "containers_catalog.json")
			e := &Env{Lookup: l, Major: major, Encoding: catalog.UTF8}
			rng := rand.New(rand.NewPCG(7, uint64(major)))
			for i, g := range inputGroups() {
				// A row's input function gives the column's modifier to the column's, as COPY does.
				s.SQL("postgres", fmt.Sprintf("CREATE TYPE in_%d AS (v %s)", i, g.typ))
				compareInputs(t, s, e, g, fmt.Sprint(i), rng)
			}
			s.Stop()
		})
	}
}

func compareInputs(t *testing.T, s *pgtest.Server, e *Env, g inputGroup, typ string, rng *rand.Rand) {
	texts := append([]string(nil), g.texts...)
	for range 3 * len(g.texts) {
		texts = append(texts, changed(rng, g.texts[rng.IntN(len(g.texts))], g.texts[rng.IntN(len(g.texts))]))
	}
	var values strings.Builder
	// Quoted for a row, and that for an E'' string.
	quote := strings.NewReplacer(`\`, `\\\\`, `'`, `\'`, `"`, `\\"`)
	for i, text := range texts {
		fmt.Fprintf(&values, "%s(%d, E'(\"%s\")')", map[bool]string{true: ",", false: ""}[i > 0], i, quote.Replace(text))
	}
	rows := s.Query("postgres", fmt.Sprintf("SELECT try(t, '%s') FROM (VALUES %s) v(n, t) ORDER BY n", typ, values.String()))
	require.Len(t, rows, len(texts))
	refused, accepted := 0, 0
	for i, text := range texts {
		want := *rows[i][0]
		got, unsupported := inputOutcome(t, e, g, text)
		switch isOK := strings.HasPrefix(want, "ok "); {
		case unsupported:
		case i < len(g.texts), strings.HasPrefix(got, "ok "), !g.loose():
			assert.Equal(t, want, got, "%d %s %q", e.Major, g.typ, text)
		case isOK:
			refused++
		default:
			accepted++
		}
	}
	// Of texts that no program writes, a few may be refused that a server reads.
	assert.LessOrEqual(t, refused*5, accepted+refused+40, "%d %s", e.Major, g.typ)
}

// loose groups are those whose texts a server reads in ways that nobody relies
// on, or refuses for one of several reasons: what changed texts give is never
// another value, but perhaps another error.
func (g inputGroup) loose() bool {
	switch g.oid {
	case catalog.DateOID, catalog.TimeOID, catalog.TimetzOID, catalog.TimestampOID, catalog.TimestamptzOID, catalog.IntervalOID,
		catalog.MacaddrOID, catalog.Macaddr8OID, catalog.InetOID, catalog.CidrOID, catalog.TidOID, pointOID, catalog.BitOID, catalog.VarbitOID, 1007, 1009:
		return true
	}
	return false
}

// inputOutcome is what the server's function try would say.
func inputOutcome(t *testing.T, e *Env, g inputGroup, text string) (out string, unsupported bool) {
	payload, err := ParseText(g.oid, g.typmod, []byte(text), e)
	var bad *InputError
	switch {
	case errors.Is(err, pgfile.ErrUnsupported):
		return "", true
	case errors.As(err, &bad):
		return bad.State + " " + bad.Message, false
	}
	require.NoError(t, err, "%s %q", g.typ, text)
	c, err := For(g.oid, g.typmod, e)
	require.NoError(t, err)
	b, err := c.AppendText(nil, payload)
	require.NoError(t, err, "%s %q", g.typ, text)
	if g.oid == catalog.BpcharOID { // the cast to text cuts blanks
		b = []byte(strings.TrimRight(string(b), " "))
	}
	if g.oid == catalog.BoolOID {
		b = []byte(map[string]string{"t": "true", "f": "false"}[string(b)])
	}
	if g.oid == catalog.InetOID && !strings.Contains(string(b), "/") { // and that of inet writes the prefix
		b = fmt.Appendf(b, "/%d", payload[1])
	}
	return "ok " + string(b), false
}
