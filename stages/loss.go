package stages

import (
	"fmt"

	"github.com/pipescan/pipescan/fileio"
	"github.com/pipescan/pipescan/pgfile"
)

// LossKind says what was lost to damage.
type LossKind uint8

// The kinds of losses.
const (
	LostPage          LossKind = iota + 1 // a page could not be read or is no heap page
	LostTuple                             // a line pointer or tuple makes no sense
	LostValue                             // one value; the row carries NULL in its place
	UnknownVisibility                     // the transaction log that decides about the row is lost; the row is left out
	LostMore                              // no loss by itself: Err says how many more a ledger does not list
)

// String is the word used in ledgers.
func (k LossKind) String() string {
	switch k {
	case LostPage:
		return "page"
	case LostTuple:
		return "tuple"
	case LostValue:
		return "value"
	case UnknownVisibility:
		return "unknown visibility"
	case LostMore:
		return "more"
	}
	return fmt.Sprintf("LossKind(%d)", uint8(k))
}

// Loss is one thing a scan passed over.
type Loss struct {
	Kind   LossKind
	Err    error  // what was found, naming the place too
	File   string // file of the block
	Block  uint32
	Item   uint16 // line pointer number, 0 for a page
	Column string // for a value
}

// LossFunc is told of each loss, from any lane: it must be safe for concurrent
// use. Returning an error ends the scan with it.
type LossFunc func(Loss) error

// gapped is a BlockSource that was opened over gaps. *fileio.Relation is one.
type gapped interface{ Gaps() []fileio.Gap }

// ReportTail tells onLoss of what lies past the end of a relation that was
// opened over gaps, and is never read: a page cut in two, a segment behind a
// missing one. Blocks of other gaps are told when they are read. A nil onLoss
// makes it an error. A scan calls it by itself.
func ReportTail(source BlockSource, onLoss LossFunc) error {
	g, ok := source.(gapped)
	if !ok {
		return nil
	}
	for _, gap := range g.Gaps() {
		if gap.Count > 0 {
			continue
		}
		e := &pgfile.CorruptError{File: gap.File, Block: gap.First, Offset: -1, Reason: gap.Reason, Remedy: "restore the file from a backup"}
		if onLoss == nil {
			return e
		}
		if err := onLoss(Loss{Kind: LostPage, Err: e, File: gap.File, Block: gap.First}); err != nil {
			return err
		}
	}
	return nil
}
