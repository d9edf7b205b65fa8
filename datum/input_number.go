package datum

import (
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
	limit := uint64(1) << (bits - 1)
	if !neg {
		limit--
	}
	base, b := uint64(10), b
	if e.Major >= firstMajorWithRadix {
		base, b = radix(b)
	}
	n, ok, over := digitsValue(b, base, limit, e.Major >= firstMajorWithRadix)
	switch {
	case !ok:
		return 0, badSyntax(typ, text)
	case over:
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
			return 0, false, false
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

// parseCUnsigned reads what strtoul with base 0 reads: decimal, 0 octal, 0x
// hexadecimal, and a sign that wraps around.
func parseCUnsigned(text []byte, bits int, typ string) (uint64, error) {
	b := trimSpace(text)
	neg := false
	if len(b) > 0 && (b[0] == '-' || b[0] == '+') {
		neg, b = b[0] == '-', b[1:]
	}
	base := uint64(10)
	switch {
	case len(b) > 2 && b[0] == '0' && lower(b[1]) == 'x':
		base, b = 16, b[2:]
	case len(b) > 1 && b[0] == '0':
		base, b = 8, b[1:]
	}
	n, ok, over := digitsValue(b, base, math.MaxUint64, false)
	if !ok {
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

func inputOID(dst, text []byte, _ int32, _ *Env) ([]byte, error) {
	// oidin reads with base 10, unlike xidin.
	b := trimSpace(text)
	if len(b) > 1 && b[0] == '0' {
		for len(b) > 1 && b[0] == '0' && isDigit(b[1]) {
			b = b[1:]
		}
		if len(b) > 1 && b[0] == '0' {
			return dst, badSyntax("oid", text)
		}
	}
	n, err := parseCUnsigned(b, 32, "oid")
	if err, ok := err.(*InputError); ok {
		err.Message = strings.Replace(err.Message, `"`+string(b)+`"`, `"`+string(text)+`"`, 1)
		return dst, err
	}
	return binary.LittleEndian.AppendUint32(dst, uint32(n)), err
}

func inputXID(dst, text []byte, _ int32, _ *Env) ([]byte, error) {
	n, err := parseCUnsigned(text, 32, "xid")
	return binary.LittleEndian.AppendUint32(dst, uint32(n)), err
}

func inputXID8(dst, text []byte, _ int32, _ *Env) ([]byte, error) {
	n, err := parseCUnsigned(text, 64, "xid8")
	return binary.LittleEndian.AppendUint64(dst, n), err
}

// inputTID reads (block,offset).
func inputTID(dst, text []byte, _ int32, _ *Env) ([]byte, error) {
	bad := badSyntax("tid", text)
	body, ok := strings.CutPrefix(string(text), "(")
	if body, ok2 := strings.CutSuffix(body, ")"); ok && ok2 {
		block, offset, _ := strings.Cut(body, ",")
		b, err := strconv.ParseUint(block, 10, 32)
		o, err2 := strconv.ParseUint(offset, 10, 16)
		if err != nil || err2 != nil {
			return dst, bad
		}
		dst = binary.LittleEndian.AppendUint16(dst, uint16(b>>16))
		dst = binary.LittleEndian.AppendUint16(dst, uint16(b))
		return binary.LittleEndian.AppendUint16(dst, uint16(o)), nil
	}
	return dst, bad
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

func inputFloat4(dst, text []byte, _ int32, _ *Env) ([]byte, error) {
	f, err := parseFloat(text, 32, "real")
	return binary.LittleEndian.AppendUint32(dst, math.Float32bits(float32(f))), err
}

func inputFloat8(dst, text []byte, _ int32, _ *Env) ([]byte, error) {
	f, err := parseFloat(text, 64, "double precision")
	return binary.LittleEndian.AppendUint64(dst, math.Float64bits(f)), err
}

// parseFloat reads what strtod reads: decimal and hexadecimal numbers,
// infinities and NaN. A number that is not zero but would become it is out of
// range, as one that would become infinite.
func parseFloat(text []byte, bits int, typ string) (float64, error) {
	b := string(trimSpace(text))
	s := b
	if s != "" && (s[0] == '-' || s[0] == '+') {
		s = s[1:]
	}
	switch strings.ToLower(s) {
	case "":
		return 0, badSyntax(typ, text)
	case "nan":
		return math.Float64frombits(0x7ff8 << 48), nil // as C has it: Go sets one more bit
	case "inf", "infinity":
		if b[0] == '-' {
			return math.Inf(-1), nil
		}
		return math.Inf(1), nil
	}
	if !isDigit(s[0]) && s[0] != '.' || strings.IndexByte(s, '_') >= 0 {
		return 0, badSyntax(typ, text)
	}
	hex := len(s) > 1 && lower(s[1]) == 'x'
	if hex && !strings.ContainsAny(s, "pP") {
		b += "p0"
	}
	f, err := strconv.ParseFloat(b, bits)
	if num, ok := err.(*strconv.NumError); ok && num.Err != strconv.ErrRange {
		return 0, badSyntax(typ, text)
	}
	if err != nil || f == 0 && hasNonZeroDigit(s, hex) {
		return 0, inputErrorf(StateNumericOutOfRange, `"%s" is out of range for type %s`, trimSpace(text), typ)
	}
	return f, nil
}

// hasNonZeroDigit looks at the digits before the exponent.
func hasNonZeroDigit(s string, hex bool) bool {
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

// inputMoney reads cash_in's text under lc_monetary C: an optional sign or
// parentheses, an optional $, digits with commas, at most two decimals (a third
// rounds).
func inputMoney(dst, text []byte, _ int32, _ *Env) ([]byte, error) {
	s := strings.TrimSpace(string(text))
	bad := badSyntax("money", text)
	neg, paren := false, false
	s = strings.TrimPrefix(s, "$")
	switch {
	case strings.HasPrefix(s, "-"):
		neg, s = true, s[1:]
	case strings.HasPrefix(s, "("):
		neg, paren, s = true, true, s[1:]
	case strings.HasPrefix(s, "+"):
		s = s[1:]
	}
	s = strings.TrimPrefix(strings.TrimSpace(s), "$")
	if paren {
		var ok bool
		if s, ok = strings.CutSuffix(s, ")"); !ok {
			return dst, bad
		}
	}
	if rest, ok := strings.CutSuffix(strings.TrimSpace(s), "-"); ok && !neg {
		neg, s = true, rest
	}
	whole, frac, _ := strings.Cut(strings.TrimSpace(s), ".")
	var n uint64
	digits := 0
	over := false
	add := func(c byte) {
		if over = over || n > (1<<63-uint64(c-'0'))/10; !over {
			n = n*10 + uint64(c-'0')
		}
	}
	for i := range len(whole) {
		if c := whole[i]; isDigit(c) {
			digits++
			add(c)
		} else if c != ',' {
			return dst, bad
		}
	}
	round := false
	for i := range max(len(frac), 2) {
		c := byte('0')
		if i < len(frac) {
			c = frac[i]
			digits++
		}
		switch {
		case !isDigit(c):
			return dst, bad
		case i < 2:
			add(c)
		case i == 2:
			round = c >= '5'
		}
	}
	if digits == 0 && whole == "" && frac == "" && strings.IndexByte(s, '.') < 0 {
		return dst, bad
	}
	if round {
		n++
	}
	if over || n > math.MaxInt64 && !(neg && n == 1<<63) {
		return dst, inputErrorf(StateNumericOutOfRange, `value "%s" is out of range for type money`, text)
	}
	if neg {
		n = -n
	}
	return binary.LittleEndian.AppendUint64(dst, n), nil
}
