package pgtest

import (
	"bytes"
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
)

// Conn opens a session, as superuser postgres, that is closed when the test ends. Use several for concurrent transactions.
func (s *Server) Conn(db string) *pgx.Conn {
	s.tb.Helper()
	c, err := s.connect(db)
	s.check(err)
	s.tb.Cleanup(func() { _ = c.Close(context.Background()) })
	return c
}

func (s *Server) connect(db string) (*pgx.Conn, error) {
	cfg, err := pgx.ParseConfig(fmt.Sprintf("host=%s port=5432 user=postgres sslmode=disable", s.socketDir()))
	if err != nil {
		return nil, err
	}
	cfg.Database = db
	cfg.RuntimeParams["client_encoding"] = "UTF8" // Go's; without it the server takes scripts to be in the database's own
	cfg.DefaultQueryExecMode = pgx.QueryExecModeSimpleProtocol
	return pgx.ConnectConfig(context.Background(), cfg)
}

// SQL runs the statements of a script in one new session, each sent by itself as psql would, so that VACUUM and CREATE DATABASE work and
// BEGIN ... COMMIT spans statements. A statement that fails fails the test. COPY FROM STDIN and psql's own commands are not understood.
func (s *Server) SQL(db, script string) {
	s.tb.Helper()
	c, err := s.connect(db)
	s.check(err)
	defer func() { _ = c.Close(context.Background()) }()
	s.RunOn(c, script)
}

// RunOn is SQL in a session that is already open.
func (s *Server) RunOn(c *pgx.Conn, script string) {
	s.tb.Helper()
	for _, stmt := range SplitSQL(script) {
		if _, err := c.PgConn().Exec(context.Background(), stmt).ReadAll(); err != nil {
			s.tb.Fatalf("pgtest: PostgreSQL %d: %v\nin: %s", s.major, err, stmt)
		}
	}
}

// Query runs one statement in a new session and returns its rows as the server's text; nil is NULL.
func (s *Server) Query(db, sql string) [][]*string {
	s.tb.Helper()
	c, err := s.connect(db)
	s.check(err)
	defer func() { _ = c.Close(context.Background()) }()
	return s.QueryOn(c, sql)
}

// QueryOn is Query in a session that is already open.
func (s *Server) QueryOn(c *pgx.Conn, sql string) [][]*string {
	s.tb.Helper()
	results, err := c.PgConn().Exec(context.Background(), sql).ReadAll()
	if err != nil {
		s.tb.Fatalf("pgtest: PostgreSQL %d: %v\nin: %s", s.major, err, sql)
	}
	var rows [][]*string
	for _, r := range results {
		for _, values := range r.Rows {
			row := make([]*string, len(values))
			for i, v := range values {
				if v != nil {
					text := string(v)
					row[i] = &text
				}
			}
			rows = append(rows, row)
		}
	}
	return rows
}

// QueryValue runs a statement that returns one value, which is not NULL.
func (s *Server) QueryValue(db, sql string) string {
	s.tb.Helper()
	rows := s.Query(db, sql)
	if len(rows) != 1 || len(rows[0]) != 1 || rows[0][0] == nil {
		s.tb.Fatalf("pgtest: PostgreSQL %d: %d rows, want one value that is not NULL\nin: %s", s.major, len(rows), sql)
	}
	return *rows[0][0]
}

// CopyOut runs a COPY ... TO STDOUT in a new session and returns what it sent.
func (s *Server) CopyOut(db, sql string) []byte {
	s.tb.Helper()
	c, err := s.connect(db)
	s.check(err)
	defer func() { _ = c.Close(context.Background()) }()
	out, err := copyOut(c, sql)
	s.check(err)
	return out
}

func copyOut(c *pgx.Conn, sql string) ([]byte, error) {
	var out bytes.Buffer
	if _, err := c.PgConn().CopyTo(context.Background(), &out, sql); err != nil {
		return nil, fmt.Errorf("%w in: %s", err, sql)
	}
	return out.Bytes(), nil
}
