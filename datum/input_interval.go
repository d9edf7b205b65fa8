package datum

import (
	"encoding/binary"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/pipescan/pipescan/pgfile"
)

// Input of interval: PostgreSQL's own form (1 year 2 mons -3 days 04:05:06),
// SQL's (1-2, 3 4:05:06) and ISO 8601's with designators (P1Y2M3DT4H5M6S).

// span is an interval on its way in.
type span struct {
	text                 []byte
	months, days, micros int64
	isInfinite           int
	has                  int // bits of the fields that were set
}

// set notes that fields are there, which must not be so already.
func (s *span) set(fields int) error {
	if s.has&fields != 0 {
		return s.badFormat()
	}
	s.has |= fields
	return nil
}

func (s *span) badFormat() error {
	return inputErrorf(StateInvalidDatetime, `invalid input syntax for type interval: "%s"`, s.text)
}

func (s *span) overflow() error {
	return inputErrorf(StateIntervalOverflow, `interval field value out of range: "%s"`, s.text)
}

func inputInterval(dst, text []byte, typmod int32, e *Env) ([]byte, error) {
	s := span{text: text}
	b := trimSpace(text)
	var err error
	switch w := strings.ToLower(string(b)); {
	case w == "infinity" || w == "+infinity":
		s.isInfinite = 1
	case w == "-infinity":
		s.isInfinite = -1
	case len(text) > 1 && lower(text[0]) == 'p' && (isDigit(text[1]) || strings.IndexByte("Tt-.", text[1]) >= 0):
		err = s.parseISO(text[1:])
	default:
		err = s.parse(w)
	}
	if err != nil {
		return dst, err
	}
	if s.isInfinite != 0 {
		if e.Major < firstMajorWithInfiniteIntervals {
			return dst, s.badFormat()
		}
		if s.isInfinite > 0 {
			return appendIntervalPayload(dst, maxInt64, maxInt32, maxInt32), nil
		}
		return appendIntervalPayload(dst, minInt64, minInt32, minInt32), nil
	}
	if s.months != int64(int32(s.months)) {
		return dst, inputErrorf(StateDatetimeOverflow, "interval out of range")
	}
	if s.days != int64(int32(s.days)) {
		return dst, s.overflow()
	}
	if err := s.fit(typmod); err != nil {
		return dst, err
	}
	return appendIntervalPayload(dst, s.micros, int32(s.days), int32(s.months)), nil
}

func appendIntervalPayload(dst []byte, micros int64, days, months int32) []byte {
	dst = binary.LittleEndian.AppendUint64(dst, uint64(micros))
	dst = binary.LittleEndian.AppendUint32(dst, uint32(days))
	return binary.LittleEndian.AppendUint32(dst, uint32(months))
}

// intervalUnit is a unit in months, days or microseconds.
type intervalUnit struct {
	months, days, micros int64
	field                int // which one it is: none may come twice
}

// timeFields are those that hours:minutes:seconds sets, of 1<<field.
const timeFields = 1<<4 | 1<<5 | 1<<6

var intervalUnits = map[string]intervalUnit{}

func init() {
	add := func(u intervalUnit, names string) {
		for _, n := range strings.Fields(names) {
			intervalUnits[n] = u
		}
	}
	add(intervalUnit{months: 12000, field: 1}, "mil mils millennia millennium")
	add(intervalUnit{months: 1200, field: 1}, "c cent centuries century")
	add(intervalUnit{months: 120, field: 1}, "dec decade decades decs")
	add(intervalUnit{months: 12, field: 1}, "y year years yr yrs")
	add(intervalUnit{months: 1, field: 2}, "mon mons month months")
	add(intervalUnit{days: 7, field: 3}, "w week weeks")
	add(intervalUnit{days: 1, field: 3}, "d day days")
	add(intervalUnit{micros: microsPerHour, field: 4}, "h hour hours hr hrs")
	add(intervalUnit{micros: microsPerMinute, field: 5}, "m min mins minute minutes")
	add(intervalUnit{micros: microsPerSecond, field: 6}, "s sec secs second seconds")
	add(intervalUnit{micros: 1000, field: 7}, "ms msec msecs msecond mseconds millisecond milliseconds millisecon")
	add(intervalUnit{micros: 1, field: 8}, "us usec usecs usecond useconds microsecond microseconds microsecon")
}

// parse reads the forms with units, and SQL's.
func (s *span) parse(w string) error {
	fields := intervalFields(strings.ReplaceAll(w, "@", " "))
	ago := len(fields) > 0 && fields[len(fields)-1] == "ago"
	if ago {
		fields = fields[:len(fields)-1]
	}
	if len(fields) == 0 {
		return s.badFormat()
	}
	for i := 0; i < len(fields); i++ {
		f := fields[i]
		n := numberPrefix(f)
		if n == 0 {
			return s.badFormat()
		}
		number, unit := f[:n], f[n:]
		if unit != "" && number[n-1] == '.' {
			return s.badFormat()
		}
		var err error
		switch {
		case strings.HasPrefix(unit, ":"):
			err = s.addTime(f)
		case strings.HasPrefix(unit, "-") && len(unit) > 1 && isDigit(unit[1]):
			err = s.addYearMonth(number, unit[1:])
		default:
			if unit == "" && i+1 < len(fields) && isAlpha(fields[i+1][0]) {
				i++
				unit = fields[i]
			} else if unit == "" && i+1 < len(fields) && strings.IndexByte(fields[i+1], ':') > 0 {
				unit = "d" // 3 4:05:06
			} else if unit == "" && i+1 == len(fields) && !ago {
				unit = "s"
			}
			err = s.addUnit(number, unit)
		}
		if err != nil {
			return err
		}
	}
	if ago {
		if s.micros == minInt64 {
			return s.overflow()
		}
		s.months, s.days, s.micros = -s.months, -s.days, -s.micros
	}
	return nil
}

// intervalFields splits at blanks, and between a short unit and the number that
// follows it: 1h30m is 1h and 30m. Behind other words a server takes the number
// for a part of a date.
func intervalFields(w string) []string {
	var out []string
	for _, f := range strings.Fields(w) {
		start := 0 // of the word
		for i := 1; i < len(f); i++ {
			if !isAlpha(f[i-1]) && isAlpha(f[i]) {
				start = i
			}
			if isAlpha(f[i-1]) && isDigit(f[i]) && strings.Contains(" d h m s y mon ", " "+f[start:i]+" ") {
				out = append(out, f[:i])
				f, i, start = f[i:], 0, 0
			}
		}
		out = append(out, f)
	}
	return out
}

// numberPrefix is the length of a signed decimal at the start of f.
func numberPrefix(f string) int {
	n := 0
	if n < len(f) && (f[n] == '-' || f[n] == '+') {
		n++
	}
	if n == 1 && n < len(f) && f[n] == '.' {
		return 0 // a sign wants a digit behind it
	}
	digits := 0
	for n < len(f) && (isDigit(f[n]) || f[n] == '.') {
		if isDigit(f[n]) {
			digits++
		}
		n++
	}
	if digits == 0 {
		return 0
	}
	return n
}

// addUnit adds number units; parts of months and days go over to the smaller.
func (s *span) addUnit(number, unit string) error {
	u, ok := intervalUnits[unit]
	if !ok {
		return s.badFormat()
	}
	if err := s.set(1 << u.field); err != nil {
		return err
	}
	whole, frac, hasFrac := strings.Cut(number, ".")
	neg := strings.HasPrefix(whole, "-")
	n := int64(0)
	if digits := strings.TrimLeft(whole, "+-"); digits != "" {
		var err error
		if n, err = strconv.ParseInt(digits, 10, 64); err != nil {
			return s.overflow()
		}
	}
	part := 0.0
	if hasFrac && frac != "" {
		var err error
		if part, err = strconv.ParseFloat("0."+frac, 64); err != nil {
			return s.badFormat()
		}
	}
	if neg {
		n, part = -n, -part
	}
	if n > maxInt32 && u.micros == 0 {
		return s.overflow() // years, months and days are counted in 32 bits
	}
	if !addProduct(&s.months, n, u.months) || !addProduct(&s.days, n, u.days) || !addProduct(&s.micros, n, u.micros) {
		return s.overflow()
	}
	return s.addPart(part, u)
}

// addPart adds a part of a unit.
func (s *span) addPart(part float64, u intervalUnit) error {
	switch {
	case part == 0:
	case u.months >= 12:
		s.months += int64(math.RoundToEven(part * float64(u.months)))
	case u.months == 1:
		return s.addDays(part * 30)
	case u.days > 0:
		return s.addDays(part * float64(u.days))
	case u.micros == microsPerSecond:
		s.micros += int64(math.RoundToEven(part * microsPerSecond))
	default:
		s.addMicros(part * float64(u.micros))
	}
	return nil
}

func (s *span) addDays(days float64) error {
	whole := math.Trunc(days)
	s.days += int64(whole)
	s.addMicros((days - whole) * microsPerDay)
	return nil
}

func (s *span) addMicros(micros float64) {
	whole := int64(micros)
	if rest := micros - float64(whole); rest > 0.5 {
		whole++
	} else if rest < -0.5 {
		whole--
	}
	s.micros += whole
}

// addProduct adds n*unit and says whether it fits.
func addProduct(to *int64, n, unit int64) bool {
	if unit == 0 || n == 0 {
		return true
	}
	p := n * unit
	if p/unit != n {
		return false
	}
	sum := *to + p
	if p > 0 && sum < *to || p < 0 && sum > *to {
		return false
	}
	*to = sum
	return true
}

// addTime is [-]hh:mm[:ss[.fff]].
func (s *span) addTime(f string) error {
	if err := s.set(timeFields); err != nil {
		return err
	}
	neg := strings.HasPrefix(f, "-")
	f = strings.TrimLeft(f, "+-")
	f, frac, _ := strings.Cut(f, ".")
	parts := strings.Split(f, ":")
	us, ok := fraction([]byte(frac))
	if len(parts) > 3 || !ok {
		return s.badFormat()
	}
	if len(parts) == 2 && frac != "" {
		parts = append([]string{"0"}, parts...)
	}
	total := us
	for i, p := range parts {
		n, err := strconv.ParseInt(p, 10, 64)
		switch {
		case p == "" || strings.TrimLeft(p, "0123456789") != "":
			return s.badFormat()
		case err != nil:
			return s.overflow()
		case i > 0 && n > 59+int64(i/2):
			return s.overflow()
		}
		if !addProduct(&total, n, [...]int64{microsPerHour, microsPerMinute, microsPerSecond}[i]) {
			return s.overflow()
		}
	}
	if neg {
		total = -total
	}
	if !addProduct(&s.micros, total, 1) {
		return s.overflow()
	}
	return nil
}

// addYearMonth is SQL's [-]years-months.
func (s *span) addYearMonth(years, months string) error {
	if err := s.set(1<<1 | 1<<2); err != nil {
		return err
	}
	y, err := strconv.ParseInt(years, 10, 32)
	m, err2 := strconv.ParseInt(months, 10, 32)
	if err != nil || err2 != nil {
		return s.badFormat()
	}
	if m < 0 || m > 11 {
		return s.overflow()
	}
	if strings.HasPrefix(years, "-") {
		m = -m
	}
	s.months += 12*y + m
	return nil
}

// parseISO reads what follows the P.
func (s *span) parseISO(b []byte) error {
	inTime := false
	for len(b) > 0 {
		if b[0] == 'T' || b[0] == 't' {
			inTime, b = true, b[1:]
			continue
		}
		n := numberPrefix(string(b))
		if n == 0 || n == len(b) || b[0] == '+' {
			return s.badFormat()
		}
		unit, ok := isoUnit(b[n], inTime)
		if !ok {
			return s.badFormat()
		}
		if err := s.addUnit(string(b[:n]), unit); err != nil {
			return err
		}
		b = b[n+1:]
	}
	return nil
}

func isoUnit(c byte, inTime bool) (string, bool) {
	switch {
	case !inTime && strings.IndexByte("YWD", c) >= 0, inTime && strings.IndexByte("HMS", c) >= 0:
		return string(lower(c)), true
	case !inTime && c == 'M':
		return "mon", true
	}
	return "", false
}

// intervalAllFields is the field mask of a modifier that limits nothing.
const intervalAllFields = 0x7fff

// fit applies a type modifier: the decimals of the seconds.
func (s *span) fit(typmod int32) error {
	if typmod < 0 {
		return nil
	}
	if fields := typmod >> 16 & 0x7fff; fields != intervalAllFields {
		return fmt.Errorf("interval columns limited to some fields: %w", pgfile.ErrUnsupported)
	}
	if p := typmod & 0xffff; p < 6 {
		if s.micros > maxInt64-microsPerSecond || s.micros < minInt64+microsPerSecond {
			return s.overflow()
		}
		s.micros = roundMicros(s.micros, p)
	}
	return nil
}
