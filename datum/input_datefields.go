package datum

import (
	"bytes"
	"strings"
)

// takeDate splits a date at its delimiters; a month's name is found first, for
// it says what the numbers are (DecodeDate).
func (m *moment) takeDate(b []byte) error {
	if m.has&(hasDate|hasJulian|hasDOY) != 0 {
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
	if m.has&hasDate == hasDate || m.has&(hasYear|hasDOY) == hasYear|hasDOY {
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
		return m.set(hasDOY)
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
	isoTime := prev.kind == tokenWord && len(prev.text) == 1 && lower(prev.text[0]) == 't'
	dateDone := m.has&hasDate == hasDate || m.has&hasJulian != 0
	switch {
	case isoTime, dateDone && m.has&hasTime == 0, m.typIsTime() && m.has&(hasDate|hasTime) == 0 && (len(whole) == 6 || len(whole) == 4):
		return m.runTogetherTime(whole, frac)
	case hasFrac && len(frac) == 3 && m.has&hasDate == 0 && len(whole) >= 4: // 1999.008
		if err := m.setYear2(whole); err != nil {
			return err
		}
		return m.dateNumber(frac)
	case hasFrac:
		return m.badFormat()
	case m.has&hasDate == 0 && (len(b) == 8 || len(b) == 6):
		y, _ := atoi(b[:len(b)-4])
		m.month, _ = atoi(b[len(b)-4 : len(b)-2])
		m.day, _ = atoi(b[len(b)-2:])
		m.year, m.twoDigits = y, len(b) == 6
		return m.set(hasDate)
	}
	return m.dateNumber(b)
}

func (m *moment) setYear2(b []byte) error {
	n, ok := atoi(b)
	if !ok {
		return m.badFormat()
	}
	return m.setYear(n, b)
}

func (m *moment) typIsTime() bool {
	return strings.HasPrefix(m.typ, "time") && m.typ[4:] == "" || m.typ == "time with time zone"
}

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
	b, frac, _ := bytes.Cut(b, []byte{'.'})
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
	if len(parts) == 2 && len(frac) > 0 { // mm:ss.fff
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
	return m.set(hasJulian)
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
	case "infinity", "+infinity":
		m.special = 1
	case "-infinity":
		m.special = -1
	case "epoch":
		m.special = 2
	case "ad":
		m.bc = false
	case "bc":
		m.bc = true
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
