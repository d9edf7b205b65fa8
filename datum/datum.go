package datum

import (
	"sync"

	"github.com/pipescan/pipescan/catalog"
)

// Env is what output functions need besides the value: the catalogs, the
// version that wrote the value and the server's text settings (which are the
// oracle's: TimeZone UTC, DateStyle ISO, MDY, IntervalStyle postgres,
// bytea_output hex, extra_float_digits 1, lc_monetary C).
// Its fields do not change after the first use; it may be shared by goroutines
// and must not be copied, for it remembers the types it has met.
type Env struct {
	Lookup catalog.Lookup
	Major  int // PostgreSQL major version of the data
	// Encoding is the database's encoding number (pg_enc): 6 is UTF8.
	Encoding int32
	// Detoast appends the plain payload of a varlena with its header (inline
	// compressed, or external inside a container) to dst. nil: such a value is
	// an error.
	Detoast func(dst, varlena []byte) ([]byte, error)

	types sync.Map // catalog.OID → *typeInfo
	rows  sync.Map // catalog.OID of a composite type → *rowType
}

// Codec renders the values of one type. A value is its payload: exactly
// typlen bytes of a fixed-width type; the bytes after the varlena header,
// detoasted, of a varlena; the bytes before the NUL of a cstring. A Codec is
// safe for concurrent use and keeps no reference to values.
type Codec interface {
	// AppendText appends what the type's output function returns (before any
	// escaping by COPY or CSV).
	AppendText(dst, value []byte) ([]byte, error)
	// Value returns the Go value; docs/types.md lists the Go type of each.
	// It does not alias value.
	Value(value []byte) (any, error)
}

// JSONCodec is a Codec whose type has a form of its own in JSON, as row_to_json
// renders it: numbers, booleans, json, arrays, composites, dates and times.
type JSONCodec interface {
	Codec
	// AppendJSON appends the value as JSON.
	AppendJSON(dst, value []byte) ([]byte, error)
}
