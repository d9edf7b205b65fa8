package pipescan

import (
	"errors"
	"fmt"
	"sync"

	"github.com/pipescan/pipescan/pgfile"
	"github.com/pipescan/pipescan/stages"
)

// Loss is one page, tuple, value or verdict that a scan went on without.
type Loss = stages.Loss

// maxLosses bounds the losses that a ledger lists: a table whose transaction
// log is gone can lose every one of its rows.
const maxLosses = 10_000

// ledger collects the losses of a scan whose policy is CorruptionSkip.
type ledger struct {
	skip  bool
	mu    sync.Mutex
	list  []Loss // the first maxLosses
	count int64  // all of them
}

// note records a loss; it is the stages' LossFunc.
func (l *ledger) note(loss Loss) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.count++; l.count <= maxLosses {
		l.list = append(l.list, loss)
	}
	return nil
}

// total is the number of losses, listed or not.
func (l *ledger) total() int64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.count
}

// LossCount is the number of losses, of which Losses lists the first 10,000.
func (s *Scan) LossCount() int64 { return s.ledger.total() }

// CatalogLossCount is the number of losses in catalogs, of which CatalogLosses
// lists the first 10,000.
func (db *DB) CatalogLossCount() int64 { return db.shared.catalog.total() }

// lossFunc is what the stages get: nil makes them fail.
func (l *ledger) lossFunc() stages.LossFunc {
	if !l.skip {
		return nil
	}
	return l.note
}

// losses returns a copy of the ledger; where it does not list all, its last
// entry says how many more there were.
func (l *ledger) losses() []Loss {
	l.mu.Lock()
	defer l.mu.Unlock()
	list := append([]Loss(nil), l.list...)
	if more := l.count - int64(len(list)); more > 0 {
		list = append(list, Loss{Kind: stages.LostMore, Block: pgfile.NoBlock, Err: fmt.Errorf("%d losses beyond the %d listed", more, len(list))})
	}
	return list
}

// namedSource is the part of a stages.BlockSource that names a place.
type namedSource interface {
	Name() string
	BlockName(block uint32) string
}

// value judges an error of rendering a value of column in a decoded batch's
// row: it gets its place, and is noted when it is corruption to be skipped.
func (l *ledger) value(source namedSource, b *Batch, row int, column string, err error) error {
	var place Loss
	place.Kind = stages.LostValue
	place.Column = column
	place.Block = pgfile.NoBlock
	if row < len(b.TIDs) {
		tid := b.TIDs[row]
		place.Block, place.Item = tid.Block, tid.Offset
		place.File = source.BlockName(tid.Block)
	} else {
		place.File = source.Name()
	}
	var c *pgfile.CorruptError
	if !errors.As(err, &c) {
		return fmt.Errorf("%s: block %d: line pointer %d: column %q: %w", place.File, place.Block, place.Item, column, err)
	}
	if c.File != "" && c.File != place.File {
		// The damage lies elsewhere: in a catalog that the value needs.
		place.Err = fmt.Errorf("%s: block %d: line pointer %d: column %q: %w", place.File, place.Block, place.Item, column, err)
	} else {
		d := *c
		d.File, d.Block, d.Item, d.Column = place.File, place.Block, place.Item, column
		if d.Remedy == "" {
			d.Remedy = "scan with --on-corruption skip to read the rest"
		}
		place.Err = &d
	}
	if !l.skip {
		return place.Err
	}
	return l.note(place)
}
