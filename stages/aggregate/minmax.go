package aggregate

import (
	"encoding/binary"
	"slices"

	"github.com/pipescan/pipescan/batch"
)

// extremeInt is min and max over types that compare as integers and of which
// equal values have equal bytes.
type extremeInt[T integer | uint32] struct {
	max    bool
	values func(*batch.Vector) []T
	best   []T
	seen   []bool
}

func (s *extremeInt[T]) Grow(n int)   { s.best, s.seen = grow(s.best, n), grow(s.seen, n) }
func (s *extremeInt[T]) Bytes() int64 { return int64(9 * cap(s.best)) }

// Add keeps the least or greatest value.
func (s *extremeInt[T]) Add(in *Input) error {
	values := s.values(in.Values)
	if in.Groups == nil && in.Values.Nulls == 0 && len(values) > 0 {
		if s.max {
			s.offer(0, slices.Max(values))
		} else {
			s.offer(0, slices.Min(values))
		}
		return nil
	}
	for i, v := range values {
		if !in.Values.IsNull(i) {
			s.offer(in.group(i), v)
		}
	}
	return nil
}

func (s *extremeInt[T]) offer(g int32, v T) {
	if !s.seen[g] || s.max && v > s.best[g] || !s.max && v < s.best[g] {
		s.best[g], s.seen[g] = v, true
	}
}

// Merge offers the other's values.
func (s *extremeInt[T]) Merge(other Accumulator, to []int32) error {
	o := other.(*extremeInt[T])
	for g := range o.best {
		if o.seen[g] {
			s.offer(to[g], o.best[g])
		}
	}
	return nil
}

// Append appends the value, NULL when there was none.
func (s *extremeInt[T]) Append(g int, out *batch.Vector) error {
	if !s.seen[g] {
		out.AppendNull()
		return nil
	}
	var b [8]byte
	binary.LittleEndian.PutUint64(b[:], uint64(s.best[g]))
	out.AppendFixed(b[:out.Width])
	return nil
}

// extreme is min and max over all other types. Of equal values the server
// keeps the later one (its functions return their second argument), but for
// character(n), of which it keeps the first.
type extreme struct {
	max        bool
	keepsFirst bool
	compare    func(a, b []byte) int
	best       []extremeState
	bytes      int64
}

type extremeState struct {
	seen  bool
	place uint64
	value []byte
}

func (s *extreme) Grow(n int)   { s.best = grow(s.best, n) }
func (s *extreme) Bytes() int64 { return s.bytes + int64(40*cap(s.best)) }

// Add keeps the least or greatest value.
func (s *extreme) Add(in *Input) error {
	for i := range in.N {
		if v, ok := in.Values.Value(i); ok {
			s.offer(in.group(i), v, in.Places[i])
		}
	}
	return nil
}

func (s *extreme) offer(g int32, v []byte, place uint64) {
	st := &s.best[g]
	if st.seen {
		c := s.compare(v, st.value)
		if s.max {
			c = -c
		}
		later := place > st.place
		if c > 0 || c == 0 && later == s.keepsFirst {
			return
		}
	}
	before := cap(st.value)
	st.seen, st.place, st.value = true, place, append(st.value[:0], v...)
	s.bytes += int64(cap(st.value) - before)
}

// Merge offers the other's values.
func (s *extreme) Merge(other Accumulator, to []int32) error {
	for g, st := range other.(*extreme).best {
		if st.seen {
			s.offer(to[g], st.value, st.place)
		}
	}
	return nil
}

// Append appends the value, NULL when there was none.
func (s *extreme) Append(g int, out *batch.Vector) error {
	switch st := &s.best[g]; {
	case !st.seen:
		out.AppendNull()
	case out.Width > 0:
		out.AppendFixed(st.value)
	default:
		return out.AppendVar(st.value)
	}
	return nil
}
