package qual

import (
	"bytes"
	"math"

	"github.com/pipescan/pipescan/catalog"
)

// Characters. Positions and lengths count characters of the database's
// encoding.

// maxText is the longest value the server makes (MaxAllocSize less a header).
const maxText = 0x3fffffff - varlenaHeader

// charLen is how many bytes the first character of b has.
func charLen(b []byte) int {
	n := 1
	switch c := b[0]; {
	case c < 0xc0:
	case c < 0xe0:
		n = 2
	case c < 0xf0:
		n = 3
	case c < 0xf8:
		n = 4
	}
	return min(n, len(b))
}

// singleByte says whether each byte of an encoding is a character (pg_enc).
func singleByte(encoding int32) bool { return encoding == 0 || encoding >= 8 && encoding <= 34 }

func isASCII(b []byte) bool {
	for _, c := range b {
		if c >= 0x80 {
			return false
		}
	}
	return true
}

// chars says whether b is counted by bytes (true) or by UTF-8's characters;
// other encodings are an error for all but ASCII.
func (c *fctx) bytewise(b []byte) (bool, error) {
	enc := c.env.Encoding
	switch {
	case singleByte(enc), isASCII(b):
		return true, nil
	case enc == catalog.UTF8:
		return false, nil
	}
	return false, unsupportedf("counting characters of encoding %s", catalog.EncodingName(enc))
}

// countChars is the number of characters.
func (c *fctx) countChars(b []byte) (int, error) {
	byByte, err := c.bytewise(b)
	if err != nil || byByte {
		return len(b), err
	}
	n := 0
	for len(b) > 0 {
		b = b[charLen(b):]
		n++
	}
	return n, nil
}

// skipChars is the offset behind the first n characters, or the length.
func (c *fctx) skipChars(b []byte, n int) (int, error) {
	byByte, err := c.bytewise(b)
	if err != nil {
		return 0, err
	}
	if byByte || n <= 0 {
		return max(min(n, len(b)), 0), nil
	}
	off := 0
	for ; n > 0 && off < len(b); n-- {
		off += charLen(b[off:])
	}
	return off, nil
}

func nameText(b []byte) []byte {
	if i := bytes.IndexByte(b, 0); i >= 0 {
		return b[:i]
	}
	return b
}

func trimBlanks(b []byte) []byte { return bytes.TrimRight(b, " ") }

// compareText compares under the call's collation.
func compareText(l, r func([]byte) []byte) cmpFunc {
	return func(c *fctx, a, b []byte) (int, error) {
		if err := c.orderable(); err != nil {
			return 0, err
		}
		return bytes.Compare(l(a), r(b)), nil
	}
}

// equalText is equality: that of the bytes under every deterministic
// collation.
func equalText(l, r func([]byte) []byte) cmpFunc {
	return func(c *fctx, a, b []byte) (int, error) {
		if err := c.deterministic(); err != nil {
			return 0, err
		}
		if bytes.Equal(l(a), r(b)) {
			return 0, nil
		}
		return 1, nil
	}
}

func errCollation() error {
	return sqlErrorf("42P22", "could not determine which collation to use for string comparison")
}

// orderable errs unless the order of the collation is that of the bytes.
func (c *fctx) orderable() error {
	switch {
	case c.coll.indeterminate:
		return errCollation()
	case !c.coll.bytewise:
		return unsupportedf("order of text under collation %s", c.coll.name)
	}
	return nil
}

// deterministic errs unless equal values have equal bytes.
func (c *fctx) deterministic() error {
	switch {
	case c.coll.indeterminate:
		return errCollation()
	case !c.coll.deterministic:
		return unsupportedf("equality of text under the nondeterministic collation %s", c.coll.name)
	}
	return nil
}

// caseable errs unless the case rules for b are those of ASCII.
func (c *fctx) caseable(b []byte) error {
	switch {
	case c.coll.indeterminate:
		return sqlErrorf("42P22", "could not determine which collation to use for %s function", "lower()")
	case c.coll.cType:
		return nil
	case c.coll.special, !isASCII(b):
		return unsupportedf("case of characters beyond ASCII under collation %s", c.coll.name)
	}
	return nil
}

func identity(b []byte) []byte { return b }

func init() {
	sides := map[string]func([]byte) []byte{"text": identity, "name": nameText}
	for l, lf := range sides {
		for r, rf := range sides {
			order, equal := compareText(lf, rf), equalText(lf, rf)
			eq := l + "eq" + r
			ordering := l // nameltname is namelt, textlttext is text_lt
			suffix := r
			switch {
			case l == "text" && r == "text":
				eq, ordering, suffix = "texteq", "text_", ""
			case l == r:
				eq, suffix = "nameeq", ""
			}
			registerText(ordering, suffix, order)
			comparisons[eq] = &comparison{op: opEq, cmp: equal}
			ne := map[string]string{"texteq": "textne", "nameeq": "namene"}[eq]
			if ne == "" {
				ne = l + "ne" + r
			}
			comparisons[ne] = &comparison{op: opNe, cmp: equal}
			collationSensitive[eq], collationSensitive[ne] = true, true
		}
	}
	registerText("bpchar", "", compareText(trimBlanks, trimBlanks))
	comparisons["bpchareq"] = &comparison{op: opEq, cmp: equalText(trimBlanks, trimBlanks)}
	comparisons["bpcharne"] = &comparison{op: opNe, cmp: equalText(trimBlanks, trimBlanks)}
	collationSensitive["bpchareq"], collationSensitive["bpcharne"] = true, true
	plain := func(trim func([]byte) []byte) cmpFunc {
		return func(_ *fctx, a, b []byte) (int, error) { return bytes.Compare(trim(a), trim(b)), nil }
	}
	family("text_pattern_", phNone, phNone, plain(identity))
	family("bpchar_pattern_", phNone, phNone, plain(trimBlanks))
	textFunctions()
	textCasts()
}

// registerText registers the four orderings.
func registerText(name, behind string, f cmpFunc) {
	for _, op := range []cmpOp{opLt, opLe, opGt, opGe} {
		full := name + cmpSuffixes[op] + behind
		comparisons[full] = &comparison{op: op, cmp: f}
		collationSensitive[full] = true
	}
}

// tooLong errs when a result would be longer than a value may be.
func tooLong(n int) error {
	if n > maxText {
		return sqlErrorf("54000", "requested length too large")
	}
	return nil
}

// substr is text_substring over units that skip counts: from a position (1 is
// the first) for a length; negative is to the end.
func substr(b []byte, from, length int64, toEnd bool, skip func(b []byte, n int) (int, error)) ([]byte, error) {
	end := int64(math.MaxInt32) + 1
	if !toEnd {
		if length < 0 {
			return nil, sqlErrorf("22011", "negative substring length not allowed")
		}
		end = from + length
	}
	start := max(from, 1)
	if end <= start {
		return noBytes, nil
	}
	off, err := skip(b, int(start-1))
	if err != nil {
		return nil, err
	}
	rest := b[off:]
	n, err := skip(rest, int(end-start))
	return rest[:n], err
}
