package batch

import "github.com/pipescan/pipescan/pgfile"

// Pages is a run of blocks read together. Data is valid while a reference is
// held; it may be a mapped file, so whoever reads it does so under
// fileio.Guard. One Release a reference; Retain adds one.
type Pages struct {
	Seq    uint64   // place of this run in an ordered scan, from 0, shared by lanes
	Blocks []uint32 // block numbers, in the order of Data
	Data   []byte   // len(Blocks) pages
	// Backward says that the reader wants the last page first, so that a
	// backward scan can refer to a mapped file too.
	Backward bool
	// Skip marks pages that are lost (bad header or checksum) and are passed
	// over; nil when there are none.
	Skip []bool

	refs  refcount
	free  func(*Pages)
	owner Owner  // holds Data when it is not buf
	buf   []byte // the pages' own memory, kept from use to use
}

// Page is the i-th page of the run.
func (p *Pages) Page(i int) pgfile.Page {
	return pgfile.Page(p.Data[i*pgfile.PageSize : (i+1)*pgfile.PageSize : (i+1)*pgfile.PageSize])
}

// Sequence is Seq; it makes Pages a pipeline.Sequenced.
func (p *Pages) Sequence() uint64 { return p.Seq }

// Tuple says where a tuple lies in the Pages of its batch.
type Tuple struct {
	Page uint16 // index into Pages.Blocks
	Item uint16 // line pointer number, from 1
	Off  uint16 // byte offset in the page
	Len  uint16 // bytes
}

// PageRange is the part of a batch's tuples that one page gave.
type PageRange struct {
	First, N   int32 // into Batch.Tuples
	AllVisible bool  // the page's own flag
}

// Batch is a set of rows in reading order. Before decoding, Tuples and Pages
// say where they lie; after decoding, Cols hold the values and Pages is nil.
// A batch is valid until Release; Retain adds a reference.
type Batch struct {
	Seq    uint64
	Pages  *Pages
	Tuples []Tuple
	Ranges []PageRange // one a page, in order; only until a stage compacts Tuples
	// Sel lists the rows still wanted, ascending indexes; only meaningful when
	// HasSel, otherwise all rows are.
	Sel    []int32
	HasSel bool
	Cols   []Vector
	// TIDs tells where row i came from, always filled by the decoder: errors
	// about a value name its block and line pointer with it.
	TIDs []pgfile.TID
	// N is the number of rows in Cols once decoded (Decoded is true).
	N       int
	Decoded bool

	refs refcount
	free func(*Batch)
}

// Sequence is Seq.
func (b *Batch) Sequence() uint64 { return b.Seq }

// Rows is the number of rows still wanted.
func (b *Batch) Rows() int {
	switch {
	case b.HasSel:
		return len(b.Sel)
	case b.Decoded:
		return b.N
	}
	return len(b.Tuples)
}

// HeapTuple is tuple t's bytes, aliasing the page.
func (b *Batch) HeapTuple(t Tuple) pgfile.HeapTuple {
	base := int(t.Page)*pgfile.PageSize + int(t.Off)
	return pgfile.HeapTuple(b.Pages.Data[base : base+int(t.Len) : base+int(t.Len)])
}

// TID is tuple t's place in the relation.
func (b *Batch) TID(t Tuple) pgfile.TID {
	return pgfile.TID{Block: b.Pages.Blocks[t.Page], Offset: t.Item}
}

// Vector is one column of a decoded batch: Arrow's layout with PostgreSQL's
// values (epoch 2000, sentinels kept, bool a byte). Width > 0: Data holds N
// values of Width bytes (a NULL's bytes are zero). Width 0: value i is
// Data[Offsets[i]:Offsets[i+1]], the detoasted payload without a header.
type Vector struct {
	Width   int
	N       int
	Nulls   int    // how many are NULL
	Valid   []byte // bit i (LSB first) set: not NULL; only meaningful when Nulls > 0
	Data    []byte
	Offsets []int32
}
