package datum

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/korean"
	"golang.org/x/text/encoding/simplifiedchinese"

	"github.com/pipescan/pipescan/catalog"
	"github.com/pipescan/pipescan/pgfile"
)

// charsets are the server encodings that can be converted, by their pg_enc
// number. All of them have ASCII's bytes for ASCII's characters, and for
// nothing else. EUC_CN is a part of GBK. What the server has otherwise is told in
// decodeByte, checkPairs and fromGBK.
var charsets = map[int32]encoding.Encoding{
	1: japanese.EUCJP, 2: simplifiedchinese.GBK, 3: korean.EUCKR,
	8: charmap.ISO8859_1, 9: charmap.ISO8859_2, 10: charmap.ISO8859_3, 11: charmap.ISO8859_4,
	12: charmap.ISO8859_9, 13: charmap.ISO8859_10, 14: charmap.ISO8859_13, 15: charmap.ISO8859_14,
	16: charmap.ISO8859_15, 17: charmap.ISO8859_16,
	18: charmap.Windows1256, 19: charmap.Windows1258, 20: charmap.CodePage866, 21: charmap.Windows874,
	22: charmap.KOI8R, 23: charmap.Windows1251, 24: charmap.Windows1252,
	25: charmap.ISO8859_5, 26: charmap.ISO8859_6, 27: charmap.ISO8859_7, 28: charmap.ISO8859_8,
	29: charmap.Windows1250, 30: charmap.Windows1253, 31: charmap.Windows1254, 32: charmap.Windows1255,
	33: charmap.Windows1257, 34: charmap.KOI8U,
}

// isASCII says whether s has only ASCII's bytes, which no server encoding
// gives another meaning.
func isASCII[T string | []byte](s T) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// ToUTF8 converts text of a database whose encoding has this number (pg_enc).
// SQL_ASCII is taken as UTF-8 where it is. Errors: pgfile.ErrUnsupported for an
// encoding that cannot be converted, *pgfile.CorruptError for bytes that are no
// characters of it. The result may alias b.
func ToUTF8(enc int32, b []byte) ([]byte, error) {
	const sqlASCII = 0
	if isASCII(b) {
		return b, nil
	}
	if enc == catalog.UTF8 || enc == sqlASCII {
		if !utf8.Valid(b) {
			return nil, pgfile.Corruptf(-1, "text is not UTF-8, in a database of encoding %s", catalog.EncodingName(enc))
		}
		return b, nil
	}
	c, ok := charsets[enc]
	if !ok {
		return nil, fmt.Errorf("%w: conversion from encoding %s to UTF-8", pgfile.ErrUnsupported, catalog.EncodingName(enc))
	}
	var out []byte
	var err error
	if table, ok := c.(*charmap.Charmap); ok {
		out = make([]byte, 0, len(b)+len(b)/2)
		for _, char := range b {
			out = utf8.AppendRune(out, decodeByte(enc, table, char))
		}
	} else if err = checkPairs(enc, b); err == nil {
		out, err = c.NewDecoder().Bytes(b)
		if enc == eucCN {
			out = []byte(fromGBK.Replace(string(out)))
		}
	}
	if err != nil || bytes.ContainsRune(out, utf8.RuneError) {
		return nil, pgfile.Corruptf(-1, "text has bytes that are no character of encoding %s", catalog.EncodingName(enc))
	}
	return out, nil
}

// Encodings whose tables here and in the server differ (pg_enc numbers).
const eucCN, eucKR, win1255, koi8u = 2, 3, 32, 34

// decodeByte is the character of a byte of a single-byte encoding as the
// server's tables have it, utf8.RuneError where they have none. The ISO 8859
// ones have the C1 control characters, which the tables here leave out.
func decodeByte(enc int32, table *charmap.Charmap, char byte) rune {
	iso := enc >= 8 && enc <= 17 || enc >= 25 && enc <= 28
	switch {
	case iso && char < 0xa0:
		return rune(char)
	case enc == koi8u && char == 0xae:
		return '╝'
	case enc == koi8u && char == 0xbe:
		return '╬'
	case enc == win1255 && char == 0xca:
		return utf8.RuneError
	}
	return table.DecodeByte(char)
}

// encodeRune is the inverse of decodeByte.
func encodeRune(enc int32, table *charmap.Charmap, r rune) (byte, bool) {
	if r < utf8.RuneSelf {
		return byte(r), true
	}
	for char := 0x80; char <= 0xff; char++ {
		if decodeByte(enc, table, byte(char)) == r {
			return byte(char), r != utf8.RuneError
		}
	}
	return 0, false
}

// checkPairs errs where b is not ASCII and pairs of bytes from A1 to FE, which
// is all that EUC_CN and EUC_KR have; the tables here are of GBK and code page
// 949, which have more.
func checkPairs(enc int32, b []byte) error {
	if enc != eucCN && enc != eucKR {
		return nil
	}
	for len(b) > 0 {
		switch {
		case b[0] < utf8.RuneSelf:
			b = b[1:]
		case len(b) > 1 && min(b[0], b[1]) >= 0xa1 && max(b[0], b[1]) <= 0xfe:
			b = b[2:]
		default:
			return errNotEUC
		}
	}
	return nil
}

// The middle dot and the dash of EUC_CN are other characters in GBK.
var (
	fromGBK = strings.NewReplacer("\u00b7", "\u30fb", "\u2014", "\u2015")
	toGBK   = strings.NewReplacer("\u30fb", "\u00b7", "\u2015", "\u2014")
)

var errNotEUC = errors.New("no character of EUC")

// FromUTF8 is the inverse of ToUTF8, for names that a user gives.
func FromUTF8(enc int32, s string) (string, error) {
	c, ok := charsets[enc]
	if isASCII(s) || !ok {
		return s, nil
	}
	if table, single := c.(*charmap.Charmap); single {
		b := make([]byte, 0, len(s))
		for _, r := range s {
			char, ok := encodeRune(enc, table, r)
			if !ok {
				return "", fmt.Errorf("%q has characters that encoding %s has not", s, catalog.EncodingName(enc))
			}
			b = append(b, char)
		}
		return string(b), nil
	}
	text := s
	if enc == eucCN {
		text = toGBK.Replace(s)
	}
	out, err := c.NewEncoder().String(text)
	if err == nil {
		err = checkPairs(enc, []byte(out))
	}
	if err != nil {
		return "", fmt.Errorf("%q has characters that encoding %s has not: %w", s, catalog.EncodingName(enc), err)
	}
	return out, nil
}

// Printable is ToUTF8 for names and messages: bytes that cannot be converted
// are written as \xNN.
func Printable(enc int32, name string) string {
	if out, err := ToUTF8(enc, []byte(name)); err == nil {
		return string(out)
	}
	var b strings.Builder
	for i := range len(name) {
		if c := name[i]; c < utf8.RuneSelf {
			b.WriteByte(c)
		} else {
			fmt.Fprintf(&b, `\x%02X`, c)
		}
	}
	return b.String()
}
