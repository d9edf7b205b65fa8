// Package batch holds what travels between stages: Pages (a run of blocks),
// Batch (the tuples of those pages, later their decoded columns), Vector and
// the pools they come from.
//
//	Pages   | page | page | page | ... up to 32        one reference a holder
//	          |      |
//	Batch   Tuples: {page, item, off, len} ...          reader order
//	        Ranges: {first, n, all-visible} a page
//	        Sel:    indexes of tuples still wanted      HasSel false: all of them
//	        Cols:   Vector, Vector ...                  after decoding; Pages is nil then
//
// # Who holds a buffer
//
// Pages and Batch count their holders. The pool's Get gives out one with one
// holder; handing it on hands on the reference; Retain makes one more; the last
// Release gives the buffers back to the pool, whose next Get will overwrite
// them. A Batch holds the Pages it refers to, and Pages hold the mapped window
// their Data lies in:
//
//	Batch ──holds──> Pages ──holds──> Owner (a mapped window), or a buffer of their own
//
// A second Release of the same reference panics when the count shows it. With
// PoisonReleased, or -tags invariants, released buffers are filled with
// nonsense, and half of them are never used again, so that most late reads and
// late releases are found.
//
// # Vectors
//
// A Vector of width w > 0 is N values of w bytes; one of width 0 is bytes and
// N+1 offsets. Valid exists only once there is a NULL:
//
//	Width 4   Data    | 17 0 0 0 | 0 0 0 0 | 99 0 0 0 |     values 17, NULL, 99
//	          Valid   | 101 |                               bit i: value i is not NULL
//	Width 0   Offsets | 0 | 3 | 3 | 5 |                     values "abc", NULL, "de"
//	          Data    | a b c d e |
package batch
