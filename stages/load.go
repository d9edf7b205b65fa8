package stages

import (
	"context"
	"sync/atomic"

	"github.com/pipescan/pipescan/batch"
	"github.com/pipescan/pipescan/fileio"
	"github.com/pipescan/pipescan/pgfile"
)

// Sizes of input.
const (
	readPages   = 32                           // 256 KB a read call: the measured optimum
	windowPages = (32 << 20) / pgfile.PageSize // 32 MB mapped a lane: touched pages count as resident
)

// loader brings the pages of runs into memory, one lane's: it reads them into
// the Pages' own buffer, or makes them refer to a mapped window that slides
// along with the scan.
type loader struct {
	p      *plan
	window *window // the current one, held by the loader
}

// window is a mapped window and its holders: the loader, and all Pages in it.
type window struct {
	w    *fileio.Window
	refs atomic.Int32
}

// Release implements batch.Owner. That munmap fails of valid arguments does
// not happen, and nobody could do anything about it.
func (w *window) Release() {
	if w.refs.Add(-1) == 0 {
		_ = w.w.Unmap()
	}
}

// describe makes Pages of a run, without their bytes.
func (l *loader) describe(r run) *batch.Pages {
	p := l.p.pages.Get()
	p.Seq, p.Backward = r.seq, l.p.backward
	for i := range r.n {
		p.Blocks = append(p.Blocks, l.p.order.Block(r.pos+i))
	}
	return p
}

// mapped tries to give the pages their bytes by a map. ok is false when the
// run wraps round the table's end or crosses a segment: then it is read.
func (l *loader) mapped(p *batch.Pages) (ok bool, err error) {
	n := len(p.Blocks)
	if l.p.mapper == nil || p.Blocks[n-1] != p.Blocks[0]+uint32(n-1) {
		return false, nil
	}
	if !l.covers(p) {
		if err := l.slide(p); err != nil {
			return false, err
		}
		if !l.covers(p) {
			return false, nil
		}
	}
	w := l.window
	at := int(p.Blocks[0] - w.w.First())
	if err := w.w.Populate(at, n); err != nil {
		return false, err
	}
	w.refs.Add(1)
	p.Own(w.w.Bytes()[at*pgfile.PageSize:(at+n)*pgfile.PageSize], w)
	return true, nil
}

// covers says whether the current window holds the pages.
func (l *loader) covers(p *batch.Pages) bool {
	if l.window == nil {
		return false
	}
	first, n := l.window.w.First(), uint32(l.window.w.Blocks())
	return p.Blocks[0] >= first && p.Blocks[len(p.Blocks)-1]-first < n
}

// slide replaces the window by one that begins, or in a backward scan ends,
// with the pages.
func (l *loader) slide(p *batch.Pages) error {
	l.close()
	first, n := p.Blocks[0], uint32(windowPages)
	if l.p.backward {
		end := p.Blocks[len(p.Blocks)-1] + 1
		n = min(n, end)
		if first = end - n; first/pgfile.BlocksPerSegment != (end-1)/pgfile.BlocksPerSegment {
			// A window stays inside its segment.
			first = (end - 1) / pgfile.BlocksPerSegment * pgfile.BlocksPerSegment
			n = end - first
		}
	}
	w, err := l.p.mapper.Map(first, int(n))
	if err != nil {
		return err
	}
	l.p.counters.Windows.Add(1)
	l.window = &window{w: w}
	l.window.refs.Store(1)
	return nil
}

// close lets go of the current window; Pages in it keep it alive.
func (l *loader) close() {
	if l.window != nil {
		l.window.Release()
		l.window = nil
	}
}

// read fills the pages' own buffer, adjacent blocks together. It may run on
// the read pool: of the loader it uses nothing that changes.
func (l *loader) read(ctx context.Context, p *batch.Pages) error {
	p.Reserve(len(p.Blocks))
	for from := 0; from < len(p.Blocks); {
		to := from + 1
		for to < len(p.Blocks) && to-from < readPages && p.Blocks[to] == p.Blocks[to-1]+1 {
			to++
		}
		dst := p.Data[from*pgfile.PageSize : to*pgfile.PageSize]
		if err := l.p.scan.Source.ReadBlocks(ctx, p.Blocks[from], dst); err != nil {
			return err
		}
		l.p.counters.Reads.Add(1)
		l.p.counters.Bytes.Add(int64(len(dst)))
		from = to
	}
	return nil
}

// salvage reads the pages one by one after reading them together failed with
// err, and marks those that cannot be read as lost.
func (l *loader) salvage(ctx context.Context, p *batch.Pages, err error) error {
	if ctx.Err() != nil || l.p.scan.OnLoss == nil || !passable(LostPage, err) {
		return err
	}
	for i, block := range p.Blocks {
		err := l.p.scan.Source.ReadBlocks(ctx, block, p.Page(i))
		if err == nil {
			continue
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err := l.p.losePage(p, i, err); err != nil {
			return err
		}
	}
	return nil
}

// losePage reports page i of p lost and marks it.
func (p *plan) losePage(pages *batch.Pages, i int, err error) error {
	if err := p.lost(LostPage, err, spot{block: pages.Blocks[i]}); err != nil {
		return err
	}
	if pages.Skip == nil {
		pages.Skip = make([]bool, len(pages.Blocks))
	}
	pages.Skip[i] = true
	return nil
}
