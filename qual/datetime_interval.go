package qual

import (
	"math"

	"github.com/pipescan/pipescan/datum"
)

func intervalArithmetic() {
	two := func(f func(c *fctx, x, y datum.Interval) (datum.Interval, error)) rowFunc {
		return func(c *fctx, dst []byte, args [][]byte) ([]byte, error) {
			r, err := f(c, getInterval(args[0]), getInterval(args[1]))
			if err != nil {
				return nil, err
			}
			return appendInterval(dst, r), nil
		}
	}
	kernels["interval_pl"] = two((*fctx).addIntervals)
	kernels["interval_mi"] = two(func(c *fctx, x, y datum.Interval) (datum.Interval, error) {
		n, ok := c.negatedInterval(y)
		if !ok {
			return n, errIntervalRange()
		}
		return c.addIntervals(x, n)
	})
	kernels["interval_um"] = func(c *fctx, dst []byte, args [][]byte) ([]byte, error) {
		n, ok := c.negatedInterval(getInterval(args[0]))
		if !ok {
			return nil, errIntervalRange()
		}
		return appendInterval(dst, n), nil
	}
	by := func(interval, factor int, div bool) rowFunc {
		return func(c *fctx, dst []byte, args [][]byte) ([]byte, error) {
			r, err := c.scaleInterval(getInterval(args[interval]), getFloat64(args[factor]), div)
			if err != nil {
				return nil, err
			}
			return appendInterval(dst, r), nil
		}
	}
	kernels["interval_mul"], kernels["mul_d_interval"], kernels["interval_div"] = by(0, 1, false), by(1, 0, false), by(0, 1, true)
	justify := func(f func(i *datum.Interval) bool) rowFunc {
		return func(c *fctx, dst []byte, args [][]byte) ([]byte, error) {
			i := getInterval(args[0])
			if c.infiniteInterval(i) == 0 && !f(&i) {
				return nil, errIntervalRange()
			}
			return appendInterval(dst, i), nil
		}
	}
	kernels["interval_justify_hours"] = justify(justifyHours)
	kernels["interval_justify_days"] = justify(justifyDays)
}

// justifyHours makes days of 24 hours, all parts of one sign.
func justifyHours(i *datum.Interval) bool {
	days := int64(i.Days) + i.Micros/usDay
	i.Micros %= usDay
	switch {
	case days > 0 && i.Micros < 0:
		i.Micros += usDay
		days--
	case days < 0 && i.Micros > 0:
		i.Micros -= usDay
		days++
	}
	i.Days = int32(days)
	return int64(i.Days) == days
}

// justifyDays makes months of 30 days.
func justifyDays(i *datum.Interval) bool {
	months := int64(i.Months) + int64(i.Days/30)
	i.Days %= 30
	switch {
	case months > 0 && i.Days < 0:
		i.Days += 30
		months--
	case months < 0 && i.Days > 0:
		i.Days -= 30
		months++
	}
	i.Months = int32(months)
	return int64(i.Months) == months
}

// tsRound rounds to a millionth.
func tsRound(f float64) float64 { return math.RoundToEven(f*1e6) / 1e6 }

// scaleInterval is interval * f and interval / f: what is left of months goes
// to days, what is left of days to time.
func (c *fctx) scaleInterval(i datum.Interval, f float64, div bool) (datum.Interval, error) {
	if div && f == 0 {
		return i, errDivision()
	}
	if sign := c.infiniteInterval(i); sign != 0 || c.env.Major >= firstInfinite && (math.IsNaN(f) || isInf(f)) {
		return c.scaleInfinite(i, sign, f, div)
	}
	apply := func(n float64) float64 {
		if div {
			return n / f
		}
		return n * f
	}
	months, days := apply(float64(i.Months)), apply(float64(i.Days))
	if !fits32(months) || !fits32(days) {
		return i, errIntervalRange()
	}
	r := datum.Interval{Months: int32(months), Days: int32(days)}
	monthDays := tsRound((months - float64(r.Months)) * 30)
	seconds := tsRound((days - float64(r.Days) + monthDays - math.Trunc(monthDays)) * 86400)
	more := int64(0)
	if math.Abs(seconds) >= 86400 {
		more = int64(seconds / 86400)
		seconds -= float64(more) * 86400
	}
	sum := int64(r.Days) + more + int64(monthDays)
	if r.Days = int32(sum); int64(r.Days) != sum {
		return i, errIntervalRange()
	}
	us := math.RoundToEven(apply(float64(i.Micros)) + seconds*1e6)
	if !(us >= -0x1p63 && us < 0x1p63) {
		return i, errIntervalRange()
	}
	r.Micros = int64(us)
	if c.infiniteInterval(r) != 0 {
		return i, errIntervalRange()
	}
	return r, nil
}

// fits32 says whether a double is within the range of int32 (NaN is not).
func fits32(f float64) bool { return f >= math.MinInt32 && f <= math.MaxInt32 }

// scaleInfinite is scaleInterval where an operand is infinite, or NaN.
func (c *fctx) scaleInfinite(i datum.Interval, sign int, f float64, div bool) (datum.Interval, error) {
	if math.IsNaN(f) || div && sign != 0 && isInf(f) {
		return i, errIntervalRange()
	}
	if div && sign == 0 {
		return datum.Interval{}, nil // a finite interval by infinity
	}
	if sign == 0 {
		switch n, _ := compareIntervals(c, appendInterval(nil, i), appendInterval(nil, datum.Interval{})); {
		case n == 0:
			return i, errIntervalRange()
		default:
			sign = n
		}
	}
	switch {
	case f == 0:
		return i, errIntervalRange()
	case f < 0:
		sign = -sign
	}
	return infiniteOf(sign), nil
}

// Bits of the fields in an interval's modifier.
const (
	fieldMonth  = 1 << 1
	fieldYear   = 1 << 2
	fieldDay    = 1 << 3
	fieldHour   = 1 << 10
	fieldMinute = 1 << 11
	fieldSecond = 1 << 12
	fullRange   = 0x7fff
)

// intervalToTypmod cuts off the fields below the modifier's last one, and
// rounds seconds to its precision.
func (c *fctx) intervalToTypmod(i datum.Interval, typmod int32) datum.Interval {
	if typmod < 0 || c.infiniteInterval(i) != 0 {
		return i
	}
	fields, precision := typmod>>16&fullRange, typmod&0xffff
	switch {
	case fields == fullRange, fields&fieldSecond != 0:
	case fields&fieldMinute != 0:
		i.Micros -= i.Micros % usMinute
	case fields&fieldHour != 0:
		i.Micros -= i.Micros % usHour
	case fields&fieldDay != 0:
		i.Micros = 0
	case fields&fieldMonth != 0:
		i.Micros, i.Days = 0, 0
	case fields&fieldYear != 0:
		i.Micros, i.Days, i.Months = 0, 0, i.Months-i.Months%12
	}
	if precision != 0xffff {
		i.Micros = roundPrecision(i.Micros, precision)
	}
	return i
}
