package stages

import (
	"context"
	"encoding/binary"
	"slices"

	"github.com/pipescan/pipescan/batch"
	"github.com/pipescan/pipescan/fileio"
	"github.com/pipescan/pipescan/pgfile"
	"github.com/pipescan/pipescan/pipeline"
)

// Extractor finds the tuples of pages. It checks each page's header and every
// line pointer once, so that all stages after it may trust Batch.Tuples: each
// lies inside its page and holds at least a tuple header. What the header says
// (its length, attribute count, null bitmap) is checked by whoever uses it.
//
// Tuples come in line pointer order, in a backward scan the last one first.
type Extractor struct {
	p   *plan
	out *batch.Batch
}

var _ pipeline.Stage[*batch.Pages, *batch.Batch] = (*Extractor)(nil)

func newExtractor(p *plan) *Extractor { return &Extractor{p: p} }

// Process implements pipeline.Stage. Pages without tuples give no batch.
func (e *Extractor) Process(_ context.Context, in *batch.Pages, emit pipeline.Emit[*batch.Batch]) error {
	b, err := e.extract(in)
	if err != nil {
		return err
	}
	if len(b.Tuples) == 0 {
		b.Release()
		return nil
	}
	return emit(b)
}

// Flush implements pipeline.Stage.
func (e *Extractor) Flush(context.Context, pipeline.Emit[*batch.Batch]) error { return nil }

// extract makes a batch of the pages, whose reference it takes over.
func (e *Extractor) extract(in *batch.Pages) (*batch.Batch, error) {
	b := e.p.batches.Get()
	b.Pages, b.Seq = in, in.Seq
	e.out = b
	err := guarded(in, e, (*Extractor).walk)
	e.out = nil
	if err != nil {
		b.Release()
		return nil, err
	}
	e.p.counters.Tuples.Add(int64(len(b.Tuples)))
	return b, nil
}

// guarded runs fn with faults in a mapped window turned into errors.
func guarded[T any](p *batch.Pages, arg T, fn func(T) error) error {
	if p.Mapped() {
		return fileio.GuardCall(arg, fn)
	}
	return fn(arg)
}

// walk goes through the pages in reading order.
func (e *Extractor) walk() error {
	b := e.out
	n := len(b.Pages.Blocks)
	b.Tuples = slices.Grow(b.Tuples, n*pgfile.MaxTuplesPerPage/2)
	for k := range n {
		i := k
		if b.Pages.Backward {
			i = n - 1 - k
		}
		if b.Pages.Skip != nil && b.Pages.Skip[i] {
			continue
		}
		if err := e.page(i); err != nil {
			return err
		}
	}
	return nil
}

// page appends page i's tuples and its range. A new page has none.
func (e *Extractor) page(i int) error {
	b := e.out
	page := b.Pages.Page(i)
	if err := e.check(page, b.Pages.Blocks[i]); err != nil {
		return e.p.losePage(b.Pages, i, err)
	}
	first := len(b.Tuples)
	if !page.IsNew() && !e.items(page, i) {
		b.Tuples = b.Tuples[:first]
		if err := e.salvage(page, i); err != nil {
			return err
		}
	}
	if b.Pages.Backward {
		slices.Reverse(b.Tuples[first:])
	}
	b.Ranges = append(b.Ranges, batch.PageRange{
		First: int32(first), N: int32(len(b.Tuples) - first), AllVisible: page.AllVisible(),
	})
	return nil
}

// check judges a page as a whole.
func (e *Extractor) check(page pgfile.Page, block uint32) error {
	if e.p.scan.Checksums && !page.IsNew() {
		if sum := pgfile.PageChecksum(page, block); sum != page.Checksum() {
			return pgfile.Corruptf(8, "page checksum is %04x, its bytes give %04x", page.Checksum(), sum)
		}
	}
	if err := pgfile.ValidatePage(page); err != nil {
		return err
	}
	if page.NumItems() > pgfile.MaxTuplesPerPage {
		_, err := pgfile.ValidateLinePointers(page)
		return err
	}
	return nil
}

// items appends the tuples of a page's line pointers, checking them on the
// way; false means that one is bad. It is the scan's innermost loop: one look
// at each line pointer, none at the tuples, and no branch for each condition.
// A condition that fails makes its difference negative, and the signs are
// collected in neg; bits of an offset that must be 0 are collected in low.
func (e *Extractor) items(page pgfile.Page, i int) bool {
	b := e.out
	n, upper, special := page.NumItems(), int32(page.Upper()), int32(page.Special())
	pointers := page[pgfile.PageHeaderSize : pgfile.PageHeaderSize+4*n]
	at := len(b.Tuples)
	b.Tuples = slices.Grow(b.Tuples, n)
	out := b.Tuples[at : at+n]
	var neg, low int32
	m := 0
	for item := uint16(1); len(pointers) >= 4; item++ {
		id := binary.LittleEndian.Uint32(pointers)
		pointers = pointers[4:]
		off, size := int32(id&0x7fff), int32(id>>17)
		if id>>15&3 != pgfile.ItemNormal {
			if id>>15&3 == pgfile.ItemRedirect {
				neg |= (off - 1) | (int32(n) - off)
			}
			continue
		}
		neg |= (off - upper) | (special - off - size) | (size - pgfile.HeapTupleHeaderSize - 1)
		low |= off
		out[m] = batch.Tuple{Page: uint16(i), Item: item, Off: uint16(off), Len: uint16(size)}
		m++
	}
	b.Tuples = b.Tuples[:at+m]
	return neg >= 0 && low&7 == 0
}

// salvage goes on without a page's bad line pointers, each of which is a loss.
func (e *Extractor) salvage(page pgfile.Page, i int) error {
	repaired := slices.Clone(page)
	for {
		bad, err := pgfile.ValidateLinePointers(repaired)
		if err == nil {
			break
		}
		s := spot{block: e.out.Pages.Blocks[i], item: uint16(bad)}
		if err := e.p.lost(LostTuple, err, s); err != nil {
			return err
		}
		if bad == 0 {
			return nil
		}
		at := pgfile.PageHeaderSize + 4*(bad-1)
		clear(repaired[at : at+4]) // LP_UNUSED
	}
	e.items(repaired, i)
	return nil
}
