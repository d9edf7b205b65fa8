package aggregate

import (
	"encoding/binary"

	"github.com/pipescan/pipescan/batch"
)

// sumNumeric is sum and avg over numeric, exact at any size. A state is the
// sums of the digits of each weight, carried only at the end: 64 bits hold
// 9·10^14 digits of 9999.
//
// As in the server (do_numeric_accum), the result shows as many decimals as
// the value that shows most. NaN makes the sum NaN, and so do both infinities
// together.
type sumNumeric struct {
	average bool
	states  []numericState
	bytes   int64
}

type numericState struct {
	n      int64
	nans   int64
	plus   int64 // infinities
	minus  int64
	dscale int
	low    int     // the weight of digits[0]
	digits []int64 // by ascending weight
}

func (s *sumNumeric) Grow(n int) { s.states = grow(s.states, n) }

func (s *sumNumeric) Bytes() int64 { return s.bytes + int64(cap(s.states))*80 }

// Add adds the values, NULLs left out.
func (s *sumNumeric) Add(in *Input) error {
	for i := range in.N {
		v, ok := in.Values.Value(i)
		if !ok {
			continue
		}
		x, err := parseNumeric(v)
		if err != nil {
			return err
		}
		st := &s.states[in.group(i)]
		before := cap(st.digits)
		st.add(&x)
		s.bytes += int64(8 * (cap(st.digits) - before))
	}
	return nil
}

// add adds one value.
func (st *numericState) add(x *numeric) {
	st.n++
	switch x.special {
	case nan:
		st.nans++
		return
	case plusInf:
		st.plus++
		return
	case minusInf:
		st.minus++
		return
	}
	st.dscale = max(st.dscale, x.dscale)
	n := len(x.digits) / 2
	if n == 0 {
		return
	}
	st.cover(x.weight-n+1, x.weight)
	at := x.weight - st.low
	for i := range n {
		d := int64(binary.LittleEndian.Uint16(x.digits[2*i:]))
		if x.neg {
			d = -d
		}
		st.digits[at-i] += d
	}
}

// cover makes room for the weights low to high.
func (st *numericState) cover(low, high int) {
	if len(st.digits) == 0 {
		st.low = low
	}
	if low < st.low {
		more := make([]int64, st.low-low, st.low-low+len(st.digits))
		st.digits = append(more, st.digits...)
		st.low = low
	}
	st.digits = grow(st.digits, high-st.low+1)
}

// Merge adds the sums.
func (s *sumNumeric) Merge(other Accumulator, to []int32) error {
	o := other.(*sumNumeric)
	for g := range o.states {
		from, st := &o.states[g], &s.states[to[g]]
		st.n += from.n
		st.nans += from.nans
		st.plus += from.plus
		st.minus += from.minus
		st.dscale = max(st.dscale, from.dscale)
		if len(from.digits) == 0 {
			continue
		}
		before := cap(st.digits)
		st.cover(from.low, from.low+len(from.digits)-1)
		for i, d := range from.digits {
			st.digits[from.low-st.low+i] += d
		}
		s.bytes += int64(8 * (cap(st.digits) - before))
	}
	return nil
}

// Append appends the sum or average, NULL when there was no value.
func (s *sumNumeric) Append(g int, out *batch.Vector) error {
	st := &s.states[g]
	switch {
	case st.n == 0:
		out.AppendNull()
		return nil
	case st.nans > 0 || st.plus > 0 && st.minus > 0:
		return appendSpecial(out, nan)
	case st.plus > 0:
		return appendSpecial(out, plusInf)
	case st.minus > 0:
		return appendSpecial(out, minusInf)
	}
	d := st.decimal()
	if s.average {
		d = d.divide(st.n)
	}
	return d.appendTo(out)
}

// decimal is the sum, carried out.
func (st *numericState) decimal() decimal {
	d := decimal{dscale: st.dscale}
	digits := append([]int64(nil), st.digits...)
	carry := carryOut(digits)
	if carry < 0 {
		d.neg = true
		for i := range digits {
			digits[i] = -st.digits[i]
		}
		carry = carryOut(digits)
	}
	for ; carry > 0; carry /= base {
		digits = append(digits, carry%base)
	}
	d.weight = st.low + len(digits) - 1
	d.digits = make([]int16, len(digits))
	for i, x := range digits {
		d.digits[len(digits)-1-i] = int16(x)
	}
	d.strip()
	return d
}

// carryOut brings the digits between 0 and 9999 and returns what is left over
// of the greatest weight, which has the sign of the number.
func carryOut(digits []int64) (carry int64) {
	for i, d := range digits {
		d += carry
		carry = d / base
		if d %= base; d < 0 {
			d += base
			carry--
		}
		digits[i] = d
	}
	return carry
}
