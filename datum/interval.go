package datum

import (
	"encoding/binary"
	"strconv"
)

// interval: microseconds (64 bits), days and months (32 bits each), printed
// in the style postgres:
//
//	1 year 2 mons -3 days +04:05:06.7
//
// Every part but zero ones is printed with its own sign; a plus is written
// where the part before was negative. From 17 on all three fields at their
// smallest or largest value mean an infinity.

const firstMajorWithInfiniteIntervals = 17

func decodeInterval(v []byte) (Interval, error) {
	if len(v) != 16 {
		return Interval{}, wrongLength("interval", 16, v)
	}
	le := binary.LittleEndian
	return Interval{int64(le.Uint64(v)), int32(le.Uint32(v[8:])), int32(le.Uint32(v[12:]))}, nil
}

func textInterval(dst, v []byte, e *Env) ([]byte, error) {
	i, err := decodeInterval(v)
	if err != nil {
		return dst, err
	}
	return appendInterval(dst, i, e.Major >= firstMajorWithInfiniteIntervals && i.IsInfinite() != 0), nil
}

func valueInterval(v []byte, _ *Env) (any, error) {
	i, err := decodeInterval(v)
	if err != nil {
		return nil, err
	}
	return i, nil
}

func appendInterval(dst []byte, i Interval, isInfinite bool) []byte {
	if isInfinite {
		if i.Micros < 0 {
			dst = append(dst, '-')
		}
		return append(dst, "infinity"...)
	}
	w := intervalWriter{dst: dst, empty: true}
	w.part(int64(i.Months/12), " year")
	w.part(int64(i.Months%12), " mon")
	w.part(int64(i.Days), " day")
	if i.Micros != 0 || w.empty {
		w.time(i.Micros)
	}
	return w.dst
}

// intervalWriter writes the parts of an interval.
type intervalWriter struct {
	dst      []byte
	empty    bool // nothing was written yet
	negative bool // the part written last was negative
}

// part writes a count of units unless it is zero.
func (w *intervalWriter) part(n int64, unit string) {
	if n == 0 {
		return
	}
	if !w.empty {
		w.dst = append(w.dst, ' ')
	}
	if w.negative && n > 0 {
		w.dst = append(w.dst, '+')
	}
	w.dst = append(strconv.AppendInt(w.dst, n, 10), unit...)
	if n != 1 {
		w.dst = append(w.dst, 's')
	}
	w.empty, w.negative = false, n < 0
}

// time writes hours, minutes and seconds; hours may have more than two digits.
func (w *intervalWriter) time(micros int64) {
	if !w.empty {
		w.dst = append(w.dst, ' ')
	}
	abs := uint64(micros)
	switch {
	case micros < 0:
		w.dst = append(w.dst, '-')
		abs = -abs
	case w.negative:
		w.dst = append(w.dst, '+')
	}
	h := abs / microsPerHour
	if h < 10 {
		w.dst = append(w.dst, '0')
	}
	w.dst = strconv.AppendUint(w.dst, h, 10)
	w.dst = appendMinSec(append(w.dst, ':'), int64(abs%microsPerHour))
}
