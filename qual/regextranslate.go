package qual

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// regexTranslator turns an advanced regular expression into Go's syntax.
type regexTranslator struct {
	in     string
	pos    int
	fold   bool
	out    strings.Builder
	groups int
	lazy   bool
}

func (t *regexTranslator) bad(what string) error {
	return sqlErrorf("2201B", "invalid regular expression: %s", what)
}

func (t *regexTranslator) unsupported(what string) error {
	return unsupportedf("%s in the regular expression %q", what, t.in)
}

func (t *regexTranslator) more() bool { return t.pos < len(t.in) }

func (t *regexTranslator) peek(s string) bool { return strings.HasPrefix(t.in[t.pos:], s) }

// What an atom may be followed by.
const (
	atomNone       = iota // the start of a branch
	atomPlain             // may be quantified
	atomConstraint        // may not
	atomQuantified        // has been
)

func (t *regexTranslator) translate() (string, error) {
	if t.peek("***") || t.peek("(?") && len(t.in) > 2 && t.in[2] >= 'a' && t.in[2] <= 'z' {
		return "", t.unsupported("embedded options")
	}
	t.out.WriteString("(?s)")
	last := atomNone
	var stack []int
	for t.more() {
		c := t.in[t.pos]
		var err error
		switch c {
		case '(':
			stack = append(stack, last)
			last = atomNone
			err = t.open()
		case ')':
			if len(stack) == 0 {
				return "", t.bad("parentheses () not balanced")
			}
			stack = stack[:len(stack)-1]
			last = atomPlain
			t.literal(")")
		case '|':
			last = atomNone
			t.literal("|")
		case '*', '+', '?':
			last, err = t.quantifier(last, t.in[t.pos:t.pos+1])
		case '{':
			if t.pos+1 < len(t.in) && isDigitByte(t.in[t.pos+1]) {
				var bound string
				if bound, err = t.bound(); err == nil {
					last, err = t.quantifier(last, bound)
				}
			} else {
				t.rune()
				last = atomPlain
			}
		default:
			last, err = t.atom(c)
		}
		if err != nil {
			return "", err
		}
	}
	if len(stack) > 0 {
		return "", t.bad("parentheses () not balanced")
	}
	return t.out.String(), nil
}

// literal copies what is written alike.
func (t *regexTranslator) literal(s string) {
	t.out.WriteString(s)
	t.pos += len(s)
}

func (t *regexTranslator) open() error {
	switch {
	case t.peek("(?:"):
		t.literal("(?:")
	case t.peek("(?=") || t.peek("(?!") || t.peek("(?<"):
		return t.unsupported("lookaround")
	case t.peek("(?"):
		return t.bad("quantifier operand invalid")
	default:
		t.groups++
		t.literal("(")
	}
	return nil
}

// atom translates everything that is not a quantifier or grouping.
func (t *regexTranslator) atom(c byte) (int, error) {
	switch c {
	case '^', '$':
		t.literal(string(c))
		return atomConstraint, nil
	case '.':
		t.literal(".")
		return atomPlain, nil
	case '[':
		return t.bracket()
	case '\\':
		return t.escape()
	}
	t.rune()
	return atomPlain, nil
}

// rune translates one character that stands for itself.
func (t *regexTranslator) rune() {
	r, n := utf8.DecodeRuneInString(t.in[t.pos:])
	t.pos += n
	t.char(r)
}

// char writes a character, in both cases if they do not matter. Only ASCII's
// letters have cases here.
func (t *regexTranslator) char(r rune) {
	if t.fold && r < utf8.RuneSelf && lowerASCII(byte(r)) != upperASCII(byte(r)) {
		fmt.Fprintf(&t.out, "[%c%c]", lowerASCII(byte(r)), upperASCII(byte(r)))
		return
	}
	t.out.WriteString(regexpQuote(r))
}

func regexpQuote(r rune) string { return fmt.Sprintf(`\x{%x}`, r) }

// bound reads {m}, {m,} or {m,n}.
func (t *regexTranslator) bound() (string, error) {
	end := strings.IndexByte(t.in[t.pos:], '}')
	if end < 0 {
		return "", t.bad("braces {} not balanced")
	}
	text := t.in[t.pos : t.pos+end+1]
	lo, hi, ranged := strings.Cut(text[1:end], ",")
	m, err := strconv.Atoi(lo)
	if err != nil || m > 255 {
		return "", t.bad("invalid repetition count(s)")
	}
	if ranged && hi != "" {
		n, err := strconv.Atoi(hi)
		if err != nil || n > 255 || n < m {
			return "", t.bad("invalid repetition count(s)")
		}
	}
	return text, nil
}

// quantifier applies one to the atom before it.
func (t *regexTranslator) quantifier(last int, q string) (int, error) {
	if last != atomPlain {
		return 0, t.bad("quantifier operand invalid")
	}
	t.literal(q)
	if t.peek("?") {
		t.lazy = true
		t.literal("?")
	}
	return atomQuantified, nil
}

func isDigitByte(c byte) bool { return c >= '0' && c <= '9' }

// classEscapes are the classes of the C locale.
var classEscapes = map[byte]string{
	'd': "0-9", 's': `\t\n\v\f\r `, 'w': "0-9A-Za-z_",
}

// charEscapes are single characters by their escapes.
var charEscapes = map[byte]rune{
	'a': 7, 'b': 8, 'e': 27, 'f': 12, 'n': 10, 'r': 13, 't': 9, 'v': 11, 'B': '\\',
}

// escape translates a backslash and what follows it.
func (t *regexTranslator) escape() (int, error) {
	if t.pos+1 >= len(t.in) {
		return 0, t.bad("invalid escape \\ sequence")
	}
	c := t.in[t.pos+1]
	if set, ok := classEscapes[lowerASCII(c)]; ok {
		t.pos += 2
		if c != lowerASCII(c) {
			set = "^" + set
		}
		t.out.WriteString("[" + set + "]")
		return atomPlain, nil
	}
	switch c {
	case 'A':
		t.pos += 2
		t.out.WriteString(`\A`)
		return atomConstraint, nil
	case 'Z':
		t.pos += 2
		t.out.WriteString(`\z`)
		return atomConstraint, nil
	case 'y', 'Y':
		t.pos += 2
		t.out.WriteString(map[byte]string{'y': `\b`, 'Y': `\B`}[c])
		return atomConstraint, nil
	case 'm', 'M':
		return 0, t.unsupported(`\` + string(c))
	}
	r, err := t.charEscape()
	if err != nil {
		return 0, err
	}
	t.char(r)
	return atomPlain, nil
}

// charEscape reads an escape that is one character.
func (t *regexTranslator) charEscape() (rune, error) {
	c := t.in[t.pos+1]
	if r, ok := charEscapes[c]; ok {
		t.pos += 2
		return r, nil
	}
	if n := map[byte]int{'u': 4, 'U': 8}[c]; n > 0 {
		if t.pos+2+n > len(t.in) {
			return 0, t.bad("invalid escape \\ sequence")
		}
		v, err := strconv.ParseUint(t.in[t.pos+2:t.pos+2+n], 16, 32)
		if err != nil || v > utf8.MaxRune {
			return 0, t.bad("invalid escape \\ sequence")
		}
		t.pos += 2 + n
		return rune(v), nil
	}
	if c < utf8.RuneSelf && isAlnum(c) {
		if c >= '1' && c <= '9' {
			return 0, t.unsupported("a back reference")
		}
		if strings.IndexByte("cx0", c) >= 0 {
			return 0, t.unsupported(`\` + string(c))
		}
		return 0, t.bad("invalid escape \\ sequence")
	}
	r, n := utf8.DecodeRuneInString(t.in[t.pos+1:])
	t.pos += 1 + n
	return r, nil
}
