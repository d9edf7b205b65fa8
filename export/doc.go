// Package export turns decoded batches into bytes for files: COPY text, CSV
// and JSON lines.
//
//	Batch (columns) --Lines stage--> Batch (one column: row i's line) --> Write
//
// The formatting is a stage, so that it runs inside each lane; what crosses to
// the consumer is finished text, which a writer puts out with one Write a
// batch. LIMIT and OFFSET still work on such a batch, since it has a line a
// row.
package export
