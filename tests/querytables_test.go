package tests

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// A queryTable is a table that generated queries read. All have the same columns, so that a query needs no more than a name.
type queryTable struct {
	name string
	// plain says that rows come in the order of ctid, from one table.
	plain bool
}

var queryTables = []queryTable{
	{name: "q_plain", plain: true},
	{name: "q_plain", plain: true},
	{name: "q_history", plain: true},
	{name: "ONLY q_parent", plain: true},
	{name: "q_empty", plain: true},
	{name: "q_parent"},
	{name: "q_parts"},
}

// queryColumns are the tables' columns: values of the x columns reach the ends of their types, the others are such that sums of
// hundreds neither overflow nor round.
const queryColumns = `i2 smallint, i4 integer, i8 bigint, f8 double precision, n numeric, t text, v varchar(20), c char(6), b boolean,
	d date, ts timestamp, tz timestamptz, iv interval, u uuid, by bytea, ia int[], ta text[], j jsonb, x4 integer, x8 bigint, xf float8, xn numeric`

// queryValues are the values of each column, in SQL.
var queryValues = [][]string{
	{"0", "1", "2", "3", "-1", "-4", "7", "100"},
	{"0", "1", "2", "3", "5", "-1", "-7", "42", "1000"},
	{"0", "1", "2", "-3", "11", "123456789012", "-5000000000"},
	{"0", "-0.0", "0.5", "1.25", "-2.75", "3", "100.5"},
	{"0", "0.0", "1", "1.0", "1.50", "-2.25", "3.14159", "12345678901234567890.5", "0.001"},
	{"''", "'a'", "'b'", "'abc'", "'ABC'", "'12'", "'-3'", "' x '", "'a%b_c'", "'ü'", "'Zebra'", "repeat('long ', 700)", `'back\slash'`},
	{"'a'", "'ab'", "'abc '", "'12'", "''", "'zz'"},
	{"'a'", "'ab '", "'abc'", "''", "'12'"},
	{"true", "false"},
	{"'2000-01-01'", "'1999-12-31'", "'2024-02-29'", "'2021-06-15'", "'1970-01-01'"},
	{"'2000-01-01 00:00'", "'1999-12-31 23:59:59.999999'", "'2024-02-29 12:30:45.5'", "'2021-06-15 01:02:03'"},
	{"'2000-01-01 00:00+00'", "'2024-02-29 12:30:45.5-08'", "'1970-01-01 00:00+02'"},
	{"'1 day'", "'24:00:00'", "'1 mon'", "'30 days'", "'-2 days 03:04:05.6'", "'1 year 2 mons'", "'0'"},
	{"'00000000-0000-0000-0000-000000000000'", "'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'", "'ffffffff-ffff-ffff-ffff-ffffffffffff'"},
	{`'\x'`, `'\x00'`, `'\x6162'`, `'\xff00'`},
	{"'{}'", "'{1}'", "'{1,2,3}'", "'{NULL,2}'", "'{{1,2},{3,4}}'"},
	{"'{}'", "'{a}'", "'{a,b}'", "'{NULL,abc}'"},
	{"'null'", "'1'", `'"a"'`, `'{"a": 1, "b": [1, 2], "k": "v"}'`, `'{"a": {"b": 2}}'`, "'[1, 2, 3]'", "'{}'"},
	{"0", "1", "2147483647", "-2147483648", "46341"},
	{"0", "1", "9223372036854775807", "-9223372036854775808", "3037000500"},
	{"0", "1", "'NaN'", "'Infinity'", "'-Infinity'", "1e308", "-1e308", "1e-300"},
	{"0", "1", "'NaN'", "1e100", "-1e-100", "99999999999999999999.99"},
}

// queryRows are n rows of values.
func queryRows(r *rand.Rand, n int) string {
	rows := make([]string, n)
	for i := range rows {
		row := make([]string, len(queryValues))
		for k, values := range queryValues {
			row[k] = values[r.IntN(len(values))]
			if r.IntN(8) == 0 {
				row[k] = "NULL"
			}
		}
		rows[i] = "(" + strings.Join(row, ", ") + ")"
	}
	return strings.Join(rows, ",\n")
}

// queryScript makes the tables.
func queryScript(r *rand.Rand) string {
	insert := func(table string, n int) string {
		return fmt.Sprintf("INSERT INTO %s VALUES %s;\n", table, queryRows(r, n))
	}
	columns := queryColumns
	script := "CREATE TABLE q_plain (" + columns + ");\n" + insert("q_plain", 160) +
		"CREATE TABLE q_empty (" + columns + ");\n" +
		"CREATE TABLE q_history (gone int, " + strings.Replace(columns, ", xn numeric", "", 1) + ");\n"
	// Rows of several shapes, dead ones among them.
	script += "INSERT INTO q_history SELECT 1, " + strings.Replace(columnNames(), ", xn", "", 1) + " FROM q_plain;\n" +
		"ALTER TABLE q_history ADD xn numeric DEFAULT 1.50; ALTER TABLE q_history DROP gone;\n" +
		"UPDATE q_history SET i4 = i4 + 1 WHERE i2 > 0; DELETE FROM q_history WHERE i2 = 0; BEGIN; DELETE FROM q_history; ROLLBACK;\n" +
		insert("q_history", 40)
	script += "CREATE TABLE q_parent (" + columns + "); CREATE TABLE q_child (more text, " + columns + "); ALTER TABLE q_child INHERIT q_parent;\n" +
		"CREATE TABLE q_child2 () INHERITS (q_parent);\n" +
		insert("q_parent", 30) + insert("q_child2", 50) + "INSERT INTO q_child SELECT 'm', * FROM q_plain WHERE i4 > 1;\n"
	script += "CREATE TABLE q_parts (" + columns + ") PARTITION BY LIST (i2);\n" +
		"CREATE TABLE q_parts_b PARTITION OF q_parts FOR VALUES IN (1, 2, 3); CREATE TABLE q_parts_a PARTITION OF q_parts FOR VALUES IN (NULL, 0, -1);\n" +
		"CREATE TABLE q_parts_d PARTITION OF q_parts DEFAULT;\n" + insert("q_parts", 90)
	return script + "CREATE TABLE q_key (i4 int PRIMARY KEY, t text, n numeric); INSERT INTO q_key SELECT i, 't' || i % 5, i / 3.0 FROM generate_series(1, 40) i;\n" +
		"VACUUM (FREEZE) q_parent; ANALYZE;\n"
}

// columnNames is the columns' names, separated by commas.
func columnNames() string {
	var names []string
	for _, c := range strings.Split(queryColumns, ",") {
		names = append(names, strings.Fields(c)[0])
	}
	return strings.Join(names, ", ")
}
