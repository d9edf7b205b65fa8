package sqlfront

import (
	"strings"
	"unicode/utf8"

	"github.com/pipescan/pipescan/qual"
)

// parseError is what the parser says of a text it refuses.
type parseError struct {
	message string
	cursor  int // in characters from 1; 0 is unknown
}

func (e *parseError) Error() string { return e.message }

// parse gives the raw parse tree of a text: the list of its statements. Errors
// are *qual.SQLError with a place.
func parse(text string) (tree, error) {
	if err := checkText(text); err != nil {
		return nil, err
	}
	out, err := parseJSON(text)
	if p, ok := err.(*parseError); ok {
		return nil, p.placed(text)
	}
	if err != nil {
		return nil, err
	}
	return decodeTree(out)
}

// checkText refuses what must not reach the parser.
func checkText(text string) error {
	switch {
	case len(text) > maxText:
		return sqlErrorf("54000", 0, "the SQL text has %d bytes: at most %d are read", len(text), maxText)
	case !utf8.ValidString(text):
		pos := strings.IndexFunc(text, func(r rune) bool { return r == utf8.RuneError }) + 1
		return sqlErrorf("22021", pos, `invalid byte sequence for encoding "UTF8"`)
	case strings.IndexByte(text, 0) >= 0:
		return sqlErrorf("22021", strings.IndexByte(text, 0)+1, `invalid byte sequence for encoding "UTF8": 0x00`)
	case depthOf(text) > maxDepth:
		return errTooDeep()
	}
	return nil
}

func errTooDeep() error {
	return &qual.SQLError{
		Code: "54001", Message: "stack depth limit exceeded", Row: -1,
		Hint: "The expression is nested too deeply: write long lists as IN (...), AND or OR.",
	}
}

// placed turns the parser's error into PostgreSQL's. The parser has no
// SQLSTATEs: nearly all of its errors are syntax errors.
func (e *parseError) placed(text string) error {
	if strings.HasPrefix(e.message, "memory exhausted") {
		return errTooDeep()
	}
	code := "42601"
	for _, known := range grammarCodes {
		if strings.Contains(e.message, known.text) {
			code = known.code
		}
	}
	return sqlErrorf(code, byteOf(text, e.cursor), "%s", e.message)
}

// grammarCodes are the errors of PostgreSQL's scanner and grammar (scan.l,
// gram.y) that are no syntax errors.
var grammarCodes = []struct{ text, code string }{
	{"invalid byte sequence for encoding", "22021"},
	{"unsafe use of \\' in a string literal", "22P06"},
	{"not yet implemented", "0A000"},
	{"precision for type float must be", "22023"},
}

// byteOf turns a count of characters from 1 into one of bytes.
func byteOf(text string, cursor int) int {
	if cursor <= 0 {
		return 0
	}
	for i := range text {
		cursor--
		if cursor == 0 {
			return i + 1
		}
	}
	return len(text) + 1
}
