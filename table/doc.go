// Package table keeps tables of pipescan's own, in PostgreSQL's page format:
// what scans of a cluster's tables do, scans of these do too, and a server can
// read the files.
//
//	DIR/pipescan.store     the marker: "pipescan store 1"
//	DIR/pebble/            package store: names, columns, known ends,
//	                       transaction states, visibility map
//	DIR/base/1/16384       a table's pages, 8 KB each, segments of 1 GB
//	DIR/base/1/16384.1
//
// Types are the built-in ones of PostgreSQL 18 (types18.tsv), the encoding is
// UTF8, the collation C.
//
// # How a row gets in
//
//	COPY text, CSV ─▶ copySource ┐ rowSource          pgfile.TupleFormer  pageWriter
//	generator spec ─▶ genSource  ┴──payloads──▶ loader ──────tuple──────▶ 32 pages ─▶ file
//
// # How a load is whole or not there
//
// A table ends at its known end, which Pebble keeps. A load writes pages behind
// it, where no scan looks, and syncs them; then one synced batch moves the end
// over them and says that the load's transaction committed:
//
//	                known end                    known end
//	                    ▼                            ▼
//	+---+---+ ~ +---+   +---+---+ ~ +---+  sync, batch
//	| pages that    |   | pages of the  |
//	| count         |   | load          |
//	+---+---+ ~ +---+   +---+---+ ~ +---+
//
// A crash before the batch leaves pages behind the end, which Open cuts off. A
// scan keeps the state of the store from its beginning, so that it sees a load
// that ends meanwhile not at all.
//
// A load that is not frozen leaves its rows as INSERT does: no hint bits, and
// the transaction's state to be looked up. A frozen one leaves them as VACUUM
// FREEZE does, with the bits of pages and visibility map.
//
// # Reading the source
//
// store.go opens; create.go makes, drops and recovers tables; load.go and
// pagewriter.go load; copyread.go, copyline.go, copyfields.go read COPY's
// formats; spec.go and generate.go make rows; columndef.go and typename.go read
// column definitions; scan.go wires scans; lookup.go and types.go answer
// catalog.Lookup; xacts.go answers mvcc.XactStatus.
package table
