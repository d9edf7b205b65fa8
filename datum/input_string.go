package datum

import (
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"unicode/utf8"

	"github.com/pipescan/pipescan/catalog"
)

// Input of character types, bytea, uuid and bit strings. The encoding of a
// text is checked by whoever read it (ValidText).

// formatDetail is fmt.Sprintf, for details.
func formatDetail(format string, args ...any) string { return fmt.Sprintf(format, args...) }

// ValidText says whether text is valid in the encoding, as a server checks it
// of what a client sends: *InputError if not. Encodings other than UTF8 and
// SQL_ASCII are not known: only ASCII is accepted of them.
func ValidText(text []byte, encoding int32) error {
	ascii := true
	for i, c := range text {
		if c == 0 {
			return inputErrorf(StateBadEncoding, `invalid byte sequence for encoding "%s": 0x00`, catalog.EncodingName(encoding))
		}
		if c >= utf8.RuneSelf {
			ascii = false
			text = text[i:]
			break
		}
	}
	if ascii {
		return nil
	}
	for i := 0; i < len(text); {
		if text[i] == 0 {
			return badSequence(text[i:i+1], encoding)
		}
		if encoding == 0 || text[i] < utf8.RuneSelf {
			i++
			continue
		}
		r, n := utf8.DecodeRune(text[i:])
		if encoding != catalog.UTF8 || r == utf8.RuneError && n <= 1 {
			return badSequence(text[i:min(i+utf8Length(text[i]), len(text))], encoding)
		}
		i += n
	}
	return nil
}

func badSequence(bytes []byte, encoding int32) error {
	list := ""
	for _, c := range bytes {
		list += fmt.Sprintf(" 0x%02x", c)
	}
	return inputErrorf(StateBadEncoding, `invalid byte sequence for encoding "%s":%s`, catalog.EncodingName(encoding), list)
}

// utf8Length is the length that a first byte announces (pg_utf_mblen).
func utf8Length(c byte) int {
	switch {
	case c&0xe0 == 0xc0:
		return 2
	case c&0xf0 == 0xe0:
		return 3
	case c&0xf8 == 0xf0:
		return 4
	}
	return 1
}

// clip returns how many bytes the first n characters take, at most len(b), and
// how many characters there are up to there.
func clip(b []byte, n int, encoding int32) (size, chars int) {
	if encoding != catalog.UTF8 {
		return min(n, len(b)), min(n, len(b))
	}
	for size < len(b) && chars < n {
		size = min(size+utf8Length(b[size]), len(b))
		chars++
	}
	return size, chars
}

func inputText(dst, text []byte, _ int32, _ *Env) ([]byte, error) { return append(dst, text...), nil }

// inputVarchar cuts blanks, and nothing else, past the length.
func inputVarchar(dst, text []byte, typmod int32, e *Env) ([]byte, error) {
	if typmod < 4 {
		return append(dst, text...), nil
	}
	n := int(typmod - 4)
	if len(text) <= n {
		return append(dst, text...), nil
	}
	size, _ := clip(text, n, e.Encoding)
	for _, c := range text[size:] {
		if c != ' ' {
			return dst, inputErrorf(StateStringTooLong, "value too long for type character varying(%d)", n)
		}
	}
	return append(dst, text[:size]...), nil
}

// inputBpchar pads with blanks to the length.
func inputBpchar(dst, text []byte, typmod int32, e *Env) ([]byte, error) {
	if typmod < 4 {
		return append(dst, text...), nil
	}
	n := int(typmod - 4)
	size, chars := clip(text, n, e.Encoding)
	for _, c := range text[size:] {
		if c != ' ' {
			return dst, inputErrorf(StateStringTooLong, "value too long for type character(%d)", n)
		}
	}
	dst = append(dst, text[:size]...)
	for ; chars < n; chars++ {
		dst = append(dst, ' ')
	}
	return dst, nil
}

// inputName cuts at a character and pads with zeros.
func inputName(dst, text []byte, _ int32, e *Env) ([]byte, error) {
	n := len(text)
	if n >= nameLength {
		n = 0
		for e.Encoding == catalog.UTF8 && n < len(text) && n+utf8Length(text[n]) < nameLength {
			n += utf8Length(text[n])
		}
		if e.Encoding != catalog.UTF8 {
			n = nameLength - 1
		}
	}
	dst = append(dst, text[:n]...)
	for ; n < nameLength; n++ {
		dst = append(dst, 0)
	}
	return dst, nil
}

// inputChar reads the first byte, or from 15 on \ooo.
func inputChar(dst, text []byte, _ int32, e *Env) ([]byte, error) {
	if len(text) == 4 && text[0] == '\\' && e.Major >= 15 && isOctal(text[1]) && isOctal(text[2]) && isOctal(text[3]) {
		return append(dst, (text[1]-'0')<<6|(text[2]-'0')<<3|(text[3]-'0')), nil
	}
	if len(text) == 0 {
		return append(dst, 0), nil
	}
	return append(dst, text[0]), nil
}

func isOctal(c byte) bool { return c >= '0' && c <= '7' }

// inputBytea reads the hex form \x..., with white space between pairs, and the
// escape form.
func inputBytea(dst, text []byte, _ int32, _ *Env) ([]byte, error) {
	if len(text) >= 2 && text[0] == '\\' && text[1] == 'x' {
		return inputByteaHex(dst, text[2:])
	}
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c != '\\':
			dst = append(dst, c)
		case i+1 < len(text) && text[i+1] == '\\':
			dst = append(dst, '\\')
			i++
		case i+3 < len(text) && text[i+1] >= '0' && text[i+1] <= '3' && isOctal(text[i+2]) && isOctal(text[i+3]):
			dst = append(dst, (text[i+1]-'0')<<6|(text[i+2]-'0')<<3|(text[i+3]-'0'))
			i += 3
		default:
			return dst, inputErrorf(StateInvalidText, "invalid input syntax for type bytea")
		}
	}
	return dst, nil
}

func inputByteaHex(dst, b []byte) ([]byte, error) {
	for i := 0; i < len(b); {
		if c := b[i]; c == ' ' || c == '\n' || c == '\t' || c == '\r' {
			i++
			continue
		}
		hi := digitOf(b[i])
		if hi > 15 {
			return dst, badHexDigit(b[i:])
		}
		if i+1 >= len(b) {
			return dst, inputErrorf(StateInvalidParameter, "invalid hexadecimal data: odd number of digits")
		}
		lo := digitOf(b[i+1])
		if lo > 15 {
			return dst, badHexDigit(b[i+1:])
		}
		dst = append(dst, hi<<4|lo)
		i += 2
	}
	return dst, nil
}

func badHexDigit(b []byte) error {
	return inputErrorf(StateInvalidParameter, `invalid hexadecimal digit: "%s"`, b[:min(utf8Length(b[0]), len(b))])
}

// inputUUID reads 32 hexadecimal digits, with a hyphen after any group of four
// and braces around.
func inputUUID(dst, text []byte, _ int32, _ *Env) ([]byte, error) {
	b := text
	braces := len(b) > 0 && b[0] == '{'
	if braces {
		b = b[1:]
	}
	var u [16]byte
	for i := range u {
		if len(b) < 2 {
			return dst, badSyntax("uuid", text)
		}
		if _, err := hex.Decode(u[i:i+1], b[:2]); err != nil {
			return dst, badSyntax("uuid", text)
		}
		b = b[2:]
		if len(b) > 0 && b[0] == '-' && i%2 == 1 && i < 15 {
			b = b[1:]
		}
	}
	if braces {
		if len(b) == 0 || b[0] != '}' {
			return dst, badSyntax("uuid", text)
		}
		b = b[1:]
	}
	if len(b) != 0 {
		return dst, badSyntax("uuid", text)
	}
	return append(dst, u[:]...), nil
}

func inputBit(dst, text []byte, typmod int32, _ *Env) ([]byte, error) {
	return parseBits(dst, text, func(n int) error {
		if typmod > 0 && n != int(typmod) {
			return inputErrorf(StateLengthMismatch, "bit string length %d does not match type bit(%d)", n, typmod)
		}
		return nil
	})
}

func inputVarbit(dst, text []byte, typmod int32, _ *Env) ([]byte, error) {
	return parseBits(dst, text, func(n int) error {
		if typmod > 0 && n > int(typmod) {
			return inputErrorf(StateStringTooLong, "bit string too long for type bit varying(%d)", typmod)
		}
		return nil
	})
}

// parseBits reads binary digits, b and binary digits, or x and hexadecimal
// ones. check judges the number of bits before the digits are looked at.
func parseBits(dst, text []byte, check func(n int) error) ([]byte, error) {
	b, width, kind := text, 1, "binary"
	if len(b) > 0 && lower(b[0]) == 'b' {
		b = b[1:]
	} else if len(b) > 0 && lower(b[0]) == 'x' {
		b, width, kind = b[1:], 4, "hexadecimal"
	}
	n := len(b) * width
	if err := check(n); err != nil {
		return dst, err
	}
	start := len(dst)
	dst = binary.LittleEndian.AppendUint32(dst, uint32(n))
	for i, c := range b {
		d := digitOf(c)
		if int(d) >= 1<<width {
			return dst[:start], inputErrorf(StateInvalidText, `"%s" is not a valid %s digit`, b[i:min(i+utf8Length(c), len(b))], kind)
		}
		at := i * width
		if at%8 == 0 {
			dst = append(dst, 0)
		}
		dst[len(dst)-1] |= d << (8 - width - at%8)
	}
	return dst, nil
}
