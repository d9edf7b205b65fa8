package table

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/pipescan/pipescan/internal/pgtest"
	"github.com/pipescan/pipescan/pgfile"
)

// serverColumns are columns of all families, aligned in all ways.
const serverColumns = `a int, b text, c bigint NOT NULL, d numeric(12,3), e boolean, f float8, g varchar(30), h char(7), i date,
	j timestamp(3), k timestamptz, l interval, m uuid, n bytea, o int[], p text[], q jsonb, r smallint, s "char", t name,
	u inet, v bit(5), w varbit, x time, y timetz, z float4, aa json, ab money, ac numeric[], ad macaddr, ae point, af cidr`

// serverRows are rows in COPY's text format; a long one has more bytes than a
// server keeps in the table itself.
func serverRows(longest int) string {
	full := strings.Join([]string{
		"1", "text with \\t tab", "9223372036854775807", "-12345.678", "t", "1e100", "varchar", "char", "2024-02-29",
		"2024-02-29 12:34:56.789", "1999-12-31 23:59:59.999999+02", "1 year 2 mons -3 days 04:05:06.7", "00112233-4455-6677-8899-aabbccddeeff",
		"\\\\xdeadbeef", "{1,NULL,3}", `{"a b",c,"d\\"e"}`, `{"b": [1, 2.50, "x"], "a": null, "long key": {"n": true}}`, "-32768", "x", "a_name",
		"192.168.1.5/24", "10101", "1101", "23:59:59.5", "04:05:06+05:30", "3.14", `{"k" :  [1,2]}`, "$1,234.56", "{1.5,NaN,-0.001}",
		"08:00:2b:01:02:03", "(1.5,-2)", "10.0.0.0/8",
	}, "\t") + "\n"
	columns := strings.Count(full, "\t") + 1
	nulls := make([]string, columns)
	for i := range nulls {
		nulls[i] = `\N`
	}
	nulls[2] = "0"
	empty := strings.Join(nulls, "\t") + "\n"
	long := strings.Replace(full, "text with \\t tab", strings.Repeat("long ", longest/5), 1)
	short := strings.Replace(full, "text with \\t tab", strings.Repeat("y", 126), 1) // the longest with a short header
	next := strings.Replace(full, "text with \\t tab", strings.Repeat("z", 127), 1)
	var b strings.Builder
	for i := range 200 {
		b.WriteString([]string{full, empty, long, short, next}[i%5])
	}
	return b.String()
}

// serveFile puts an own table's file in the place of the empty table public.t
// of a stopped server.
func serveFile(t *testing.T, s *Store, server *pgtest.Server, node string) {
	rel, err := s.RelationByName(ctx, "public", "t")
	require.NoError(t, err)
	content, err := os.ReadFile(filepath.Join(s.Dir(), fileName(rel.OID, 0)))
	require.NoError(t, err)
	server.WriteFile(node, content)
}

// TestServerReadsOurPages: a real server, given an own table's file in the
// place of an empty table's, finds nothing wrong with it, and reads what we do.
func TestServerReadsOurPages(t *testing.T) {
	s, rel := newTable(t, serverColumns)
	n, err := s.Load(ctx, rel, LoadOptions{Frozen: true}, strings.NewReader(serverRows(6000)))
	require.NoError(t, err)
	require.EqualValues(t, 200, n)
	_, err = s.LoadGenerated(ctx, rel, "rows = 5000, a = random(0, 1000), c = series(1, 7), b = null(0.3, text(0, 200))", GenerateOptions{Frozen: true})
	require.NoError(t, err)
	ours := copyOut(t, s, rel)

	for _, checksums := range []bool{false, true} {
		server := pgtest.New(t, 15, pgtest.Options{Checksums: checksums})
		server.Start()
		server.SQL("postgres", "CREATE TABLE t ("+serverColumns+"); CREATE EXTENSION amcheck; CREATE EXTENSION pg_visibility; CHECKPOINT")
		node := server.QueryValue("postgres", "SELECT pg_relation_filepath('t')")
		server.Stop()
		serveFile(t, s, server, node)
		server.Start()
		require.Empty(t, server.Query("postgres", "SELECT blkno, offnum, attnum, msg FROM verify_heapam('t')"))
		require.Equal(t, ours, string(server.CopyOut("postgres", "COPY t TO STDOUT")))
		require.Equal(t, "5200", server.QueryValue("postgres", "SELECT count(*) FROM t"))
		// The server goes on with the table.
		server.SQL("postgres", "VACUUM (FREEZE, DISABLE_PAGE_SKIPPING) t; DELETE FROM t WHERE a = 1; INSERT INTO t (c) VALUES (1)")
		require.Empty(t, server.Query("postgres", "SELECT t_ctid FROM pg_check_frozen('t')"))
		require.Empty(t, server.Query("postgres", "SELECT blkno, offnum, attnum, msg FROM verify_heapam('t')"))
		server.Stop()
	}
}

// TestSamePagesAsTheServers: our pages are those that the server's own COPY
// FREEZE makes, byte for byte, but for LSN, checksum and transaction ids.
func TestSamePagesAsTheServers(t *testing.T) {
	rows := serverRows(1000)
	s, rel := newTable(t, serverColumns)
	_, err := s.Load(ctx, rel, LoadOptions{Frozen: true}, strings.NewReader(rows))
	require.NoError(t, err)
	ours, err := os.ReadFile(filepath.Join(s.Dir(), fileName(rel.OID, 0)))
	require.NoError(t, err)

	server := pgtest.New(t, 18, pgtest.Options{})
	server.Start()
	conn := server.Conn("postgres")
	server.RunOn(conn, "BEGIN; CREATE TABLE t ("+serverColumns+")")
	_, err = conn.PgConn().CopyFrom(ctx, strings.NewReader(rows), "COPY t FROM STDIN (FREEZE)")
	require.NoError(t, err)
	server.RunOn(conn, "COMMIT; CHECKPOINT")
	require.Equal(t, copyOut(t, s, rel), string(server.CopyOut("postgres", "COPY t TO STDOUT")))
	node := server.QueryValue("postgres", "SELECT pg_relation_filepath('t')")
	require.NoError(t, conn.Close(ctx))
	server.Stop()
	theirs, err := os.ReadFile(filepath.Join(server.Dir(), node))
	require.NoError(t, err)
	for off := 0; off < len(ours); off += pageSize {
		require.Equal(t, neutral(theirs[off:off+pageSize]), neutral(ours[off:off+pageSize]), "block %d", off/pageSize)
	}
	// The server makes files longer than they need be, by pages without rows.
	for off := len(ours); off < len(theirs); off += pageSize {
		require.Zero(t, pgfile.Page(theirs[off:off+pageSize]).NumItems())
	}
}
