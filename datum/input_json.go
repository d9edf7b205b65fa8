package datum

import (
	"bytes"
	"slices"
	"strconv"
	"unicode/utf8"
)

// Input of json, which is checked and kept as it is, and of jsonb, which
// becomes the tree drawn in jsonb.go.

// maxJSONInputDepth bounds the nesting of what is read; a server's own limit
// depends on its stack and is about this.
const maxJSONInputDepth = 6000

func inputJSON(dst, text []byte, _ int32, _ *Env) ([]byte, error) {
	p := jsonParser{rest: text}
	if _, err := p.document(); err != nil {
		return dst, err
	}
	return append(dst, text...), nil
}

func inputJSONB(dst, text []byte, _ int32, e *Env) ([]byte, error) {
	p := jsonParser{rest: text, build: true, e: e}
	root, err := p.document()
	if err != nil {
		return dst, err
	}
	w := jsonbWriter{out: dst, start: len(dst)}
	if root.kind != entryContainer {
		root = jsonNode{kind: entryContainer, items: []jsonNode{root}, scalar: true}
	}
	if err := w.container(&root); err != nil {
		return dst, err
	}
	return w.out, nil
}

// jsonNode is a value; keys is not nil in an object.
type jsonNode struct {
	kind   uint32 // entryString and its neighbours
	data   []byte // of a string: unescaped; of a number: the numeric's payload
	object bool
	scalar bool
	keys   [][]byte
	items  []jsonNode
}

// jsonParser reads JSON text; build says to make nodes.
type jsonParser struct {
	rest  []byte
	build bool
	e     *Env
	depth int
}

func badJSON(detail string, args ...any) error {
	err := inputErrorf(StateInvalidText, "invalid input syntax for type json")
	err.Detail = formatDetail(detail, args...)
	return err
}

func (p *jsonParser) space() {
	for len(p.rest) > 0 && (p.rest[0] == ' ' || p.rest[0] == '\t' || p.rest[0] == '\n' || p.rest[0] == '\r') {
		p.rest = p.rest[1:]
	}
}

// unexpected is the error of a token that does not belong where it stands.
func (p *jsonParser) unexpected(want string) error {
	if len(p.rest) == 0 {
		return badJSON("The input string ended unexpectedly.")
	}
	n := run(p.rest, func(c byte) bool { return isDigit(c) || isAlpha(c) || c == '_' || c >= utf8.RuneSelf })
	if n > 0 && !isDigit(p.rest[0]) {
		switch string(p.rest[:n]) {
		case "true", "false", "null":
		default:
			return badJSON(`Token "%s" is invalid.`, p.rest[:n])
		}
	}
	return badJSON(`Expected %s, but found "%s".`, want, p.rest[:max(n, 1)])
}

func (p *jsonParser) document() (jsonNode, error) {
	n, err := p.value()
	if err != nil {
		return n, err
	}
	if p.space(); len(p.rest) > 0 {
		return n, p.unexpected("end of input")
	}
	return n, nil
}

func (p *jsonParser) value() (n jsonNode, err error) {
	p.space()
	if len(p.rest) == 0 {
		return n, p.unexpected("JSON value")
	}
	switch c := p.rest[0]; {
	case c == '{' || c == '[':
		if p.depth == maxJSONInputDepth {
			return n, inputErrorf("54001", "stack depth limit exceeded")
		}
		p.depth++
		n.kind = entryContainer
		if c == '{' {
			n.object = true
			err = p.object(&n)
		} else {
			err = p.array(&n)
		}
		p.depth--
		return n, err
	case c == '"':
		n.kind = entryString
		n.data, err = p.string()
		return n, err
	case c == '-' || isDigit(c):
		n.kind = entryNumeric
		n.data, err = p.number()
		return n, err
	}
	for word, kind := range jsonWords {
		if rest, ok := bytes.CutPrefix(p.rest, []byte(word)); ok && (len(rest) == 0 || !isAlpha(rest[0]) && !isDigit(rest[0]) && rest[0] != '_' && rest[0] < utf8.RuneSelf) {
			p.rest = rest
			return jsonNode{kind: kind}, nil
		}
	}
	return n, p.unexpected("JSON value")
}

var jsonWords = map[string]uint32{"true": entryTrue, "false": entryFalse, "null": entryNull}

// number reads JSON's grammar of numbers.
func (p *jsonParser) number() ([]byte, error) {
	b := p.rest
	n := 0
	if b[n] == '-' {
		n++
	}
	digits := run(b[n:], isDigit)
	bad := digits == 0 || digits > 1 && b[n] == '0'
	n += digits
	if n < len(b) && b[n] == '.' {
		digits = run(b[n+1:], isDigit)
		bad = bad || digits == 0
		n += 1 + digits
	}
	if n < len(b) && lower(b[n]) == 'e' {
		n++
		if n < len(b) && (b[n] == '-' || b[n] == '+') {
			n++
		}
		digits = run(b[n:], isDigit)
		bad = bad || digits == 0
		n += digits
	}
	garbage := run(b[n:], func(c byte) bool { return isDigit(c) || isAlpha(c) || c == '_' || c == '$' || c >= utf8.RuneSelf })
	if bad || garbage > 0 {
		return nil, badJSON(`Token "%s" is invalid.`, b[:n+garbage])
	}
	p.rest = b[n:]
	if !p.build {
		return nil, nil
	}
	return inputNumeric(nil, b[:n], -1, p.e)
}

// string reads a string in quotes and, when building, unescapes it.
func (p *jsonParser) string() ([]byte, error) {
	b := p.rest[1:]
	var out []byte
	for i := 0; i < len(b); i++ {
		switch c := b[i]; {
		case c == '"':
			p.rest = b[i+1:]
			return out, nil
		case c < ' ':
			return nil, badJSON("Character with value 0x%02x must be escaped.", c)
		case c != '\\':
			if p.build {
				out = append(out, c)
			}
		default:
			var err error
			if out, i, err = p.escape(out, b, i+1); err != nil {
				return nil, err
			}
		}
	}
	return nil, badJSON(`Token "%s" is invalid.`, p.rest)
}

// escape reads what follows a backslash; it returns where its last byte is.
func (p *jsonParser) escape(out, b []byte, i int) ([]byte, int, error) {
	if i == len(b) {
		return nil, i, badJSON(`Token "%s" is invalid.`, p.rest)
	}
	if b[i] == 'u' {
		return p.unicode(out, b, i+1)
	}
	at := bytes.IndexByte([]byte(`"\/bfnrt`), b[i])
	if at < 0 {
		return nil, i, badJSON(`Escape sequence "\%s" is invalid.`, b[i:min(i+utf8Length(b[i]), len(b))])
	}
	if p.build {
		out = append(out, "\"\\/\b\f\n\r\t"[at])
	}
	return out, i, nil
}

// unicode reads \uXXXX, i being at its digits, and the pair's second half.
func (p *jsonParser) unicode(out, b []byte, i int) ([]byte, int, error) {
	hi, ok := hex4(b, i)
	if !ok {
		return nil, i, badJSON(`"\u" must be followed by four hexadecimal digits.`)
	}
	if !p.build {
		return out, i + 3, nil
	}
	switch {
	case hi == 0:
		err := inputErrorf(StateUntranslatable, "unsupported Unicode escape sequence")
		err.Detail = `\u0000 cannot be converted to text.`
		return nil, i, err
	case hi >= 0xdc00 && hi < 0xe000:
		return nil, i, badJSON("Unicode low surrogate must follow a high surrogate.")
	case hi < 0xd800 || hi >= 0xe000:
		return utf8.AppendRune(out, rune(hi)), i + 3, nil
	}
	if i+5 >= len(b) || b[i+4] != '\\' || b[i+5] != 'u' {
		return nil, i, badJSON("Unicode low surrogate must follow a high surrogate.")
	}
	lo, ok := hex4(b, i+6)
	switch {
	case !ok:
		return nil, i, badJSON(`"\u" must be followed by four hexadecimal digits.`)
	case lo >= 0xd800 && lo < 0xdc00:
		return nil, i, badJSON("Unicode high surrogate must not follow a high surrogate.")
	case lo < 0xdc00 || lo >= 0xe000:
		return nil, i, badJSON("Unicode low surrogate must follow a high surrogate.")
	}
	return utf8.AppendRune(out, rune((hi-0xd800)<<10|(lo-0xdc00))+0x10000), i + 9, nil
}

func hex4(b []byte, i int) (uint64, bool) {
	if i+4 > len(b) || slices.ContainsFunc(b[i:i+4], func(c byte) bool { return digitOf(c) > 15 }) {
		return 0, false
	}
	n, err := strconv.ParseUint(string(b[i:i+4]), 16, 32)
	return n, err == nil
}

func (p *jsonParser) array(n *jsonNode) error {
	p.rest = p.rest[1:]
	if p.space(); len(p.rest) > 0 && p.rest[0] == ']' {
		p.rest = p.rest[1:]
		return nil
	}
	for {
		item, err := p.value()
		if err != nil {
			return err
		}
		if p.build {
			n.items = append(n.items, item)
		}
		p.space()
		switch {
		case len(p.rest) > 0 && p.rest[0] == ',':
			p.rest = p.rest[1:]
		case len(p.rest) > 0 && p.rest[0] == ']':
			p.rest = p.rest[1:]
			return nil
		default:
			return p.unexpected(`"," or "]"`)
		}
	}
}

func (p *jsonParser) object(n *jsonNode) error {
	p.rest = p.rest[1:]
	if p.space(); len(p.rest) > 0 && p.rest[0] == '}' {
		p.rest = p.rest[1:]
		return nil
	}
	for {
		if p.space(); len(p.rest) == 0 || p.rest[0] != '"' {
			return p.unexpected(`string`)
		}
		key, err := p.string()
		if err != nil {
			return err
		}
		if p.space(); len(p.rest) == 0 || p.rest[0] != ':' {
			return p.unexpected(`":"`)
		}
		p.rest = p.rest[1:]
		item, err := p.value()
		if err != nil {
			return err
		}
		if p.build {
			n.keys, n.items = append(n.keys, key), append(n.items, item)
		}
		p.space()
		switch {
		case len(p.rest) > 0 && p.rest[0] == ',':
			p.rest = p.rest[1:]
		case len(p.rest) > 0 && p.rest[0] == '}':
			p.rest = p.rest[1:]
			return nil
		default:
			return p.unexpected(`"," or "}"`)
		}
	}
}
