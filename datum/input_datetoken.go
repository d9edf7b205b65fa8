package datum

import (
	"bytes"
	"strings"
)

// tokenKind is what a piece of a date or time looks like.
type tokenKind uint8

const (
	tokenEnd    tokenKind = iota
	tokenNumber           // 1999, 040506.789
	tokenDate             // 1999-01-08, 8-Jan-1999
	tokenTime             // 04:05, 04:05:06.789
	tokenWord             // January, PM, T
	tokenZone             // +05:30
)

type dateToken struct {
	kind tokenKind
	text []byte
}

// isLetter says that the token is a letter, which is given in lower case.
func (t dateToken) isLetter(c byte) bool {
	return t.kind == tokenWord && len(t.text) == 1 && lower(t.text[0]) == c
}

// dateLexer cuts a text into tokens (ParseDateTime of utils/adt/datetime.c).
type dateLexer struct{ rest []byte }

func (l *dateLexer) next(m *moment) (dateToken, error) {
	for len(l.rest) > 0 && (isSpace(l.rest[0]) || isIgnored(l.rest[0])) {
		l.rest = l.rest[1:]
	}
	if len(l.rest) == 0 {
		return dateToken{}, nil
	}
	switch c := l.rest[0]; {
	case isDigit(c):
		return l.digits(), nil
	case isAlpha(c):
		return l.word(m)
	case c == '.':
		return l.cut(tokenNumber, 1+run(l.rest[1:], isDigit)), nil
	case c == '+' || c == '-':
		return l.signed(m)
	}
	return dateToken{}, m.badFormat()
}

// isIgnored is punctuation that separates tokens and means nothing.
func isIgnored(c byte) bool { return strings.IndexByte(",;()@!", c) >= 0 }

// run counts the bytes at the start of b that ok accepts.
func run(b []byte, ok func(byte) bool) int {
	n := 0
	for n < len(b) && ok(b[n]) {
		n++
	}
	return n
}

// cut takes n bytes as a token.
func (l *dateLexer) cut(kind tokenKind, n int) dateToken {
	t := dateToken{kind, l.rest[:n]}
	l.rest = l.rest[n:]
	return t
}

// digits is a token that starts with a digit.
func (l *dateLexer) digits() dateToken {
	b := l.rest
	n := run(b, isDigit)
	if n == len(b) {
		return l.cut(tokenNumber, n)
	}
	switch b[n] {
	case ':':
		n += run(b[n:], func(c byte) bool { return isDigit(c) || c == ':' || c == '.' })
		return l.cut(tokenTime, n)
	case '-', '/', '.':
		return l.date(n)
	}
	return l.cut(tokenNumber, n)
}

// date is a token of digits and delimiters; n is where the first one stands.
func (l *dateLexer) date(n int) dateToken {
	b := l.rest
	delim := b[n]
	if n+1 < len(b) && isAlpha(b[n+1]) {
		n++
		n += run(b[n:], func(c byte) bool { return isDigit(c) || isAlpha(c) || c == delim })
		return l.cut(tokenDate, n)
	}
	second := n + 1 + run(b[n+1:], isDigit)
	if second < len(b) && b[second] == delim && second > n+1 {
		n = second + run(b[second:], func(c byte) bool { return isDigit(c) || c == delim })
		return l.cut(tokenDate, n)
	}
	if delim == '.' {
		return l.cut(tokenNumber, second)
	}
	return l.cut(tokenDate, second)
}

// word is a token that starts with a letter: Jan-08-1999 is a date.
func (l *dateLexer) word(m *moment) (dateToken, error) {
	b := l.rest
	n := run(b, isAlpha)
	if n < len(b) && (b[n] == '-' || b[n] == '/' || b[n] == '.') && n+1 < len(b) && isDigit(b[n+1]) && monthOf(b[:n]) > 0 {
		delim := b[n]
		n += run(b[n:], func(c byte) bool { return isDigit(c) || c == delim })
		return l.cut(tokenDate, n), nil
	}
	if n < len(b) && strings.IndexByte("/_-.", b[n]) >= 0 { // America/New_York
		return dateToken{}, m.unsupported(string(b[:n]) + " may begin a time zone")
	}
	return l.cut(tokenWord, n), nil
}

// signed is a zone, or a signed word.
func (l *dateLexer) signed(m *moment) (dateToken, error) {
	b := l.rest
	n := 1 + run(b[1:], isSpace)
	if n < len(b) && isDigit(b[n]) {
		sign := b[0]
		l.rest = b[n:]
		t := l.cut(tokenZone, run(l.rest, func(c byte) bool { return isDigit(c) || c == ':' || c == '.' }))
		t.text = append([]byte{sign}, t.text...)
		return t, nil
	}
	word := b[n:][:run(b[n:], isAlpha)]
	if len(word) == 0 {
		return dateToken{}, m.badFormat()
	}
	l.rest = b[n+len(word):]
	return dateToken{tokenWord, append([]byte{b[0]}, word...)}, nil
}

// months are the names' shortest forms.
var months = [...]string{"jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"}

var monthNames = [...]string{
	"january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november", "december",
}

// monthOf is the number of a month's name, 0 if it is none.
func monthOf(word []byte) int {
	w := string(bytes.ToLower(word))
	for i := range months {
		if w == months[i] || w == monthNames[i] || i == 8 && w == "sept" {
			return i + 1
		}
	}
	return 0
}

// weekdays are skipped wherever they stand.
const weekdays = " sun sunday mon monday tue tues tuesday wed weds wednesday thu thur thurs thursday fri friday sat saturday "

// atoi reads digits, cut at what no date has.
func atoi(b []byte) (n int, ok bool) {
	for _, c := range b {
		if !isDigit(c) {
			return 0, false
		}
		n = min(n*10+int(c-'0'), 1<<30)
	}
	return n, len(b) > 0
}
