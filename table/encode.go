package table

import (
	"encoding/binary"
	"math"
	"strconv"

	"github.com/pipescan/pipescan/catalog"
	"github.com/pipescan/pipescan/datum"
)

// encoder appends the payload of an integer in a column's type.
type encoder func(dst []byte, n int64) ([]byte, error)

// encoderOf is the encoder of a type; parse reads the decimal text for types
// that have none of their own.
func encoderOf(typ catalog.OID, parse datum.Parser) encoder {
	le := binary.LittleEndian
	switch typ {
	case catalog.Int2OID:
		return func(dst []byte, n int64) ([]byte, error) {
			if n != int64(int16(n)) {
				return dst, outOfRange(n, "smallint")
			}
			return le.AppendUint16(dst, uint16(n)), nil
		}
	case catalog.Int4OID:
		return func(dst []byte, n int64) ([]byte, error) {
			if n != int64(int32(n)) {
				return dst, outOfRange(n, "integer")
			}
			return le.AppendUint32(dst, uint32(n)), nil
		}
	case catalog.Int8OID:
		return func(dst []byte, n int64) ([]byte, error) { return le.AppendUint64(dst, uint64(n)), nil }
	case catalog.Float4OID:
		return func(dst []byte, n int64) ([]byte, error) {
			return le.AppendUint32(dst, math.Float32bits(float32(n))), nil
		}
	case catalog.Float8OID:
		return func(dst []byte, n int64) ([]byte, error) {
			return le.AppendUint64(dst, math.Float64bits(float64(n))), nil
		}
	case catalog.BoolOID:
		return encodeBool
	case catalog.DateOID:
		return encodeDate
	case catalog.TimestampOID, catalog.TimestamptzOID:
		return encodeTimestamp
	}
	var text []byte
	return func(dst []byte, n int64) ([]byte, error) {
		text = strconv.AppendInt(text[:0], n, 10)
		return parse(dst, text)
	}
}

func encodeBool(dst []byte, n int64) ([]byte, error) {
	if n != 0 {
		return append(dst, 1), nil
	}
	return append(dst, 0), nil
}

// The ends of the calendars (utils/timestamp.h), in days and in seconds.
const (
	minDay, maxDay       = -2451545, 2147483494 - 2451545 - 1
	minSecond, maxSecond = minDay * 86400, 9223371331200 - 1
)

func encodeDate(dst []byte, n int64) ([]byte, error) {
	if n < minDay || n > maxDay {
		return dst, outOfRange(n, "date")
	}
	return binary.LittleEndian.AppendUint32(dst, uint32(int32(n))), nil
}

func encodeTimestamp(dst []byte, n int64) ([]byte, error) {
	if n < minSecond || n > maxSecond {
		return dst, outOfRange(n, "timestamp")
	}
	return binary.LittleEndian.AppendUint64(dst, uint64(n*1e6)), nil
}
