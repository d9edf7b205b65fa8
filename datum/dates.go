package datum

import (
	"encoding/binary"
	"strconv"

	"github.com/pipescan/pipescan/pgfile"
)

// date, time, timetz, timestamp and timestamptz. DateStyle is ISO, the zone
// UTC: 2001-02-03 04:05:06.789+00, years before 1 as 0001 BC, 0002 BC, ...

// Limits (utils/timestamp.h). A date may lie from Julian day 0, which is
// 4714-11-24 BC, to the end of 5874897. A timestamp before Julian day 0 is
// refused by its output function; at the other end every value prints.
const (
	minDate      = -2451545
	maxDate      = 2147483494 - 2451545 - 1
	minTimestamp = minDate * microsPerDay

	microsPerDay    = 86400 * 1000000
	microsPerHour   = 3600 * 1000000
	microsPerMinute = 60 * 1000000
	microsPerSecond = 1000000
)

// utcSuffix is what ISO style writes for the zone UTC.
const utcSuffix = "+00"

// civil turns days since 2000-01-01 into a date of the proleptic Gregorian
// calendar; year 0 is 1 BC. It counts from a March 1st, so that the leap day
// is the last of its year, in eras of 400 years or 146097 days.
func civil(days int64) (year int64, month, day int) {
	const marchYear0 = 730425 // days from 0000-03-01 to 2000-01-01
	era, d := floorDiv(days+marchYear0, 146097)
	y := (d - d/1460 + d/36524 - d/146096) / 365 // year of the era
	d -= 365*y + y/4 - y/100                     // day of the year
	m := (5*d + 2) / 153                         // months since March
	day = int(d - (153*m+2)/5 + 1)
	year = y + era*400
	if m >= 10 {
		return year + 1, int(m - 9), day
	}
	return year, int(m + 3), day
}

// appendDay appends YYYY-MM-DD and says whether the year is before 1.
func appendDay(dst []byte, days int64) (_ []byte, bc bool) {
	year, month, day := civil(days)
	if bc = year <= 0; bc {
		year = 1 - year
	}
	if year < 10000 {
		dst = append4(dst, int(year))
	} else {
		dst = strconv.AppendInt(dst, year, 10)
	}
	dst = append2(append(dst, '-'), month)
	return append2(append(dst, '-'), day), bc
}

func appendDate(dst []byte, days int32) []byte {
	switch days {
	case minInt32:
		return append(dst, "-infinity"...)
	case maxInt32:
		return append(dst, "infinity"...)
	}
	dst, bc := appendDay(dst, int64(days))
	if bc {
		dst = append(dst, " BC"...)
	}
	return dst
}

// appendTimeOfDay appends HH:MM:SS and the fraction without trailing zeros.
func appendTimeOfDay(dst []byte, micros int64) []byte {
	if checkTimeOfDay(micros) != nil { // only a hand-made TimeOfDay: no stored one gets here
		return append(strconv.AppendInt(dst, micros, 10), " us"...)
	}
	dst = append2(dst, int(micros/microsPerHour))
	return appendMinSec(append(dst, ':'), micros%microsPerHour)
}

// appendMinSec appends MM:SS and the fraction; micros is less than an hour.
func appendMinSec(dst []byte, micros int64) []byte {
	dst = append2(dst, int(micros/microsPerMinute))
	micros %= microsPerMinute
	dst = append2(append(dst, ':'), int(micros/microsPerSecond))
	f := int(micros % microsPerSecond)
	if f == 0 {
		return dst
	}
	dst = append(dst, '.')
	dst = append2(append2(append2(dst, f/10000), f/100%100), f%100)
	for dst[len(dst)-1] == '0' {
		dst = dst[:len(dst)-1]
	}
	return dst
}

// appendTimestamp appends a timestamp followed by a zone.
func appendTimestamp(dst []byte, micros int64, zone string) []byte {
	switch micros {
	case minInt64:
		return append(dst, "-infinity"...)
	case maxInt64:
		return append(dst, "infinity"...)
	}
	days, rest := floorDiv(micros, microsPerDay)
	dst, bc := appendDay(dst, days)
	dst = appendTimeOfDay(append(dst, ' '), rest)
	dst = append(dst, zone...)
	if bc {
		dst = append(dst, " BC"...)
	}
	return dst
}

// appendZone appends an offset in seconds east of Greenwich as +HH, +HH:MM or
// +HH:MM:SS.
func appendZone(dst []byte, east int64) []byte {
	sign := byte('+')
	if east < 0 {
		sign, east = '-', -east
	}
	dst = append(dst, sign)
	h, m, s := east/3600, int(east/60%60), int(east%60)
	if h < 10 {
		dst = append(dst, '0')
	}
	dst = strconv.AppendInt(dst, h, 10)
	if m != 0 || s != 0 {
		dst = append2(append(dst, ':'), m)
	}
	if s != 0 {
		dst = append2(append(dst, ':'), s)
	}
	return dst
}

func decodeDate(v []byte) (int32, error) {
	if len(v) != 4 {
		return 0, wrongLength("date", 4, v)
	}
	d := int32(binary.LittleEndian.Uint32(v))
	if (d < minDate || d > maxDate) && d != minInt32 && d != maxInt32 {
		return 0, pgfile.Corruptf(-1, "a date is %d days from 2000-01-01, outside the calendar", d)
	}
	return d, nil
}

func textDate(dst, v []byte, _ *Env) ([]byte, error) {
	d, err := decodeDate(v)
	if err != nil {
		return dst, err
	}
	return appendDate(dst, d), nil
}

func valueDate(v []byte, _ *Env) (any, error) {
	d, err := decodeDate(v)
	if err != nil {
		return nil, err
	}
	return Date{d}, nil
}

func checkTimeOfDay(micros int64) error {
	if micros < 0 || micros > microsPerDay {
		return pgfile.Corruptf(-1, "a time is %d microseconds from midnight, more than a day", micros)
	}
	return nil
}

func decodeTime(v []byte) (int64, error) {
	if len(v) != 8 {
		return 0, wrongLength("time", 8, v)
	}
	t := int64(binary.LittleEndian.Uint64(v))
	return t, checkTimeOfDay(t)
}

func textTime(dst, v []byte, _ *Env) ([]byte, error) {
	t, err := decodeTime(v)
	if err != nil {
		return dst, err
	}
	return appendTimeOfDay(dst, t), nil
}

func valueTime(v []byte, _ *Env) (any, error) {
	t, err := decodeTime(v)
	if err != nil {
		return nil, err
	}
	return TimeOfDay{t}, nil
}

// decodeTimeTZ reads 12 bytes: microseconds, then the zone in seconds west.
func decodeTimeTZ(v []byte) (micros, east int64, err error) {
	if len(v) != 12 {
		return 0, 0, wrongLength("timetz", 12, v)
	}
	micros = int64(binary.LittleEndian.Uint64(v))
	west := int32(binary.LittleEndian.Uint32(v[8:]))
	return micros, -int64(west), checkTimeOfDay(micros)
}

func textTimeTZ(dst, v []byte, _ *Env) ([]byte, error) {
	t, east, err := decodeTimeTZ(v)
	if err != nil {
		return dst, err
	}
	return appendZone(appendTimeOfDay(dst, t), east), nil
}

func valueTimeTZ(v []byte, _ *Env) (any, error) {
	t, east, err := decodeTimeTZ(v)
	if err != nil {
		return nil, err
	}
	if east > maxInt32 {
		return nil, pgfile.Corruptf(-1, "a timetz has a zone %d seconds from Greenwich", east)
	}
	return TimeTZ{t, int32(east)}, nil
}

func decodeTimestamp(v []byte) (int64, error) {
	if len(v) != 8 {
		return 0, wrongLength("timestamp", 8, v)
	}
	t := int64(binary.LittleEndian.Uint64(v))
	if t < minTimestamp && t != minInt64 {
		return 0, pgfile.Corruptf(-1, "a timestamp is %d microseconds from 2000-01-01, outside the calendar", t)
	}
	return t, nil
}

func textTimestamp(dst, v []byte, _ *Env) ([]byte, error) {
	t, err := decodeTimestamp(v)
	if err != nil {
		return dst, err
	}
	return appendTimestamp(dst, t, ""), nil
}

func valueTimestamp(v []byte, _ *Env) (any, error) {
	t, err := decodeTimestamp(v)
	if err != nil {
		return nil, err
	}
	return Timestamp{t}, nil
}

func textTimestampTZ(dst, v []byte, _ *Env) ([]byte, error) {
	t, err := decodeTimestamp(v)
	if err != nil {
		return dst, err
	}
	return appendTimestamp(dst, t, utcSuffix), nil
}

func valueTimestampTZ(v []byte, _ *Env) (any, error) {
	t, err := decodeTimestamp(v)
	if err != nil {
		return nil, err
	}
	return TimestampTZ{t}, nil
}
