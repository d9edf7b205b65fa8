package qual

import (
	"cmp"
	"math"

	"github.com/pipescan/pipescan/datum"
)

// Units in microseconds.
const (
	usSecond int64 = 1000000
	usMinute       = 60 * usSecond
	usHour         = 60 * usMinute
	usDay          = 24 * usHour
)

// Infinities of dates and timestamps.
const (
	noBegin64, noEnd64 = math.MinInt64, math.MaxInt64
	noBegin32, noEnd32 = math.MinInt32, math.MaxInt32
)

func getInterval(b []byte) datum.Interval {
	return datum.Interval{Micros: getInt64(b), Days: int32(getInt32(b[8:])), Months: int32(getInt32(b[12:]))}
}

// compareIntervals takes a month as 30 days and a day as 24 hours.
func compareIntervals(_ *fctx, a, b []byte) (int, error) {
	days1, us1 := intervalSpan(getInterval(a))
	days2, us2 := intervalSpan(getInterval(b))
	if n := cmp.Compare(days1, days2); n != 0 {
		return n, nil
	}
	return cmp.Compare(us1, us2), nil
}

// intervalSpan is an interval in days and the microseconds of a day, the
// latter not negative.
func intervalSpan(i datum.Interval) (days, micros int64) {
	days = int64(i.Months)*30 + int64(i.Days) + i.Micros/usDay
	micros = i.Micros % usDay
	if micros < 0 {
		days--
		micros += usDay
	}
	return days, micros
}

// compareTimeTZ compares the instants, then the zones (seconds west).
func compareTimeTZ(_ *fctx, a, b []byte) (int, error) {
	za, zb := getInt32(a[8:]), getInt32(b[8:])
	if n := cmp.Compare(getInt64(a)+za*usSecond, getInt64(b)+zb*usSecond); n != 0 {
		return n, nil
	}
	return cmp.Compare(za, zb), nil
}

// dateMicros is a date as a timestamp, beyond the range of timestamps one of
// the infinities with over set.
func dateMicros(days int64) (us int64, over bool) {
	switch {
	case days == noBegin32:
		return noBegin64, false
	case days == noEnd32:
		return noEnd64, false
	case days >= endTimestampDays:
		return noEnd64, true
	}
	return days * usDay, false
}

// endTimestampDays is the first date past the range of timestamps, 294277-01-01
// (TIMESTAMP_END_JULIAN less the epoch's).
const endTimestampDays = 109203528 - 2451545

// compareDateTimestamp: dates beyond the range of timestamps are greater than
// all of them but infinity.
func compareDateTimestamp(days, us int64) int {
	d, over := dateMicros(days)
	if over {
		if us == noEnd64 {
			return -1
		}
		return 1
	}
	return cmp.Compare(d, us)
}

func init() {
	dateFirst := func(_ *fctx, a, b []byte) (int, error) { return compareDateTimestamp(getInt32(a), getInt64(b)), nil }
	dateLast := func(_ *fctx, a, b []byte) (int, error) { return -compareDateTimestamp(getInt32(b), getInt64(a)), nil }
	stamps := func(_ *fctx, a, b []byte) (int, error) { return cmp.Compare(getInt64(a), getInt64(b)), nil }
	for _, t := range []string{"timestamp", "timestamptz"} {
		familyAs("date_", "_"+t, phNone, phNone, dateFirst)
		familyAs(t+"_", "_date", phNone, phNone, dateLast)
	}
	// The session's time zone is UTC.
	familyAs("timestamp_", "_timestamptz", phInt64, phInt64, stamps)
	familyAs("timestamptz_", "_timestamp", phInt64, phInt64, stamps)
}
