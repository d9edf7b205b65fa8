package qual

import "math"

// The proleptic Gregorian calendar. Years are astronomical: 0 is 1 BC.

// Julian days of the epochs and ends (utils/timestamp.h, utils/date.h).
const (
	epochJulian     = 2451545 // 2000-01-01
	unixEpochJulian = 2440588
	endDateJulian   = 2147483494

	minTimestamp int64 = -211813488000000000
	endTimestamp int64 = 9223371331200000000
	unixEpochUs  int64 = (unixEpochJulian - epochJulian) * usDay
)

// moment is a day and a time taken apart.
type moment struct {
	year             int64
	month, day       int
	hour, min, sec   int64
	micros           int64 // of the second
	julian           int64
	secondsAndMicros int64 // sec and micros in microseconds
}

// julianOf is the Julian day of a date.
func julianOf(year int64, month, day int) int64 {
	m := int64(month)
	y := year
	if m > 2 {
		m++
		y += 4800
	} else {
		m += 13
		y += 4799
	}
	century := y / 100
	return y*365 - 32167 + y/4 - century + century/4 + 7834*m/256 + int64(day)
}

// civilOf is the date of a Julian day.
func civilOf(julian int64) (year int64, month, day int) {
	// Days since 0000-03-01, in eras of 400 years.
	z := julian - 1721120
	era, doe := divFloor(z, 146097)
	yoe := (doe - doe/1460 + doe/36524 - doe/146096) / 365
	doy := doe - (365*yoe + yoe/4 - yoe/100)
	mp := (5*doy + 2) / 153
	day = int(doy-(153*mp+2)/5) + 1
	month = int(mp) + 3
	year = yoe + era*400
	if month > 12 {
		month -= 12
		year++
	}
	return year, month, day
}

// divFloor divides rounding down; the remainder is not negative.
func divFloor(a, b int64) (quotient, remainder int64) {
	q, r := a/b, a%b
	if r < 0 {
		return q - 1, r + b
	}
	return q, r
}

// momentOf takes a finite timestamp apart.
func momentOf(us int64) moment {
	days, rest := divFloor(us, usDay)
	m := moment{julian: days + epochJulian}
	m.year, m.month, m.day = civilOf(m.julian)
	m.setTime(rest)
	return m
}

func (m *moment) setTime(us int64) {
	m.hour, us = us/usHour, us%usHour
	m.min, us = us/usMinute, us%usMinute
	m.secondsAndMicros = us
	m.sec, m.micros = us/usSecond, us%usSecond
}

func (m *moment) timeOfDay() int64 { return m.hour*usHour + m.min*usMinute + m.sec*usSecond + m.micros }

// timestamp puts a moment together; ok is false out of range.
func (m *moment) timestamp() (us int64, ok bool) {
	if m.year < -4713 || m.year > 294277 {
		return 0, false
	}
	us = (julianOf(m.year, m.month, m.day)-epochJulian)*usDay + m.timeOfDay()
	return us, validTimestamp(us)
}

func validTimestamp(us int64) bool { return us >= minTimestamp && us < endTimestamp }

func validDate(days int64) bool {
	return days >= -epochJulian && days < endDateJulian-epochJulian
}

func infiniteStamp(us int64) bool { return us == noBegin64 || us == noEnd64 }

func infiniteDate(days int64) bool { return days == noBegin32 || days == noEnd32 }

func daysInMonth(year int64, month int) int {
	switch month {
	case 2:
		if year%4 == 0 && (year%100 != 0 || year%400 == 0) {
			return 29
		}
		return 28
	case 4, 6, 9, 11:
		return 30
	}
	return 31
}

// weekday is 0 for Sunday.
func weekday(julian int64) int64 {
	_, r := divFloor(julian+1, 7)
	return r
}

// isoWeek is the ISO week and the year it belongs to.
func isoWeek(julian int64) (year, week int64) {
	// The Thursday of the week decides the year.
	monday := julian - (weekday(julian)+6)%7
	year, _, _ = civilOf(monday + 3)
	first := julianOf(year, 1, 4)
	first -= (weekday(first) + 6) % 7
	return year, (monday-first)/7 + 1
}

func errStampRange() error    { return sqlErrorf("22008", "timestamp out of range") }
func errDateRange() error     { return sqlErrorf("22008", "date out of range") }
func errDateStamp() error     { return sqlErrorf("22008", "date out of range for timestamp") }
func errIntervalRange() error { return sqlErrorf("22008", "interval out of range") }

// stampOfDate is a date as a timestamp.
func stampOfDate(days int64) (int64, error) {
	us, over := dateMicros(days)
	if over {
		return 0, errDateStamp()
	}
	return us, nil
}

// roundPrecision rounds microseconds to a number of decimals of a second, half
// away from zero.
func roundPrecision(us int64, decimals int32) int64 {
	if decimals < 0 || decimals > 5 {
		return us
	}
	scale := int64(math.Pow10(6 - int(decimals)))
	if us >= 0 {
		return (us + scale/2) / scale * scale
	}
	return -((-us + scale/2) / scale * scale)
}
