package export

import (
	"slices"

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

// largeValue is the size of a value from which on it pays to know the size of
// its text before it is written: growing by doubling holds it twice and more.
const largeValue = 1 << 20

// appendJSONString appends s as a JSON string, in s's encoding.
func appendJSONString(dst, s []byte) []byte {
	if len(s) >= largeValue {
		dst = slices.Grow(dst, jsonSize(s)+2)
	}
	dst = append(dst, '"')
	for _, c := range s {
		dst = appendJSONByte(dst, c)
	}
	return append(dst, '"')
}

// jsonSize is the length of s inside a JSON string.
func jsonSize(s []byte) int {
	var buf [6]byte
	size := len(s)
	for _, c := range s {
		if c < 0x20 || c == '"' || c == '\\' {
			size += len(appendJSONByte(buf[:0], c)) - 1
		}
	}
	return size
}

// appendJSONByte appends a byte inside a JSON string; no server encoding has
// ASCII bytes in its longer characters.
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
