package batch

import (
	"sync/atomic"

	"github.com/pipescan/pipescan/pgfile"
)

// Owner is what Data of some Pages belongs to when that is not a buffer of
// their own: a mapped window, held by all Pages that lie in it.
type Owner interface{ Release() }

// Retain adds a holder; each holder calls Release once.
func (p *Pages) Retain() { p.refs.retain("pages") }

// Release takes a holder away; the last one's gives the buffer back.
func (p *Pages) Release() {
	if !p.refs.release("pages") {
		return
	}
	if o := p.owner; o != nil {
		p.owner = nil
		p.Data = nil // a stale use must not touch an unmapped window
		o.Release()
	}
	if p.free != nil {
		p.free(p)
	}
}

// Mapped says that Data is a mapped file: it may fault.
func (p *Pages) Mapped() bool { return p.owner != nil }

// Own makes Data alias another's memory; o is released with the last holder of
// the pages.
func (p *Pages) Own(data []byte, o Owner) { p.Data, p.owner = data, o }

// Reserve makes Data a buffer of the pages' own with room for n pages, whose
// bytes are undefined.
func (p *Pages) Reserve(n int) {
	size := n * pgfile.PageSize
	if cap(p.buf) < size {
		p.buf = make([]byte, size)
	}
	p.Data = p.buf[:size]
}

// PagesPool recycles Pages; it is safe for concurrent use, and Pages may be
// released on any goroutine.
type PagesPool struct {
	list freeList[Pages]
	put  func(*Pages)
	live atomic.Int64
}

// NewPagesPool makes a pool that keeps at most keep released Pages.
func NewPagesPool(keep int) *PagesPool {
	p := &PagesPool{list: freeList[Pages]{max: keep}}
	p.put = p.recycle
	return p
}

// Get returns empty Pages with one holder: no Blocks, no Data, no Skip.
func (pp *PagesPool) Get() *Pages {
	p := pp.list.get()
	if p == nil {
		p = &Pages{free: pp.put}
	}
	p.refs.n.Store(1)
	pp.live.Add(1)
	return p
}

// Live is how many Pages of the pool have a holder.
func (pp *PagesPool) Live() int { return int(pp.live.Load()) }

// recycle empties p and keeps it.
func (pp *PagesPool) recycle(p *Pages) {
	pp.live.Add(-1)
	if poisoned.Load() {
		poisonAll(p.buf, poison)
		poisonAll(p.Blocks, pgfile.NoBlock-1)
	}
	p.Seq, p.Blocks, p.Data, p.Skip, p.Backward = 0, p.Blocks[:0], nil, nil, false
	pp.list.put(p)
}
