package datum

import (
	"encoding/hex"
	"time"
)

// The Go types of values for which the language and its library have none.
// They hold exactly what PostgreSQL stores: the epoch is 2000-01-01, and the
// infinities are the sentinels that PostgreSQL uses. docs/types.md lists which
// PostgreSQL type becomes which Go type. String prints what COPY would.

// Sentinels of date, timestamp and interval fields (utils/timestamp.h,
// utils/date.h): the smallest and the largest integer of the width.
const (
	minInt32, maxInt32 = -1 << 31, 1<<31 - 1
	minInt64, maxInt64 = -1 << 63, 1<<63 - 1
)

// epochUnix is 2000-01-01 00:00:00 UTC in seconds since 1970.
const epochUnix = 946684800

// TID is a tuple's place: block number and line pointer number.
type TID struct {
	Block  uint32
	Offset uint16
}

// String returns "(block,offset)".
func (t TID) String() string { return string(appendTID(nil, t)) }

// Money is an amount of money in hundredths, as under lc_monetary C.
type Money int64

// String returns the amount as the C locale prints it: "-$1,234.56".
func (m Money) String() string { return string(appendMoney(nil, int64(m))) }

// Char is a value of the type "char": one byte, 0 for the empty value.
type Char byte

// Bits is a bit string. Bits are stored from the highest of the first byte on;
// unused bits of the last byte are zero in a sound value.
type Bits struct {
	Len   int
	Bytes []byte
}

// String returns the digits 0 and 1.
func (b Bits) String() string { return string(appendBits(nil, b.Len, b.Bytes)) }

// UUID is a uuid, most significant byte first.
type UUID [16]byte

// String returns the form 8-4-4-4-12 in lower case.
func (u UUID) String() string { return string(appendUUID(nil, u[:])) }

// Date is a day: days since 2000-01-01 in the proleptic Gregorian calendar.
type Date struct{ Days int32 }

// IsInfinite returns -1 for -infinity, 1 for infinity and 0 for a day.
func (d Date) IsInfinite() int {
	switch d.Days {
	case minInt32:
		return -1
	case maxInt32:
		return 1
	}
	return 0
}

// Time returns the start of the day in UTC; ok is false for an infinity.
func (d Date) Time() (t time.Time, ok bool) {
	if d.IsInfinite() != 0 {
		return time.Time{}, false
	}
	return time.Unix(epochUnix+int64(d.Days)*86400, 0).UTC(), true
}

// String returns the ISO form, with BC where needed.
func (d Date) String() string { return string(appendDate(nil, d.Days)) }

// TimeOfDay is a time without zone: microseconds since midnight, 24:00:00
// included.
type TimeOfDay struct{ Micros int64 }

// String returns HH:MM:SS with the fraction's significant digits.
func (t TimeOfDay) String() string { return string(appendTimeOfDay(nil, t.Micros)) }

// TimeTZ is a time with its zone. East is the zone's offset in seconds east of
// Greenwich (PostgreSQL stores the opposite sign).
type TimeTZ struct {
	Micros int64
	East   int32
}

// String returns the time followed by the zone's offset.
func (t TimeTZ) String() string {
	return string(appendZone(appendTimeOfDay(nil, t.Micros), int64(t.East)))
}

// Timestamp is a timestamp without zone: microseconds since 2000-01-01
// 00:00:00.
type Timestamp struct{ Micros int64 }

// IsInfinite returns -1 for -infinity, 1 for infinity and 0 for a time.
func (t Timestamp) IsInfinite() int { return infinite64(t.Micros) }

// Time returns the time as if it were UTC; ok is false for an infinity.
func (t Timestamp) Time() (tm time.Time, ok bool) { return timeOf(t.Micros) }

// String returns the ISO form.
func (t Timestamp) String() string { return string(appendTimestamp(nil, t.Micros, "")) }

// TimestampTZ is a timestamp with time zone: microseconds since 2000-01-01
// 00:00:00 UTC.
type TimestampTZ struct{ Micros int64 }

// IsInfinite returns -1 for -infinity, 1 for infinity and 0 for a time.
func (t TimestampTZ) IsInfinite() int { return infinite64(t.Micros) }

// Time returns the time in UTC; ok is false for an infinity.
func (t TimestampTZ) Time() (tm time.Time, ok bool) { return timeOf(t.Micros) }

// String returns the ISO form in UTC.
func (t TimestampTZ) String() string { return string(appendTimestamp(nil, t.Micros, utcSuffix)) }

// Interval is a span of time in three parts that do not convert into each
// other.
type Interval struct {
	Micros int64
	Days   int32
	Months int32
}

// IsInfinite returns -1 for -infinity, 1 for infinity and 0 otherwise.
// Versions before 17 have no infinite intervals: there the same bytes are a
// finite one.
func (i Interval) IsInfinite() int {
	switch i {
	case Interval{minInt64, minInt32, minInt32}:
		return -1
	case Interval{maxInt64, maxInt32, maxInt32}:
		return 1
	}
	return 0
}

// String returns the form of IntervalStyle postgres.
func (i Interval) String() string { return string(appendInterval(nil, i, i.IsInfinite() != 0)) }

// Point is a point of the plane.
type Point struct{ X, Y float64 }

// Line is the line A*x + B*y + C = 0.
type Line struct{ A, B, C float64 }

// LineSegment is a segment by its ends.
type LineSegment [2]Point

// Box is a rectangle by its upper right and its lower left corner.
type Box struct{ High, Low Point }

// Path is a line through points, open or closed.
type Path struct {
	Closed bool
	Points []Point
}

// Polygon is a closed path; its stored bounding box is not kept.
type Polygon []Point

// Circle is a circle.
type Circle struct {
	Center Point
	Radius float64
}

// PGSnapshot is a pg_snapshot or txid_snapshot: which 64-bit transaction ids
// were in progress.
type PGSnapshot struct {
	Xmin, Xmax uint64
	InProgress []uint64
}

func infinite64(micros int64) int {
	switch micros {
	case minInt64:
		return -1
	case maxInt64:
		return 1
	}
	return 0
}

func timeOf(micros int64) (time.Time, bool) {
	if infinite64(micros) != 0 {
		return time.Time{}, false
	}
	sec, us := floorDiv(micros, 1e6)
	return time.Unix(epochUnix+sec, us*1000).UTC(), true
}

// floorDiv divides rounding down; the remainder is not negative.
func floorDiv(a, b int64) (quotient, remainder int64) {
	q, r := a/b, a%b
	if r < 0 {
		return q - 1, r + b
	}
	return q, r
}

// appendUUID appends 16 bytes as 8-4-4-4-12 hexadecimal digits.
func appendUUID(dst, u []byte) []byte {
	dst = append(hex.AppendEncode(dst, u[:4]), '-')
	dst = append(hex.AppendEncode(dst, u[4:6]), '-')
	dst = append(hex.AppendEncode(dst, u[6:8]), '-')
	dst = append(hex.AppendEncode(dst, u[8:10]), '-')
	return hex.AppendEncode(dst, u[10:16])
}
