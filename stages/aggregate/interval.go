package aggregate

import (
	"encoding/binary"
	"math"

	"github.com/pipescan/pipescan/batch"
	"github.com/pipescan/pipescan/pgfile"
	"github.com/pipescan/pipescan/qual"
)

// sumInterval is sum and avg over interval: fields are added apart. From 17 on
// intervals can be infinite; both infinities together are an error.
type sumInterval struct {
	average    bool
	infinities bool // the version knows them
	states     []intervalState
}

type intervalState struct {
	n, plus, minus int64 // values; infinities among them
	sum            interval
}

// interval is a value: microseconds (64 bits), days and months (32 bits).
type interval struct {
	micros       int64
	days, months int32
}

func parseInterval(v []byte) (interval, error) {
	if len(v) != 16 {
		return interval{}, pgfile.Corruptf(-1, "an interval has %d bytes instead of 16", len(v))
	}
	le := binary.LittleEndian
	return interval{int64(le.Uint64(v)), int32(le.Uint32(v[8:])), int32(le.Uint32(v[12:]))}, nil
}

var (
	intervalInfinity         = interval{math.MaxInt64, math.MaxInt32, math.MaxInt32}
	intervalNegativeInfinity = interval{math.MinInt64, math.MinInt32, math.MinInt32}
)

func errIntervalRange() error {
	return &qual.SQLError{Code: "22008", Message: "interval out of range", Row: -1}
}

func (s *sumInterval) Grow(n int)   { s.states = grow(s.states, n) }
func (s *sumInterval) Bytes() int64 { return int64(40 * cap(s.states)) }

// Add adds the values, NULLs left out.
func (s *sumInterval) Add(in *Input) error {
	for i := range in.N {
		v, ok := in.Values.Value(i)
		if !ok {
			continue
		}
		x, err := parseInterval(v)
		if err != nil {
			return err
		}
		st := &s.states[in.group(i)]
		switch {
		case s.infinities && x == intervalInfinity:
			st.n++
			st.plus++
		case s.infinities && x == intervalNegativeInfinity:
			st.n++
			st.minus++
		default:
			if err := s.plus(st, x); err != nil {
				return err
			}
			st.n++
		}
	}
	return nil
}

// plus adds a finite interval to a sum.
func (s *sumInterval) plus(st *intervalState, x interval) error {
	months, days := int64(st.sum.months)+int64(x.months), int64(st.sum.days)+int64(x.days)
	micros := st.sum.micros + x.micros
	if months != int64(int32(months)) || days != int64(int32(days)) || (micros > st.sum.micros) != (x.micros > 0) {
		return errIntervalRange()
	}
	sum := interval{micros, int32(days), int32(months)}
	if s.infinities && (sum == intervalInfinity || sum == intervalNegativeInfinity) {
		return errIntervalRange()
	}
	st.sum = sum
	return nil
}

// Merge adds the sums.
func (s *sumInterval) Merge(other Accumulator, to []int32) error {
	for g, o := range other.(*sumInterval).states {
		st := &s.states[to[g]]
		st.n += o.n
		st.plus += o.plus
		st.minus += o.minus
		if err := s.plus(st, o.sum); err != nil {
			return err
		}
	}
	return nil
}

// Append appends the sum or average, NULL when there was no value.
func (s *sumInterval) Append(g int, out *batch.Vector) error {
	st := &s.states[g]
	x := st.sum
	switch {
	case st.n == 0:
		out.AppendNull()
		return nil
	case st.plus > 0 && st.minus > 0:
		return errIntervalRange()
	case st.plus > 0:
		x = intervalInfinity
	case st.minus > 0:
		x = intervalNegativeInfinity
	case s.average:
		x = x.divide(float64(st.n))
	}
	var b [16]byte
	le := binary.LittleEndian
	le.PutUint64(b[:], uint64(x.micros))
	le.PutUint32(b[8:], uint32(x.days))
	le.PutUint32(b[12:], uint32(x.months))
	out.AppendFixed(b[:])
	return nil
}

// divide is interval_div by a count: what is left of the months goes down into
// days, what is left of the days into the time, in floats rounded to
// microseconds at each step.
func (x interval) divide(by float64) interval {
	const secondsADay = 86400
	months, days := float64(x.months)/by, float64(x.days)/by
	out := interval{months: int32(months), days: int32(days)}
	restDays := roundMicros(float64(months-float64(out.months)) * 30)
	whole := float64(int32(restDays))
	seconds := roundMicros(float64(float64(days-float64(out.days))+restDays-whole) * secondsADay)
	if math.Abs(seconds) >= secondsADay {
		carried := int32(seconds / secondsADay)
		out.days += carried
		seconds -= float64(carried) * secondsADay
	}
	out.days += int32(whole)
	out.micros = int64(math.RoundToEven(float64(x.micros)/by + float64(seconds*1e6)))
	return out
}

// roundMicros rounds seconds, or days, to a millionth.
func roundMicros(v float64) float64 { return math.RoundToEven(v*1e6) / 1e6 }
