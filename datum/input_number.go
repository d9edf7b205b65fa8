package datum

import (
	"bytes"
	"encoding/binary"
	"math"
	"strconv"
	"strings"
)

// Input of integers (pg_strtoint32_safe and its kin), oids, floats, bool,
// money, tid, pg_lsn.

// firstMajorWithRadix is the first version whose integer and numeric inputs
// read 0x, 0o and 0b, and underscores between digits.
const firstMajorWithRadix = 16

// parseInteger reads a signed integer of bits bits.
func parseInteger(text []byte, bits int, typ string, e *Env) (int64, error) {
	b := trimSpace(text)
	// The common case: up to 18 decimal digits.
	neg := false
	if len(b) > 0 && (b[0] == '-' || b[0] == '+') {
		neg = b[0] == '-'
		b = b[1:]
	}
	if len(b) == 0 {
		return 0, badSyntax(typ, text)
	}
	limit := uint64(1) << (bits - 1) // of a negative one: digits are gathered on that side
	base, b := uint64(10), b
	if e.Major >= firstMajorWithRadix {
		base, b = radix(b)
	}
	n, ok, over := digitsValue(b, base, limit, e.Major >= firstMajorWithRadix)
	switch {
	case !ok && !over:
		return 0, badSyntax(typ, text)
	case over || !neg && n == limit: // an overflow is found before what comes behind it is looked at
		return 0, inputErrorf(StateNumericOutOfRange, `value "%s" is out of range for type %s`, text, typ)
	case neg:
		return -int64(n), nil
	}
	return int64(n), nil
}

// radix takes a prefix such as 0x off, but only where something follows it: an
// underscore may.
func radix(b []byte) (base uint64, rest []byte) {
	if len(b) < 2 || b[0] != '0' {
		return 10, b
	}
	switch lower(b[1]) {
	case 'x':
		base = 16
	case 'o':
		base = 8
	case 'b':
		base = 2
	default:
		return 10, b
	}
	b = b[2:]
	if len(b) > 0 && b[0] == '_' {
		b = b[1:]
		if len(b) == 0 {
			return base, []byte{'_'} // no digit: an error
		}
	}
	return base, b
}

// digitsValue reads digits of a base; ok says that all of b are digits, over
// that the value is past limit. Underscores may stand between two digits.
func digitsValue(b []byte, base, limit uint64, underscores bool) (n uint64, ok, over bool) {
	digit := false
	for _, c := range b {
		d := uint64(digitOf(c))
		switch {
		case c == '_' && underscores && digit:
			digit = false
			continue
		case d >= base:
			return 0, false, over
		}
		digit = true
		if over = over || n > (limit-min(d, limit))/base; !over {
			n = n*base + d
			over = n > limit
		}
	}
	return n, digit, over
}

// digitOf is the value of a digit, or 255.
func digitOf(c byte) byte {
	switch {
	case isDigit(c):
		return c - '0'
	case lower(c) >= 'a' && lower(c) <= 'f':
		return lower(c) - 'a' + 10
	}
	return 255
}

func inputInt2(dst, text []byte, _ int32, e *Env) ([]byte, error) {
	n, err := parseInteger(text, 16, "smallint", e)
	return binary.LittleEndian.AppendUint16(dst, uint16(n)), err
}

func inputInt4(dst, text []byte, _ int32, e *Env) ([]byte, error) {
	n, err := parseInteger(text, 32, "integer", e)
	return binary.LittleEndian.AppendUint32(dst, uint32(n)), err
}

func inputInt8(dst, text []byte, _ int32, e *Env) ([]byte, error) {
	n, err := parseInteger(text, 64, "bigint", e)
	return binary.LittleEndian.AppendUint64(dst, uint64(n)), err
}

// parseCUnsigned reads what strtoul reads, with base 10 or, if anyBase, with
// base 0: decimal, 0 octal, 0x hexadecimal. A sign wraps around.
func parseCUnsigned(text []byte, bits int, typ string, anyBase bool) (uint64, error) {
	b := trimSpace(text)
	neg := false
	if len(b) > 0 && (b[0] == '-' || b[0] == '+') {
		neg, b = b[0] == '-', b[1:]
	}
	base := uint64(10)
	switch {
	case !anyBase:
	case len(b) > 2 && b[0] == '0' && lower(b[1]) == 'x':
		base, b = 16, b[2:]
	case len(b) > 1 && b[0] == '0':
		base, b = 8, b[1:]
	}
	n, ok, over := digitsValue(b, base, math.MaxUint64, false)
	if !ok && !over {
		return 0, badSyntax(typ, text)
	}
	if neg {
		n = -n
	}
	// A 32-bit id may be written as the sign-extended number that it wraps to.
	if over || bits == 32 && n != uint64(uint32(n)) && n != uint64(int64(int32(uint32(n)))) {
		return 0, inputErrorf(StateNumericOutOfRange, `value "%s" is out of range for type %s`, text, typ)
	}
	return n, nil
}

func inputOID(dst, text []byte, _ int32, e *Env) ([]byte, error) {
	n, err := parseCUnsigned(text, 32, "oid", e.Major >= firstMajorWithRadix)
	return binary.LittleEndian.AppendUint32(dst, uint32(n)), err
}

func inputXID(dst, text []byte, _ int32, _ *Env) ([]byte, error) {
	n, err := parseCUnsigned(text, 32, "xid", true)
	return binary.LittleEndian.AppendUint32(dst, uint32(n)), err
}

func inputXID8(dst, text []byte, _ int32, _ *Env) ([]byte, error) {
	n, err := parseCUnsigned(text, 64, "xid8", true)
	return binary.LittleEndian.AppendUint64(dst, n), err
}

// inputTID reads (block,offset), as tidin does, to which strtoul's blanks and
// signs are welcome and what follows the parenthesis is nothing.
func inputTID(dst, text []byte, _ int32, _ *Env) ([]byte, error) {
	bad := badSyntax("tid", text)
	before, body, ok := strings.Cut(string(text), "(")
	body, _, ok2 := strings.Cut(body, ")")
	block, offset, ok3 := strings.Cut(body, ",")
	if !ok || !ok2 || !ok3 || strings.IndexByte(before, ',') >= 0 {
		return dst, bad
	}
	b, err := strconv.ParseInt(strings.TrimLeft(block, " \t\n\v\f\r"), 10, 64)
	o, err2 := strconv.ParseInt(strings.TrimLeft(offset, " \t\n\v\f\r"), 10, 64)
	if err != nil || err2 != nil || b > math.MaxUint32 || b < -math.MaxUint32>>1 || o > math.MaxUint16 || o < 0 {
		return dst, bad
	}
	dst = binary.LittleEndian.AppendUint16(dst, uint16(uint32(b)>>16))
	dst = binary.LittleEndian.AppendUint16(dst, uint16(b))
	return binary.LittleEndian.AppendUint16(dst, uint16(o)), nil
}

// inputLSN reads XXXXXXXX/XXXXXXXX.
func inputLSN(dst, text []byte, _ int32, _ *Env) ([]byte, error) {
	hi, lo, ok := strings.Cut(string(text), "/")
	h, err := strconv.ParseUint(hi, 16, 32)
	l, err2 := strconv.ParseUint(lo, 16, 32)
	if !ok || err != nil || err2 != nil || len(hi) > 8 || len(lo) > 8 {
		return dst, badSyntax("pg_lsn", text)
	}
	return binary.LittleEndian.AppendUint64(dst, h<<32|l), nil
}

// inputBool takes the words' unique beginnings.
func inputBool(dst, text []byte, _ int32, _ *Env) ([]byte, error) {
	b := trimSpace(text)
	if len(b) == 1 {
		switch b[0] {
		case 't', 'T', 'y', 'Y', '1':
			return append(dst, 1), nil
		case 'f', 'F', 'n', 'N', '0':
			return append(dst, 0), nil
		}
	}
	if len(b) > 1 && len(b) <= 5 {
		s := strings.ToLower(string(b))
		switch {
		case strings.HasPrefix("true", s), strings.HasPrefix("yes", s), s == "on":
			return append(dst, 1), nil
		case strings.HasPrefix("false", s), strings.HasPrefix("no", s), strings.HasPrefix("off", s):
			return append(dst, 0), nil
		}
	}
	return dst, badSyntax("boolean", text)
}

func inputFloat4(dst, text []byte, _ int32, e *Env) ([]byte, error) {
	f, err := parseFloat(text, 32, "real", e)
	return binary.LittleEndian.AppendUint32(dst, math.Float32bits(float32(f))), err
}

func inputFloat8(dst, text []byte, _ int32, e *Env) ([]byte, error) {
	f, err := parseFloat(text, 64, "double precision", e)
	return binary.LittleEndian.AppendUint64(dst, math.Float64bits(f)), err
}

// parseFloat reads what strtod reads: decimal and hexadecimal numbers,
// infinities and NaN. A number that is not zero but would become it is out of
// range, as one that would become infinite.
func parseFloat(text []byte, bits int, typ string, e *Env) (float64, error) {
	b := trimSpace(text)
	n := floatPrefix(b)
	if n == 0 {
		return parseFloatWord(b, text, typ)
	}
	digits := b[run(b[:1], func(c byte) bool { return c == '+' || c == '-' }):n]
	hex := len(digits) > 1 && lower(digits[1]) == 'x'
	var f float64
	var err error
	if hex && !bytes.ContainsAny(digits, "pP") {
		f, err = strconv.ParseFloat(string(b[:n])+"p0", bits)
	} else {
		f, err = strconv.ParseFloat(string(b[:n]), bits) // short ones need no allocation
	}
	if num, ok := err.(*strconv.NumError); ok && num.Err != strconv.ErrRange {
		return 0, badSyntax(typ, text)
	}
	switch {
	case err != nil || f == 0 && hasNonZeroDigit(digits, hex):
		if bits == 32 && e.Major < 16 {
			b, n = text, len(text) // float4in had not learnt yet to name the number alone
		}
		return 0, inputErrorf(StateNumericOutOfRange, `"%s" is out of range for type %s`, b[:n], typ)
	case n != len(b):
		return 0, badSyntax(typ, text)
	}
	return f, nil
}

// parseFloatWord reads infinities and NaN; b is text without white space.
func parseFloatWord(b, text []byte, typ string) (float64, error) {
	s := strings.ToLower(string(b))
	neg := strings.HasPrefix(s, "-")
	if neg || strings.HasPrefix(s, "+") {
		s = s[1:]
	}
	switch s {
	case "nan":
		return math.Float64frombits(0x7ff8 << 48), nil // as C has it: Go sets one more bit
	case "inf", "infinity":
		if neg {
			return math.Inf(-1), nil
		}
		return math.Inf(1), nil
	}
	return 0, badSyntax(typ, text)
}

// floatPrefix is the length of the number at the start of b, 0 if none.
func floatPrefix(b []byte) int {
	n := 0
	if n < len(b) && (b[n] == '-' || b[n] == '+') {
		n++
	}
	isDigitOf, exponent := isDigit, byte('e')
	if n+2 < len(b) && b[n] == '0' && lower(b[n+1]) == 'x' && (digitOf(b[n+2]) < 16 || b[n+2] == '.') {
		n += 2
		isDigitOf, exponent = func(c byte) bool { return digitOf(c) < 16 }, 'p'
	}
	whole := run(b[n:], isDigitOf)
	n += whole
	frac := 0
	if n < len(b) && b[n] == '.' {
		frac = run(b[n+1:], isDigitOf)
		if whole+frac > 0 {
			n += 1 + frac
		}
	}
	if whole+frac == 0 {
		return 0
	}
	if n < len(b) && lower(b[n]) == exponent {
		e := n + 1
		if e < len(b) && (b[e] == '-' || b[e] == '+') {
			e++
		}
		if digits := run(b[e:], isDigit); digits > 0 {
			n = e + digits
		}
	}
	return n
}

// hasNonZeroDigit looks at the digits before the exponent.
func hasNonZeroDigit(s []byte, hex bool) bool {
	stop := "eE"
	if hex {
		s, stop = s[2:], "pP"
	}
	for i := 0; i < len(s) && strings.IndexByte(stop, s[i]) < 0; i++ {
		if s[i] != '0' && s[i] != '.' {
			return true
		}
	}
	return false
}

// inputMoney reads cash_in's text under lc_monetary C: signs, parentheses and
// dollars around digits with commas and at most two decimals (a third rounds).
func inputMoney(dst, text []byte, _ int32, _ *Env) ([]byte, error) {
	b := skipSpace(text)
	if len(b) > 0 && b[0] == '$' {
		b = skipSpace(b[1:])
	}
	neg := false
	if len(b) > 0 && (b[0] == '-' || b[0] == '(' || b[0] == '+') {
		neg, b = b[0] != '+', skipSpace(b[1:])
	}
	if len(b) > 0 && b[0] == '$' {
		b = skipSpace(b[1:])
	}
	n, over, rest := moneyDigits(b)
	for ; len(rest) > 0; rest = rest[1:] {
		switch c := rest[0]; {
		case isSpace(c), c == ')', c == '+', c == '$':
		case c == '-':
			neg = true
		default:
			return dst, badSyntax("money", text)
		}
	}
	if over || n > math.MaxInt64 && (!neg || n != 1<<63) {
		return dst, inputErrorf(StateNumericOutOfRange, `value "%s" is out of range for type money`, text)
	}
	if neg {
		n = -n
	}
	return binary.LittleEndian.AppendUint64(dst, n), nil
}

// moneyDigits reads digits, commas and a point into hundredths.
func moneyDigits(b []byte) (n uint64, over bool, rest []byte) {
	add := func(c byte) {
		if over = over || n > (1<<63-uint64(c-'0'))/10; !over {
			n = n*10 + uint64(c-'0')
		}
	}
	decimals := -1
	for ; len(b) > 0; b = b[1:] {
		c := b[0]
		switch {
		case isDigit(c) && decimals < 2:
			add(c)
			if decimals >= 0 {
				decimals++
			}
		case c == '.' && decimals < 0:
			decimals = 0
		case c == ',':
		default:
			goto done
		}
	}
done:
	for decimals = max(decimals, 0); decimals < 2; decimals++ {
		add('0')
	}
	if len(b) > 0 && isDigit(b[0]) {
		if b[0] >= '5' {
			n++
		}
		b = b[run(b, isDigit):]
	}
	return n, over, b
}

// skipSpace takes white space off the start.
func skipSpace(b []byte) []byte { return b[run(b, isSpace):] }
