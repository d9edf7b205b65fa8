package qual

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/pipescan/pipescan/catalog"
	"github.com/pipescan/pipescan/datum"
)

// encode brings the text of a literal from UTF-8, in which expressions are
// written, into the database's encoding, in which values are compared.
func (a *analyzer) encode(text string) (string, error) {
	enc := a.Env.Encoding
	if isASCII([]byte(text)) || enc == catalog.UTF8 || enc == sqlASCII {
		return text, nil
	}
	out, err := datum.FromUTF8(enc, text)
	switch {
	case err != nil:
		return "", a.noEquivalent(text)
	case out == text: // with characters beyond ASCII, so nothing was converted
		return "", unsupportedf("text beyond ASCII in a database of encoding %s", catalog.EncodingName(enc))
	}
	return out, nil
}

// sqlASCII is the encoding of databases that do not say what their bytes mean.
const sqlASCII = 0

// noEquivalent names the first character that the encoding lacks.
func (a *analyzer) noEquivalent(text string) error {
	for _, r := range text {
		c := string(r)
		if r < utf8.RuneSelf {
			continue
		}
		if _, err := datum.FromUTF8(a.Env.Encoding, c); err != nil {
			bytes := strings.ReplaceAll(fmt.Sprintf("% x", c), " ", " 0x")
			return sqlErrorf("22P05", `character with byte sequence 0x%s in encoding "UTF8" has no equivalent in encoding %q`, bytes, catalog.EncodingName(a.Env.Encoding))
		}
	}
	return sqlErrorf("22P05", "text has no equivalent in encoding %q", catalog.EncodingName(a.Env.Encoding))
}

// isColumn says whether a name, in UTF-8 or as the catalog has it, is a column's.
func (a *analyzer) isColumn(c *Column, name string) bool {
	if c.Name == name {
		return true
	}
	if isASCII([]byte(name)) {
		return false
	}
	raw, err := datum.FromUTF8(a.Env.Encoding, name)
	return err == nil && raw == c.Name
}
