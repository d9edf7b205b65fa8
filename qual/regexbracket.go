package qual

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// namedClasses are the character classes of the C locale.
var namedClasses = map[string]string{
	"alnum": "0-9A-Za-z", "alpha": "A-Za-z", "blank": `\t `, "cntrl": `\x00-\x1f\x7f`, "digit": "0-9", "graph": "!-~", "lower": "a-z",
	"print": " -~", "punct": `!-/:-@\[-` + "`" + `{-~`, "space": `\t\n\v\f\r `, "upper": "A-Z", "xdigit": "0-9A-Fa-f",
	"ascii": `\x00-\x7f`, "word": "0-9A-Za-z_",
}

// bracket translates a bracket expression.
func (t *regexTranslator) bracket() (int, error) {
	if t.peek("[[:<:]]") || t.peek("[[:>:]]") {
		return 0, t.unsupported("a word boundary")
	}
	t.pos++
	t.out.WriteByte('[')
	if t.peek("^") {
		t.literal("^")
	}
	for first := true; ; first = false {
		if !t.more() {
			return 0, t.bad("brackets [] not balanced")
		}
		if t.peek("]") && !first {
			t.literal("]")
			return atomPlain, nil
		}
		if err := t.bracketItem(first); err != nil {
			return 0, err
		}
	}
}

// bracketItem translates a class, a character or a range.
func (t *regexTranslator) bracketItem(first bool) error {
	if t.peek("[:") {
		return t.namedClass()
	}
	if t.peek("[.") || t.peek("[=") {
		return t.unsupported("a collating element")
	}
	if t.peek(`\`) && t.pos+1 < len(t.in) {
		c := t.in[t.pos+1]
		if set, ok := classEscapes[lowerASCII(c)]; ok {
			if c != lowerASCII(c) {
				return t.unsupported("a negated class in brackets")
			}
			t.pos += 2
			t.out.WriteString(set)
			return nil
		}
	}
	if t.peek("-") && !first && t.pos+1 < len(t.in) && t.in[t.pos+1] != ']' {
		return t.unsupported("a hyphen inside brackets")
	}
	lo, err := t.bracketChar()
	if err != nil {
		return err
	}
	hi := lo
	if t.peek("-") && t.pos+1 < len(t.in) && t.in[t.pos+1] != ']' {
		t.pos++
		if t.peek("[") {
			return t.unsupported("a range to a class")
		}
		if hi, err = t.bracketChar(); err != nil {
			return err
		}
		if hi < lo {
			return t.bad("invalid character range")
		}
	}
	t.writeRange(lo, hi)
	return nil
}

// bracketChar reads one character.
func (t *regexTranslator) bracketChar() (rune, error) {
	if t.peek(`\`) {
		if t.pos+1 >= len(t.in) {
			return 0, t.bad("invalid escape \\ sequence")
		}
		if strings.IndexByte("AZmMyY", t.in[t.pos+1]) >= 0 {
			return 0, t.bad("invalid escape \\ sequence")
		}
		return t.charEscape()
	}
	r, n := utf8.DecodeRuneInString(t.in[t.pos:])
	t.pos += n
	return r, nil
}

// writeRange writes a range, and the other case of its ASCII letters.
func (t *regexTranslator) writeRange(lo, hi rune) {
	fmt.Fprintf(&t.out, "%s-%s", regexpQuote(lo), regexpQuote(hi))
	if !t.fold {
		return
	}
	for c := max(lo, 'A'); c <= min(hi, 'z'); c++ {
		b := byte(c)
		if lowerASCII(b) != upperASCII(b) {
			t.out.WriteByte(lowerASCII(b))
			t.out.WriteByte(upperASCII(b))
		}
	}
}

func (t *regexTranslator) namedClass() error {
	end := strings.Index(t.in[t.pos+2:], ":]")
	if end < 0 {
		return t.bad("brackets [] not balanced")
	}
	end += 2
	name := t.in[t.pos+2 : t.pos+end]
	set, ok := namedClasses[name]
	if !ok {
		return t.bad("invalid character class")
	}
	if t.fold && (name == "lower" || name == "upper") {
		set = namedClasses["alpha"]
	}
	t.pos += end + 2
	t.out.WriteString(set)
	return nil
}
