package qual

import (
	"regexp"

	"github.com/pipescan/pipescan/catalog"
)

// POSIX regular expressions. The advanced ones of PostgreSQL are translated to
// Go's syntax where that has the same meaning; what it has not (back
// references, lookaround, word starts, embedded options) is refused by name.
// Whether there is a match at all does not depend on greediness, so that Go's
// engine can answer it.

// compiledRegex is the pattern that a call had last.
type compiledRegex struct {
	pattern string
	fold    bool
	re      *regexp.Regexp
	groups  int
	lazy    bool
}

// regex compiles a pattern, unless it is the one of the call before.
func (c *fctx) regex(pattern []byte, fold bool) (*compiledRegex, error) {
	if k, ok := c.cache.(*compiledRegex); ok && k.fold == fold && k.pattern == string(pattern) {
		return k, nil
	}
	if c.coll.indeterminate {
		return nil, sqlErrorf("42P22", "could not determine which collation to use for regular expression")
	}
	if !c.coll.deterministic {
		return nil, sqlErrorf("0A000", "nondeterministic collations are not supported for regular expressions")
	}
	if !c.coll.cType && (c.coll.special || !isASCII(pattern)) || c.env.Encoding != catalog.UTF8 && !isASCII(pattern) {
		return nil, unsupportedf("a regular expression beyond ASCII under collation %s", c.coll.name)
	}
	t := regexTranslator{in: string(pattern), fold: fold}
	text, err := t.translate()
	if err != nil {
		return nil, err
	}
	re, err := regexp.Compile(text)
	if err != nil {
		return nil, unsupportedf("the regular expression %q", pattern)
	}
	k := &compiledRegex{pattern: string(pattern), fold: fold, re: re, groups: t.groups, lazy: t.lazy}
	c.cache = k
	return k, nil
}

// regexable errs for texts that the translation does not hold for.
func (c *fctx) regexable(b []byte) error {
	if isASCII(b) || c.coll.cType && c.env.Encoding == catalog.UTF8 {
		return nil
	}
	return unsupportedf("a regular expression on characters beyond ASCII under collation %s", c.coll.name)
}

func regexMatch(trim func([]byte) []byte, fold, not bool) rowFunc {
	return func(c *fctx, dst []byte, args [][]byte) ([]byte, error) {
		k, err := c.regex(args[1], fold)
		if err != nil {
			return nil, err
		}
		t := trim(args[0])
		if err := c.regexable(t); err != nil {
			return nil, err
		}
		return appendBoolByte(dst, k.re.Match(t) != not), nil
	}
}

func init() {
	for typ, trim := range map[string]func([]byte) []byte{"text": identity, "name": nameText} {
		kernels[typ+"regexeq"], kernels[typ+"regexne"] = regexMatch(trim, false, false), regexMatch(trim, false, true)
		kernels[typ+"icregexeq"], kernels[typ+"icregexne"] = regexMatch(trim, true, false), regexMatch(trim, true, true)
		for _, name := range []string{"regexeq", "regexne", "icregexeq", "icregexne"} {
			collationSensitive[typ+name] = true
		}
	}
	kernels["textregexsubstr"] = regexSubstring
	collationSensitive["textregexsubstr"] = true
	kernels["similar_to_escape_1"] = func(_ *fctx, dst []byte, args [][]byte) ([]byte, error) {
		return similarPattern(dst, args[0], []byte(`\`))
	}
	kernels["similar_to_escape_2"] = func(c *fctx, dst []byte, args [][]byte) ([]byte, error) {
		if len(args[1]) > 0 {
			n, err := c.countChars(args[1])
			if err != nil {
				return nil, err
			}
			if n != 1 {
				return nil, &SQLError{Code: "22025", Message: "invalid escape string", Hint: "Escape string must be empty or one character.", Row: -1}
			}
		}
		return similarPattern(dst, args[0], args[1])
	}
}

// regexSubstring is substring(text from pattern): the leftmost match, the
// longest of those; only for patterns without groups and lazy parts, where Go's
// engine finds the same.
func regexSubstring(c *fctx, dst []byte, args [][]byte) ([]byte, error) {
	k, err := c.regex(args[1], false)
	if err != nil {
		return nil, err
	}
	if k.groups > 0 || k.lazy {
		return nil, unsupportedf("substring by a regular expression with groups or lazy quantifiers")
	}
	if err := c.regexable(args[0]); err != nil {
		return nil, err
	}
	k.re.Longest()
	m := k.re.FindIndex(args[0])
	if m == nil {
		return nil, nil
	}
	return append(dst, args[0][m[0]:m[1]]...), nil
}

// similarPattern rewrites a SIMILAR TO pattern to an advanced regular
// expression (similar_escape_internal).
func similarPattern(dst, p, esc []byte) ([]byte, error) {
	dst = append(dst, "^(?:"...)
	after, class, quotes := false, false, 0
	for len(p) > 0 {
		n := charLen(p)
		char := p[:n]
		p = p[n:]
		b := char[0]
		switch {
		case after:
			after = false
			if b != '"' || class {
				dst = append(append(dst, '\\'), char...)
				continue
			}
			switch quotes {
			case 0:
				dst = append(dst, "){1,1}?("...)
			case 1:
				dst = append(dst, "){1,1}(?:"...)
			default:
				return nil, sqlErrorf("2200C", "SQL regular expression may not contain more than two escape-double-quote separators")
			}
			quotes++
		case len(esc) > 0 && string(char) == string(esc):
			after = true
		case class:
			if b == '\\' {
				dst = append(dst, '\\')
			}
			dst = append(dst, char...)
			class = b != ']'
		default:
			dst, class = similarChar(dst, char)
		}
	}
	return append(dst, ")$"...), nil
}

// similarChar appends a character outside of brackets.
func similarChar(dst, char []byte) (_ []byte, class bool) {
	switch b := char[0]; b {
	case '[':
		return append(dst, b), true
	case '%':
		return append(dst, ".*"...), false
	case '_':
		return append(dst, '.'), false
	case '(':
		return append(dst, "(?:"...), false
	case '\\', '.', '^', '$':
		return append(dst, '\\', b), false
	}
	return append(dst, char...), false
}
