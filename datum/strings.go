package datum

import (
	"bytes"
	"encoding/hex"

	"github.com/pipescan/pipescan/pgfile"
)

// Character types and bytea. Text is printed as it is stored, in the
// database's encoding; bpchar keeps its trailing blanks.

// checkText refuses a NUL byte, which no input function lets in and at which
// the server would silently cut the value.
func checkText(v []byte) error {
	if i := bytes.IndexByte(v, 0); i >= 0 {
		return pgfile.Corruptf(-1, "a text value of %d bytes has a NUL at byte %d", len(v), i)
	}
	return nil
}

func textText(dst, v []byte, _ *Env) ([]byte, error) {
	if err := checkText(v); err != nil {
		return dst, err
	}
	return append(dst, v...), nil
}

func valueText(v []byte, _ *Env) (any, error) {
	if err := checkText(v); err != nil {
		return nil, err
	}
	return string(v), nil
}

// nameLength is NAMEDATALEN.
const nameLength = 64

// trimName returns the bytes of a name before its padding. Shorter payloads
// are accepted: index tuples hold names as cstrings.
func trimName(v []byte) ([]byte, error) {
	if len(v) > nameLength {
		return nil, wrongLength("name", nameLength, v)
	}
	if i := bytes.IndexByte(v, 0); i >= 0 {
		return v[:i], nil
	}
	if len(v) == nameLength {
		return nil, pgfile.Corruptf(-1, "a value of type name fills all its %d bytes and has no NUL", nameLength)
	}
	return v, nil
}

func textName(dst, v []byte, _ *Env) ([]byte, error) {
	n, err := trimName(v)
	return append(dst, n...), err
}

func valueName(v []byte, _ *Env) (any, error) {
	n, err := trimName(v)
	if err != nil {
		return nil, err
	}
	return string(n), nil
}

// textChar renders the type "char". A zero byte is the empty string. From 16
// on bytes with the high bit are printed as a backslash and three octal
// digits; before, as they are.
func textChar(dst, v []byte, e *Env) ([]byte, error) {
	if len(v) != 1 {
		return dst, wrongLength(`"char"`, 1, v)
	}
	c := v[0]
	switch {
	case c == 0:
		return dst, nil
	case c >= 0x80 && e.Major >= 15:
		return append(dst, '\\', '0'+c>>6, '0'+c>>3&7, '0'+c&7), nil
	}
	return append(dst, c), nil
}

func valueChar(v []byte, _ *Env) (any, error) {
	if len(v) != 1 {
		return nil, wrongLength(`"char"`, 1, v)
	}
	return Char(v[0]), nil
}

func textBytea(dst, v []byte, _ *Env) ([]byte, error) {
	return hex.AppendEncode(append(dst, '\\', 'x'), v), nil
}

func valueBytea(v []byte, _ *Env) (any, error) {
	return append([]byte{}, v...), nil
}

func textUUID(dst, v []byte, _ *Env) ([]byte, error) {
	if len(v) != 16 {
		return dst, wrongLength("uuid", 16, v)
	}
	return appendUUID(dst, v), nil
}

func valueUUID(v []byte, _ *Env) (any, error) {
	if len(v) != 16 {
		return nil, wrongLength("uuid", 16, v)
	}
	return UUID(v), nil
}
