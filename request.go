package pipescan

import (
	"github.com/pipescan/pipescan/batch"
	"github.com/pipescan/pipescan/mvcc"
	"github.com/pipescan/pipescan/pipeline"
	"github.com/pipescan/pipescan/qual"
	"github.com/pipescan/pipescan/stages"
)

// Batch is a set of rows; see package batch. Rows are those that Sel lists
// when HasSel is set, else all N.
type Batch = batch.Batch

// Stage is a step over decoded batches that a caller adds to a scan.
type Stage = pipeline.Stage[*Batch, *Batch]

// RowSet says which tuples of a table a scan returns.
type RowSet = mvcc.RowSet

// The row sets: what a new snapshot sees; what it does not see but is still
// there; both.
const (
	Visible = mvcc.Visible
	Dead    = mvcc.Dead
	All     = mvcc.All
)

// Topology says which goroutines a scan's stages run on.
type Topology = pipeline.Topology

// The topologies: a goroutine a lane (the default), a goroutine a stage, and
// everything on the caller's goroutine.
const (
	Fused  = pipeline.Fused
	Actors = pipeline.Actors
	Pulled = pipeline.Pulled
)

// Order is the order in which rows come.
type Order int

// The orders. OrderForward is the physical order, block by block and line
// pointer by line pointer, and is what the server's COPY prints;
// OrderBackward is its reverse; OrderAny lets lanes deliver as they finish, and
// large tables begin where another scan of the DB is reading them.
const (
	OrderForward Order = iota
	OrderBackward
	OrderAny
)

// BlockRange limits a scan to N blocks from First on; the zero value is the
// whole table.
type BlockRange = stages.BlockRange

// IOOptions says how bytes get into memory.
type IOOptions struct {
	Method stages.IOMethod
}

// The I/O methods: a choice by the cluster's state, mapped windows, positioned
// reads.
const (
	IOAuto  = stages.IOAuto
	IOMmap  = stages.IOMmap
	IOPread = stages.IOPread
)

// Request says what to scan. The zero value is every visible row and every
// column of the table itself, in physical order, on one lane.
type Request struct {
	// Columns to return, by name, in this order; the system columns ctid,
	// xmin, xmax, cmin, cmax, tableoid and * are understood. nil means *.
	Columns []string
	// Project are computed columns to return instead of Columns; nil means
	// Columns. With GroupBy or Aggregates nil means all keys and aggregates.
	Project []Output
	// Where keeps the rows for which it is true; nil keeps all. A row whose
	// evaluation fails ends the scan with a *qual.SQLError, unless Limit was
	// reached before it.
	Where qual.Expr
	// GroupBy and Aggregates make one row of each group of rows with equal
	// keys; without keys, one row of all. Groups come in the order in which
	// they first appear in the scan. Project, Having and OrderBy then refer to
	// the Names of these two by qual.Col, not to columns of the table.
	GroupBy    []Output
	Aggregates []Aggregate
	// Having keeps the groups for which it is true.
	Having qual.Expr
	// OrderBy sorts the result; rows with equal keys keep the scan's order.
	// With a small Limit only the first rows are kept in memory, else all
	// must fit Options.Memory.
	OrderBy []SortKey
	// Order in which the table is scanned.
	Order Order
	// Limit is the most rows to return; nil means all.
	Limit *int64
	// Offset rows are passed over first.
	Offset int64
	// Blocks limits the scan to a part of the table; not with Descend over
	// several tables.
	Blocks BlockRange
	// Rows says which tuples.
	Rows RowSet
	// Descend includes inheritance children and partitions, their columns
	// matched by name. A partitioned table has no rows without it.
	Descend bool
	// Lanes is how many lanes to ask the worker budget for; 0 means 1.
	Lanes int
	// BatchPages is how many pages a batch has; 0 means 32.
	BatchPages int
	// Topology of each lane.
	Topology Topology
	// IO says how blocks are read.
	IO IOOptions
	// Stages run after decoding, in this order.
	Stages []StageSpec
}

// StageSpec adds a stage to every lane of a scan, or, when Serial, one stage
// after the lanes were merged.
type StageSpec struct {
	Name string
	// New makes the stage of one lane; it is called once a lane and table.
	New func(Lane) (Stage, error)
	// Schema says what the stage makes of its input's schema; nil means that
	// it does not change it.
	Schema func(*Schema) (*Schema, error)
	Serial bool
}

// Lane is what a stage may know about where it runs.
type Lane struct {
	Index, Lanes int
	Table        string // the table (a child, when Descend is set) scanned
	Schema       *Schema
	// Fail judges a value that could not be rendered: it returns the error
	// with file, block and line pointer, or, when the scan skips corruption,
	// notes the loss and returns nil; the value then counts as NULL.
	Fail func(b *Batch, row, column int, err error) error
}
