package aggregate

import (
	"encoding/binary"
	"math/big"

	"github.com/pipescan/pipescan/batch"
	"github.com/pipescan/pipescan/pgfile"
	"github.com/pipescan/pipescan/qual"
)

// Limits and constants of numeric (utils/numeric.h, utils/adt/numeric.c).
const (
	base           = 10000
	decDigits      = 4 // decimal digits in a digit of the base
	maxWeight      = 0x7fff
	maxDscale      = 0x3fff
	minSigDigits   = 16   // what a division shows at least
	maxDivideScale = 1000 // NUMERIC_MAX_DISPLAY_SCALE
)

// special is a numeric that is no number.
type special uint8

const (
	finite special = iota
	nan
	plusInf
	minusInf
)

// decimal is a finite numeric: digits of base 10000, the first counts
// 10000^weight. There are no leading or trailing zero digits; zero has none.
type decimal struct {
	neg    bool
	dscale int // decimals shown
	weight int
	digits []int16
}

// numeric is a payload taken apart; digits lie in it, two bytes each.
type numeric struct {
	special special
	neg     bool
	dscale  int
	weight  int
	digits  []byte
}

// parseNumeric takes a payload apart; see package datum for its bytes.
func parseNumeric(v []byte) (n numeric, err error) {
	if len(v) < 2 || len(v)%2 != 0 {
		return n, pgfile.Corruptf(-1, "a numeric value has %d bytes, which is no header and digits", len(v))
	}
	head := binary.LittleEndian.Uint16(v)
	n.digits = v[2:]
	switch head & 0xC000 {
	case 0xC000:
		switch head & 0xF000 {
		case 0xD000:
			n.special = plusInf
		case 0xF000:
			n.special = minusInf
		default:
			n.special = nan
		}
	case 0x8000:
		n.neg = head&0x2000 != 0
		n.dscale = int(head >> 7 & 0x3F)
		n.weight = int(int8(head<<1)) >> 1
	default:
		if len(v) < 4 {
			return n, pgfile.Corruptf(-1, "a numeric value has %d bytes, too few for its header", len(v))
		}
		n.neg = head&0x4000 != 0
		n.dscale = int(head & 0x3FFF)
		n.weight = int(int16(binary.LittleEndian.Uint16(v[2:])))
		n.digits = v[4:]
	}
	return n, nil
}

// decimal is the sum as a numeric without decimals.
func (s int128) decimal() decimal {
	n := new(big.Int).SetInt64(s.hi)
	n.Lsh(n, 64)
	n.Add(n, new(big.Int).SetUint64(s.lo))
	return decimalOf(n, 0, 0)
}

// decimalOf is n times 10^-scale, showing dscale decimals. scale is a multiple
// of 4.
func decimalOf(n *big.Int, scale, dscale int) decimal {
	d := decimal{neg: n.Sign() < 0, dscale: dscale}
	if n.Sign() == 0 {
		return d
	}
	text := new(big.Int).Abs(n).String()
	for len(text)%decDigits != 0 {
		text = "0" + text
	}
	d.digits = make([]int16, len(text)/decDigits)
	for i := range d.digits {
		t := text[decDigits*i:]
		d.digits[i] = int16(t[0]-'0')*1000 + int16(t[1]-'0')*100 + int16(t[2]-'0')*10 + int16(t[3]-'0')
	}
	d.weight = len(d.digits) - 1 - scale/decDigits
	d.strip()
	return d
}

// strip takes off zero digits at both ends.
func (d *decimal) strip() {
	for len(d.digits) > 0 && d.digits[0] == 0 {
		d.digits = d.digits[1:]
		d.weight--
	}
	for len(d.digits) > 0 && d.digits[len(d.digits)-1] == 0 {
		d.digits = d.digits[:len(d.digits)-1]
	}
	if len(d.digits) == 0 {
		d.weight, d.neg = 0, false
	}
}

// unscaled is the decimal as n times 10^-scale, scale a multiple of 4.
func (d *decimal) unscaled() (n *big.Int, scale int) {
	text := make([]byte, 0, decDigits*len(d.digits)+1)
	if d.neg {
		text = append(text, '-')
	}
	for _, x := range d.digits {
		text = append(text, byte('0'+x/1000), byte('0'+x/100%10), byte('0'+x/10%10), byte('0'+x%10))
	}
	n = new(big.Int)
	if len(d.digits) > 0 {
		n.SetString(string(text), 10)
	}
	return n, decDigits * (len(d.digits) - 1 - d.weight)
}

// divide divides by a count with the scale that PostgreSQL gives a quotient
// (select_div_scale): at least 16 significant digits, and never fewer decimals
// than the dividend shows. It rounds half away from zero.
func (d *decimal) divide(by int64) decimal {
	divisor := decimalOf(big.NewInt(by), 0, 0)
	qweight := d.weight - divisor.weight
	first := func(x *decimal) int16 {
		if len(x.digits) == 0 {
			return 0
		}
		return x.digits[0]
	}
	if first(d) <= first(&divisor) {
		qweight--
	}
	rscale := minSigDigits - qweight*decDigits
	rscale = min(max(rscale, d.dscale, 0), maxDivideScale)
	n, scale := d.unscaled()
	// Compute at the next multiple of 4 decimals; what is beyond rscale is
	// rounded away first.
	den := big.NewInt(by)
	shift := rscale - scale
	if shift >= 0 {
		n.Mul(n, pow10(shift))
	} else {
		den.Mul(den, pow10(-shift))
	}
	q := roundedQuotient(n, den)
	pad := (decDigits - rscale%decDigits) % decDigits
	q.Mul(q, pow10(pad))
	return decimalOf(q, rscale+pad, rscale)
}

func pow10(n int) *big.Int {
	return new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(n)), nil)
}

// roundedQuotient is n/den, den positive, rounded half away from zero.
func roundedQuotient(n, den *big.Int) *big.Int {
	q, r := new(big.Int).QuoRem(n, den, new(big.Int))
	if r.Lsh(r.Abs(r), 1).Cmp(den) >= 0 {
		q.Add(q, big.NewInt(int64(n.Sign())))
	}
	return q
}

// appendTo appends the payload (make_result in numeric.c).
func (d *decimal) appendTo(out *batch.Vector) error {
	if len(d.digits) > 0 && d.weight > maxWeight || d.dscale > maxDscale {
		return &qual.SQLError{Code: "22003", Message: "value overflows numeric format", Row: -1}
	}
	le := binary.LittleEndian
	data := out.Data
	if d.dscale <= 0x3F && d.weight >= -64 && d.weight <= 63 {
		head := 0x8000 | uint16(d.dscale)<<7 | uint16(d.weight)&0x7F
		if d.neg {
			head |= 0x2000
		}
		data = le.AppendUint16(data, head)
	} else {
		head := uint16(d.dscale)
		if d.neg {
			head |= 0x4000
		}
		data = le.AppendUint16(le.AppendUint16(data, head), uint16(int16(d.weight)))
	}
	for _, x := range d.digits {
		data = le.AppendUint16(data, uint16(x))
	}
	return out.FinishVar(data)
}

// appendSpecial appends a numeric that is no number.
func appendSpecial(out *batch.Vector, s special) error {
	head := [...]uint16{nan: 0xC000, plusInf: 0xD000, minusInf: 0xF000}[s]
	return out.FinishVar(binary.LittleEndian.AppendUint16(out.Data, head))
}
