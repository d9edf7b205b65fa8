package batch

import (
	"sync/atomic"

	"github.com/pipescan/pipescan/pgfile"
)

// Retain adds a holder, which calls Release once more; the batch and all its
// slices stay valid until then. Retain is not for batches that still refer to
// Pages of a mapped file, which hold the window.
func (b *Batch) Retain() { b.refs.retain("batch") }

// Release takes a holder away; the last one's gives the buffers, and the
// pages, back.
func (b *Batch) Release() {
	if !b.refs.release("batch") {
		return
	}
	if b.Pages != nil {
		b.Pages.Release()
		b.Pages = nil
	}
	if b.free != nil {
		b.free(b)
	}
}

// Pool recycles Batches; it is safe for concurrent use, and a Batch may be
// released on any goroutine.
type Pool struct {
	list freeList[Batch]
	put  func(*Batch)
	live atomic.Int64
}

// NewPool makes a pool that keeps at most keep released Batches.
func NewPool(keep int) *Pool {
	p := &Pool{list: freeList[Batch]{max: keep}}
	p.put = p.recycle
	return p
}

// Get returns an empty batch with one holder: no tuples, no rows, no
// selection. Cols keeps its length and buffers from an earlier use; SetWidths
// makes it ready.
func (pp *Pool) Get() *Batch {
	b := pp.list.get()
	if b == nil {
		b = &Batch{free: pp.put}
	}
	b.refs.n.Store(1)
	pp.live.Add(1)
	return b
}

// Live is how many Batches of the pool have a holder.
func (pp *Pool) Live() int { return int(pp.live.Load()) }

// SetWidths gives the batch empty columns of these vector widths.
func (b *Batch) SetWidths(widths []int) {
	if cap(b.Cols) < len(widths) {
		b.Cols = append(b.Cols[:cap(b.Cols)], make([]Vector, len(widths)-cap(b.Cols))...)
	}
	b.Cols = b.Cols[:len(widths)]
	for i, w := range widths {
		b.Cols[i].Reset(w)
	}
}

// recycle empties b and keeps it.
func (pp *Pool) recycle(b *Batch) {
	pp.live.Add(-1)
	trash := poisoned.Load()
	if trash {
		poisonAll(b.Tuples, Tuple{Page: 0xdbdb, Item: 0xdbdb, Off: 0xdbdb, Len: 0xdbdb})
		poisonAll(b.Sel, -1)
		poisonAll(b.TIDs, pgfile.TID{Block: pgfile.NoBlock - 1, Offset: 0xdbdb})
	}
	for i := range b.Cols {
		b.Cols[i].trim(trash)
	}
	b.Seq, b.Tuples, b.Ranges, b.TIDs = 0, b.Tuples[:0], b.Ranges[:0], b.TIDs[:0]
	b.Sel, b.HasSel, b.N, b.Decoded = b.Sel[:0], false, 0, false
	pp.list.put(b)
}
