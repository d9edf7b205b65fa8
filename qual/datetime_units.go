package qual

import (
	"strings"
)

// unit is a field of date_trunc and extract.
type unit uint8

const (
	unitNone unit = iota
	unitMicrosecond
	unitMillisecond
	unitSecond
	unitMinute
	unitHour
	unitDay
	unitWeek
	unitMonth
	unitQuarter
	unitYear
	unitDecade
	unitCentury
	unitMillennium
	unitEpoch
	unitDow
	unitDoy
	unitIsoDow
	unitIsoYear
	unitJulian
	unitZone
	unitZoneHour
	unitZoneMinute
)

// unitNames are the units' names; of longer ones only the first ten letters
// count (TOKMAXLEN of utils/datetime.h).
var unitNames = map[string]unit{
	"c": unitCentury, "cent": unitCentury, "centuries": unitCentury, "century": unitCentury,
	"d": unitDay, "day": unitDay, "days": unitDay,
	"dec": unitDecade, "decade": unitDecade, "decades": unitDecade, "decs": unitDecade,
	"h": unitHour, "hour": unitHour, "hours": unitHour, "hr": unitHour, "hrs": unitHour,
	"m": unitMinute, "min": unitMinute, "mins": unitMinute, "minute": unitMinute, "minutes": unitMinute,
	"microsecon": unitMicrosecond, "us": unitMicrosecond, "usec": unitMicrosecond, "usecond": unitMicrosecond, "useconds": unitMicrosecond, "usecs": unitMicrosecond,
	"mil": unitMillennium, "millennia": unitMillennium, "millennium": unitMillennium, "mils": unitMillennium,
	"millisecon": unitMillisecond, "ms": unitMillisecond, "msec": unitMillisecond, "msecond": unitMillisecond, "mseconds": unitMillisecond, "msecs": unitMillisecond,
	"mon": unitMonth, "mons": unitMonth, "month": unitMonth, "months": unitMonth,
	"qtr": unitQuarter, "quarter": unitQuarter,
	"s": unitSecond, "sec": unitSecond, "second": unitSecond, "seconds": unitSecond, "secs": unitSecond,
	"timezone": unitZone, "timezone_h": unitZoneHour, "timezone_m": unitZoneMinute,
	"w": unitWeek, "week": unitWeek, "weeks": unitWeek,
	"y": unitYear, "year": unitYear, "years": unitYear, "yr": unitYear, "yrs": unitYear,
	// Those of dates alone.
	"epoch": unitEpoch, "dow": unitDow, "doy": unitDoy, "isodow": unitIsoDow, "isoyear": unitIsoYear,
	"j": unitJulian, "jd": unitJulian, "julian": unitJulian,
}

func unitOf(name []byte) unit {
	s := strings.ToLower(string(name))
	if len(s) > 63 {
		s = s[:63]
	}
	if len(s) > 10 {
		s = s[:10]
	}
	return unitNames[s]
}

// badUnit is the error for a unit that is known but not of this type, or not
// known.
func badUnit(major int, name []byte, u unit, typ string) error {
	if u == unitNone || major < 15 && strings.HasPrefix(typ, "time ") {
		return sqlErrorf("22023", "unit %q not recognized for type %s", name, typ)
	}
	return sqlErrorf("0A000", "unit %q not supported for type %s", name, typ)
}

// truncYear is the first year of a decade, century or millennium.
func truncYear(year int64, u unit) int64 {
	switch u {
	case unitMillennium:
		if year > 0 {
			return (year+999)/1000*1000 - 999
		}
		return -((999-(year-1))/1000)*1000 + 1
	case unitCentury:
		if year > 0 {
			return (year+99)/100*100 - 99
		}
		return -((99-(year-1))/100)*100 + 1
	case unitDecade:
		if year > 0 {
			return year / 10 * 10
		}
		return -((8 - (year - 1)) / 10) * 10
	}
	return year
}

// truncTime cuts a time, microseconds of any sign, to a unit of up to an hour;
// ok is false for other units.
func truncTime(us int64, u unit) (int64, bool) {
	size := map[unit]int64{unitMicrosecond: 1, unitMillisecond: 1000, unitSecond: usSecond, unitMinute: usMinute, unitHour: usHour}[u]
	if size == 0 {
		return us, false
	}
	return us - us%size, true
}

func truncStamp(typ string) rowFunc {
	return func(c *fctx, dst []byte, args [][]byte) ([]byte, error) {
		us, u := getInt64(args[1]), unitOf(args[0])
		if infiniteStamp(us) && c.env.Major < 18 {
			return append(dst, args[1]...), nil
		}
		if u == unitNone || u > unitMillennium {
			return nil, badUnit(c.env.Major, args[0], truncUnit(u), typ)
		}
		if infiniteStamp(us) {
			return append(dst, args[1]...), nil
		}
		m := momentOf(us)
		if t, ok := truncTime(m.timeOfDay(), u); ok {
			m.setTime(t)
		} else {
			m.setTime(0)
			m.truncDay(u)
		}
		us, ok := m.timestamp()
		if !ok {
			return nil, errStampRange()
		}
		return appendInt(dst, us), nil
	}
}

// truncUnit is the unit as date_trunc knows it: those of dates alone it does
// not.
func truncUnit(u unit) unit {
	if u >= unitEpoch && u <= unitJulian {
		return unitNone
	}
	return u
}

// truncDay cuts to a unit of a day or more.
func (m *moment) truncDay(u unit) {
	switch u {
	case unitDay:
		return
	case unitWeek:
		m.year, m.month, m.day = civilOf(m.julian - (weekday(m.julian)+6)%7)
		return
	case unitQuarter:
		m.month = 3*((m.month-1)/3) + 1
	case unitMonth:
	default:
		m.month = 1
		m.year = truncYear(m.year, u)
	}
	m.day = 1
}

func truncInterval(c *fctx, dst []byte, args [][]byte) ([]byte, error) {
	i, u := getInterval(args[1]), unitOf(args[0])
	infinite := c.infiniteInterval(i) != 0
	if infinite && c.env.Major < 18 && u != unitNone && u <= unitMillennium {
		return append(dst, args[1]...), nil
	}
	if u == unitNone || u > unitMillennium || u == unitWeek {
		return nil, badUnit(c.env.Major, args[0], truncUnit(u), "interval")
	}
	if infinite {
		return append(dst, args[1]...), nil
	}
	us, ok := truncTime(i.Micros, u)
	if ok {
		i.Micros = us
		return appendInterval(dst, i), nil
	}
	i.Micros = 0
	if size := map[unit]int32{unitMonth: 1, unitQuarter: 3, unitYear: 12, unitDecade: 120, unitCentury: 1200, unitMillennium: 12000}[u]; size != 0 {
		i.Days = 0
		// A quarter is of the months of the year; the others are of all.
		i.Months -= i.Months % size
	}
	return appendInterval(dst, i), nil
}

func init() {
	kernels["timestamp_trunc"] = truncStamp("timestamp without time zone")
	kernels["timestamptz_trunc"] = truncStamp("timestamp with time zone")
	kernels["interval_trunc"] = truncInterval
	zone := func(c *fctx, dst []byte, args [][]byte) ([]byte, error) {
		switch strings.ToUpper(string(args[0])) {
		case "UTC", "GMT", "Z", "UT", "ZULU":
			return append(dst, args[1]...), nil
		}
		return nil, unsupportedf("time zone %q", args[0])
	}
	kernels["timestamptz_zone"], kernels["timestamp_zone"] = zone, zone
	shift := func(sign int64) rowFunc {
		return func(c *fctx, dst []byte, args [][]byte) ([]byte, error) {
			i, us := getInterval(args[0]), getInt64(args[1])
			if infiniteStamp(us) {
				return append(dst, args[1]...), nil
			}
			if i.Months != 0 || i.Days != 0 {
				return nil, sqlErrorf("22023", "interval time zone must not include months or days")
			}
			// The zone is in whole seconds.
			us += sign * (i.Micros / usSecond * usSecond)
			if !validTimestamp(us) {
				return nil, errStampRange()
			}
			return appendInt(dst, us), nil
		}
	}
	kernels["timestamptz_izone"], kernels["timestamp_izone"] = shift(1), shift(-1)
}
