package datum

import (
	"bytes"
	"encoding/binary"
	"math"
	"math/big"
)

// Input of numeric (utils/adt/numeric.c). The modifier of a column is
// (precision<<16 | scale in 11 bits with sign) + 4.

const (
	maxNumericDscale = 0x3fff
	maxNumericWeight = 0x7fff
)

// decimal is a number on its way in: 0.d1d2d3... * 10^point, no leading zero.
type decimal struct {
	neg    bool
	digits []byte // values 0 to 9
	point  int    // digits before the decimal point; may be negative or past the end
	dscale int    // decimals shown
}

func overflowsNumeric() error {
	return inputErrorf(StateNumericOutOfRange, "value overflows numeric format")
}

func inputNumeric(dst, text []byte, typmod int32, e *Env) ([]byte, error) {
	b := trimSpace(text)
	neg := false
	if len(b) > 0 && (b[0] == '-' || b[0] == '+') {
		neg = b[0] == '-'
		b = b[1:]
	}
	if len(b) == 0 {
		return dst, badSyntax("numeric", text)
	}
	if !isDigit(b[0]) && b[0] != '.' {
		return inputSpecialNumeric(dst, text, b, typmod, e)
	}
	var room [64]byte
	d := decimal{neg: neg, digits: room[:0]}
	var err error
	if base, rest := radix(b); base != 10 && e.Major >= firstMajorWithRadix {
		err = d.parseRadix(rest, int(base), text)
	} else {
		err = d.parse(b, text, e.Major >= firstMajorWithRadix)
	}
	if err != nil {
		return dst, err
	}
	if err := d.fit(typmod, e.Major); err != nil {
		return dst, err
	}
	return d.appendPayload(dst)
}

// inputSpecialNumeric reads NaN and, from 14 on, the infinities. b is text
// without white space and sign.
func inputSpecialNumeric(dst, text, b []byte, typmod int32, e *Env) ([]byte, error) {
	signed := trimSpace(text)[0] == '-' || trimSpace(text)[0] == '+'
	head := uint16(0)
	switch {
	case bytes.EqualFold(b, []byte("nan")) && !signed:
		return binary.LittleEndian.AppendUint16(dst, numericSpecial), nil
	case e.Major >= 14 && (bytes.EqualFold(b, []byte("inf")) || bytes.EqualFold(b, []byte("infinity"))):
		head = numericPlusInf
		if trimSpace(text)[0] == '-' {
			head = numericNegInf
		}
	default:
		return dst, badSyntax("numeric", text)
	}
	if typmod >= 4 {
		precision, scale := numericTypmod(typmod, e.Major)
		err := inputErrorf(StateNumericOutOfRange, "numeric field overflow")
		err.Detail = formatDetail("A field with precision %d, scale %d cannot hold an infinite value.", precision, scale)
		return dst, err
	}
	return binary.LittleEndian.AppendUint16(dst, head), nil
}

func numericTypmod(typmod int32, major int) (precision, scale int) {
	n := int(typmod - 4)
	scale = n & 0xffff
	if major >= 15 {
		scale = (n&0x7ff ^ 0x400) - 0x400
	}
	return n >> 16 & 0xffff, scale
}

// parse reads digits, a point and an exponent. b has no sign.
func (d *decimal) parse(b, text []byte, underscores bool) error {
	bad := func() error { return badSyntax("numeric", text) }
	i, digits, point := 0, 0, -1
	for ; i < len(b); i++ {
		c := b[i]
		switch {
		case isDigit(c):
			d.digits = append(d.digits, c-'0')
			digits++
		case c == '.' && point < 0:
			point = digits
		case c == '_' && underscores && i > 0 && isDigit(b[i-1]) && i+1 < len(b) && isDigit(b[i+1]):
		default:
			goto exponent
		}
	}
exponent:
	if digits == 0 {
		return bad()
	}
	if point < 0 {
		point = digits
	}
	d.point, d.dscale = point, digits-point
	if i < len(b) && lower(b[i]) == 'e' {
		if !underscores { // strtol read it, which passes over blanks
			i += run(b[i+1:], isSpace)
		}
		n, used := parseExponent(b[i+1:], underscores)
		if used == 0 {
			return bad()
		}
		i += 1 + used
		if n >= math.MaxInt32/2 || n <= -math.MaxInt32/2 {
			return overflowsNumeric()
		}
		d.point += n
		d.dscale = max(d.dscale-n, 0)
	}
	if i != len(b) {
		return bad()
	}
	d.normalize()
	return nil
}

// parseExponent reads a signed integer, cut at what no numeric has.
func parseExponent(b []byte, underscores bool) (n, used int) {
	sign, i := 1, 0
	if i < len(b) && (b[i] == '-' || b[i] == '+') {
		if b[i] == '-' {
			sign = -1
		}
		i++
	}
	first := i
	for ; i < len(b); i++ {
		if b[i] == '_' && underscores && i > first && isDigit(b[i-1]) && i+1 < len(b) && isDigit(b[i+1]) {
			continue
		}
		if !isDigit(b[i]) {
			break
		}
		n = min(n*10+int(b[i]-'0'), math.MaxInt32)
	}
	if i == first {
		return 0, 0
	}
	return sign * n, i
}

// parseRadix reads an integer of base 2, 8 or 16.
func (d *decimal) parseRadix(b []byte, base int, text []byte) error {
	const mostDigits = 4 * 4 * (maxNumericWeight + 1) // binary digits of the largest value
	clean := make([]byte, 0, len(b))
	for i, c := range b {
		switch {
		case c == '_' && i > 0 && b[i-1] != '_' && i+1 < len(b):
		case int(digitOf(c)) < base:
			clean = append(clean, c)
		default:
			return badSyntax("numeric", text)
		}
	}
	if len(clean) == 0 {
		return badSyntax("numeric", text)
	}
	if len(clean) > mostDigits {
		return overflowsNumeric()
	}
	n, ok := new(big.Int).SetString(string(clean), base)
	if !ok {
		return badSyntax("numeric", text)
	}
	d.digits = append(d.digits, n.String()...)
	for i := range d.digits {
		d.digits[i] -= '0'
	}
	d.point = len(d.digits)
	d.normalize()
	return nil
}

// normalize takes leading zeros off; a zero has no digits.
func (d *decimal) normalize() {
	n := 0
	for n < len(d.digits) && d.digits[n] == 0 {
		n++
	}
	d.digits = d.digits[n:]
	d.point -= n
	if len(d.digits) == 0 {
		d.point, d.neg = 0, false
	}
}

// round rounds half away from zero to scale decimals (negative: to tens, ...).
func (d *decimal) round(scale int) {
	d.dscale = max(scale, 0)
	keep := d.point + scale
	if keep >= len(d.digits) {
		return
	}
	if keep < 0 {
		d.digits, d.point, d.neg = nil, 0, false
		return
	}
	up := d.digits[keep] >= 5
	d.digits = d.digits[:keep]
	for i := keep - 1; up && i >= 0; i-- {
		d.digits[i]++
		if up = d.digits[i] == 10; up {
			d.digits[i] = 0
		}
	}
	if up {
		d.digits = append([]byte{1}, d.digits...)
		d.point++
	}
	d.normalize()
}

// fit applies a type modifier.
func (d *decimal) fit(typmod int32, major int) error {
	if typmod < 4 {
		return nil
	}
	precision, scale := numericTypmod(typmod, major)
	d.round(scale)
	most := precision - scale
	if len(d.digits) == 0 || d.point <= most {
		return nil
	}
	err := inputErrorf(StateNumericOutOfRange, "numeric field overflow")
	power, n := "10^", most
	if most == 0 {
		power, n = "", 1
	}
	err.Detail = formatDetail("A field with precision %d, scale %d must round to an absolute value less than %s%d.", precision, scale, power, n)
	return err
}

// appendPayload groups the digits by four and writes the stored form.
func (d *decimal) appendPayload(dst []byte) ([]byte, error) {
	if d.dscale > maxNumericDscale {
		return dst, overflowsNumeric()
	}
	weight := -1 // of the group that holds the first digit
	if len(d.digits) == 0 {
		weight = 0
	} else {
		weight, _ = floorDivInt(d.point-1, 4)
	}
	if weight > maxNumericWeight {
		return dst, overflowsNumeric()
	}
	lead := 4*(weight+1) - d.point // zeros before the first digit in its group
	if len(d.digits) == 0 {
		lead = 0
	}
	groups := (lead + len(d.digits) + 3) / 4
	dst = appendNumericHeader(dst, d.neg, d.dscale, weight)
	start := len(dst)
	for g := range groups {
		v := uint16(0)
		for j := 4*g - lead; j < 4*g-lead+4; j++ {
			v *= 10
			if j >= 0 && j < len(d.digits) {
				v += uint16(d.digits[j])
			}
		}
		dst = binary.LittleEndian.AppendUint16(dst, v)
	}
	for len(dst) > start && dst[len(dst)-1] == 0 && dst[len(dst)-2] == 0 {
		dst = dst[:len(dst)-2]
	}
	return dst, nil
}

// appendNumericHeader picks the short form where it fits.
func appendNumericHeader(dst []byte, neg bool, dscale, weight int) []byte {
	le := binary.LittleEndian
	if dscale <= 0x3f && weight >= -64 && weight <= 63 {
		head := uint16(numericShort) | uint16(dscale)<<7 | uint16(weight)&0x7f
		if neg {
			head |= 0x2000
		}
		return le.AppendUint16(dst, head)
	}
	head := uint16(dscale)
	if neg {
		head |= 0x4000
	}
	return le.AppendUint16(le.AppendUint16(dst, head), uint16(int16(weight)))
}

// floorDivInt divides rounding down.
func floorDivInt(a, b int) (quotient, remainder int) {
	q, r := floorDiv(int64(a), int64(b))
	return int(q), int(r)
}
