package datum

import (
	"encoding/binary"
	"math/big"
	"strconv"

	"github.com/cockroachdb/apd/v3"

	"github.com/pipescan/pipescan/pgfile"
)

// numeric (utils/adt/numeric.c). The payload starts with a 16-bit header:
//
//	15 14 13           7 6       0
//	 0  0 |    dscale (14 bits)  |   positive, long: a 16-bit weight follows
//	 0  1 |    dscale (14 bits)  |   negative, long
//	 1  0 | s | dscale (6) | weight (7, signed) |     short, s: negative
//	 1  1 | 00 NaN, 01 +Infinity, 11 -Infinity  |     (infinities: 14 and later)
//
// Then come digits of base 10000, 16 bits each, the first of which counts
// 10000^weight. dscale is the number of decimals shown; digits beyond those
// stored are zeros.

const (
	numericShort   = 0x8000
	numericSpecial = 0xC000
	numericPlusInf = 0xD000
	numericNegInf  = 0xF000
	digitBase      = 10000
)

// number is a numeric taken apart. digits aliases the payload.
type number struct {
	special uint16 // numericSpecial (NaN), numericPlusInf, numericNegInf or 0
	neg     bool
	dscale  int
	weight  int
	digits  []byte // two bytes a digit
}

// parseNumeric takes a payload apart. All digits it returns are below 10000.
func parseNumeric(v []byte, major int) (number, error) {
	if len(v) < 2 || len(v)%2 != 0 {
		return number{}, pgfile.Corruptf(-1, "a numeric value has %d bytes, which is no header and digits", len(v))
	}
	head := binary.LittleEndian.Uint16(v)
	n := number{digits: v[2:]}
	switch head & numericSpecial {
	case numericSpecial:
		n.special = head & numericNegInf
		if major < 14 || n.special != numericPlusInf && n.special != numericNegInf {
			n.special = numericSpecial
		}
		return n, nil
	case numericShort:
		n.neg = head&0x2000 != 0
		n.dscale = int(head >> 7 & 0x3F)
		n.weight = int(int8(head<<1)) >> 1
	default:
		if len(v) < 4 {
			return number{}, pgfile.Corruptf(-1, "a numeric value has %d bytes, too few for its header", len(v))
		}
		n.neg = head&0x4000 != 0
		n.dscale = int(head & 0x3FFF)
		n.weight = int(int16(binary.LittleEndian.Uint16(v[2:])))
		n.digits = v[4:]
	}
	for i := 0; i < len(n.digits); i += 2 {
		if d := binary.LittleEndian.Uint16(n.digits[i:]); d >= digitBase {
			return number{}, pgfile.Corruptf(-1, "a numeric value has a digit %d of base %d", d, digitBase)
		}
	}
	return n, nil
}

// digit returns the digit that counts 10000^(weight-i), 0 where none is stored.
func (n *number) digit(i int) int {
	if i < 0 || 2*i >= len(n.digits) {
		return 0
	}
	return int(binary.LittleEndian.Uint16(n.digits[2*i:]))
}

// appendWhole appends the digits before the decimal point: at least one, and
// without leading zeros as long as the first stored digit is not zero, which
// holds for every value that PostgreSQL stores.
func (n *number) appendWhole(dst []byte) []byte {
	if n.weight < 0 {
		return append(dst, '0')
	}
	dst = strconv.AppendInt(dst, int64(n.digit(0)), 10)
	for i := 1; i <= n.weight; i++ {
		dst = append4(dst, n.digit(i))
	}
	return dst
}

// appendFraction appends dscale decimals.
func (n *number) appendFraction(dst []byte) []byte {
	end := len(dst) + n.dscale
	for i := n.weight + 1; len(dst) < end; i++ {
		dst = append4(dst, n.digit(i))
	}
	return dst[:end]
}

func textNumeric(dst, v []byte, e *Env) ([]byte, error) {
	n, err := parseNumeric(v, e.Major)
	if err != nil {
		return dst, err
	}
	switch n.special {
	case numericSpecial:
		return append(dst, "NaN"...), nil
	case numericPlusInf:
		return append(dst, "Infinity"...), nil
	case numericNegInf:
		return append(dst, "-Infinity"...), nil
	}
	if n.neg {
		dst = append(dst, '-')
	}
	dst = n.appendWhole(dst)
	if n.dscale > 0 {
		dst = n.appendFraction(append(dst, '.'))
	}
	return dst, nil
}

// valueNumeric returns an *apd.Decimal with exponent -dscale, so that trailing
// zeros are kept.
func valueNumeric(v []byte, e *Env) (any, error) {
	n, err := parseNumeric(v, e.Major)
	if err != nil {
		return nil, err
	}
	d := new(apd.Decimal)
	switch n.special {
	case numericSpecial:
		d.Form = apd.NaN
		return d, nil
	case numericPlusInf, numericNegInf:
		d.Form = apd.Infinite
		d.Negative = n.special == numericNegInf
		return d, nil
	}
	d.Negative = n.neg
	d.Exponent = -int32(n.dscale)
	var room [64]byte
	text := n.appendFraction(n.appendWhole(room[:0]))
	if len(text) <= 18 {
		small, err := strconv.ParseInt(string(text), 10, 64)
		if err != nil {
			return nil, err
		}
		d.Coeff.SetInt64(small)
		return d, nil
	}
	coeff, ok := new(big.Int).SetString(string(text), 10)
	if !ok {
		return nil, pgfile.Corruptf(-1, "a numeric value has digits that are no number")
	}
	d.Coeff.SetMathBigInt(coeff)
	return d, nil
}

// append4 appends n, 0 to 9999, as four digits.
func append4(dst []byte, n int) []byte {
	hi, lo := n/100, n%100
	return append(dst, pairs[2*hi], pairs[2*hi+1], pairs[2*lo], pairs[2*lo+1])
}
