//go:build nosql

package main

import (
	"context"

	"github.com/pipescan/pipescan"
	"github.com/pipescan/pipescan/qual"
)

// errNoSQL is what everything that needs SQL text says in a build without the
// parser.
var errNoSQL = &codeError{exitUnsupported, errNoParser{}}

// errNoParser says how to get a parser.
type errNoParser struct{}

func (errNoParser) Error() string {
	return "this pipescan was built without the SQL parser: build it without -tags nosql"
}

func parseWhere(string) (qual.Expr, error) { return nil, errNoSQL }

// statement is never made.
type statement struct{ text string }

func parseSQL(string) (*statement, error) { return nil, errNoSQL }

func (s *statement) bind(context.Context, *pipescan.DB) (*pipescan.Table, pipescan.Request, error) {
	return nil, pipescan.Request{}, errNoSQL
}

func (s *statement) explains() (how explainFlags, ok bool) { return how, false }

func withCaret(_ string, err error) error { return err }
