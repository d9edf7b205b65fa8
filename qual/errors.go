package qual

import (
	"fmt"

	"github.com/pipescan/pipescan/pgfile"
)

// SQLError is an error that PostgreSQL itself would raise for the expression,
// with its SQLSTATE and message.
type SQLError struct {
	Code    string // SQLSTATE, "22012"
	Message string // PostgreSQL's primary message
	Detail  string
	Hint    string
	// Pos is where in the SQL text, a byte offset from 1; 0 is unknown.
	Pos int
	// Row is the row of the batch whose values gave the error, an index into
	// its columns; -1 when it was none: analysis and constants.
	Row int

	input bool // it comes from a type's input function
}

// Error is the message with its SQLSTATE.
func (e *SQLError) Error() string {
	s := e.Message + " (SQLSTATE " + e.Code + ")"
	if e.Detail != "" {
		s += ": " + e.Detail
	}
	if e.Hint != "" {
		s += "; " + e.Hint
	}
	return s
}

// SQLState is Code, for errors.As with an interface.
func (e *SQLError) SQLState() string { return e.Code }

// UnsupportedError says that pipescan cannot evaluate an expression that
// PostgreSQL could. It is pgfile.ErrUnsupported to errors.Is.
type UnsupportedError struct {
	What string // "operator <-> (point, point)"
	Pos  int    // as in SQLError
}

// Error names what is unsupported.
func (e *UnsupportedError) Error() string { return e.What + " is not supported" }

// Is makes errors.Is(err, pgfile.ErrUnsupported) true.
func (e *UnsupportedError) Is(target error) bool { return target == pgfile.ErrUnsupported }

// sqlErrorf makes an error without a place.
func sqlErrorf(code, format string, args ...any) error {
	return &SQLError{Code: code, Message: fmt.Sprintf(format, args...), Row: -1}
}

func unsupportedf(format string, args ...any) error {
	return &UnsupportedError{What: fmt.Sprintf(format, args...)}
}

// at gives an error its place, unless it has one.
func at(err error, pos int) error {
	switch e := err.(type) {
	case *SQLError:
		if e.Pos == 0 && pos != 0 {
			e.Pos = pos
		}
	case *UnsupportedError:
		if e.Pos == 0 && pos != 0 {
			e.Pos = pos
		}
	}
	return err
}
