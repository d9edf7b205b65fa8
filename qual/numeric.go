package qual

import (
	"cmp"
	"encoding/binary"
	"math/big"
	"strconv"
)

// numeric values are computed as whole numbers of their smallest decimal:
//
//	value = (neg) unscaled * 10^-scale
//
// with scale at least dscale, the decimals shown. The payload's bytes are drawn
// in package datum. The rules for the decimals of results are those of
// utils/adt/numeric.c.

// Heads of special values.
const (
	headSpecial = 0xC000
	headNaN     = 0xC000
	headPlusInf = 0xD000
	headNegInf  = 0xF000

	numericBase    = 10000
	baseDigits     = 4
	maxWeight      = 0x7fff
	maxStoredScale = 0x3fff
	maxShownScale  = 1000 // NUMERIC_MAX_DISPLAY_SCALE
	minSigDigits   = 16   // NUMERIC_MIN_SIG_DIGITS
)

// num is a numeric taken apart. digits aliases the payload, two bytes each.
type num struct {
	special uint16 // headNaN, headPlusInf, headNegInf or 0
	neg     bool
	dscale  int
	weight  int
	digits  []byte
}

func parseNum(v []byte) (num, error) {
	if len(v) < 2 || len(v)%2 != 0 {
		return num{}, errShort("numeric")
	}
	head := binary.LittleEndian.Uint16(v)
	n := num{digits: v[2:]}
	switch head & headSpecial {
	case headSpecial:
		n.special, n.digits = head&headNegInf, nil
		if n.special != headPlusInf && n.special != headNegInf {
			n.special = headNaN
		}
		return n, nil
	case 0x8000:
		n.neg = head&0x2000 != 0
		n.dscale = int(head >> 7 & 0x3f)
		n.weight = int(int8(head<<1)) >> 1
	default:
		if len(v) < 4 {
			return num{}, errShort("numeric")
		}
		n.neg = head&headSpecial == 0x4000
		n.dscale = int(head & 0x3fff)
		n.weight = int(int16(binary.LittleEndian.Uint16(v[2:])))
		n.digits = v[4:]
	}
	return n, n.normalize()
}

// normalize drops zero digits at both ends, of which sound values have none.
func (n *num) normalize() error {
	for len(n.digits) > 0 && n.digits[0] == 0 && n.digits[1] == 0 {
		n.digits = n.digits[2:]
		n.weight--
	}
	for l := len(n.digits); l > 0 && n.digits[l-1] == 0 && n.digits[l-2] == 0; l = len(n.digits) {
		n.digits = n.digits[:l-2]
	}
	if len(n.digits) == 0 {
		n.weight, n.neg = 0, false
	}
	for i := 0; i < len(n.digits); i += 2 {
		if binary.LittleEndian.Uint16(n.digits[i:]) >= numericBase {
			return sqlErrorf("XX001", "a numeric value has a digit that is not below %d", numericBase)
		}
	}
	return nil
}

func (n *num) ndigits() int { return len(n.digits) / 2 }

func (n *num) digit(i int) uint16 { return binary.LittleEndian.Uint16(n.digits[2*i:]) }

func (n *num) isZero() bool { return n.special == 0 && len(n.digits) == 0 }

// rank orders special values around the others.
func (n *num) rank() int {
	switch n.special {
	case headNaN:
		return 2
	case headPlusInf:
		return 1
	case headNegInf:
		return -1
	}
	return 0
}

// sign is -1, 0 or 1; NaN counts as positive.
func (n *num) sign() int {
	switch {
	case n.special == headNegInf || n.neg:
		return -1
	case n.special == 0 && len(n.digits) == 0:
		return 0
	}
	return 1
}

// compareNumerics is numeric_cmp.
func compareNumerics(_ *fctx, a, b []byte) (int, error) {
	x, err := parseNum(a)
	if err != nil {
		return 0, err
	}
	y, err := parseNum(b)
	if err != nil {
		return 0, err
	}
	return compareNum(&x, &y), nil
}

func compareNum(x, y *num) int {
	if x.special != 0 || y.special != 0 {
		return cmp.Compare(x.rank(), y.rank())
	}
	if sx, sy := x.sign(), y.sign(); sx != sy || sx == 0 {
		return cmp.Compare(sx, sy)
	}
	n := cmp.Compare(x.weight, y.weight)
	for i := 0; n == 0 && i < max(x.ndigits(), y.ndigits()); i++ {
		var dx, dy uint16
		if i < x.ndigits() {
			dx = x.digit(i)
		}
		if i < y.ndigits() {
			dy = y.digit(i)
		}
		n = cmp.Compare(dx, dy)
	}
	if x.neg {
		return -n
	}
	return n
}

// scale is how many decimals the stored digits have, at least dscale.
func (n *num) scale() int {
	return max(n.dscale, (n.ndigits()-1-n.weight)*baseDigits)
}

// small is the value times 10^scale when that takes few enough digits for an
// int64; scale is at least n.scale().
func (n *num) small(scale int) (int64, bool) {
	if n.ndigits() > 4 || n.weight*baseDigits+baseDigits+scale > 18 {
		return 0, false
	}
	v := int64(0)
	for i := range n.ndigits() {
		v = v*numericBase + int64(n.digit(i))
	}
	// The last digit counts 10^(4*(weight-ndigits+1)).
	exp := baseDigits*(n.weight-n.ndigits()+1) + scale
	for ; exp > 0; exp-- {
		v *= 10
	}
	for ; exp < 0; exp++ {
		v /= 10
	}
	if n.neg {
		v = -v
	}
	return v, true
}

// big is the value times 10^scale; scale is at least n.scale().
func (n *num) big(scale int) *big.Int {
	if v, ok := n.small(scale); ok {
		return big.NewInt(v)
	}
	text := make([]byte, 0, len(n.digits)*2)
	for i := range n.ndigits() {
		d := n.digit(i)
		text = append(text, '0'+byte(d/1000), '0'+byte(d/100%10), '0'+byte(d/10%10), '0'+byte(d%10))
	}
	if len(text) == 0 {
		return new(big.Int)
	}
	v, _ := new(big.Int).SetString(string(text), 10)
	if exp := baseDigits*(n.weight-n.ndigits()+1) + scale; exp > 0 {
		v.Mul(v, pow10(exp))
	} else if exp < 0 {
		v.Quo(v, pow10(-exp))
	}
	if n.neg {
		v.Neg(v)
	}
	return v
}

func pow10(n int) *big.Int { return new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(n)), nil) }

func appendSpecial(dst []byte, head uint16) []byte {
	return binary.LittleEndian.AppendUint16(dst, head)
}

// appendNum appends unscaled * 10^-scale as a payload that shows dscale
// decimals, rounded half away from zero to them.
func appendNum(dst []byte, unscaled *big.Int, scale, dscale int) ([]byte, error) {
	if scale > dscale {
		unscaled = roundQuo(unscaled, pow10(scale-dscale))
		scale = dscale
	}
	var room [64]byte
	text := room[:0]
	if unscaled.IsInt64() {
		text = strconv.AppendInt(text, unscaled.Int64(), 10)
	} else {
		text = unscaled.Append(text, 10)
	}
	neg := text[0] == '-'
	if neg {
		text = text[1:]
	}
	return appendDecimal(dst, neg, text, scale, dscale)
}

// roundQuo is a / b rounded half away from zero; b is positive.
func roundQuo(a, b *big.Int) *big.Int {
	q, r := new(big.Int).QuoRem(a, b, new(big.Int))
	r.Abs(r).Lsh(r, 1)
	if r.Cmp(b) >= 0 {
		q.Add(q, big.NewInt(int64(a.Sign())))
	}
	return q
}

// appendDecimal appends the payload of decimal digits, scale of them behind
// the point.
func appendDecimal(dst []byte, neg bool, text []byte, scale, dscale int) ([]byte, error) {
	for len(text) > 0 && text[0] == '0' {
		text = text[1:]
	}
	if dscale > maxStoredScale {
		return nil, errNumericFormat()
	}
	if len(text) == 0 {
		return appendHead(dst, false, dscale, 0), nil
	}
	point := len(text) - scale // digits before the point
	weight := floorDiv(point-1, baseDigits)
	if weight > maxWeight {
		return nil, errNumericFormat()
	}
	lead := baseDigits*(weight+1) - point
	dst = appendHead(dst, neg, dscale, weight)
	start := len(dst)
	for i := -lead; i < len(text); i += baseDigits {
		v := uint16(0)
		for j := i; j < i+baseDigits; j++ {
			v *= 10
			if j >= 0 && j < len(text) {
				v += uint16(text[j] - '0')
			}
		}
		dst = binary.LittleEndian.AppendUint16(dst, v)
	}
	for len(dst) > start && dst[len(dst)-1] == 0 && dst[len(dst)-2] == 0 {
		dst = dst[:len(dst)-2]
	}
	return dst, nil
}

func errNumericFormat() error { return sqlErrorf("22003", "value overflows numeric format") }

// appendHead appends the head, in its short form where that fits.
func appendHead(dst []byte, neg bool, dscale, weight int) []byte {
	if dscale <= 0x3f && weight >= -64 && weight <= 63 {
		head := uint16(0x8000) | uint16(dscale)<<7 | uint16(weight)&0x7f
		if neg {
			head |= 0x2000
		}
		return binary.LittleEndian.AppendUint16(dst, head)
	}
	head := uint16(dscale)
	if neg {
		head |= 0x4000
	}
	return binary.LittleEndian.AppendUint16(binary.LittleEndian.AppendUint16(dst, head), uint16(int16(weight)))
}

// floorDiv divides rounding down; b is positive.
func floorDiv(a, b int) int {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}

// appendSmall is appendNum of an int64, without allocations.
func appendSmall(dst []byte, n int64, scale, dscale int) ([]byte, error) {
	// The last digit of base 10000 may have zeros beyond what is shown.
	for ; scale > dscale && n%10 == 0; scale-- {
		n /= 10
	}
	if scale > dscale {
		return appendNum(dst, big.NewInt(n), scale, dscale)
	}
	var room [24]byte
	text := strconv.AppendInt(room[:0], n, 10)
	neg := text[0] == '-'
	if neg {
		text = text[1:]
	}
	return appendDecimal(dst, neg, text, scale, dscale)
}

// appendInt64Num appends a whole number.
func appendInt64Num(dst []byte, n int64) []byte {
	dst, _ = appendSmall(dst, n, 0, 0) // no int64 is out of range
	return dst
}
