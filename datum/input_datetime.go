package datum

import (
	"encoding/binary"
	"fmt"

	"github.com/pipescan/pipescan/pgfile"
)

// Input of date, time, timetz, timestamp and timestamptz, with DateStyle ISO,
// MDY and TimeZone UTC. A text is cut into tokens (input_datetoken.go), each
// of which sets fields of a moment:
//
//	1999-01-08 04:05:06.789 PM -08:00 BC
//	└─ date ─┘ └── time ──┘ word └zone┘ word
//
// Words that depend on when they are read (now, today) and names of time zones
// other than UTC's are ErrUnsupported.

// Which fields a moment has.
const (
	hasYear = 1 << iota
	hasMonth
	hasDay
	hasDOY
	hasTime
	hasZone
	hasJulian
	hasEra

	hasDate = hasYear | hasMonth | hasDay
)

// moment is a date and time on its way in.
type moment struct {
	typ   string // the type, as messages name it
	text  []byte
	major int
	has   int

	year, month, day, doy int
	micros                int64 // of the day
	east                  int   // zone, seconds east
	julian                int

	textMonth, twoDigits, bc bool
	meridian                 byte // 0, 'a', 'p'
	special                  int  // -1, 1: infinities; 2: epoch
}

func (m *moment) badFormat() error {
	return inputErrorf(StateInvalidDatetime, `invalid input syntax for type %s: "%s"`, m.typ, m.text)
}

func (m *moment) overflow() error {
	return inputErrorf(StateDatetimeOverflow, `date/time field value out of range: "%s"`, m.text)
}

// overflowMD is overflow with the hint that a server gives when month or day
// may have been mistaken for each other.
func (m *moment) overflowMD() error {
	err := inputErrorf(StateDatetimeOverflow, `date/time field value out of range: "%s"`, m.text)
	err.Hint = `Perhaps you need a different "DateStyle" setting.`
	return err
}

func (m *moment) outOfRange(typ string) error {
	return inputErrorf(StateDatetimeOverflow, `%s out of range: "%s"`, typ, m.text)
}

func (m *moment) unsupported(what string) error {
	return fmt.Errorf("%s %q: %s: write the date, the time and the zone's offset in digits: %w", m.typ, m.text, what, pgfile.ErrUnsupported)
}

// parseMoment reads a text.
func parseMoment(text []byte, typ string, e *Env) (*moment, error) {
	m := &moment{typ: typ, text: text, major: e.Major}
	lex := dateLexer{rest: text}
	prev := dateToken{}
	for {
		t, err := lex.next(m)
		if err != nil {
			return nil, err
		}
		if prev.isLetter('t') && (t.kind != tokenNumber && t.kind != tokenTime || m.isTime() && m.has&hasDate != 0) {
			return nil, m.badFormat() // a T announces a time
		}
		if prev.isLetter('j') && t.kind != tokenNumber {
			return nil, m.badFormat() // and a J a day
		}
		if t.kind == tokenEnd {
			break
		}
		if err := m.take(t, prev); err != nil {
			return nil, err
		}
		prev = t
	}
	return m, m.finish()
}

// take applies one token; prev is the one before.
func (m *moment) take(t, prev dateToken) error {
	switch t.kind {
	case tokenDate:
		return m.takeDate(t.text)
	case tokenTime:
		return m.takeTime(t.text)
	case tokenZone:
		return m.takeZone(t.text)
	case tokenWord:
		return m.takeWord(t.text)
	}
	if prev.isLetter('j') {
		return m.takeJulian(t.text)
	}
	return m.takeNumber(t.text, prev)
}

// set notes that fields are there, which must not be so already.
func (m *moment) set(fields int) error {
	if m.has&fields != 0 {
		return m.badFormat()
	}
	m.has |= fields
	return nil
}

// finish checks what the tokens could not see alone.
func (m *moment) finish() error {
	if m.special != 0 {
		if m.has != 0 {
			return m.badFormat()
		}
		return nil
	}
	if m.meridian != 0 {
		if err := m.applyMeridian(); err != nil {
			return err
		}
	}
	switch {
	case m.has&hasJulian != 0:
		return nil
	case m.has&hasYear == 0:
		if m.has&(hasMonth|hasDay) != 0 {
			return m.checkDay() // always an error
		}
		return nil
	}
	switch {
	case m.bc && m.year <= 0:
		return m.overflow()
	case m.bc:
		m.year = 1 - m.year
	case m.twoDigits && m.year < 70:
		m.year += 2000
	case m.twoDigits && m.year < 100:
		m.year += 1900
	case m.year <= 0:
		return m.overflow()
	}
	return m.checkDay()
}

// checkDay checks month and day, or turns a day of the year into them.
func (m *moment) checkDay() error {
	if m.has&hasDOY != 0 {
		if m.doy < 1 || m.doy > 366 || m.doy == 366 && daysIn(m.year, 2) == 28 {
			return m.overflow()
		}
		var y int64
		y, m.month, m.day = civil(daysOf(m.year, 1, 1) + int64(m.doy) - 1)
		m.year = int(y)
		return nil
	}
	if m.has&hasMonth != 0 && (m.month < 1 || m.month > 12) {
		return m.overflowMD()
	}
	if m.has&hasDay != 0 && (m.day < 1 || m.day > 31) {
		return m.overflowMD()
	}
	if m.has&hasDate != hasDate {
		return m.badFormat()
	}
	if m.day > daysIn(m.year, m.month) {
		return m.overflow()
	}
	return nil
}

func (m *moment) applyMeridian() error {
	if m.has&hasTime == 0 {
		return m.badFormat()
	}
	h := m.micros / microsPerHour
	switch {
	case h > 12:
		return m.overflow()
	case m.meridian == 'a' && h == 12:
		m.micros -= 12 * microsPerHour
	case m.meridian == 'p' && h != 12:
		m.micros += 12 * microsPerHour
	}
	return nil
}

// days is the day, since 2000-01-01; ok is false when it is outside of the
// calendar.
func (m *moment) days() (days int64, ok bool) {
	if m.has&hasJulian != 0 {
		return int64(m.julian) + minDate, true
	}
	if m.year > 5874898 || m.year < -4800 {
		return 0, false
	}
	d := daysOf(m.year, m.month, m.day)
	return d, d >= minDate && d <= maxDate
}

// daysOf counts days from 2000-01-01 to a day of the proleptic Gregorian
// calendar; year 0 is 1 BC. It is civil's inverse.
func daysOf(year, month, day int) int64 {
	y := int64(year)
	m := int64(month) - 3 // months since March
	if month <= 2 {
		y, m = y-1, m+12
	}
	era, yoe := floorDiv(y, 400)
	return era*146097 + yoe*365 + yoe/4 - yoe/100 + (153*m+2)/5 + int64(day) - 1 - 730425
}

// daysIn is the length of a month.
func daysIn(year, month int) int {
	switch month {
	case 4, 6, 9, 11:
		return 30
	case 2:
		if year%4 == 0 && (year%100 != 0 || year%400 == 0) {
			return 29
		}
		return 28
	}
	return 31
}

func inputDate(dst, text []byte, _ int32, e *Env) ([]byte, error) {
	m, err := parseMoment(text, "date", e)
	if err != nil {
		return dst, err
	}
	d := int64(0)
	switch m.special {
	case -1:
		d = minInt32
	case 1:
		d = maxInt32
	case 2:
		d = -10957
	default:
		if m.has&hasDate != hasDate {
			return dst, m.badFormat()
		}
		var ok bool
		if d, ok = m.days(); !ok {
			return dst, m.outOfRange("date")
		}
	}
	return binary.LittleEndian.AppendUint32(dst, uint32(int32(d))), nil
}

// maxTimestamp is the first microsecond past the calendar: 294277-01-01.
const maxTimestamp = 9223371331200000000

func inputTimestamp(dst, text []byte, typmod int32, e *Env) ([]byte, error) {
	return appendTimestampInput(dst, text, typmod, "timestamp", false, e)
}

func inputTimestampTZ(dst, text []byte, typmod int32, e *Env) ([]byte, error) {
	return appendTimestampInput(dst, text, typmod, "timestamp with time zone", true, e)
}

func appendTimestampInput(dst, text []byte, typmod int32, typ string, zoned bool, e *Env) ([]byte, error) {
	m, err := parseMoment(text, typ, e)
	if err != nil {
		return dst, err
	}
	t, err := m.timestamp(zoned)
	if err != nil {
		return dst, err
	}
	if m.special == 0 || m.special == 2 {
		t = roundMicros(t, typmod)
	}
	return binary.LittleEndian.AppendUint64(dst, uint64(t)), nil
}

func (m *moment) timestamp(zoned bool) (int64, error) {
	switch m.special {
	case -1:
		return minInt64, nil
	case 1:
		return maxInt64, nil
	case 2:
		return -10957 * microsPerDay, nil
	}
	if m.has&hasDate != hasDate {
		return 0, m.badFormat()
	}
	days, ok := m.days()
	const mostDays = maxTimestamp/microsPerDay + 2
	if !ok || days > mostDays {
		return 0, m.outOfRange("timestamp")
	}
	hi, t := days*86400, m.micros // the sum may pass int64 by the last year
	if zoned && m.has&hasZone != 0 {
		hi -= int64(m.east)
	}
	hi += t / microsPerSecond
	t %= microsPerSecond
	if hi > maxTimestamp/microsPerSecond || hi < minTimestamp/microsPerSecond {
		return 0, m.outOfRange("timestamp")
	}
	if hi == maxTimestamp/microsPerSecond {
		return 0, m.outOfRange("timestamp")
	}
	return hi*microsPerSecond + t, nil
}

// roundMicros rounds to the decimals of a type modifier, half away from zero.
func roundMicros(t int64, typmod int32) int64 {
	if typmod < 0 || typmod >= 6 {
		return t
	}
	scale := int64(1)
	for range 6 - typmod {
		scale *= 10
	}
	if t >= 0 {
		return (t + scale/2) / scale * scale
	}
	return -((-t + scale/2) / scale * scale)
}

func inputTime(dst, text []byte, typmod int32, e *Env) ([]byte, error) {
	m, err := parseMoment(text, "time", e)
	if err != nil {
		return dst, err
	}
	if m.special != 0 || m.has&hasTime == 0 {
		return dst, m.badFormat()
	}
	return binary.LittleEndian.AppendUint64(dst, uint64(roundMicros(m.micros, typmod))), nil
}

func inputTimeTZ(dst, text []byte, typmod int32, e *Env) ([]byte, error) {
	m, err := parseMoment(text, "time with time zone", e)
	if err != nil {
		return dst, err
	}
	if m.special != 0 || m.has&hasTime == 0 {
		return dst, m.badFormat()
	}
	dst = binary.LittleEndian.AppendUint64(dst, uint64(roundMicros(m.micros, typmod)))
	return binary.LittleEndian.AppendUint32(dst, uint32(int32(-m.east))), nil
}
