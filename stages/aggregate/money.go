package aggregate

import (
	"github.com/pipescan/pipescan/batch"
	"github.com/pipescan/pipescan/qual"
)

// sumMoney is sum over money, which stays money: 64 bits. From 18 on the
// server notices an overflow; before, the sum wraps around.
type sumMoney struct {
	checked bool
	sum     []int64
	seen    []bool
}

func (s *sumMoney) Grow(n int)   { s.sum, s.seen = grow(s.sum, n), grow(s.seen, n) }
func (s *sumMoney) Bytes() int64 { return int64(9 * cap(s.sum)) }

func (s *sumMoney) plus(g int32, v int64) error {
	sum := s.sum[g] + v
	if s.checked && (sum > s.sum[g]) != (v > 0) {
		return &qual.SQLError{Code: "22003", Message: "money out of range", Row: -1}
	}
	s.sum[g], s.seen[g] = sum, true
	return nil
}

// Add adds the values, NULLs left out.
func (s *sumMoney) Add(in *Input) error {
	for i, v := range in.Values.Int64s() {
		if in.Values.IsNull(i) {
			continue
		}
		if err := s.plus(in.group(i), v); err != nil {
			return err
		}
	}
	return nil
}

// Merge adds the sums.
func (s *sumMoney) Merge(other Accumulator, to []int32) error {
	o := other.(*sumMoney)
	for g := range o.sum {
		if !o.seen[g] {
			continue
		}
		if err := s.plus(to[g], o.sum[g]); err != nil {
			return err
		}
	}
	return nil
}

// Append appends the sum, NULL when there was no value.
func (s *sumMoney) Append(g int, out *batch.Vector) error {
	if !s.seen[g] {
		out.AppendNull()
		return nil
	}
	appendInt64(out, s.sum[g])
	return nil
}
