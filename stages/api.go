package stages

import (
	"context"

	"github.com/pipescan/pipescan/fileio"
	"github.com/pipescan/pipescan/mvcc"
	"github.com/pipescan/pipescan/pgfile"
	"github.com/pipescan/pipescan/pipeline"
)

// BlockSource is a relation's main fork. *fileio.Relation is one. It is safe
// for concurrent use.
type BlockSource interface {
	Name() string
	NBlocks() uint32
	BlockName(block uint32) string // the file that holds the block
	// ReadBlocks fills dst (a multiple of pgfile.PageSize) from block first on.
	ReadBlocks(ctx context.Context, first uint32, dst []byte) error
}

// Mapper is a BlockSource that can be mapped. Map may return a shorter window
// than asked for; it holds block first at least.
type Mapper interface {
	Map(first uint32, n int) (*fileio.Window, error)
}

// Prober is a BlockSource that knows whether blocks are in memory already.
type Prober interface {
	Resident(first uint32, n int) bool
}

// VisibilityMap tells a block's two bits; blocks past its end have none.
type VisibilityMap interface {
	Bits(block uint32) pgfile.VMBits
}

// Detoaster appends the plain payload of the varlena v (exact, with its
// header) to dst; on error the result is ignored. One a lane.
type Detoaster interface {
	Append(ctx context.Context, dst, v []byte) ([]byte, error)
}

// Numbers of the system columns.
const (
	NumCTID     int16 = -1 // 6 bytes as the type tid is stored
	NumXmin     int16 = -2
	NumCmin     int16 = -3
	NumXmax     int16 = -4
	NumCmax     int16 = -5
	NumTableOID int16 = -6
)

// Column is a column to decode.
type Column struct {
	Name    string // for messages
	Num     int16  // attnum from 1, or a system column's number
	Width   int    // vector width: attlen of fixed-width types, 0 for varlena and cstring
	Varlena bool   // the values have varlena headers, which decoding takes off
}

// Order is the way a scan goes through its blocks.
type Order struct {
	Direction pipeline.Direction // 0 means Forward
	// Start is the block a forward scan of the whole table begins with; it
	// goes on past the last block with the first. A start past the end is 0.
	Start uint32
	// Sync, when set, overrides Start: scans of one table that run together
	// share their reads. Only forward scans of whole tables take part.
	Sync *SyncScans
	// SyncKey identifies the table in Sync.
	SyncKey SyncKey
}

// BlockRange limits a scan to N blocks from First on; N 0 means to the end,
// so that the zero value is the whole table. What lies past the table's end is
// cut off.
type BlockRange struct {
	First, N uint32
}

// IOMethod says how blocks get into memory.
type IOMethod uint8

// The methods. Auto maps what is resident on a clean cluster and reads
// everything else; mapping is never chosen, nor allowed, beside a LossFunc.
const (
	IOAuto IOMethod = iota
	IOMmap
	IOPread
)

// HeapScan describes a scan of one heap relation. Fill it in, then call Lanes
// or Cursor, each at most once.
type HeapScan struct {
	Source  BlockSource
	RelOID  uint32        // for the tableoid column
	Attrs   []pgfile.Attr // the whole row type, dropped columns included
	Columns []Column      // what to decode
	// CountOnly leaves out the decoder: batches come out undecoded, and only
	// Rows() of them is meant to be used.
	CountOnly bool

	Snapshot *mvcc.Snapshot
	Rows     mvcc.RowSet
	Order    Order
	Blocks   BlockRange

	BatchPages    int // pages a batch; 0 means 32
	MaxBatchBytes int // decoded bytes after which a batch is given out early; 0 means 4 MB
	Checksums     bool

	IO       IOMethod
	ReadPool *pipeline.ReadPool // look-ahead reads run here; nil means reads as they are needed
	// MaxAhead bounds the batches read ahead a lane; 0 means 8.
	MaxAhead int

	NewDetoaster func() Detoaster // one a lane; nil makes wide values an error
	OnLoss       LossFunc         // nil: damage fails the scan
	Counters     *Counters        // counted into when not nil
}
