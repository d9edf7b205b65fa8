package qual

import (
	"bytes"
)

// LIKE (utils/adt/like_match.c). A pattern that ends in an escape is an error
// only when matching gets there, so the order of steps is the server's.

type likeResult int8

const (
	likeFalse likeResult = iota
	likeTrue
	likeAbort // no match, and no longer rest of the text can help
)

func errLikeEscape() error {
	return sqlErrorf("22025", "LIKE pattern must not end with escape character")
}

// likeMatch matches t against p. next is the length of a character.
func likeMatch(t, p []byte, next func([]byte) int) (likeResult, error) {
	if len(p) == 1 && p[0] == '%' {
		return likeTrue, nil
	}
	for len(t) > 0 && len(p) > 0 {
		switch p[0] {
		case '\\':
			if p = p[1:]; len(p) == 0 {
				return likeFalse, errLikeEscape()
			}
			if p[0] != t[0] {
				return likeFalse, nil
			}
		case '%':
			return likeAfterPercent(t, p[1:], next)
		case '_':
			t, p = t[next(t):], p[1:]
			continue
		default:
			if p[0] != t[0] {
				return likeFalse, nil
			}
		}
		t, p = t[1:], p[1:]
	}
	if len(t) > 0 {
		return likeFalse, nil
	}
	for len(p) > 0 && p[0] == '%' {
		p = p[1:]
	}
	if len(p) == 0 {
		return likeTrue, nil
	}
	return likeAbort, nil
}

// likeAfterPercent matches behind a %: at every place where the next literal
// byte is found.
func likeAfterPercent(t, p []byte, next func([]byte) int) (likeResult, error) {
	for len(p) > 0 {
		if p[0] == '%' {
			p = p[1:]
			continue
		}
		if p[0] != '_' {
			break
		}
		if len(t) == 0 {
			return likeAbort, nil
		}
		t, p = t[next(t):], p[1:]
	}
	if len(p) == 0 {
		return likeTrue, nil
	}
	first := p[0]
	if first == '\\' {
		if len(p) < 2 {
			return likeFalse, errLikeEscape()
		}
		first = p[1]
	}
	for len(t) > 0 {
		if t[0] == first {
			r, err := likeMatch(t, p, next)
			if err != nil || r != likeFalse {
				return r, err
			}
		}
		t = t[next(t):]
	}
	return likeAbort, nil
}

func oneByte([]byte) int { return 1 }

// like is LIKE and its kin. trim makes the text of the left operand.
func like(trim func([]byte) []byte, fold, not bool) rowFunc {
	return func(c *fctx, dst []byte, args [][]byte) ([]byte, error) {
		t, p := trim(args[0]), args[1]
		if err := c.likeable(); err != nil {
			return nil, err
		}
		if fold {
			if err := c.caseable(t); err != nil {
				return nil, err
			}
			if err := c.caseable(p); err != nil {
				return nil, err
			}
			c.buf2 = appendLower(c.buf2[:0], t)
			n := len(c.buf2)
			c.buf2 = appendLower(c.buf2, p)
			t, p = c.buf2[:n], c.buf2[n:]
		}
		next := charLen
		byByte, err := c.bytewise(t)
		if err != nil {
			return nil, err
		}
		if byByte {
			next = oneByte
		}
		r, err := likeMatch(t, p, next)
		if err != nil {
			return nil, err
		}
		return appendBoolByte(dst, (r == likeTrue) != not), nil
	}
}

func appendLower(dst, b []byte) []byte {
	for _, x := range b {
		dst = append(dst, lowerASCII(x))
	}
	return dst
}

// likeable errs where LIKE does not go by bytes.
func (c *fctx) likeable() error {
	switch {
	case c.coll.indeterminate:
		return sqlErrorf("42P22", "could not determine which collation to use for LIKE")
	case !c.coll.deterministic && c.env.Major < 18:
		return sqlErrorf("0A000", "nondeterministic collations are not supported for LIKE")
	case !c.coll.deterministic:
		return unsupportedf("LIKE under the nondeterministic collation %s", c.coll.name)
	}
	return nil
}

func init() {
	for typ, trim := range map[string]func([]byte) []byte{"text": identity, "name": nameText} {
		kernels[typ+"like"], kernels[typ+"nlike"] = like(trim, false, false), like(trim, false, true)
		kernels[typ+"iclike"], kernels[typ+"icnlike"] = like(trim, true, false), like(trim, true, true)
		for _, name := range []string{"like", "nlike", "iclike", "icnlike"} {
			collationSensitive[typ+name] = true
		}
	}
	byteLike := func(not bool) rowFunc {
		return func(_ *fctx, dst []byte, args [][]byte) ([]byte, error) {
			r, err := likeMatch(args[0], args[1], oneByte)
			if err != nil {
				return nil, err
			}
			return appendBoolByte(dst, (r == likeTrue) != not), nil
		}
	}
	kernels["bytealike"], kernels["byteanlike"] = byteLike(false), byteLike(true)
	kernels["like_escape"] = likeEscape
}

// likeEscape rewrites a pattern with its own escape character to one with a
// backslash.
func likeEscape(c *fctx, dst []byte, args [][]byte) ([]byte, error) {
	p, esc := args[0], args[1]
	if len(esc) == 0 {
		return append(dst, bytes.ReplaceAll(p, []byte(`\`), []byte(`\\`))...), nil
	}
	n, err := c.countChars(esc)
	if err != nil {
		return nil, err
	}
	if n != 1 {
		return nil, &SQLError{Code: "22025", Message: "invalid escape string", Hint: "Escape string must be empty or one character.", Row: -1}
	}
	if esc[0] == '\\' {
		return append(dst, p...), nil
	}
	after := false
	for len(p) > 0 {
		switch {
		case bytes.HasPrefix(p, esc) && !after:
			dst = append(dst, '\\')
			p = p[len(esc):]
			after = true
			continue
		case p[0] == '\\':
			dst = append(dst, '\\')
			if !after {
				dst = append(dst, '\\')
			}
			p = p[1:]
		default:
			n := charLen(p)
			dst = append(dst, p[:n]...)
			p = p[n:]
		}
		after = false
	}
	return dst, nil
}
