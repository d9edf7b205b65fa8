package aggregate

import (
	"math/bits"

	"github.com/pipescan/pipescan/batch"
)

// integer is the integer types that are summed.
type integer interface{ ~int16 | ~int32 | ~int64 }

// sumInt adds integers. The state has 128 bits, as the server's for bigint;
// sums of smaller integers, which the server keeps in 64, come out the same,
// since 2^31 values of 2^31 still fit.
//
//	sum(smallint), sum(integer)  bigint
//	sum(bigint)                  numeric
//	avg of each                  numeric: the exact sum divided as numerics are
type sumInt[T integer] struct {
	values func(*batch.Vector) []T
	result func(out *batch.Vector, sum int128, n int64) error
	sum    []int128
	n      []int64
}

// int128 is a signed number of 128 bits, in two's complement.
type int128 struct {
	hi int64
	lo uint64
}

// add adds v.
func (s *int128) add(v int64) { s.plus(int128{v >> 63, uint64(v)}) }

// plus adds o.
func (s *int128) plus(o int128) {
	lo, carry := bits.Add64(s.lo, o.lo, 0)
	s.lo = lo
	s.hi += o.hi + int64(carry)
}

func (s *sumInt[T]) Grow(n int)   { s.sum, s.n = grow(s.sum, n), grow(s.n, n) }
func (s *sumInt[T]) Bytes() int64 { return int64(16*cap(s.sum) + 8*cap(s.n)) }

// Add adds the values, NULLs left out.
func (s *sumInt[T]) Add(in *Input) error {
	values := s.values(in.Values)
	if in.Groups == nil && in.Values.Nulls == 0 {
		s.addAll(values)
		return nil
	}
	for i, v := range values {
		if in.Values.IsNull(i) {
			continue
		}
		g := in.group(i)
		s.sum[g].add(int64(v))
		s.n[g]++
	}
	return nil
}

// addAll adds values without NULLs to the only group. A NULL's bytes are zero,
// but it must not be counted.
func (s *sumInt[T]) addAll(values []T) {
	s.n[0] += int64(len(values))
	var zero T
	if _, wide := any(zero).(int64); wide {
		for _, v := range values {
			s.sum[0].add(int64(v))
		}
		return
	}
	var sum int64 // a batch's values of 32 bits cannot overflow it
	for _, v := range values {
		sum += int64(v)
	}
	s.sum[0].add(sum)
}

// Merge adds the sums.
func (s *sumInt[T]) Merge(other Accumulator, to []int32) error {
	o := other.(*sumInt[T])
	for g := range o.sum {
		s.sum[to[g]].plus(o.sum[g])
		s.n[to[g]] += o.n[g]
	}
	return nil
}

// Append appends the sum or the average, NULL when there was no value.
func (s *sumInt[T]) Append(g int, out *batch.Vector) error {
	if s.n[g] == 0 {
		out.AppendNull()
		return nil
	}
	return s.result(out, s.sum[g], s.n[g])
}

// asBigint is the result of sum over small integers. The server's state wraps
// silently as this does, after 2^32 of the greatest integers.
func asBigint(out *batch.Vector, sum int128, _ int64) error {
	appendInt64(out, int64(sum.lo))
	return nil
}

// asNumeric is the result of sum(bigint).
func asNumeric(out *batch.Vector, sum int128, _ int64) error {
	d := sum.decimal()
	return d.appendTo(out)
}

// asAverage is the result of avg over integers.
func asAverage(out *batch.Vector, sum int128, n int64) error {
	d := sum.decimal()
	q := d.divide(n)
	return q.appendTo(out)
}
