package export

import (
	"unicode/utf8"

	"github.com/pipescan/pipescan/datum"
)

// appendJSON appends a value as JSON: by the codec's own rule where its type
// has one (numbers, booleans, json, arrays, composites), else its text as a
// string.
func (l *Lines) appendJSON(dst []byte, codec datum.Codec, value []byte) ([]byte, error) {
	if j, ok := codec.(datum.JSONCodec); ok {
		return j.AppendJSON(dst, value)
	}
	text, err := codec.AppendText(l.scratch[:0], value)
	if err != nil {
		return dst, err
	}
	l.scratch = text
	return appendJSONString(dst, text), nil
}

const hexDigits = "0123456789abcdef"

// appendJSONString appends s as a JSON string. Bytes that are not UTF-8 become
// U+FFFD, since JSON has no other encoding.
func appendJSONString(dst, s []byte) []byte {
	dst = append(dst, '"')
	for i := 0; i < len(s); {
		c := s[i]
		if c < utf8.RuneSelf {
			dst = appendJSONByte(dst, c)
			i++
			continue
		}
		r, n := utf8.DecodeRune(s[i:])
		if r == utf8.RuneError && n == 1 {
			dst = append(dst, "\ufffd"...)
		} else {
			dst = append(dst, s[i:i+n]...)
		}
		i += n
	}
	return append(dst, '"')
}

// appendJSONByte appends an ASCII byte inside a JSON string.
func appendJSONByte(dst []byte, c byte) []byte {
	switch c {
	case '"', '\\':
		return append(dst, '\\', c)
	case '\b':
		return append(dst, '\\', 'b')
	case '\f':
		return append(dst, '\\', 'f')
	case '\n':
		return append(dst, '\\', 'n')
	case '\r':
		return append(dst, '\\', 'r')
	case '\t':
		return append(dst, '\\', 't')
	}
	if c < 0x20 {
		return append(dst, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&15])
	}
	return append(dst, c)
}
