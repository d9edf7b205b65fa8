package datum

import (
	"math"
	"testing"

	"github.com/pipescan/pipescan/catalog"
)

func BenchmarkScalarText(b *testing.B) {
	for _, c := range []struct {
		name    string
		oid     catalog.OID
		payload []byte
	}{
		{"int4", catalog.Int4OID, le32(-123456789)},
		{"int8", catalog.Int8OID, le64(1234567890123456789)},
		{"float4", catalog.Float4OID, le32(int32(math.Float32bits(3.14159)))},
		{"float8", catalog.Float8OID, le64(int64(math.Float64bits(-12345.678901)))},
		{"float8/exponent", catalog.Float8OID, le64(int64(math.Float64bits(1.2345e200)))},
		{"float8/midpoint", catalog.Float8OID, le64(int64(math.Float64bits(1e23)))},
		{"numeric", catalog.NumericOID, []byte{0x03, 0x81, 0xd2, 0x04, 0x2e, 0x16, 0x10, 0x0e}},
		{"text", catalog.TextOID, []byte("the quick brown fox")},
		{"date", catalog.DateOID, le32(8888)},
		{"timestamptz", catalog.TimestamptzOID, le64(777777777123456)},
		{"interval", catalog.IntervalOID, append(append(le64(3723000001), le32(-2)...), le32(14)...)},
		{"uuid", catalog.UUIDOID, make([]byte, 16)},
		{"inet", catalog.InetOID, []byte{2, 24, 192, 168, 0, 1}},
		{"bytea", catalog.ByteaOID, make([]byte, 32)},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			dst := make([]byte, 0, 256)
			text := scalarTypes[c.oid].text
			for b.Loop() {
				var err error
				if dst, err = text(dst[:0], c.payload, env18); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
