package qual

import (
	"bytes"
	"crypto/md5"
	"encoding/hex"
	"unicode/utf8"

	"github.com/pipescan/pipescan/catalog"
)

// text1 registers a function of the text alone.
func text1(name string, f func(c *fctx, b []byte) ([]byte, error)) {
	kernels[name] = func(c *fctx, dst []byte, args [][]byte) ([]byte, error) {
		r, err := f(c, args[0])
		if err != nil {
			return nil, err
		}
		return append(dst, r...), nil
	}
}

// count1 registers a function that counts something in the text.
func count1(name string, f func(c *fctx, b []byte) (int, error)) {
	kernels[name] = func(c *fctx, dst []byte, args [][]byte) ([]byte, error) {
		n, err := f(c, args[0])
		if err != nil {
			return nil, err
		}
		return appendInt(dst, int32(n)), nil
	}
}

func textFunctions() {
	concat := func(_ *fctx, dst []byte, args [][]byte) ([]byte, error) {
		if err := tooLong(len(args[0]) + len(args[1])); err != nil {
			return nil, err
		}
		return append(append(dst, args[0]...), args[1]...), nil
	}
	kernels["textcat"], kernels["byteacat"] = concat, concat
	octets := func(_ *fctx, b []byte) (int, error) { return len(b), nil }
	count1("textlen", (*fctx).countChars)
	count1("bpcharlen", func(c *fctx, b []byte) (int, error) { return c.countChars(trimBlanks(b)) })
	count1("textoctetlen", octets)
	count1("bpcharoctetlen", octets)
	count1("byteaoctetlen", octets)
	count1("ascii", asciiOf)
	text1("md5_text", func(_ *fctx, b []byte) ([]byte, error) { return md5Hex(b), nil })
	text1("md5_bytea", func(_ *fctx, b []byte) ([]byte, error) { return md5Hex(b), nil })
	text1("text_reverse", reverse)
	for _, name := range []string{"lower", "upper", "initcap"} {
		collationSensitive[name] = true
		text1(name, caseFunc(name))
	}
	substringFunctions()
	trimFunctions()
	kernels["textpos"], kernels["byteapos"] = textPosition, bytePosition
	collationSensitive["textpos"] = true
	kernels["replace_text"] = replaceText
	collationSensitive["replace_text"] = true
	kernels["text_starts_with"] = func(c *fctx, dst []byte, args [][]byte) ([]byte, error) {
		if err := c.deterministic(); err != nil {
			return nil, err
		}
		return appendBoolByte(dst, bytes.HasPrefix(args[0], args[1])), nil
	}
	collationSensitive["text_starts_with"] = true
	kernels["repeat"] = repeatText
	kernels["lpad"], kernels["rpad"] = pad(true), pad(false)
	kernels["translate"] = translate
	kernels["text_concat"], kernels["text_concat_ws"] = concatAnyValues, concatWithSeparator
	kernels["split_part"], kernels["split_text"] = splitPart, splitPart
	collationSensitive["split_part"], collationSensitive["split_text"] = true, true
	kernels["chr"] = chr
}

func md5Hex(b []byte) []byte {
	sum := md5.Sum(b)
	return []byte(hex.EncodeToString(sum[:]))
}

// asciiOf is the first character's code point; 0 of nothing.
func asciiOf(c *fctx, b []byte) (int, error) {
	if len(b) == 0 {
		return 0, nil
	}
	if c.env.Encoding == catalog.UTF8 && b[0] > 127 {
		r, _ := utf8.DecodeRune(b)
		return int(r), nil
	}
	if b[0] > 127 && !singleByte(c.env.Encoding) {
		return 0, sqlErrorf("22003", "requested character too large")
	}
	return int(b[0]), nil
}

func chr(c *fctx, dst []byte, args [][]byte) ([]byte, error) {
	n := getInt32(args[0])
	switch {
	case n < 0 && c.env.Major < 15:
		return nil, sqlErrorf("54000", "requested character too large for encoding: %d", n)
	case n < 0:
		return nil, sqlErrorf("22023", "character number must be positive")
	case n == 0:
		return nil, sqlErrorf("54000", "null character not permitted")
	case c.env.Encoding == catalog.UTF8 && n > 127:
		if n > utf8.MaxRune {
			return nil, sqlErrorf("54000", "requested character too large for encoding: %d", n)
		}
		if !utf8.ValidRune(rune(n)) {
			return nil, sqlErrorf("54000", "requested character not valid for encoding: %d", n)
		}
		return utf8.AppendRune(dst, rune(n)), nil
	case n > 255 || n > 127 && !singleByte(c.env.Encoding):
		return nil, sqlErrorf("54000", "requested character too large for encoding: %d", n)
	}
	return append(dst, byte(n)), nil
}

func reverse(c *fctx, b []byte) ([]byte, error) {
	byByte, err := c.bytewise(b)
	if err != nil {
		return nil, err
	}
	out := make([]byte, len(b))
	for to := len(b); len(b) > 0; {
		n := 1
		if !byByte {
			n = charLen(b)
		}
		to -= n
		copy(out[to:], b[:n])
		b = b[n:]
	}
	return out, nil
}

func lowerASCII(c byte) byte {
	if c >= 'A' && c <= 'Z' {
		c += 'a' - 'A'
	}
	return c
}

func upperASCII(c byte) byte {
	if c >= 'a' && c <= 'z' {
		c -= 'a' - 'A'
	}
	return c
}

func isAlnum(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

// caseFunc is lower, upper or initcap.
func caseFunc(name string) func(c *fctx, b []byte) ([]byte, error) {
	return func(c *fctx, b []byte) ([]byte, error) {
		if err := c.caseable(b); err != nil {
			return nil, err
		}
		out := make([]byte, len(b))
		inWord := false
		for i, x := range b {
			if name == "upper" || name == "initcap" && !inWord {
				out[i] = upperASCII(x)
			} else {
				out[i] = lowerASCII(x)
			}
			inWord = isAlnum(x)
		}
		return out, nil
	}
}

func textPosition(c *fctx, dst []byte, args [][]byte) ([]byte, error) {
	if err := c.deterministic(); err != nil {
		return nil, err
	}
	i := bytes.Index(args[0], args[1])
	if i < 0 {
		return appendInt(dst, int32(0)), nil
	}
	n, err := c.countChars(args[0][:i])
	if err != nil {
		return nil, err
	}
	return appendInt(dst, int32(n+1)), nil
}

func bytePosition(_ *fctx, dst []byte, args [][]byte) ([]byte, error) {
	return appendInt(dst, int32(bytes.Index(args[0], args[1])+1)), nil
}

func replaceText(c *fctx, dst []byte, args [][]byte) ([]byte, error) {
	b, from, to := args[0], args[1], args[2]
	if len(b) == 0 || len(from) == 0 {
		return append(dst, b...), nil
	}
	if err := c.deterministic(); err != nil {
		return nil, err
	}
	start := len(dst)
	for {
		i := bytes.Index(b, from)
		if i < 0 {
			return append(dst, b...), nil
		}
		dst = append(append(dst, b[:i]...), to...)
		b = b[i+len(from):]
		if err := tooLong(len(dst) - start); err != nil {
			return nil, err
		}
	}
}

func repeatText(_ *fctx, dst []byte, args [][]byte) ([]byte, error) {
	n := max(int(getInt32(args[1])), 0)
	if n*len(args[0]) > maxText {
		return nil, sqlErrorf("54000", "requested length too large")
	}
	if len(args[0]) == 0 {
		return dst, nil
	}
	return append(dst, bytes.Repeat(args[0], n)...), nil
}

// pad is lpad and rpad.
func pad(left bool) rowFunc {
	return func(c *fctx, dst []byte, args [][]byte) ([]byte, error) {
		b, want, fill := args[0], max(int(getInt32(args[1])), 0), args[2]
		have, err := c.countChars(b)
		if err != nil {
			return nil, err
		}
		if want*4 > maxText {
			return nil, sqlErrorf("54000", "requested length too large")
		}
		if have >= want {
			off, err := c.skipChars(b, want)
			return append(dst, b[:off]...), err
		}
		if !left {
			dst = append(dst, b...)
		}
		fillChars, err := c.countChars(fill)
		if err != nil {
			return nil, err
		}
		if fillChars > 0 {
			for missing := want - have; missing > 0; missing -= fillChars {
				off, err := c.skipChars(fill, missing)
				if err != nil {
					return nil, err
				}
				dst = append(dst, fill[:off]...)
			}
		}
		if left {
			dst = append(dst, b...)
		}
		return dst, nil
	}
}
