package table

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/pipescan/pipescan/catalog"
	"github.com/pipescan/pipescan/internal/pgtest"
	"github.com/pipescan/pipescan/pgfile"
)

var goodColumns = []struct{ text, types string }{
	{"a int, b text", "integer,text"},
	{`"A b" integer not null , c INT8 NULL`, "integer not null,bigint"},
	{"a char, b char(3), c character varying(7), d varchar, e bpchar, f national character(2), g nchar varying(4)", "character(1),character(3),character varying(7),character varying,bpchar,character(2),character varying(4)"},
	{"a numeric, b numeric(5), c decimal(10,-2), d dec(1000,1000)", "numeric,numeric(5,0),numeric(10,-2),numeric(1000,1000)"},
	{"a float, b float(24), c float(25), d real, e double precision", "double precision,real,double precision,real,double precision"},
	{"a bit, b bit(3), c bit varying, d bit varying(5), e varbit(2)", "bit(1),bit(3),bit varying,bit varying(5),bit varying(2)"},
	{"a time, b time(3) with time zone, c timestamp without time zone, d timestamp (0), e timestamptz(2), f interval(4), g timestamp with time zone", "time without time zone,time(3) with time zone,timestamp without time zone,timestamp(0) without time zone,timestamp(2) with time zone,interval(4),timestamp with time zone"},
	{"a int[], b text[3][4], c numeric(4,1) array, d varchar(2) array[5] NOT NULL", "integer[],text[],numeric(4,1)[],character varying(2)[] not null"},
	{`a pg_catalog.int4, b "char", c pg_catalog."bpchar"(4), d "bit"`, `integer,"char",character(4),"bit"`},
	{"time time, varying varchar", "time without time zone,character varying"},
}

var badColumns = []string{
	"", " ", "a", "a int,", ", a int", "a int b int", "a int, a text", "a nosuch", "a _int4", "a int(3)", "a numeric(0)", "a numeric(1001)", "a numeric(5,2,1)", "a varchar(0)",
	"a varchar(", "a varchar(x)", "a varchar()", "a varchar(99999999999)", "a int[", "a int[x]", "a int not", "a int primary key", "a int default 1", "a double", "a national", "\"a int",
	"a other.int", "a timestamp(7)", "a float(0)", "a float(54)", "a int4range", "a xml", "a int references b", "a text collate \"C\"", "a int)", "a int;", "a serial", "a \"int\"", "1a int",
}

// printColumns writes columns as format_type spells their types.
func printColumns(t testing.TB, cols []catalog.Column) string {
	var parts []string
	for _, c := range cols {
		typ, err := catalog.FormatTypeMod(typeLookup{}, Major, c.Type, c.Typmod)
		require.NoError(t, err)
		if c.NotNull {
			typ += " not null"
		}
		parts = append(parts, catalog.QuoteIdent(Major, c.Name)+" "+typ)
	}
	return strings.Join(parts, ",")
}

func TestParseColumns(t *testing.T) {
	for _, c := range goodColumns {
		cols, err := ParseColumns(c.text)
		require.NoError(t, err, c.text)
		var types []string
		for i, col := range cols {
			require.EqualValues(t, i+1, col.Num)
			typ, err := catalog.FormatTypeMod(typeLookup{}, Major, col.Type, col.Typmod)
			require.NoError(t, err)
			if col.NotNull {
				typ += " not null"
			}
			types = append(types, typ)
		}
		require.Equal(t, c.types, strings.Join(types, ","), c.text)
	}
	for _, text := range badColumns {
		_, err := ParseColumns(text)
		var bad *DefinitionError
		require.ErrorAs(t, err, &bad, "%q", text)
	}
	_, err := ParseColumns("a int primary key")
	require.ErrorIs(t, err, pgfile.ErrUnsupported)
	_, err = ParseColumns(strings.TrimSuffix(strings.Repeat("a"+strings.Repeat("x", 3)+" int,", 2), ","))
	require.ErrorContains(t, err, "more than once")
}

// TestColumnsAreTheServers: a server makes the same columns of the same text.
func TestColumnsAreTheServers(t *testing.T) {
	server := pgtest.New(t, 18, pgtest.Options{})
	server.Start()
	for _, c := range append(goodColumns, struct{ text, types string }{text: serverColumns}) {
		server.SQL("postgres", "DROP TABLE IF EXISTS t; CREATE TABLE t ("+c.text+")")
		rows := server.Query("postgres", `SELECT attname, atttypid::int8, atttypmod::int8, attlen::int8, attbyval::int::int8, attalign, attstorage, attnotnull::int::int8, attcollation::int8, attndims::int8
			FROM pg_attribute WHERE attrelid = 't'::regclass AND attnum > 0 ORDER BY attnum`)
		cols, err := ParseColumns(c.text)
		require.NoError(t, err)
		require.Len(t, cols, len(rows))
		for i, r := range rows {
			require.Equal(t, rowTexts(r), columnTexts(cols[i]), c.text)
		}
	}
	server.Stop()
}
