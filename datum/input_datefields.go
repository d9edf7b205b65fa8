package datum

import (
	"bytes"
	"strings"
)

// takeDate splits a date at its delimiters; a month's name is found first, for
// it says what the numbers are (DecodeDate).
func (m *moment) takeDate(b []byte) error {
	if n := run(b, isDigit); (n == 4 || n == 6) && n < len(b) && b[n] == '-' && bytes.IndexByte(b[n+1:], '-') < 0 && (m.has&hasDate == hasDate || m.isTime()) && m.has&hasTime == 0 {
		if err := m.runTogetherTime(b[:n], nil); err != nil { // 040506-08
			return err
		}
		return m.takeZone(b[n:])
	}
	if m.has&hasDate != 0 {
		return m.badFormat()
	}
	parts := bytes.FieldsFunc(b, func(r rune) bool { return r == '-' || r == '/' || r == '.' })
	if len(parts) > 3 {
		return m.badFormat()
	}
	numbers := parts[:0:0]
	for _, p := range parts {
		if n := monthOf(p); n > 0 {
			if err := m.set(hasMonth); err != nil {
				return err
			}
			m.month, m.textMonth = n, true
			continue
		}
		numbers = append(numbers, p)
	}
	for _, p := range numbers {
		if err := m.dateNumber(p); err != nil {
			return err
		}
	}
	if m.has&hasDate == hasDate {
		return nil
	}
	return m.badFormat()
}

// dateNumber gives a number of a date its place: year first when it has three
// digits, else month, day, year (DecodeNumber with DateOrder MDY).
func (m *moment) dateNumber(b []byte) error {
	n, ok := atoi(b)
	if !ok {
		return m.badFormat()
	}
	if len(b) == 3 && m.has&hasDate == hasYear && n >= 1 && n <= 366 {
		m.doy = n
		return m.set(hasDOY | hasMonth | hasDay)
	}
	switch m.has & hasDate {
	case 0:
		if len(b) >= 3 {
			return m.setYear(n, b)
		}
		m.month = n
		return m.set(hasMonth)
	case hasYear:
		m.month = n
		return m.set(hasMonth)
	case hasMonth:
		if m.textMonth && len(b) >= 3 {
			return m.setYear(n, b)
		}
		m.day = n
		return m.set(hasDay)
	case hasYear | hasMonth:
		if m.textMonth && len(b) >= 3 && m.twoDigits {
			m.day, m.year, m.twoDigits = m.year, n, false
			return m.set(hasDay)
		}
		m.day = n
		return m.set(hasDay)
	case hasDay:
		m.month = n
		return m.set(hasMonth)
	case hasMonth | hasDay:
		return m.setYear(n, b)
	}
	return m.badFormat()
}

func (m *moment) setYear(n int, b []byte) error {
	m.year, m.twoDigits = n, len(b) <= 2
	return m.set(hasYear)
}

// takeNumber is a number that stands alone: 19990108, 990108, 040506, or a
// part of a date with spaces between.
func (m *moment) takeNumber(b []byte, prev dateToken) error {
	whole, frac, hasFrac := bytes.Cut(b, []byte{'.'})
	if hasFrac && len(frac) == 0 {
		return m.badFormat()
	}
	dateDone := m.has&hasDate == hasDate
	switch {
	case prev.isLetter('t'):
		return m.runTogetherTime(whole, frac)
	case hasFrac && m.has&hasDate == 0 && !m.isTime(): // 1999.008
		if err := m.dateNumber(whole); err != nil {
			return err
		}
		if m.has&hasYear == 0 || len(frac) != 3 {
			return m.badFormat()
		}
		return m.dateNumber(frac)
	case hasFrac && len(whole) > 2 && len(frac) > 0:
		return m.runTogetherTime(whole, frac)
	case hasFrac:
		return m.badFormat()
	case dateDone && m.isTime():
		return m.badFormat()
	case dateDone, m.isTime() && m.has&hasDate == 0 && (len(b) == 4 || len(b) == 6):
		return m.runTogetherTime(b, nil)
	case len(b) >= 6 && m.has&(hasDate|hasTime) != hasDate|hasTime:
		m.year, _ = atoi(b[:len(b)-4])
		m.month, _ = atoi(b[len(b)-4 : len(b)-2])
		m.day, _ = atoi(b[len(b)-2:])
		m.twoDigits = len(b) == 6
		return m.set(hasDate)
	}
	return m.dateNumber(b)
}

// isTime says that the type has no date, so that a number is a time first.
func (m *moment) isTime() bool { return m.typ == "time" || m.typ == "time with time zone" }

// runTogetherTime is hhmmss or hhmm.
func (m *moment) runTogetherTime(whole, frac []byte) error {
	if len(whole) != 4 && len(whole) != 6 {
		return m.badFormat()
	}
	h, _ := atoi(whole[:2])
	min, _ := atoi(whole[2:4])
	sec := 0
	if len(whole) == 6 {
		sec, _ = atoi(whole[4:])
	}
	return m.setTime(h, min, sec, frac)
}

// takeTime is hh:mm, hh:mm:ss or hh:mm:ss.fff.
func (m *moment) takeTime(b []byte) error {
	b, frac, hasFrac := bytes.Cut(b, []byte{'.'})
	parts := bytes.Split(b, []byte{':'})
	if len(parts) > 3 {
		return m.badFormat()
	}
	var n [3]int
	for i, p := range parts {
		if len(p) == 0 && i == len(parts)-1 && i > 0 {
			continue // 04:05: is 04:05:00
		}
		var ok bool
		if n[i], ok = atoi(p); !ok {
			return m.badFormat()
		}
	}
	if len(parts) == 2 && hasFrac { // mm:ss.fff
		n[0], n[1], n[2] = 0, n[0], n[1]
	}
	return m.setTime(n[0], n[1], n[2], frac)
}

func (m *moment) setTime(h, min, sec int, frac []byte) error {
	if err := m.set(hasTime); err != nil {
		return err
	}
	us, ok := fraction(frac)
	if !ok {
		return m.badFormat()
	}
	if h > 24 || min > 59 || sec > 60 {
		return m.overflow()
	}
	m.micros = int64(h)*microsPerHour + int64(min)*microsPerMinute + int64(sec)*microsPerSecond + us
	if m.micros > microsPerDay {
		return m.overflow()
	}
	return nil
}

// fraction is digits behind the point of a second, rounded to microseconds.
func fraction(b []byte) (us int64, ok bool) {
	for i := range 7 {
		d := byte('0')
		if i < len(b) {
			d = b[i]
		}
		if !isDigit(d) {
			return 0, false
		}
		if i < 6 {
			us = us*10 + int64(d-'0')
		} else if d >= '5' && (d > '5' || us%2 == 1 || run(b[i+1:], func(c byte) bool { return c == '0' }) < len(b)-i-1) {
			us++ // a half goes to the even neighbour, as rint does
		}
	}
	for _, d := range b {
		if !isDigit(d) {
			return 0, false
		}
	}
	return us, true
}

// takeZone is +hh, +hhmm, +hh:mm or +hh:mm:ss.
func (m *moment) takeZone(b []byte) error {
	if err := m.set(hasZone); err != nil {
		return err
	}
	digits := b[1:]
	var n [3]int
	parts := bytes.Split(digits, []byte{':'})
	switch {
	case len(parts) == 1 && len(digits) > 2:
		parts = [][]byte{digits[:len(digits)-2], digits[len(digits)-2:]}
	case len(parts) > 3:
		return m.badFormat()
	}
	for i, p := range parts {
		var ok bool
		if n[i], ok = atoi(p); !ok {
			return m.badFormat()
		}
	}
	if n[0] > 15 || n[1] > 59 || n[2] > 59 {
		return inputErrorf(StateZoneDisplacement, `time zone displacement out of range: "%s"`, m.text)
	}
	m.east = n[0]*3600 + n[1]*60 + n[2]
	if b[0] == '-' {
		m.east = -m.east
	}
	return nil
}

func (m *moment) takeJulian(b []byte) error {
	n, ok := atoi(b)
	if !ok || n > maxInt32 {
		return m.badFormat()
	}
	m.julian = n
	return m.set(hasJulian | hasDate)
}

// takeWord is a month's name or one of few other words.
func (m *moment) takeWord(b []byte) error {
	if n := monthOf(b); n > 0 {
		if m.has&hasMonth != 0 && !m.textMonth && m.has&hasDay == 0 { // 8 January 1999
			m.day, m.has = m.month, m.has&^hasMonth|hasDay
		}
		m.month, m.textMonth = n, true
		return m.set(hasMonth)
	}
	w := string(bytes.ToLower(b))
	switch w {
	case "+infinity":
		if m.major < 16 {
			return m.badFormat()
		}
		m.special = 1
	case "infinity":
		m.special = 1
	case "-infinity":
		m.special = -1
	case "epoch":
		m.special = 2
	case "ad", "bc":
		m.bc = w == "bc"
		return m.set(hasEra)
	case "am", "pm":
		m.meridian = w[0]
	case "z", "utc", "gmt", "zulu", "ut", "uct":
		return m.set(hasZone)
	case "allballs":
		return m.set(hasTime | hasZone)
	case "t", "j", "at", "on":
	case "now", "today", "tomorrow", "yesterday":
		return m.unsupported(w + " depends on when it is read")
	default:
		if strings.Contains(weekdays, " "+w+" ") {
			return nil
		}
		if m.has&hasTime != 0 && (len(w) <= 5 || strings.IndexByte(w, '/') > 0) {
			return m.unsupported("time zone " + string(b))
		}
		return m.badFormat()
	}
	return nil
}
