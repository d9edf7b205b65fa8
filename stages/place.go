package stages

import (
	"context"
	"errors"
	"fmt"

	"github.com/pipescan/pipescan/fileio"
	"github.com/pipescan/pipescan/pgfile"
)

// remedySkip is the advice where damage has no better one.
const remedySkip = "scan with --on-corruption skip to read the rest"

// spot is where in the relation something was found.
type spot struct {
	block  uint32
	item   uint16 // 0: the page
	base   int    // what offsets in the error count from
	column string
}

// placed returns err with the spot in it. A CorruptError that names no file
// yet is about this relation and is filled in; another error is wrapped.
func (p *plan) placed(err error, s spot) error {
	var c *pgfile.CorruptError
	file := p.scan.Source.BlockName(s.block)
	switch {
	case !errors.As(err, &c):
	case c.File == file && s.item == 0:
		return err // the source has said it all
	case c.File == "":
		d := *c
		d.File, d.Block = file, s.block
		if d.Item == 0 {
			d.Item = s.item
		}
		if d.Column == "" {
			d.Column = s.column
		}
		if d.Offset >= 0 {
			d.Offset += s.base
		}
		if d.Remedy == "" {
			d.Remedy = remedySkip
		}
		return &d
	}
	where := fmt.Sprintf("%s: block %d", file, s.block)
	if s.item != 0 {
		where += fmt.Sprintf(": line pointer %d", s.item)
	}
	if s.column != "" {
		where += fmt.Sprintf(": column %q", s.column)
	}
	return fmt.Errorf("%s: %w", where, err)
}

// lost reports damage at a spot: nil means go on without it. What is not
// damage, and a file that changed under the scan, is never passed over.
func (p *plan) lost(kind LossKind, err error, s spot) error {
	placed := err
	if kind != LostPage || errors.Is(err, pgfile.ErrCorrupt) {
		placed = p.placed(err, s)
	}
	if p.scan.OnLoss == nil || !passable(kind, err) {
		return placed
	}
	p.counters.Lost.Add(1)
	return p.scan.OnLoss(Loss{
		Kind: kind, Err: placed, File: p.scan.Source.BlockName(s.block),
		Block: s.block, Item: s.item, Column: s.column,
	})
}

// passable says whether a scan may go on without what err speaks of: damage,
// or, of a page, a device that does not give it.
func passable(kind LossKind, err error) bool {
	var device *fileio.ReadError
	switch {
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded), errors.Is(err, fileio.ErrChanged):
		return false
	case errors.Is(err, pgfile.ErrCorrupt):
		return true
	}
	return errors.As(err, &device) && (kind == LostPage || kind == LostValue)
}
