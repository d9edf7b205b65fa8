package qual

import (
	"encoding/binary"
	"math"

	"github.com/pipescan/pipescan/datum"
)

// firstInfinite is the version that intervals can be infinite from.
const firstInfinite = 17

// infiniteInterval is -1 or 1 for the infinities, 0 for others.
func (c *fctx) infiniteInterval(i datum.Interval) int {
	if c.env.Major < firstInfinite {
		return 0
	}
	return i.IsInfinite()
}

func infiniteOf(sign int) datum.Interval {
	if sign < 0 {
		return datum.Interval{Micros: math.MinInt64, Days: math.MinInt32, Months: math.MinInt32}
	}
	return datum.Interval{Micros: math.MaxInt64, Days: math.MaxInt32, Months: math.MaxInt32}
}

// stampPlus is timestamp + interval. Months first, then days, then time.
func (c *fctx) stampPlus(us int64, i datum.Interval) (int64, error) {
	if sign := c.infiniteInterval(i); sign != 0 {
		switch {
		case us == noBegin64 && sign > 0, us == noEnd64 && sign < 0:
			return 0, errStampRange()
		case sign < 0:
			return noBegin64, nil
		}
		return noEnd64, nil
	}
	if infiniteStamp(us) {
		return us, nil
	}
	if i.Months != 0 {
		m := momentOf(us)
		months := int64(m.month) + int64(i.Months) - 1
		years, month := divFloor(months, 12)
		m.year, m.month = m.year+years, int(month)+1
		m.day = min(m.day, daysInMonth(m.year, m.month))
		var ok bool
		if us, ok = m.timestamp(); !ok {
			return 0, errStampRange()
		}
	}
	if i.Days != 0 {
		days, rest := divFloor(us, usDay)
		days += int64(i.Days)
		if days < -epochJulian || days > endTimestampDays {
			return 0, errStampRange()
		}
		if us = days*usDay + rest; !validTimestamp(us) {
			return 0, errStampRange()
		}
	}
	us, ok := addInt64(us, i.Micros)
	if !ok || !validTimestamp(us) {
		return 0, errStampRange()
	}
	return us, nil
}

// negatedInterval is -i; ok is false when it overflows.
func (c *fctx) negatedInterval(i datum.Interval) (datum.Interval, bool) {
	if sign := c.infiniteInterval(i); sign != 0 {
		return infiniteOf(-sign), true
	}
	n := datum.Interval{Micros: -i.Micros, Days: -i.Days, Months: -i.Months}
	ok := i.Micros != math.MinInt64 && i.Days != math.MinInt32 && i.Months != math.MinInt32
	return n, ok && c.infiniteInterval(n) == 0
}

func (c *fctx) stampMinus(us int64, i datum.Interval) (int64, error) {
	n, _ := c.negatedInterval(i)
	return c.stampPlus(us, n)
}

// addIntervals adds field by field.
func (c *fctx) addIntervals(x, y datum.Interval) (datum.Interval, error) {
	sx, sy := c.infiniteInterval(x), c.infiniteInterval(y)
	switch {
	case sx != 0 && sy != 0 && sx != sy:
		return x, errIntervalRange()
	case sx != 0:
		return x, nil
	case sy != 0:
		return y, nil
	}
	us, ok := addInt64(x.Micros, y.Micros)
	days, months := int64(x.Days)+int64(y.Days), int64(x.Months)+int64(y.Months)
	r := datum.Interval{Micros: us, Days: int32(days), Months: int32(months)}
	if !ok || int64(r.Days) != days || int64(r.Months) != months || c.infiniteInterval(r) != 0 {
		return r, errIntervalRange()
	}
	return r, nil
}

// stampDifference is timestamp - timestamp: days and time.
func (c *fctx) stampDifference(x, y int64) (datum.Interval, error) {
	if infiniteStamp(x) || infiniteStamp(y) {
		switch {
		case c.env.Major < firstInfinite:
			return datum.Interval{}, sqlErrorf("22008", "cannot subtract infinite timestamps")
		case x == y:
			return datum.Interval{}, errIntervalRange()
		case x == noEnd64 || y == noBegin64:
			return infiniteOf(1), nil
		}
		return infiniteOf(-1), nil
	}
	us, ok := subInt64(x, y)
	if !ok && c.env.Major >= 16 { // before, it wraps around
		return datum.Interval{}, errIntervalRange()
	}
	return datum.Interval{Micros: us % usDay, Days: int32(us / usDay)}, nil
}

// timeOfDaySum brings a time into the day.
func timeOfDaySum(us int64) int64 {
	_, r := divFloor(us, usDay)
	return r
}

func init() {
	dateArithmetic()
	stampArithmetic()
	timeArithmetic()
	intervalArithmetic()
	dateCasts()
}

func appendDate(dst []byte, days int64) []byte { return appendInt(dst, int32(days)) }

func dateArithmetic() {
	days := func(sign int64) rowFunc {
		return func(_ *fctx, dst []byte, args [][]byte) ([]byte, error) {
			d, n := getInt32(args[0]), sign*getInt32(args[1])
			if infiniteDate(d) {
				return appendDate(dst, d), nil
			}
			if !validDate(d + n) {
				return nil, errDateRange()
			}
			return appendDate(dst, d+n), nil
		}
	}
	kernels["date_pli"], kernels["date_mii"] = days(1), days(-1)
	kernels["date_mi"] = func(_ *fctx, dst []byte, args [][]byte) ([]byte, error) {
		a, b := getInt32(args[0]), getInt32(args[1])
		if infiniteDate(a) || infiniteDate(b) {
			return nil, sqlErrorf("22008", "cannot subtract infinite dates")
		}
		return appendInt(dst, int32(a-b)), nil
	}
	kernels["datetime_timestamp"] = func(_ *fctx, dst []byte, args [][]byte) ([]byte, error) {
		us, err := stampOfDate(getInt32(args[0]))
		if err != nil {
			return nil, err
		}
		if !infiniteStamp(us) {
			if us += getInt64(args[1]); !validTimestamp(us) {
				return nil, errStampRange()
			}
		}
		return appendInt(dst, us), nil
	}
	kernels["datetimetz_timestamptz"] = func(_ *fctx, dst []byte, args [][]byte) ([]byte, error) {
		us, err := stampOfDate(getInt32(args[0]))
		if err != nil {
			return nil, err
		}
		if !infiniteStamp(us) {
			if us += getInt64(args[1]) + getInt32(args[1][8:])*usSecond; !validTimestamp(us) {
				return nil, errDateStamp()
			}
		}
		return appendInt(dst, us), nil
	}
}

func stampArithmetic() {
	plus := func(stamp func([]byte) (int64, error), f func(*fctx, int64, datum.Interval) (int64, error)) rowFunc {
		return func(c *fctx, dst []byte, args [][]byte) ([]byte, error) {
			us, err := stamp(args[0])
			if err == nil {
				us, err = f(c, us, getInterval(args[1]))
			}
			if err != nil {
				return nil, err
			}
			return appendInt(dst, us), nil
		}
	}
	ofStamp := func(b []byte) (int64, error) { return getInt64(b), nil }
	ofDate := func(b []byte) (int64, error) { return stampOfDate(getInt32(b)) }
	for name, f := range map[string]func(*fctx, int64, datum.Interval) (int64, error){"pl": (*fctx).stampPlus, "mi": (*fctx).stampMinus} {
		kernels["timestamp_"+name+"_interval"] = plus(ofStamp, f)
		kernels["timestamptz_"+name+"_interval"] = plus(ofStamp, f)
		kernels["date_"+name+"_interval"] = plus(ofDate, f)
	}
	kernels["timestamp_mi"] = func(c *fctx, dst []byte, args [][]byte) ([]byte, error) {
		i, err := c.stampDifference(getInt64(args[0]), getInt64(args[1]))
		if err != nil {
			return nil, err
		}
		return appendInterval(dst, i), nil
	}
	finite := func(f func(c *fctx, b []byte) bool) rowFunc {
		return func(c *fctx, dst []byte, args [][]byte) ([]byte, error) {
			return appendBoolByte(dst, f(c, args[0])), nil
		}
	}
	kernels["date_finite"] = finite(func(_ *fctx, b []byte) bool { return !infiniteDate(getInt32(b)) })
	kernels["timestamp_finite"] = finite(func(_ *fctx, b []byte) bool { return !infiniteStamp(getInt64(b)) })
	kernels["interval_finite"] = finite(func(c *fctx, b []byte) bool { return c.infiniteInterval(getInterval(b)) == 0 })
}

func timeArithmetic() {
	shift := func(sign int64, zoned bool) rowFunc {
		return func(c *fctx, dst []byte, args [][]byte) ([]byte, error) {
			i := getInterval(args[1])
			if c.infiniteInterval(i) != 0 {
				return nil, sqlErrorf("22008", "cannot add or subtract an infinite interval and a time")
			}
			dst = appendInt(dst, timeOfDaySum(getInt64(args[0])+sign*(i.Micros%usDay)))
			if zoned {
				dst = append(dst, args[0][8:12]...)
			}
			return dst, nil
		}
	}
	kernels["time_pl_interval"], kernels["time_mi_interval"] = shift(1, false), shift(-1, false)
	kernels["timetz_pl_interval"], kernels["timetz_mi_interval"] = shift(1, true), shift(-1, true)
	kernels["time_mi_time"] = func(_ *fctx, dst []byte, args [][]byte) ([]byte, error) {
		return appendInterval(dst, datum.Interval{Micros: getInt64(args[0]) - getInt64(args[1])}), nil
	}
}

func dateCasts() {
	stamp := func(f func(b []byte) (int64, error)) rowFunc {
		return func(_ *fctx, dst []byte, args [][]byte) ([]byte, error) {
			us, err := f(args[0])
			if err != nil {
				return nil, err
			}
			return appendInt(dst, us), nil
		}
	}
	fromDate := stamp(func(b []byte) (int64, error) { return stampOfDate(getInt32(b)) })
	same := stamp(func(b []byte) (int64, error) { return getInt64(b), nil })
	kernels["date_timestamp"], kernels["date_timestamptz"] = fromDate, fromDate
	kernels["timestamp_timestamptz"], kernels["timestamptz_timestamp"] = same, same
	toDate := func(_ *fctx, dst []byte, args [][]byte) ([]byte, error) {
		switch us := getInt64(args[0]); us {
		case noBegin64:
			return appendDate(dst, noBegin32), nil
		case noEnd64:
			return appendDate(dst, noEnd32), nil
		default:
			d, _ := divFloor(us, usDay)
			return appendDate(dst, d), nil
		}
	}
	kernels["timestamp_date"], kernels["timestamptz_date"] = toDate, toDate
	toTime := func(zoned bool) rowFunc {
		return func(_ *fctx, dst []byte, args [][]byte) ([]byte, error) {
			us := getInt64(args[0])
			if infiniteStamp(us) {
				return nil, nil
			}
			if dst = appendInt(dst, timeOfDaySum(us)); zoned {
				dst = binary.LittleEndian.AppendUint32(dst, 0)
			}
			return dst, nil
		}
	}
	kernels["timestamp_time"], kernels["timestamptz_time"], kernels["timestamptz_timetz"] = toTime(false), toTime(false), toTime(true)
	kernels["time_timetz"] = func(_ *fctx, dst []byte, args [][]byte) ([]byte, error) {
		return binary.LittleEndian.AppendUint32(append(dst, args[0]...), 0), nil
	}
	kernels["timetz_time"] = func(_ *fctx, dst []byte, args [][]byte) ([]byte, error) { return append(dst, args[0][:8]...), nil }
	kernels["time_interval"] = func(_ *fctx, dst []byte, args [][]byte) ([]byte, error) {
		return appendInterval(dst, datum.Interval{Micros: getInt64(args[0])}), nil
	}
	kernels["interval_time"] = func(c *fctx, dst []byte, args [][]byte) ([]byte, error) {
		i := getInterval(args[0])
		if c.infiniteInterval(i) != 0 {
			return nil, sqlErrorf("22008", "cannot convert infinite interval to time")
		}
		return appendInt(dst, timeOfDaySum(i.Micros)), nil
	}
	scaleCasts()
	kernels["make_date"] = makeDate
}

// scaleCasts registers the casts to a precision.
func scaleCasts() {
	scale := func(_ *fctx, dst []byte, args [][]byte) ([]byte, error) {
		us := getInt64(args[0])
		if !infiniteStamp(us) {
			us = roundPrecision(us, int32(getInt32(args[1])))
		}
		return append(appendInt(dst, us), args[0][8:]...), nil
	}
	kernels["time_scale"], kernels["timetz_scale"] = scale, scale
	kernels["timestamp_scale"], kernels["timestamptz_scale"] = scale, scale
	kernels["interval_scale"] = func(c *fctx, dst []byte, args [][]byte) ([]byte, error) {
		return appendInterval(dst, c.intervalToTypmod(getInterval(args[0]), int32(getInt32(args[1])))), nil
	}
}

func makeDate(_ *fctx, dst []byte, args [][]byte) ([]byte, error) {
	year, month, day := getInt32(args[0]), getInt32(args[1]), getInt32(args[2])
	bad := sqlErrorf("22008", "date field value out of range: %d-%02d-%02d", year, month, day)
	y := year
	if y < 0 {
		y++ // BC
	} else if y == 0 {
		return nil, bad
	}
	if month < 1 || month > 12 || day < 1 || day > int64(daysInMonth(y, int(month))) || y < -4713 || y > 5874897 {
		return nil, bad
	}
	days := julianOf(y, int(month), int(day)) - epochJulian
	if !validDate(days) {
		return nil, sqlErrorf("22008", "date out of range: %d-%02d-%02d", year, month, day)
	}
	return appendDate(dst, days), nil
}
