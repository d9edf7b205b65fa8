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

// ledger collects the losses of a scan whose policy is CorruptionSkip.
type ledger struct {
	skip bool
	mu   sync.Mutex
	list []Loss
}

// note records a loss; it is the stages' LossFunc.
func (l *ledger) note(loss Loss) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.list = append(l.list, loss)
	return nil
}

// lossFunc is what the stages get: nil makes them fail.
func (l *ledger) lossFunc() stages.LossFunc {
	if !l.skip {
		return nil
	}
	return l.note
}

// losses returns a copy of the ledger.
func (l *ledger) losses() []Loss {
	l.mu.Lock()
	defer l.mu.Unlock()
	return append([]Loss(nil), l.list...)
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
	d := *c
	d.File, d.Block, d.Item, d.Column = place.File, place.Block, place.Item, column
	if d.Remedy == "" {
		d.Remedy = "scan with --on-corruption skip to read the rest"
	}
	place.Err = &d
	if !l.skip {
		return &d
	}
	return l.note(place)
}
