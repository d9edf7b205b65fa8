//go:build !nosql

package main

import (
	"context"

	"github.com/pipescan/pipescan"
	"github.com/pipescan/pipescan/qual"
	"github.com/pipescan/pipescan/sqlfront"
)

// This file is all that knows the SQL parser; nosql.go stands in for it in
// builds without one.

// parseWhere reads the text of --where.
func parseWhere(text string) (qual.Expr, error) {
	e, err := sqlfront.Where(text)
	return e, withCaret(text, err)
}

// statement is SQL text that was read.
type statement struct {
	text  string
	query *sqlfront.Query
}

// parseSQL reads a query.
func parseSQL(text string) (*statement, error) {
	q, err := sqlfront.Parse(text)
	if err != nil {
		return nil, withCaret(text, err)
	}
	return &statement{text, q}, nil
}

// bind finds the table and makes the request.
func (s *statement) bind(ctx context.Context, db *pipescan.DB) (*pipescan.Table, pipescan.Request, error) {
	return s.query.Bind(ctx, db)
}

// explains says whether the text begins with EXPLAIN, and how.
func (s *statement) explains() (how explainFlags, ok bool) {
	e := s.query.Explain
	if e == nil {
		return how, false
	}
	return explainFlags{analyze: e.Analyze, io: e.IO, json: e.JSON}, true
}

// withCaret adds the line of the text that an error is about.
func withCaret(text string, err error) error {
	if err == nil {
		return nil
	}
	if caret := sqlfront.Caret(text, err); caret != "" {
		return &caretError{err, caret}
	}
	return err
}
