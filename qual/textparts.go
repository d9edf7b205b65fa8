package qual

import (
	"bytes"
	"math"

	"github.com/pipescan/pipescan/catalog"
	"github.com/pipescan/pipescan/datum"
)

func substringFunctions() {
	byBytes := func(b []byte, n int) (int, error) { return min(n, len(b)), nil }
	sub := func(toEnd, chars bool) rowFunc {
		return func(c *fctx, dst []byte, args [][]byte) ([]byte, error) {
			skip := byBytes
			if chars {
				skip = c.skipChars
			}
			length := int64(0)
			if !toEnd {
				length = getInt32(args[2])
			}
			r, err := substr(args[0], getInt32(args[1]), length, toEnd, skip)
			if err != nil {
				return nil, err
			}
			return append(dst, r...), nil
		}
	}
	kernels["text_substr"], kernels["text_substr_no_len"] = sub(false, true), sub(true, true)
	kernels["bytea_substr"], kernels["bytea_substr_no_len"] = sub(false, false), sub(true, false)
	side := func(left bool) rowFunc {
		return func(c *fctx, dst []byte, args [][]byte) ([]byte, error) {
			b, n := args[0], int(getInt32(args[1]))
			if !left {
				n = -n // right(n) is what is left of left(-n)
				if n == -math.MinInt32 {
					n = 0 // the server's negation overflows
				}
			}
			if n < 0 {
				count, err := c.countChars(b)
				if err != nil {
					return nil, err
				}
				n = max(count+n, 0)
			} else if !left && n == 0 && getInt32(args[1]) == 0 {
				n = math.MaxInt32 // right(0) is nothing
			}
			off, err := c.skipChars(b, n)
			if err != nil {
				return nil, err
			}
			if left {
				return append(dst, b[:off]...), nil
			}
			return append(dst, b[off:]...), nil
		}
	}
	kernels["text_left"], kernels["text_right"] = side(true), side(false)
}

func trimFunctions() {
	trim := func(left, right, given bool) rowFunc {
		return func(c *fctx, dst []byte, args [][]byte) ([]byte, error) {
			b, set := args[0], []byte(" ")
			if given {
				set = args[1]
			}
			b, err := c.trim(b, set, left, right)
			if err != nil {
				return nil, err
			}
			return append(dst, b...), nil
		}
	}
	kernels["btrim"], kernels["btrim1"] = trim(true, true, true), trim(true, true, false)
	kernels["ltrim"], kernels["ltrim1"] = trim(true, false, true), trim(true, false, false)
	kernels["rtrim"], kernels["rtrim1"] = trim(false, true, true), trim(false, true, false)
}

// trim takes characters of a set off the ends.
func (c *fctx) trim(b, set []byte, left, right bool) ([]byte, error) {
	byByte, err := c.bytewise(b)
	if err == nil && byByte {
		byByte, err = c.bytewise(set)
	}
	if err != nil {
		return nil, err
	}
	in := func(char []byte) bool {
		if byByte {
			return bytes.IndexByte(set, char[0]) >= 0
		}
		for s := set; len(s) > 0; s = s[charLen(s):] {
			if bytes.Equal(s[:charLen(s)], char) {
				return true
			}
		}
		return false
	}
	for left && len(b) > 0 {
		n := 1
		if !byByte {
			n = charLen(b)
		}
		if !in(b[:n]) {
			break
		}
		b = b[n:]
	}
	for right && len(b) > 0 {
		n := len(b) - 1
		for !byByte && n > 0 && b[n]&0xc0 == 0x80 {
			n--
		}
		if !in(b[n:]) {
			break
		}
		b = b[:n]
	}
	return b, nil
}

// translate replaces each character of a set by its counterpart.
func translate(c *fctx, dst []byte, args [][]byte) ([]byte, error) {
	b, from, to := args[0], args[1], args[2]
	byByte := true
	for _, s := range [][]byte{b, from, to} {
		one, err := c.bytewise(s)
		if err != nil {
			return nil, err
		}
		byByte = byByte && one
	}
	next := func(s []byte) int {
		if byByte {
			return 1
		}
		return charLen(s)
	}
	for len(b) > 0 {
		n := next(b)
		dst = append(dst, translated(b[:n], from, to, next)...)
		b = b[n:]
	}
	return dst, nil
}

func translated(char, from, to []byte, next func([]byte) int) []byte {
	for len(from) > 0 {
		n := next(from)
		if bytes.Equal(from[:n], char) {
			if len(to) == 0 {
				return nil
			}
			return to[:next(to)]
		}
		from = from[n:]
		if len(to) > 0 {
			to = to[next(to):]
		}
	}
	return char
}

// splitPart is the n-th part between separators, from the end when negative
// (14 and later).
func splitPart(c *fctx, dst []byte, args [][]byte) ([]byte, error) {
	b, sep, n := args[0], args[1], int(getInt32(args[2]))
	if n == 0 || n < 0 && c.env.Major < 14 {
		if c.env.Major < 14 {
			return nil, sqlErrorf("22023", "field position must be greater than zero")
		}
		return nil, sqlErrorf("22023", "field position must not be zero")
	}
	if len(b) == 0 {
		return dst, nil
	}
	if err := c.deterministic(); err != nil {
		return nil, err
	}
	parts := [][]byte{b}
	if len(sep) > 0 {
		parts = bytes.Split(b, sep)
	}
	if n < 0 {
		n += len(parts) + 1
	}
	if n < 1 || n > len(parts) {
		return dst, nil
	}
	return append(dst, parts[n-1]...), nil
}

// appendOutput appends a value's text.
func (c *fctx) appendOutput(dst []byte, typ catalog.OID, v []byte) ([]byte, error) {
	codec, err := datum.For(typ, -1, c.env)
	if err != nil {
		return nil, err
	}
	return codec.AppendText(dst, v)
}

// concatAnyValues is concat(): the text of all that is not NULL.
func concatAnyValues(c *fctx, dst []byte, args [][]byte) (out []byte, err error) {
	for i, a := range args {
		if a == nil {
			continue
		}
		if dst, err = c.appendOutput(dst, c.x.args[i].typ, a); err != nil {
			return nil, err
		}
	}
	return dst, nil
}

// concatWithSeparator is concat_ws().
func concatWithSeparator(c *fctx, dst []byte, args [][]byte) (out []byte, err error) {
	if args[0] == nil {
		return nil, nil
	}
	first := true
	for i, a := range args[1:] {
		if a == nil {
			continue
		}
		if !first {
			dst = append(dst, args[0]...)
		}
		first = false
		if dst, err = c.appendOutput(dst, c.x.args[i+1].typ, a); err != nil {
			return nil, err
		}
	}
	return dst, nil
}
