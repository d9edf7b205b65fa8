package tests

import (
	"fmt"
	"slices"
	"strings"
)

// A typeCase is a type with values that have been trouble somewhere. Values are SQL expressions.
type typeCase struct {
	name   string // the type as SQL writes it
	from   int    // the first version that has the type or these values; 0 for all
	values []string
}

// lit quotes plain values as literals.
func lit(values ...string) []string {
	out := make([]string, len(values))
	for i, v := range values {
		out[i] = "'" + strings.ReplaceAll(v, "'", "''") + "'"
	}
	return out
}

var typeCases = slices.Concat(numberTypes, textTypes, timeTypes, catalogTypes, networkTypes, documentTypes)

var numberTypes = []typeCase{
	{"bool", 0, lit("t", "f")},
	{"int2", 0, lit("0", "-1", "-32768", "32767")},
	{"int4", 0, lit("0", "-1", "-2147483648", "2147483647")},
	{"int8", 0, lit("0", "-1", "-9223372036854775808", "9223372036854775807")},
	{"float4", 0, lit("NaN", "Infinity", "-Infinity", "0", "-0", "1e-45", "3.4028235e38", "1.17549435e-38", "0.1", "16777216", "16777217",
		"1e15", "1e16", "123456.7", "1e-4", "1e-5", "999999.94", "1e6", "1.5e-7", "2147483648", "8388608.5", "1e10")},
	{"float8", 0, lit("NaN", "Infinity", "-Infinity", "0", "-0", "5e-324", "1.7976931348623157e308", "2.2250738585072014e-308", "0.1",
		"1e14", "1e15", "1e16", "1e17", "123456789012345680", "1e-4", "1e-5", "0.30000000000000004", "9007199254740993", "1e22", "1e23",
		"-1.5", "100", "1234567.125", "9.5e-7", "4.35", "2e-308", "179769313486231570000", "999999999999999900")},
	{"numeric", 0, append(lit("0", "0.000", "-0.1", "1", "-1", "9999", "10000", "10000.0001", "0.0001", "0.00001", "0.000000001", "-99999999.9999",
		"1e100", "1e-100", "NaN", "1234567890123456789012345.678901234567890123456789", "0e-10", "100000000", "1.10", "12345.678900",
		"0.10000000000000000000", "99999999999999999999.00000000000000000001", "1e131071", "5e-16383", "-1e20000"),
		"repeat('9', 5000)::numeric", "(repeat('7', 3000) || '.' || repeat('3', 2000))::numeric")},
	{"numeric(19,4)", 0, lit("8550.723", "0", "-0.0001", "999999999999999.9999", "NaN", "1.00005")},
	{"numeric(20,20)", 0, lit("0.12345678901234567890", "-0.00000000000000000001", "0")},
	{"numeric", 14, lit("Infinity", "-Infinity")},
	{"numeric(6,-3)", 15, lit("123456789", "-1000", "0", "499")},
	{"numeric(3,5)", 15, lit("0.00123", "-0.00999")},
	{"money", 0, lit("0", "-92233720368547758.08", "92233720368547758.07", "1.5", "-0.01", "1234567.89", "999", "1000", "-1000000")},
	{"oid", 0, lit("0", "1", "4294967295")},
	{"bit(1)", 0, lit("0", "1")},
	{"bit(8)", 0, lit("00000000", "10000001")},
	{"bit(11)", 0, lit("10101010101", "00000000001")},
	{"varbit", 0, append(lit("", "1", "0", "10101010", "101010101"), "repeat('10', 5000)::varbit")},
	{"varbit(5)", 0, lit("", "10101", "1")},
}

var textTypes = []typeCase{
	{"text", 0, append(lit("", "a", "NULL", "null", `\N`, `\.`, "{}", `{"a",b}`, `"quoted"`, " lead and trail ", `back\slash`, "a,b", "'", "ünïcödé 漢字 🎉", "()"),
		`E'tab\tnl\ncr\rbs\bvt\x0bff\f'`, `E'\x01\x1f\x7f'`, "repeat('x', 126)", "repeat('x', 127)", "repeat('x', 128)", "repeat('y', 3000)", "repeat('é', 100)")},
	{"varchar", 0, append(lit("", "a", "é"), "repeat('z', 200)")},
	{"varchar(10)", 0, lit("", "0123456789", "éééééééééé", "a  ")},
	{"bpchar", 0, lit("", "a  ", "b")},
	{"char(5)", 0, lit("", "abc", "éé", "12345")},
	{"char(200)", 0, lit("", "x")},
	{"name", 0, append(lit("", "a", `we"ird`, "with space", "ünï", "a,b", `back\slash`), "repeat('n', 63)")},
	{`"char"`, 0, append(lit("", "a", `\`, "{", " ", ","), `1::"char"`, `127::"char"`, `9::"char"`, `(-1)::"char"`, `(-128)::"char"`)},
	{"bytea", 0, append(lit(`\x`, `\x00`, `\xdeadbeef`), "decode(repeat('00ff5c7f', 64), 'hex')", "decode(repeat('ab', 5000), 'hex')")},
}

var timeTypes = []typeCase{
	{"date", 0, lit("infinity", "-infinity", "4714-11-24 BC", "5874897-12-31", "2000-01-01", "1999-12-31", "0001-01-01", "0001-12-31 BC", "1582-10-15",
		"1582-10-04", "10000-01-01", "0044-03-15 BC", "2024-02-29", "1900-02-28", "99999-01-01")},
	{"time", 0, lit("00:00", "24:00", "23:59:59.999999", "12:34:56.1", "01:02:03.000001", "01:02:03.120")},
	{"time(3)", 0, lit("12:34:56.7891", "00:00:00.001")},
	{"timetz", 0, lit("00:00+00", "24:00-15:59:59", "12:34:56.789+05:30", "01:02:03-08", "23:59:59.999999+15:59:59", "00:00:00-00:00:01", "12:00+14")},
	{"timestamp", 0, lit("infinity", "-infinity", "4714-11-24 00:00:00 BC", "294276-12-31 23:59:59.999999", "2000-01-01", "1999-12-31 23:59:59.999999",
		"0001-12-31 23:59:59.5 BC", "2024-02-29 12:00:00.1", "1970-01-01", "0001-01-01", "10000-01-01 00:00:00.000001", "0099-01-01")},
	{"timestamp(0)", 0, lit("2024-02-29 12:00:00.5", "1999-12-31 23:59:59.9")},
	{"timestamptz", 0, lit("infinity", "-infinity", "4714-11-24 00:00:00+00 BC", "294276-12-31 23:59:59.999999+00", "2000-01-01+00", "1969-12-31 23:59:59.999999+00",
		"2024-07-01 12:00:00+05:30", "0001-12-31 23:59:59.5+00 BC", "1883-11-18 12:03:58-05")},
	{"interval", 0, lit("0", "1 year", "-1 year", "1 mon", "-1 mon", "1 day", "-1 day", "1 sec", "-1 sec", "1 year -1 day", "-1 year 2 mons -3 days 04:05:06.789",
		"178000000 years", "-178000000 years", "00:00:00.000001", "-00:00:00.000001", "1 mon -1 sec", "-1 mon 1 sec", "2 days -00:00:01", "100:00:00",
		"2147483647 days", "13 mons", "-13 mons 1 day -00:00:00.5", "1 day 00:00:01.5")},
	{"interval", 15, lit("-2562047788:00:54.775807", "2562047788:00:54.775807")},
	{"interval year to month", 0, lit("1-2", "-1-2")},
	{"interval second(2)", 0, lit("1.239")},
	{"interval", 17, lit("infinity", "-infinity")},
}

var catalogTypes = []typeCase{
	{"uuid", 0, lit("00000000-0000-0000-0000-000000000000", "ffffffff-ffff-ffff-ffff-ffffffffffff", "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11")},
	{"xid", 0, lit("0", "3", "4294967295")},
	{"xid8", 0, lit("0", "4294967296", "18446744073709551615")},
	{"cid", 0, lit("0", "4294967295")},
	{"tid", 0, lit("(0,0)", "(4294967295,65535)", "(17,3)")},
	{"pg_lsn", 0, lit("0/0", "FFFFFFFF/FFFFFFFF", "16/B374D848", "0/A")},
	{"regproc", 0, append(lit("-", "now", "pg_catalog.pg_table_size", `"Odd Schema"."Odd Func"`, "public.f_one"), "99999999", "0")},
	{"regprocedure", 0, append(lit("-", "abs(integer)", "pg_catalog.abs(double precision)", `"Odd Schema"."Odd Func"(integer,text[])`, "public.f_one()", "public.f_two(varchar,timestamp with time zone)"), "99999999")},
	{"regoper", 0, append(lit("0", "||/", "public.####"), "99999999", "(SELECT oid FROM pg_operator WHERE oprname = '+' AND oprleft = 'int4'::regtype AND oprright = 'int4'::regtype)::oid")},
	{"regoperator", 0, append(lit("0", "+(integer,integer)", "-(NONE,bigint)", "||(text,anynonarray)", `"Odd Schema".@@@(integer,text)`), "99999999")},
	{"regclass", 0, append(lit("-", "pg_class", "pg_catalog.pg_type", `"Weird Table"`, `"Odd Schema".t`, "information_schema.tables", "public.hidden"), "99999999",
		"(SELECT reltoastrelid FROM pg_class WHERE oid = 'pg_proc'::regclass)::oid")},
	{"regtype", 0, append(lit("-", "int4", "numeric", "int4[]", "character varying", "bit", "timestamp with time zone", "time without time zone", `"char"`, "bpchar", "interval", "float8",
		`"Odd Schema"."Odd Enum"`, `"Odd Schema"."Odd Enum"[]`, "public.mood", "void", "name", "pg_class", "oid[]", "varbit", "float4", "int8", "int2", "bool", "text"), "99999999")},
	{"regrole", 0, append(lit("-", "postgres", `"Odd Role"`), "99999999")},
	{"regnamespace", 0, append(lit("-", "pg_catalog", `"Odd Schema"`, "public"), "99999999")},
	{"regconfig", 0, append(lit("-", "english", "simple"), "99999999")},
	{"regdictionary", 0, append(lit("-", "simple", "english_stem"), "99999999")},
	{"regcollation", 0, append(lit("-", `"C"`, `"POSIX"`, `"default"`), "99999999")},
	{"aclitem", 0, lit("=r/postgres", "postgres=arwdDxt/postgres", "postgres=a*r*/postgres", `"Odd Role"=X/postgres`, `=U/"Odd Role"`, "postgres=C*T*c*/postgres")},
	{"aclitem", 15, lit("postgres=sA/postgres", "postgres=s*A*/postgres")},
	{"aclitem", 17, lit("postgres=m*r/postgres")},
	{"oidvector", 0, lit("", "1", "1 2 3 4294967295")},
	{"int2vector", 0, lit("", "1", "-32768 0 32767")},
}

var networkTypes = []typeCase{
	{"inet", 0, lit("0.0.0.0", "192.168.0.1/24", "::1", "2001:db8::/32", "::ffff:1.2.3.4", "::/0", "255.255.255.255/0", "fe80::1/64", "1::", "2001:0:0:1::1",
		"::1.2.3.4", "64:ff9b::192.0.2.33", "1:0:0:2:0:0:0:3", "1:2:3:4:5:6:7:8", "::2:3:4:5:6:7:8", "1:2:3:4:5:6:7::", "0:0:0:0:0:0:1:0", "::ffff:0:0", "1:0:2:0:3:0:4:0", "::")},
	{"cidr", 0, lit("10.0.0.0/8", "::/0", "2001:db8::/32", "192.168.1.0/24", "0.0.0.0/0", "1.2.3.4/32", "::1/128", "10.0.0.0/31", "::ffff:1.2.3.0/120", "128.0.0.0/1", "fe80::/10")},
	{"macaddr", 0, lit("00:00:00:00:00:00", "08:00:2b:01:02:03", "ff:ff:ff:ff:ff:ff")},
	{"macaddr8", 0, lit("00:00:00:00:00:00:00:00", "08:00:2b:01:02:03:04:05", "08:00:2b:01:02:03")},
}

var documentTypes = []typeCase{
	{"json", 0, append(lit("null", "1", `"x"`, `{"a": [1, 2.50, null], "b" : "\u00e9\n", "a": 2}`, " [ ] ", `{ }`), `('[' || repeat('1, ', 2000) || '2]')::json`)},
	{"jsonb", 0, append(lit("null", "1", "true", `"x"`, `""`, "[]", "{}", `{"a": [1, 2.50, null], "b" : "\u00e9\n\t\"\\", "a": 2}`, `[[[[[[1]]]]]]`, "-0", "1e5", "1.10", "12345678901234567890.123456789",
		`{"": 1, "aa": 2, "b": {"c": [{"d": "e"}]}}`, `[1, [2, {"x": [true, false]}], "y"]`, `"\u0001\u001f\u007f/"`, `{"z": 1, "yy": 2, "xxx": 3}`),
		`(SELECT jsonb_object_agg('key' || i, i * 1.5) FROM generate_series(1, 200) i)`, `(SELECT jsonb_agg(i) FROM generate_series(1, 1000) i)`,
		`(SELECT jsonb_agg(repeat('s', i)) FROM generate_series(0, 70) i)`, `jsonb_build_object(repeat('k', 1000), repeat('v', 3000))`,
		`(repeat('[', 500) || repeat(']', 500))::jsonb`, `jsonb_build_array((repeat('9', 400) || '.5')::numeric, -1e-30::numeric)`)},
	{"xml", 0, append(lit("<a/>", `<?xml version="1.0"?><a b="c">text &amp; more</a>`, "content only", `<?xml version="1.0" encoding="UTF-8"?><a>é</a>`,
		`<?xml version="1.1"?><a/>`, `<?xml version="1.0" standalone="yes"?><a/>`, `<?xml version="1.0" encoding="UTF-8" standalone="no"?><a/>`, "", "<a/><b/>"),
		"xmlparse(content '<x>' || repeat('long ', 2000) || '</x>')")},
}

// typesScript returns the SQL that makes one table for each type: a row for each value, and rows of arrays of them.
func typesScript(major int) string {
	var b strings.Builder
	for i, c := range typeCases {
		if c.from > major {
			continue
		}
		table := fmt.Sprintf("ty_%03d", i)
		array := c.name + "[]"
		fmt.Fprintf(&b, "CREATE TABLE %s (id int, v %s, a %s, tail int2 DEFAULT 7);\n", table, c.name, array)
		fmt.Fprintf(&b, "INSERT INTO %s VALUES (0, NULL, NULL);\n", table)
		for j, v := range c.values {
			fmt.Fprintf(&b, "INSERT INTO %s VALUES (%d, %s, NULL);\n", table, j+1, v)
		}
		fmt.Fprintf(&b, "INSERT INTO %s (id, a) VALUES (1000, '{}');\n", table)
		for j := range c.values {
			v, w := c.values[j], c.values[(j+1)%len(c.values)]
			fmt.Fprintf(&b, "INSERT INTO %s (id, a) VALUES (%d, ARRAY[%s]::%s);\n", table, 2000+j, v, array)
			fmt.Fprintf(&b, "INSERT INTO %s (id, a) VALUES (%d, ARRAY[%s::%s, NULL, %s::%s]::%s);\n", table, 3000+j, v, c.name, w, c.name, array)
		}
		v, w := c.values[0], c.values[len(c.values)-1]
		cast := func(e string) string { return "(" + e + ")::" + c.name }
		v, w = cast(v), cast(w)
		fmt.Fprintf(&b, "INSERT INTO %s (id, a) VALUES (4000, ARRAY[[%s, %s], [%s, NULL], [%s, %s]]::%s);\n", table, v, w, w, w, v, array)
		fmt.Fprintf(&b, "INSERT INTO %s (id, a) VALUES (4001, ARRAY[[[%s], [%s]]]::%s);\n", table, v, w, array)
		// Assigning to an element left of the first moves the lower bound.
		fmt.Fprintf(&b, "INSERT INTO %s (id, a) VALUES (4002, ARRAY[%s]::%s);\n", table, v, array)
		fmt.Fprintf(&b, "UPDATE %s SET a[-2] = %s WHERE id = 4002;\n", table, w)
		fmt.Fprintf(&b, "UPDATE %s SET a[5] = %s WHERE id = 4002;\n", table, v)
	}
	return b.String()
}

// allNullScript makes a table with every type and nothing but NULLs, and one with every type at its first value.
func allNullScript(major int) string {
	var columns, first []string
	for i, c := range typeCases {
		if c.from > major {
			continue
		}
		columns = append(columns, fmt.Sprintf("c%03d %s", i, c.name))
		first = append(first, fmt.Sprintf("(%s)::%s", c.values[0], c.name))
	}
	return fmt.Sprintf("CREATE TABLE wide_null (%[1]s);\nINSERT INTO wide_null DEFAULT VALUES;\nCREATE TABLE wide_first (%[1]s);\nINSERT INTO wide_first SELECT %[2]s FROM generate_series(1, 3);\n",
		strings.Join(columns, ", "), strings.Join(first, ", "))
}
