package sqlfront

import "strings"

// tokenKind is as much of a token's kind as depthOf asks for.
type tokenKind int

const (
	tokenOther tokenKind = iota // an operator's character, a literal, a number
	tokenWord                   // a keyword or an unquoted name
	tokenOpen                   // ( or [
	tokenClose                  // ) or ]
	tokenComma
)

// A lexer splits SQL text roughly: it knows what may hide brackets (literals,
// quoted names, comments) and nothing else. Where it and PostgreSQL differ it
// must see more tokens, not fewer.
type lexer struct {
	text string
	kind tokenKind
	word string
}

// next goes to the next token; it is false at the end.
func (l *lexer) next() bool {
	l.skipSpace()
	if l.text == "" {
		return false
	}
	l.kind, l.word = tokenOther, ""
	n := 1
	switch c := l.text[0]; {
	case c == '(' || c == '[':
		l.kind = tokenOpen
	case c == ')' || c == ']':
		l.kind = tokenClose
	case c == ',':
		l.kind = tokenComma
	case c == '\'':
		n = quoted(l.text, '\'', false)
	case c == '"':
		n = quoted(l.text, '"', false)
	case (c == 'e' || c == 'E') && strings.HasPrefix(l.text[1:], "'"):
		n = 1 + quoted(l.text[1:], '\'', true)
	case c == '$':
		n = dollarQuoted(l.text)
	case isNameByte(c):
		for n < len(l.text) && (isNameByte(l.text[n]) || l.text[n] == '$') {
			n++
		}
		l.kind, l.word = tokenWord, l.text[:n]
	}
	l.text = l.text[n:]
	return true
}

// skipSpace passes over white space and comments.
func (l *lexer) skipSpace() {
	for {
		l.text = strings.TrimLeft(l.text, " \t\n\r\f\v")
		switch {
		case strings.HasPrefix(l.text, "--"):
			end := strings.IndexAny(l.text, "\n\r")
			if end < 0 {
				end = len(l.text)
			}
			l.text = l.text[end:]
		case strings.HasPrefix(l.text, "/*"):
			l.text = l.text[commentLen(l.text):]
		default:
			return
		}
	}
}

// commentLen is the length of a comment, which may hold others.
func commentLen(s string) int {
	depth := 0
	for i := 0; i < len(s); i++ {
		switch {
		case strings.HasPrefix(s[i:], "/*"):
			depth++
			i++
		case strings.HasPrefix(s[i:], "*/"):
			depth--
			i++
			if depth == 0 {
				return i + 1
			}
		}
	}
	return len(s)
}

// quoted is the length of a quoted literal or name.
func quoted(s string, quote byte, escapes bool) int {
	for i := 1; i < len(s); i++ {
		switch {
		case escapes && s[i] == '\\':
			i++
		case s[i] != quote:
		case i+1 < len(s) && s[i+1] == quote:
			i++
		default:
			return i + 1
		}
	}
	return len(s)
}

// dollarQuoted is the length of a dollar-quoted literal, or 1 if s is something
// else ($1).
func dollarQuoted(s string) int {
	n := 1
	for n < len(s) && isNameByte(s[n]) {
		n++
	}
	if n >= len(s) || s[n] != '$' || n > 1 && isDigit(s[1]) {
		return 1
	}
	tag := s[:n+1]
	end := strings.Index(s[len(tag):], tag)
	if end < 0 {
		return len(s)
	}
	return end + 2*len(tag)
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// isNameByte says whether a byte may stand in an unquoted name or a number.
func isNameByte(c byte) bool {
	return c == '_' || isDigit(c) || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80
}
