package aggregate

import (
	"encoding/binary"
	"math"

	"github.com/pipescan/pipescan/batch"
	"github.com/pipescan/pipescan/qual"
)

// errFloatOverflow is what the server says when finite floats add up to an
// infinity.
func errFloatOverflow() error {
	return &qual.SQLError{Code: "22003", Message: "value out of range: overflow", Row: -1}
}

// sumFloat is sum over real (added in 32 bits) and double precision (float4pl,
// float8pl): the first value, then one addition a value, in the scan's order.
type sumFloat[T float32 | float64] struct {
	values func(*batch.Vector) []T
	sum    []T
	seen   []bool
}

func (s *sumFloat[T]) Grow(n int)   { s.sum, s.seen = grow(s.sum, n), grow(s.seen, n) }
func (s *sumFloat[T]) Bytes() int64 { return int64(9 * cap(s.sum)) }

// Add adds the values, NULLs left out.
func (s *sumFloat[T]) Add(in *Input) error {
	for i, v := range s.values(in.Values) {
		if in.Values.IsNull(i) {
			continue
		}
		g := in.group(i)
		if !s.seen[g] {
			s.sum[g], s.seen[g] = v, true
			continue
		}
		sum := s.sum[g] + v
		if isInf(sum) && !isInf(s.sum[g]) && !isInf(v) {
			return errFloatOverflow()
		}
		s.sum[g] = sum
	}
	return nil
}

func isInf[T float32 | float64](v T) bool { return math.IsInf(float64(v), 0) }

// Merge adds another lane's sums after this one's. Exact results need the
// scan's order, for which Function.Ordered asks.
func (s *sumFloat[T]) Merge(other Accumulator, to []int32) error {
	o := other.(*sumFloat[T])
	for g := range o.sum {
		switch t := to[g]; {
		case !o.seen[g]:
		case !s.seen[t]:
			s.sum[t], s.seen[t] = o.sum[g], true
		default:
			sum := s.sum[t] + o.sum[g]
			if isInf(sum) && !isInf(s.sum[t]) && !isInf(o.sum[g]) {
				return errFloatOverflow()
			}
			s.sum[t] = sum
		}
	}
	return nil
}

// Append appends the sum, NULL when there was no value.
func (s *sumFloat[T]) Append(g int, out *batch.Vector) error {
	if !s.seen[g] {
		out.AppendNull()
		return nil
	}
	if out.Width == 4 {
		out.AppendUint32(math.Float32bits(float32(s.sum[g])))
		return nil
	}
	appendFloat64(out, float64(s.sum[g]))
	return nil
}

func appendFloat64(out *batch.Vector, x float64) {
	var b [8]byte
	binary.LittleEndian.PutUint64(b[:], math.Float64bits(x))
	out.AppendFixed(b[:])
}

// avgFloat is avg over floats. The server keeps, after Youngs and Cramer, the
// sum of squares of differences too, which decides whether there was an
// overflow (float8_accum).
type avgFloat[T float32 | float64] struct {
	values func(*batch.Vector) []T
	states []floatState
}

type floatState struct{ n, sum, squares float64 }

func (s *avgFloat[T]) Grow(n int)   { s.states = grow(s.states, n) }
func (s *avgFloat[T]) Bytes() int64 { return int64(24 * cap(s.states)) }

// Add adds the values, NULLs left out.
func (s *avgFloat[T]) Add(in *Input) error {
	for i, v := range s.values(in.Values) {
		if in.Values.IsNull(i) {
			continue
		}
		if err := s.states[in.group(i)].add(float64(v)); err != nil {
			return err
		}
	}
	return nil
}

// add adds a value. The conversions keep the compiler from fusing operations,
// which the server does not do either.
func (st *floatState) add(v float64) error {
	n, sum, squares := st.n+1, st.sum+v, st.squares
	if st.n > 0 {
		tmp := float64(v*n) - sum
		squares += float64(float64(tmp*tmp) / float64(n*st.n))
		if math.IsInf(sum, 0) || math.IsInf(squares, 0) {
			if !math.IsInf(st.sum, 0) && !math.IsInf(v, 0) {
				return errFloatOverflow()
			}
			squares = math.NaN()
		}
	} else if math.IsNaN(v) || math.IsInf(v, 0) {
		squares = math.NaN()
	}
	*st = floatState{n, sum, squares}
	return nil
}

// combine is float8_combine: what a server does with the partial states of
// parallel workers.
func (st *floatState) combine(o floatState) error {
	switch {
	case o.n == 0:
		return nil
	case st.n == 0:
		*st = o
		return nil
	}
	n, sum := st.n+o.n, st.sum+o.sum
	if math.IsInf(sum, 0) && !math.IsInf(st.sum, 0) && !math.IsInf(o.sum, 0) {
		return errFloatOverflow()
	}
	tmp := st.sum/st.n - o.sum/o.n
	squares := st.squares + o.squares + float64(float64(st.n*o.n)*float64(tmp*tmp))/n
	if math.IsInf(squares, 0) && !math.IsInf(st.squares, 0) && !math.IsInf(o.squares, 0) {
		return errFloatOverflow()
	}
	*st = floatState{n, sum, squares}
	return nil
}

// Merge combines the states; see sumFloat.Merge.
func (s *avgFloat[T]) Merge(other Accumulator, to []int32) error {
	for g, o := range other.(*avgFloat[T]).states {
		if err := s.states[to[g]].combine(o); err != nil {
			return err
		}
	}
	return nil
}

// Append appends the average, NULL when there was no value.
func (s *avgFloat[T]) Append(g int, out *batch.Vector) error {
	st := s.states[g]
	if st.n == 0 {
		out.AppendNull()
		return nil
	}
	appendFloat64(out, st.sum/st.n)
	return nil
}
