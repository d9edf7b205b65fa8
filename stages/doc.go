// Package stages holds what is done to one batch on its way from a heap file
// to its consumer:
//
//	BlockReader ─Pages→ Extractor ─Batch→ Visibility ─Batch→ Decoder ─Batch→
//	 which blocks,       line pointers     which rows        columns, TOAST
//	 look-ahead          and validation    the snapshot      vectors own their
//	                                       sees              bytes from here on
//
// Over decoded batches come, when a query asks for them:
//
//	Filter ─Batch→ Project ─Batch→         aggregate.Partial, sorter.Sorter
//	 narrows the    computes new            take the batches of a whole scan and
//	 selection      columns                 give out groups, or rows in order
//
// Package ordering says how values compare. A row whose expression fails ends
// the scan after the rows before it, see Failures.
//
// Each is a pipeline stage of one lane, made by its constructor, without a
// goroutine of its own. HeapScan puts them together: Lanes for a run over one
// or many lanes, Cursor for a scrollable scan on the caller's goroutine.
//
// The bytes of Pages may be a mapped file. Whatever touches them here does so
// under fileio.Guard, and nothing that leaves the Decoder refers to them.
//
// Damage is an error that names file, block and line pointer; with a LossFunc
// it is reported and passed over: a page, a tuple, or a single value.
package stages
