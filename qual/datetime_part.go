package qual

import (
	"math"
	"math/big"

	"github.com/pipescan/pipescan/datum"
)

// part is a field's value: a whole number over 10^scale (scale 0, 3 or 6), and
// as date_part computes it in doubles.
type part struct {
	n     *big.Int
	scale int
	f     float64
	inf   int  // ±1: infinite
	null  bool // a field that an infinite value does not have
}

func wholePart(n int64) part { return part{n: big.NewInt(n), f: float64(n)} }

// scaledPart is n / 10^scale.
func scaledPart(n int64, scale int, f float64) part {
	return part{n: big.NewInt(n), scale: scale, f: f}
}

// appendPart appends a part as numeric (extract) or double (date_part).
func appendPart(dst []byte, p part, numeric bool) ([]byte, error) {
	switch {
	case p.null:
		return nil, nil
	case p.inf != 0 && numeric:
		return appendSpecial(dst, infinity(p.inf)), nil
	case p.inf != 0:
		return appendFloat64(dst, math.Inf(p.inf)), nil
	case numeric:
		return appendNum(dst, p.n, p.scale, p.scale)
	}
	return appendFloat64(dst, p.f), nil
}

// secondsPart is the units of a minute, alike for all types.
func secondsPart(sec, micros int64, u unit) (part, bool) {
	us := sec*usSecond + micros
	switch u {
	case unitMicrosecond:
		return wholePart(us), true
	case unitMillisecond:
		return scaledPart(us, 3, float64(sec)*1000+float64(micros)/1000), true
	case unitSecond:
		return scaledPart(us, 6, float64(sec)+float64(micros)/1e6), true
	}
	return part{}, false
}

// yearPart is the units of years. The stored year 0 is 1 BC.
func yearPart(year int64, u unit) (part, bool) {
	switch u {
	case unitYear:
		if year <= 0 {
			year--
		}
		return wholePart(year), true
	case unitDecade:
		if year >= 0 {
			return wholePart(year / 10), true
		}
		return wholePart(-((8 - (year - 1)) / 10)), true
	case unitCentury:
		if year > 0 {
			return wholePart((year + 99) / 100), true
		}
		return wholePart(-((99 - (year - 1)) / 100)), true
	case unitMillennium:
		if year > 0 {
			return wholePart((year + 999) / 1000), true
		}
		return wholePart(-((999 - (year - 1)) / 1000)), true
	}
	return part{}, false
}

// dayPart is the units of a day.
func (m *moment) dayPart(u unit) (part, bool) {
	switch u {
	case unitDay:
		return wholePart(int64(m.day)), true
	case unitMonth:
		return wholePart(int64(m.month)), true
	case unitQuarter:
		return wholePart(int64(m.month-1)/3 + 1), true
	case unitWeek:
		_, w := isoWeek(m.julian)
		return wholePart(w), true
	case unitIsoYear:
		y, _ := isoWeek(m.julian)
		if y <= 0 {
			y--
		}
		return wholePart(y), true
	case unitDow:
		return wholePart(weekday(m.julian)), true
	case unitIsoDow:
		return wholePart((weekday(m.julian)+6)%7 + 1), true
	case unitDoy:
		return wholePart(m.julian - julianOf(m.year, 1, 1) + 1), true
	}
	return yearPart(m.year, u)
}

// monotonic are the units that an infinite date has, as infinity.
func monotonic(u unit) bool {
	switch u {
	case unitYear, unitDecade, unitCentury, unitMillennium, unitJulian, unitIsoYear, unitEpoch:
		return true
	}
	return false
}

func signOfStamp(us int64) int {
	if us == noBegin64 {
		return -1
	}
	return 1
}

func stampPart(us int64, u unit, zoned bool) (part, bool) {
	zone := u == unitZone || u == unitZoneHour || u == unitZoneMinute
	if u == unitNone || zone && !zoned && !infiniteStamp(us) {
		return part{}, false
	}
	if infiniteStamp(us) {
		if monotonic(u) {
			return part{inf: signOfStamp(us)}, true
		}
		return part{null: true}, true
	}
	if zone {
		return wholePart(0), true // UTC
	}
	m := momentOf(us)
	if p, ok := secondsPart(m.sec, m.micros, u); ok {
		return p, true
	}
	switch u {
	case unitMinute:
		return wholePart(m.min), true
	case unitHour:
		return wholePart(m.hour), true
	case unitEpoch:
		f := (float64(us) - float64(unixEpochUs)) / 1e6
		if us < math.MaxInt64+unixEpochUs {
			f = float64(us-unixEpochUs) / 1e6
		}
		return part{n: new(big.Int).Sub(big.NewInt(us), big.NewInt(unixEpochUs)), scale: 6, f: f}, true
	case unitJulian:
		return julianPart(&m), true
	}
	return m.dayPart(u)
}

// julianPart is the Julian day with the part of the day behind the point, as
// many decimals as numeric division gives.
func julianPart(m *moment) part {
	tod := m.timeOfDay()
	f := float64(m.julian) + (float64((m.hour*60+m.min)*60+m.sec)+float64(m.micros)/1e6)/86400
	x, _ := parseNum(appendInt64Num(nil, tod))
	y, _ := parseNum(appendInt64Num(nil, usDay))
	scale := divScale(&x, &y)
	n := quotient(&x, &y, scale, true)
	n.Add(n, new(big.Int).Mul(big.NewInt(m.julian), pow10(scale)))
	return part{n: n, scale: scale, f: f}
}

// datePart is extract of a date; date_part goes through timestamp.
func datePart(days int64, u unit) (part, bool) {
	switch {
	case u == unitNone, u <= unitHour, u >= unitZone:
		return part{}, false
	case infiniteDate(days) && monotonic(u):
		if days == noBegin32 {
			return part{inf: -1}, true
		}
		return part{inf: 1}, true
	case infiniteDate(days):
		return part{null: true}, true
	case u == unitEpoch:
		return wholePart((days + epochJulian - unixEpochJulian) * 86400), true
	case u == unitJulian:
		return wholePart(days + epochJulian), true
	}
	m := moment{julian: days + epochJulian}
	m.year, m.month, m.day = civilOf(m.julian)
	return m.dayPart(u)
}

func timePart(us int64, u unit) (part, bool) {
	var m moment
	m.setTime(us)
	if p, ok := secondsPart(m.sec, m.micros, u); ok {
		return p, true
	}
	switch u {
	case unitMinute:
		return wholePart(m.min), true
	case unitHour:
		return wholePart(m.hour), true
	case unitEpoch:
		return scaledPart(us, 6, float64(us)/1e6), true
	}
	return part{}, false
}

func timetzPart(us, west int64, u unit) (part, bool) {
	switch u {
	case unitZone:
		return wholePart(-west), true
	case unitZoneMinute:
		return wholePart(-west / 60 % 60), true
	case unitZoneHour:
		return wholePart(-west / 3600), true
	case unitEpoch:
		return scaledPart(us+west*usSecond, 6, float64(us)/1e6+float64(west)), true
	}
	return timePart(us, u)
}

func (c *fctx) intervalPart(i datum.Interval, u unit) (part, bool) {
	if u == unitNone || u >= unitDow || u == unitWeek && c.env.Major < 18 {
		return part{}, false
	}
	if sign := c.infiniteInterval(i); sign != 0 {
		switch u {
		case unitHour, unitDay, unitYear, unitDecade, unitCentury, unitMillennium, unitEpoch:
			return part{inf: sign}, true
		}
		return part{null: true}, true
	}
	us := i.Micros
	hour, minute := us/usHour, us%usHour/usMinute
	if p, ok := secondsPart(us%usMinute/usSecond, us%usSecond, u); ok {
		return p, true
	}
	year, month := int64(i.Months/12), int64(i.Months%12)
	switch u {
	case unitMinute:
		return wholePart(minute), true
	case unitHour:
		return wholePart(hour), true
	case unitDay:
		return wholePart(int64(i.Days)), true
	case unitWeek:
		return wholePart(int64(i.Days / 7)), true
	case unitMonth:
		return wholePart(month), true
	case unitQuarter:
		if c.env.Major >= 18 && month < 0 {
			return wholePart(-(-month/3 + 1)), true
		}
		return wholePart(month/3 + 1), true
	case unitYear:
		return wholePart(year), true
	case unitDecade:
		return wholePart(year / 10), true
	case unitCentury:
		return wholePart(year / 100), true
	case unitMillennium:
		return wholePart(year / 1000), true
	}
	return intervalEpoch(i, year, month), true
}

// intervalEpoch takes a year as 365.25 days.
func intervalEpoch(i datum.Interval, year, month int64) part {
	f := float64(i.Micros) / 1e6
	f += 365.25 * 86400 * float64(year)
	f += 30 * 86400 * float64(month)
	f += 86400 * float64(i.Days)
	seconds := (1461*year + 120*month + 4*int64(i.Days)) * (86400 / 4)
	n := new(big.Int).Mul(big.NewInt(seconds), big.NewInt(usSecond))
	return part{n: n.Add(n, big.NewInt(i.Micros)), scale: 6, f: f}
}

func init() {
	type getter func(c *fctx, b []byte, u unit) (part, bool)
	types := map[string]struct {
		name string
		get  getter
	}{
		"date":        {"date", func(_ *fctx, b []byte, u unit) (part, bool) { return datePart(getInt32(b), u) }},
		"time":        {"time without time zone", func(_ *fctx, b []byte, u unit) (part, bool) { return timePart(getInt64(b), u) }},
		"timetz":      {"time with time zone", func(_ *fctx, b []byte, u unit) (part, bool) { return timetzPart(getInt64(b), getInt32(b[8:]), u) }},
		"timestamp":   {"timestamp without time zone", func(_ *fctx, b []byte, u unit) (part, bool) { return stampPart(getInt64(b), u, false) }},
		"timestamptz": {"timestamp with time zone", func(_ *fctx, b []byte, u unit) (part, bool) { return stampPart(getInt64(b), u, true) }},
		"interval":    {"interval", func(c *fctx, b []byte, u unit) (part, bool) { return c.intervalPart(getInterval(b), u) }},
	}
	for t, d := range types {
		of := func(numeric bool) rowFunc {
			return func(c *fctx, dst []byte, args [][]byte) ([]byte, error) {
				u := unitOf(args[0])
				p, ok := d.get(c, args[1], u)
				if !ok {
					return nil, badUnit(c.env.Major, args[0], u, d.name)
				}
				return appendPart(dst, p, numeric)
			}
		}
		kernels["extract_"+t] = of(true)
		kernels[t+"_part"] = of(false)
	}
}
