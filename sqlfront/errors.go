package sqlfront

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/pipescan/pipescan/pgfile"
	"github.com/pipescan/pipescan/qual"
)

// UnsupportedError says that a query uses something that PostgreSQL knows and
// pipescan does not. It is pipescan.ErrUnsupported to errors.Is.
type UnsupportedError struct {
	What    string // "a join"
	Instead string // what would do: "scan each table by itself"; may be empty
	Pos     int    // where in the SQL text, a byte offset from 1; 0 is unknown
}

// Error names what is unsupported and what would do instead.
func (e *UnsupportedError) Error() string {
	s := e.What + " is not supported"
	if e.Instead != "" {
		s += ": " + e.Instead
	}
	return s
}

// Is makes errors.Is(err, pipescan.ErrUnsupported) true.
func (e *UnsupportedError) Is(target error) bool { return target == pgfile.ErrUnsupported }

// sqlErrorf makes an error of the server's.
func sqlErrorf(code string, pos int, format string, args ...any) error {
	return &qual.SQLError{Code: code, Message: fmt.Sprintf(format, args...), Pos: pos, Row: -1}
}

// Position is where in the SQL text an error arose, a byte offset from 1. It
// knows the errors of this package and of qual; for others, and where the place
// is unknown, it is 0.
func Position(err error) int {
	var ours *UnsupportedError
	var sql *qual.SQLError
	var other *qual.UnsupportedError
	switch {
	case errors.As(err, &ours):
		return ours.Pos
	case errors.As(err, &sql):
		return sql.Pos
	case errors.As(err, &other):
		return other.Pos
	}
	return 0
}

// caretWidth is how much of a line Caret shows, in characters.
const caretWidth = 76

// Caret shows where in the SQL text an error arose, as psql does:
//
//	LINE 1: SELECT a, b FROM t JOIN u USING (a)
//	                           ^
//
// It is two lines without a line feed at the end, or "" where the place is
// unknown. Long lines are cut on both sides of the place.
func Caret(text string, err error) string {
	pos := Position(err)
	if pos < 1 || pos > len(text)+1 {
		return ""
	}
	before := text[:pos-1]
	start := strings.LastIndexByte(before, '\n') + 1
	line, _, _ := strings.Cut(text[start:], "\n")
	number := 1 + strings.Count(before, "\n")
	line, at := cutAround(strings.TrimRight(line, "\r"), utf8.RuneCountInString(before[start:]))
	label := fmt.Sprintf("LINE %d: ", number)
	return label + line + "\n" + strings.Repeat(" ", len(label)+at) + "^"
}

// cutAround cuts a line to caretWidth characters such that the character number
// at stays in; it returns the character's new number. A tab is shown as one
// space.
func cutAround(line string, at int) (string, int) {
	runes := []rune(strings.ReplaceAll(line, "\t", " "))
	if at > caretWidth*3/4 && len(runes) > caretWidth {
		drop := min(at-caretWidth/2, len(runes)-caretWidth/2)
		runes = append([]rune("..."), runes[drop:]...)
		at += 3 - drop
	}
	if len(runes) > caretWidth {
		runes = append(runes[:caretWidth:caretWidth], []rune("...")...)
	}
	return string(runes), at
}
