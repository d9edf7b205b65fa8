package pgtest

import (
	"context"
	"encoding/hex"
	"strings"
	"unicode/utf8"

	"github.com/jackc/pgx/v5"
)

// oracleSettings make a session's COPY the reference: rows in the order of the heap (a plain SELECT may be planned as an index-only
// scan, and a scan may start in mid-table), values in one fixed text form.
const oracleSettings = `
	SET synchronize_seqscans = off; SET enable_indexscan = off; SET enable_indexonlyscan = off; SET enable_bitmapscan = off;
	SET max_parallel_workers_per_gather = 0; SET timezone = 'UTC'; SET datestyle = 'ISO, MDY'; SET intervalstyle = 'postgres';
	SET bytea_output = 'hex'; SET extra_float_digits = 1; SET lc_monetary = 'C'; SET xmlbinary = 'base64';
	SET search_path = "$user", public; SET row_security = off; SET statement_timeout = 0;
	SET lock_timeout = '10s';`

// Oracle is a session whose COPY is the reference for pipescan's own output of the same cluster.
type Oracle struct {
	s    *Server
	conn *pgx.Conn
}

// ownEncoding makes the session send bytes as the database's files hold them.
const ownEncoding = "SELECT set_config('client_encoding', getdatabaseencoding(), false)"

// Oracle opens the reference session of a database, closed when the test ends. The server must run on a copy of the directory that
// is being judged (see Clone), with the same prepared transactions, and the database must allow connections: for template0 that
// has to be arranged before the directory is copied, see AllowTemplate0. A table that a prepared transaction has locked exclusively cannot be
// read: the session gives up after ten seconds.
func (s *Server) Oracle(db string) *Oracle {
	s.tb.Helper()
	c := s.Conn(db)
	s.RunOn(c, oracleSettings)
	s.RunOn(c, ownEncoding)
	return &Oracle{s, c}
}

// Close ends the session before its test does.
func (o *Oracle) Close() { _ = o.conn.Close(context.Background()) }

// Copy returns COPY's text of a table, materialized view, sequence or catalog, without its children. The relation is its
// qualified and quoted SQL name, in UTF-8; the text is in the database's encoding.
func (o *Oracle) Copy(relation string) []byte {
	o.s.tb.Helper()
	out, err := o.CopyErr(relation)
	o.s.check(err)
	return out
}

// CopyErr is Copy for relations that the server, too, may be unable to read.
func (o *Oracle) CopyErr(relation string) ([]byte, error) {
	sql, err := o.encode("COPY (SELECT * FROM ONLY " + relation + ") TO STDOUT")
	if err != nil {
		return nil, err
	}
	return copyOut(o.conn, sql)
}

// encode brings a statement from UTF-8 into the encoding of the session, which is the database's.
func (o *Oracle) encode(sql string) (string, error) {
	if strings.IndexFunc(sql, func(r rune) bool { return r >= utf8.RuneSelf }) < 0 {
		return sql, nil
	}
	ctx := context.Background()
	// A message is converted when it arrives, so the setting has to go ahead of the text it is for.
	if _, err := o.conn.PgConn().Exec(ctx, "SET client_encoding = 'UTF8'").ReadAll(); err != nil {
		return "", err
	}
	literal := "'" + strings.ReplaceAll(sql, "'", "''") + "'"
	res, err := o.conn.PgConn().Exec(ctx, "SELECT encode(convert_to("+literal+", getdatabaseencoding()), 'hex')").ReadAll()
	if err != nil {
		return "", err
	}
	raw, err := hex.DecodeString(string(res[0].Rows[0][0]))
	if err != nil {
		return "", err
	}
	_, err = o.conn.PgConn().Exec(ctx, ownEncoding).ReadAll()
	return string(raw), err
}

// Query runs one statement in the reference session.
func (o *Oracle) Query(sql string) [][]*string {
	o.s.tb.Helper()
	return o.s.QueryOn(o.conn, sql)
}

// OracleCopy is Oracle(db).Copy(relation) for a single relation.
func (s *Server) OracleCopy(db, relation string) []byte {
	s.tb.Helper()
	o := s.Oracle(db)
	defer o.Close()
	return o.Copy(relation)
}

// TryOracleCopy is OracleCopy for a cluster that is damaged: whatever goes wrong, even the session's end, is an error.
func (s *Server) TryOracleCopy(db, relation string) ([]byte, error) {
	c, err := s.connect(db)
	if err != nil {
		return nil, err
	}
	defer func() { _ = c.Close(context.Background()) }()
	for _, stmt := range SplitSQL(oracleSettings + ownEncoding) {
		if _, err := c.PgConn().Exec(context.Background(), stmt).ReadAll(); err != nil {
			return nil, err
		}
	}
	return (&Oracle{s, c}).CopyErr(relation)
}

// AllowTemplate0 lets sessions into template0. It changes a row of pg_database, so call it before the directory to be judged is
// stopped, not on the copy.
func (s *Server) AllowTemplate0() {
	s.tb.Helper()
	s.SQL("postgres", "ALTER DATABASE template0 ALLOW_CONNECTIONS true")
}
