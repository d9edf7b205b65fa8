package table

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pipescan/pipescan/datum"
	"github.com/pipescan/pipescan/internal/pgtest"
)

// copyInputs are files that COPY reads or refuses; the first byte says which
// format.
var copyInputs = []string{
	"t1\ta\n2\tb\n", "t1\ta\n2\tb", "t1\ta\r\n2\tb\r\n", "t1\ta\r2\tb\r", "t1\ta\r2\tb", "t", "t\n", "t\\N\t\\N\n", "t\\N\t\n", "t1\t\\\\N\n", "t1\t\\\n2\n2\tx\n",
	"t1\ta\\tb\\nc\\rd\\be\\ff\\vg\\\\\n", "t1\t\\101\\x41\\x4g\\x\\q\\8\\1014\n", "t1\ta\n\\.\n2\tb\n", "t1\ta\n\\.", "t1\ta\\\tb\n", "t1\ta\\\t\n", "t1\ta\tb\n", "t1\n", "t1\t\xc3\xa4\n",
	"t1\t\\xc3\\xa4\n", "t1\t\\303\\244\n", "t1\t\\xff\n", "t1\t\xff\n", "t1\ta\n\n", "t1\ta\\", "t1\ta\\\r\n2\tb\r\n", "t1\ta\n2\tb\r\n", "t1\ta\r\n2\tb\n", "tx\ta\n", "t1\t\\0\n",
	"c1,a\n2,b\n", "c1,\"a,b\"\n", "c1,\"a\nb\"\n2,c\n", "c1,\"a\"\"b\"\n", "c1,a\"b,c\"d\n", "c1,\"\"\n", "c1,\n", "c,\n", "c1,\"a\n", "c1,a\r\n2,b\r\n", "c1,\"a\r\nb\"\r\n2,c\r\n", "c1,a\r2,b\r",
	"c1,\"a\r\nb\"\n2,c\n", "c1,a\rb\n", "c1\n", "c1,a,b\n", "c1, a \n", "c\"1\",a\n", "c1,\"a\"b\"c\"\n", "c1,\\N\n", "c1,\"\\.\"\n", "c1,a\\tb\n", "c\n", "c1,\xff\n", "c1,'a'\n", "c1,\"a", "c1,a\n\n",
}

// sameOutcome compares rows, or errors. Of two errors about the form of a line
// the server may find the other one first.
func sameOutcome(want, got string) bool {
	aboutLine := func(s string) bool { return strings.HasPrefix(s, "22P04 ") || strings.HasPrefix(s, "22021 ") }
	return want == got || aboutLine(want) && aboutLine(got)
}

// copyCase is one input for both.
type copyCase struct {
	format Format
	text   string
}

func copyCases() []copyCase {
	const alphabet = "12a\t,\n\r\\\"N.x0"
	rng := rand.New(rand.NewPCG(3, 4))
	var out []copyCase
	for _, in := range copyInputs {
		c := copyCase{text: in[1:]}
		if in[0] == 'c' {
			c.format = FormatCSV
		}
		out = append(out, c)
	}
	for range 1000 {
		base := out[rng.IntN(len(copyInputs))]
		b := []byte(base.text)
		for range 1 + rng.IntN(3) {
			i := rng.IntN(len(b) + 1)
			b = append(b[:i:i], append([]byte{alphabet[rng.IntN(len(alphabet))]}, b[i:]...)...)
		}
		out = append(out, copyCase{base.format, string(b)})
	}
	return out
}

// TestCopyAgainstServer: files are read as the server's COPY reads them: the
// same rows, or the same SQLSTATE and message.
func TestCopyAgainstServer(t *testing.T) {
	s, rel := newTable(t, "a int, b text")
	server := pgtest.New(t, 18, pgtest.Options{})
	server.Start()
	conn := server.Conn("postgres")
	server.RunOn(conn, "CREATE TABLE t (a int, b text)")
	for _, c := range copyCases() {
		sql := "COPY t FROM STDIN"
		if c.format == FormatCSV {
			sql += " CSV"
		}
		server.RunOn(conn, "TRUNCATE t")
		_, err := conn.PgConn().CopyFrom(ctx, strings.NewReader(c.text), sql)
		var want string
		if pg, ok := err.(*pgconn.PgError); ok {
			want = pg.Code + " " + pg.Message
		} else {
			require.NoError(t, err)
			var b strings.Builder
			_, err := conn.PgConn().CopyTo(ctx, &b, "COPY t TO STDOUT")
			require.NoError(t, err)
			want = b.String()
		}
		require.NoError(t, s.Drop(ctx, rel))
		rel, err = s.CreateTable(ctx, "public", "t", "a int, b text")
		require.NoError(t, err)
		got := ""
		if _, err := s.Load(ctx, rel, LoadOptions{Format: c.format}, iotest.HalfReader(strings.NewReader(c.text))); err != nil {
			var bad *datum.InputError
			require.ErrorAs(t, err, &bad)
			got = bad.State + " " + bad.Message
		} else {
			got = copyOut(t, s, rel)
		}
		if !sameOutcome(want, got) {
			assert.Equal(t, want, got, "format %d %q", c.format, c.text)
		}
	}
	require.NoError(t, conn.Close(ctx))
	server.Stop()
}

func TestCopyOptions(t *testing.T) {
	null := "NULL"
	for _, c := range []struct {
		o        LoadOptions
		in, want string
	}{
		{LoadOptions{Header: true}, "a\tb\n1\tx\n", "1\tx\n"},
		{LoadOptions{Header: true}, "", ""},
		{LoadOptions{Delimiter: '|', Null: &null}, "1|NULL\n2|x\\|y\n", "1\t\\N\n2\tx|y\n"},
		{LoadOptions{Format: FormatCSV, Header: true, Delimiter: ';', Null: &null}, "\"a\n\";b\n1;\"NULL\"\n2;NULL\n3;\n", "1\tNULL\n2\t\\N\n3\t\n"},
		{LoadOptions{Format: FormatCSV, Quote: '\'', Escape: '\\'}, "1,'it\\'s \\\\ \\n'\n2,\"x\n", "1\tit's \\\\ \\\\n\n2\t\"x\n"},
		{LoadOptions{Format: FormatCSV, Quote: '\'', Escape: '\\'}, "1,'a\\'\nb'\n2,c\n", "1\ta'\\nb\n2\tc\n"},
	} {
		s, rel := newTable(t, "a int, b text")
		_, err := s.Load(ctx, rel, c.o, strings.NewReader(c.in))
		require.NoError(t, err, "%q", c.in)
		require.Equal(t, c.want, copyOut(t, s, rel), "%q", c.in)
	}
	s, rel := newTable(t, "a int, b text")
	for _, o := range []LoadOptions{
		{Delimiter: '\n'}, {Delimiter: 'a'}, {Delimiter: '\\'}, {Format: 9}, {Format: FormatCSV, Delimiter: '"'}, {Null: ptr("a\tb")}, {Null: ptr("\n")},
	} {
		_, err := s.Load(ctx, rel, o, strings.NewReader(""))
		require.Error(t, err, "%+v", o)
	}
}

func ptr(s string) *string { return &s }

// TestLongLines: lines longer than the reader's buffer, with everything that
// may stand in them.
func TestLongLines(t *testing.T) {
	long := strings.Repeat("x", 300<<10)
	for _, c := range []copyCase{
		{FormatText, "1\t" + long + "\n"},
		{FormatText, "1\t" + strings.Repeat("\\\n", 5000) + "\n"},
		{FormatCSV, "1,\"" + strings.Repeat("\n", 5000) + "\"\n"},
		{FormatCSV, "1,\"" + long + "\"\"" + long + "\"\n"},
	} {
		s, rel := newTable(t, "a int, b text")
		in := strings.NewReader(c.text + strings.Replace(c.text, "1", "2", 1))
		n, err := s.Load(ctx, rel, LoadOptions{Format: c.format}, in)
		if strings.Contains(c.text, long) {
			require.ErrorContains(t, err, "line 1: the row has")
			continue
		}
		require.NoError(t, err)
		require.EqualValues(t, 2, n)
		require.Contains(t, copyOut(t, s, rel), fmt.Sprintf("2\t%s\n", strings.Repeat("\\n", 5000)))
	}
	s, rel := newTable(t, "b text")
	_, err := s.Load(ctx, rel, LoadOptions{}, strings.NewReader(strings.Repeat("y", maxLine+300<<10)))
	require.ErrorContains(t, err, "longer than")
}
