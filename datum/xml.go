package datum

import (
	"bytes"
	"unicode/utf8"
)

// xml is stored as the text that was put in. On output the server takes the
// encoding out of an XML declaration, drops a declaration that says nothing
// but version 1.0, and then drops one newline that would be left in front
// (also one that was in front of a value without any declaration). A value
// whose declaration cannot be read is printed as it is.

// xmlDecl is what an XML declaration says.
type xmlDecl struct {
	length     int    // bytes of the declaration, 0 without one
	version    []byte // nil without one
	standalone []byte // "yes", "no", or nil
}

func textXML(dst, v []byte, _ *Env) ([]byte, error) {
	if err := checkText(v); err != nil {
		return dst, err
	}
	decl, ok := parseXMLDecl(v)
	if !ok {
		return append(dst, v...), nil
	}
	rest := v[decl.length:]
	if decl.standalone == nil && (decl.version == nil || string(decl.version) == "1.0") {
		if len(rest) > 0 && rest[0] == '\n' {
			rest = rest[1:]
		}
		return append(dst, rest...), nil
	}
	dst = append(append(append(dst, `<?xml version="`...), decl.version...), '"')
	if decl.standalone != nil {
		dst = append(append(append(dst, ` standalone="`...), decl.standalone...), '"')
	}
	return append(append(dst, "?>"...), rest...), nil
}

func valueXML(v []byte, e *Env) (any, error) { return textValue(textXML, v, e) }

// parseXMLDecl reads the declaration at the start of v; ok is false if there
// is one but it is malformed.
func parseXMLDecl(v []byte) (d xmlDecl, ok bool) {
	rest, found := bytes.CutPrefix(v, []byte("<?xml"))
	if !found || startsXMLName(rest) {
		return d, true // none, or a processing instruction such as xml-stylesheet
	}
	var value []byte
	value, rest, found, ok = xmlAttribute(rest, "version")
	if !ok || !found {
		return d, false
	}
	d.version = value
	if _, rest, _, ok = xmlAttribute(rest, "encoding"); !ok {
		return d, false
	}
	if value, rest, found, ok = xmlAttribute(rest, "standalone"); !ok {
		return d, false
	}
	if found {
		if string(value) != "yes" && string(value) != "no" {
			return d, false
		}
		d.standalone = value
	}
	rest, found = bytes.CutPrefix(skipXMLSpace(rest), []byte("?>"))
	if !found {
		return d, false
	}
	d.length = len(v) - len(rest)
	for _, c := range v[:d.length] {
		if c > 127 {
			return d, false
		}
	}
	return d, true
}

// xmlAttribute reads white space and name="value". If another thing stands
// there, found is false and rest is text.
func xmlAttribute(text []byte, name string) (value, rest []byte, found, ok bool) {
	rest = skipXMLSpace(text)
	spaced := len(rest) < len(text)
	rest, found = bytes.CutPrefix(rest, []byte(name))
	if !found {
		return nil, text, false, true
	}
	rest = skipXMLSpace(rest)
	if !spaced || len(rest) == 0 || rest[0] != '=' {
		return nil, text, true, false
	}
	rest = skipXMLSpace(rest[1:])
	if len(rest) == 0 || rest[0] != '"' && rest[0] != '\'' {
		return nil, text, true, false
	}
	end := bytes.IndexByte(rest[1:], rest[0])
	if end < 0 {
		return nil, text, true, false
	}
	return rest[1 : 1+end], rest[2+end:], true, true
}

func skipXMLSpace(text []byte) []byte { return bytes.TrimLeft(text, " \t\r\n") }

// startsXMLName says whether the first character of text may be part of an
// XML name, in which case "<?xml" before it was the start of a longer name.
func startsXMLName(text []byte) bool {
	if len(text) == 0 {
		return false
	}
	c := text[0]
	if c < utf8.RuneSelf {
		return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c == ':' || c == '-' || c == '.'
	}
	// A declaration may hold ASCII only, so a letter here and a stray byte
	// differ in nothing that is printed: either way the value stays as it is.
	return false
}
