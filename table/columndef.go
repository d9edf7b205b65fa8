package table

import (
	"fmt"
	"strings"

	"github.com/pipescan/pipescan/catalog"
	"github.com/pipescan/pipescan/datum"
	"github.com/pipescan/pipescan/pgfile"
)

// MaxColumns is the most columns a table has (MaxHeapAttributeNumber).
const MaxColumns = 1600

// DefinitionError is what is wrong with the text of a table's columns.
type DefinitionError struct {
	Text   string // as given
	Offset int    // byte of Text at which reading stopped
	Reason string
	Err    error // pgfile.ErrUnsupported, when that is what it is
}

// Error names the reason and the place.
func (e *DefinitionError) Error() string {
	if e.Offset >= len(e.Text) {
		return fmt.Sprintf("columns: %s, at the end of %q", e.Reason, e.Text)
	}
	return fmt.Sprintf("columns: %s, at %q (byte %d)", e.Reason, clip(e.Text[e.Offset:], 20), e.Offset)
}

// Unwrap returns the kind.
func (e *DefinitionError) Unwrap() error { return e.Err }

// clip shortens a text for a message.
func clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return strings.ToValidUTF8(s[:n], "") + "..."
}

// ParseColumns reads the columns of a table as CREATE TABLE has them between
// its parentheses:
//
//	a int, "B" numeric(10,2) NOT NULL, c varchar(20)[], d timestamp(3) with time zone
//
// Types are the built-in ones whose values can be read from text. Constraints
// other than NOT NULL and NULL, defaults and collations are a *DefinitionError
// that is pgfile.ErrUnsupported; other mistakes are a *DefinitionError.
func ParseColumns(text string) ([]catalog.Column, error) {
	p := &defParser{text: text}
	var cols []catalog.Column
	seen := map[string]bool{}
	for {
		start := p.skip()
		c, err := p.column(len(cols) + 1)
		if err != nil {
			return nil, err
		}
		switch {
		case seen[c.Name]:
			return nil, p.failAt(start, "column %q specified more than once", c.Name)
		case len(cols) == MaxColumns:
			return nil, p.failAt(start, "tables can have at most %d columns", MaxColumns)
		}
		seen[c.Name] = true
		cols = append(cols, c)
		if p.skip(); p.pos == len(p.text) {
			return cols, nil
		}
		if !p.symbol(',') {
			return nil, p.fail("a comma is missing")
		}
	}
}

// defParser reads the text from pos on.
type defParser struct {
	text string
	pos  int
}

func (p *defParser) failAt(at int, format string, args ...any) *DefinitionError {
	return &DefinitionError{Text: p.text, Offset: at, Reason: fmt.Sprintf(format, args...)}
}

func (p *defParser) fail(format string, args ...any) *DefinitionError {
	return p.failAt(p.pos, format, args...)
}

// skip passes white space and returns the place.
func (p *defParser) skip() int {
	for p.pos < len(p.text) && strings.IndexByte(" \t\n\r\f\v", p.text[p.pos]) >= 0 {
		p.pos++
	}
	return p.pos
}

// symbol takes a character, if it comes next.
func (p *defParser) symbol(c byte) bool {
	if p.skip() < len(p.text) && p.text[p.pos] == c {
		p.pos++
		return true
	}
	return false
}

// isWordByte is a byte of an identifier without quotes.
func isWordByte(c byte) bool {
	return c == '_' || c == '$' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80
}

// peekWord returns the next word without quotes, in lower case; "" if none.
func (p *defParser) peekWord() string {
	p.skip()
	n := p.pos
	for n < len(p.text) && isWordByte(p.text[n]) {
		n++
	}
	return strings.ToLower(p.text[p.pos:n])
}

// word takes a word, if it comes next.
func (p *defParser) word(w string) bool {
	if p.peekWord() != w {
		return false
	}
	p.pos += len(w)
	return true
}

// name takes an identifier, in quotes or folded.
func (p *defParser) name(what string) (string, error) {
	start := p.skip()
	end := start
	if end < len(p.text) && p.text[end] == '"' {
		for end++; end < len(p.text) && (p.text[end] != '"' || strings.HasPrefix(p.text[end:], `""`)); end++ {
			if p.text[end] == '"' {
				end++
			}
		}
		end = min(end+1, len(p.text))
	} else {
		for end < len(p.text) && isWordByte(p.text[end]) {
			end++
		}
	}
	if start == end {
		return "", p.fail("%s is missing", what)
	}
	parts, err := catalog.ParseName(p.text[start:end])
	if err != nil {
		return "", p.fail("%s is not one: %v", what, err)
	}
	p.pos = end
	return parts[0], nil
}

// column reads name, type and constraints.
func (p *defParser) column(num int) (catalog.Column, error) {
	var c catalog.Column
	name, err := p.name("a column's name")
	if err != nil {
		return c, err
	}
	at := p.skip()
	typ, typmod, ndims, err := p.typeName()
	if err != nil {
		return c, err
	}
	if _, err := datum.ParserOf(typ.OID, typmod, newEnv()); err != nil {
		e := p.failAt(at, "values of type %s cannot be read from text", typ.Name)
		e.Err = pgfile.ErrUnsupported
		return c, e
	}
	c = catalog.Column{
		Num: int16(num), Name: name, Type: typ.OID, Typmod: typmod, Ndims: ndims, Len: typ.Len, Align: typ.Align,
		ByVal: typ.ByVal, Storage: typ.Storage, IsLocal: true, Collation: typ.Collation,
	}
	for {
		switch w := p.peekWord(); w {
		case "":
			return c, nil
		case "null":
			p.word(w)
		case "not":
			p.word(w)
			if !p.word("null") {
				return c, p.fail("NULL is missing after NOT")
			}
			c.NotNull = true
		default:
			e := p.fail("%s is not supported: a column has a name, a type and NOT NULL", strings.ToUpper(w))
			e.Err = pgfile.ErrUnsupported
			return c, e
		}
	}
}

// newEnv is an Env of built-in types only.
func newEnv() *datum.Env {
	return &datum.Env{Lookup: typeLookup{}, Major: Major, Encoding: catalog.UTF8}
}
