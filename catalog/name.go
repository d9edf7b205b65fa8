package catalog

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"
)

// MaxNameLen is the most bytes a name has: NAMEDATALEN less its NUL.
const MaxNameLen = 63

// QuoteIdent is quote_identifier of a server of the major version: name
// itself when it is lower-case ASCII letters, digits and underscores, does not
// start with a digit and is no key word but an unreserved one; else name in
// double quotes, with those inside doubled.
func QuoteIdent(major int, name string) string {
	if isPlainIdent(name) && !isKeyword(major, name) {
		return name
	}
	return `"` + strings.ReplaceAll(name, `"`, `""`) + `"`
}

// QuoteQualified is schema.name with both quoted where they need it; without
// a schema it is QuoteIdent.
func QuoteQualified(major int, schema, name string) string {
	if schema == "" {
		return QuoteIdent(major, name)
	}
	return QuoteIdent(major, schema) + "." + QuoteIdent(major, name)
}

func isPlainIdent(name string) bool {
	for i := range len(name) {
		c := name[i]
		switch {
		case c >= 'a' && c <= 'z', c == '_':
		case c >= '0' && c <= '9' && i > 0:
		default:
			return false
		}
	}
	return name != ""
}

// ParseName splits a possibly qualified SQL name into its parts, as the
// server reads them: an unquoted part is folded to lower case (ASCII only: in
// UTF-8, as in every multibyte encoding, the server leaves other letters as
// they are), a part in double quotes is taken literally with "" for ", and a
// part longer than MaxNameLen is cut at a character. White space around parts
// and dots is allowed. At least one part is returned when err is nil.
func ParseName(sql string) (parts []string, err error) {
	p := nameParser{rest: sql}
	for {
		p.space()
		part, err := p.part()
		if err != nil {
			return nil, fmt.Errorf("name %q: %w", sql, err)
		}
		parts = append(parts, clipName(part))
		p.space()
		if p.rest == "" {
			return parts, nil
		}
		if p.rest[0] != '.' {
			r, _ := utf8.DecodeRuneInString(p.rest)
			return nil, fmt.Errorf(`name %q: unexpected %q; put names with such characters in double quotes`, sql, r)
		}
		p.rest = p.rest[1:]
	}
}

// nameParser holds what of the name is still to be read.
type nameParser struct{ rest string }

func (p *nameParser) space() { p.rest = strings.TrimLeft(p.rest, " \t\n\r\f\v") }

// part reads one identifier.
func (p *nameParser) part() (string, error) {
	if p.rest == "" {
		return "", errors.New("a part is empty")
	}
	if p.rest[0] == '"' {
		return p.quoted()
	}
	n := 0
	for n < len(p.rest) && isIdentByte(p.rest[n], n == 0) {
		n++
	}
	if n == 0 {
		r, _ := utf8.DecodeRuneInString(p.rest)
		return "", fmt.Errorf("unexpected %q; put names with such characters in double quotes", r)
	}
	word := p.rest[:n]
	p.rest = p.rest[n:]
	return foldASCII(word), nil
}

func (p *nameParser) quoted() (string, error) {
	var b strings.Builder
	s := p.rest[1:]
	for {
		i := strings.IndexByte(s, '"')
		if i < 0 {
			return "", errors.New("a double quote is not closed")
		}
		b.WriteString(s[:i])
		s = s[i+1:]
		if !strings.HasPrefix(s, `"`) {
			break
		}
		b.WriteByte('"')
		s = s[1:]
	}
	p.rest = s
	name := b.String()
	if name == "" {
		return "", errors.New(`a part is empty: ""`)
	}
	if strings.IndexByte(name, 0) >= 0 {
		return "", errors.New("a NUL byte in a name")
	}
	return name, nil
}

// isIdentByte is the scanner's rule for unquoted identifiers; bytes of
// multibyte characters count as letters.
func isIdentByte(c byte, first bool) bool {
	switch {
	case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c == '_', c >= 0x80:
		return true
	case c >= '0' && c <= '9', c == '$':
		return !first
	}
	return false
}

// foldASCII lowers A to Z only; strings.ToLower would fold other letters too.
func foldASCII(s string) string {
	b := []byte(s)
	for i, c := range b {
		if c >= 'A' && c <= 'Z' {
			b[i] = c + ('a' - 'A')
		}
	}
	return string(b)
}

// clipName cuts a name to MaxNameLen bytes without splitting a character.
func clipName(s string) string {
	if len(s) <= MaxNameLen {
		return s
	}
	n := MaxNameLen
	for n > MaxNameLen-utf8.UTFMax && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}
