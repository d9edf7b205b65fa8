// Package datum gives meaning to one value: bytes as they lie on disk become
// the text that COPY prints, or a Go value.
//
//	tuple ──pgfile.DeformPlan──→ value's bytes ──toast──→ payload ──Codec──→ text, JSON, Go value
//
// A payload is what is left of a value when everything about storage is done:
//
//	fixed width, e.g. timetz      | microseconds (8) | seconds west (4) |
//	varlena, e.g. inet            | 02 | bits | 4 bytes of address |        (header taken off, detoasted)
//	cstring                       | bytes before the NUL |
//
// For makes the Codec of a type. Env carries what output depends on besides
// the bytes: the major version, the encoding, the catalogs and a TOAST reader
// for values inside other values.
//
//	e := &datum.Env{Lookup: catalogs, Major: 16, Encoding: 6}
//	c, err := datum.For(catalog.TimetzOID, -1, e)
//	text, err := c.AppendText(text, payload)
//
// The way back is ParserOf (or ParseText, for one text), which makes the type's
// input function: text becomes the payload that a server would store, or the
// error, with SQLSTATE and message, that it would raise.
//
//	p, err := datum.ParserOf(catalog.TimetzOID, -1, e)
//	payload, err := p(payload, []byte("04:05:06+02"))
//
// # Where things are
//
// scalars.go lists the types whose values stand for themselves; each is a pair
// of functions in the file of its family (integers, floats, numeric, strings,
// dates, interval, network, bits, geometry, tsearch, jsonpath, ...), whose
// head draws the bytes. objects.go lists those that need the catalogs; array,
// record, ranges, enum and jsonb are containers, built from the codecs of
// their parts. values.go has the Go types; docs/types.md is the whole table. The
// input_* files are the input functions, by family too.
//
// # Rules
//
// Input is hostile: impossible bytes are a *pgfile.CorruptError, recursion has
// a limit, and parts of a value that overlap are refused, so that a small
// payload cannot print as a huge text. Rendering a scalar allocates nothing
// beyond dst, but for jsonpath and the rare cases of floatcases.go.
//
// The texts are judged by servers: testdata/*.values and *.sql hold SQL, whose
// results on real servers of all versions are compared with ours byte by byte;
// testdata/*.golden keeps what they said.
package datum
