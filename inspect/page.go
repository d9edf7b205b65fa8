package inspect

import (
	"fmt"
	"io"

	"github.com/pipescan/pipescan/pgfile"
)

// printer writes lines and keeps the first error of the writer.
type printer struct {
	w   io.Writer
	err error
}

// linef prints one line.
func (p *printer) linef(format string, args ...any) {
	if p.err == nil {
		_, p.err = fmt.Fprintf(p.w, format+"\n", args...)
	}
}

// header prints a page's header and says whether the page has items to show.
// blkno is the block's number in its fork.
func (p *printer) header(page pgfile.Page, blkno uint32) bool {
	if err := pgfile.ValidatePage(page); err != nil {
		p.linef("block %d: damaged: %v", blkno, err)
		return false
	}
	if page.IsNew() {
		p.linef("block %d: new (all zeros)", blkno)
		return false
	}
	sum := fmt.Sprint(page.Checksum())
	if page.Checksum() != 0 {
		if want := pgfile.PageChecksum(page, blkno); want != page.Checksum() {
			sum += fmt.Sprintf(" (wrong: the page's is %d)", want)
		}
	}
	p.linef("block %d: lsn %X/%X checksum %s flags [%s] lower %d upper %d special %d items %d prune_xid %d",
		blkno, page.LSN()>>32, uint32(page.LSN()), sum, pgfile.PageFlagsString(page.Flags()),
		page.Lower(), page.Upper(), page.Special(), page.NumItems(), page.PruneXID())
	return true
}

// Heap prints a heap page at block blkno. The error is the writer's.
func Heap(w io.Writer, page pgfile.Page, blkno uint32) error {
	p := &printer{w: w}
	if !p.header(page, blkno) {
		return p.err
	}
	for n := 1; n <= page.NumItems(); n++ {
		p.heapItem(page, n)
	}
	return p.err
}

// heapItem prints a line pointer and the tuple it points to.
func (p *printer) heapItem(page pgfile.Page, n int) {
	item := page.Item(n)
	switch item.State() {
	case pgfile.ItemRedirect:
		p.linef("  item %d: redirect to %d", n, item.Off())
		return
	case pgfile.ItemUnused, pgfile.ItemDead:
		p.linef("  item %d: %s off %d len %d", n, pgfile.ItemStateString(item.State()), item.Off(), item.Len())
		return
	}
	if item.Len() < pgfile.HeapTupleHeaderSize || item.Off()+item.Len() > len(page) {
		p.linef("  item %d: normal off %d len %d: damaged: does not hold a tuple", n, item.Off(), item.Len())
		return
	}
	t := pgfile.HeapTuple(page[item.Off() : item.Off()+item.Len()])
	damage := ""
	if err := pgfile.ValidateHeapTuple(t); err != nil {
		damage = fmt.Sprintf(" damaged: %v", err)
	}
	p.linef("  item %d: normal off %d len %d xmin %d xmax %d field3 %d ctid %s natts %d hoff %d [%s %s]%s",
		n, item.Off(), item.Len(), t.Xmin(), t.Xmax(), t.Field3(), t.CTID(), t.Natts(), t.Hoff(),
		pgfile.InfomaskString(t.Infomask()), pgfile.Infomask2String(t.Infomask2()), damage)
}

// BTree prints a page of an nbtree.
func BTree(w io.Writer, page pgfile.Page, blkno uint32) error {
	p := &printer{w: w}
	if !p.header(page, blkno) {
		return p.err
	}
	if blkno == 0 {
		m, err := pgfile.ParseBTreeMeta(page)
		if err != nil {
			p.linef("  metapage: damaged: %v", err)
			return p.err
		}
		p.linef("  metapage: version %d root %d level %d fastroot %d fastlevel %d", m.Version, m.Root, m.Level, m.FastRoot, m.FastLevel)
		return p.err
	}
	b, err := pgfile.ParseBTreePage(page)
	if err != nil {
		p.linef("  nbtree page: damaged: %v", err)
		return p.err
	}
	p.linef("  nbtree page: prev %d next %d level %d flags [%s] cycleid %d", b.Prev, b.Next, b.Level, pgfile.BTreeFlagsString(b.Flags), b.CycleID)
	for n := 1; n <= page.NumItems(); n++ {
		p.indexItem(page, n)
	}
	return p.err
}

// indexItem prints an item of an nbtree page.
func (p *printer) indexItem(page pgfile.Page, n int) {
	t, err := pgfile.ParseIndexTuple(page, n)
	if err != nil {
		p.linef("  item %d: damaged: %v", n, err)
		return
	}
	state := pgfile.ItemStateString(page.Item(n).State())
	switch {
	case t.Pivot:
		p.linef("  item %d: %s pivot to block %d natts %d key %x", n, state, t.TID.Block, t.Natts, t.Data)
	case len(t.Posting) > 0:
		p.linef("  item %d: %s posting list of %d from %s key %x", n, state, len(t.Posting)/6, t.PostingTID(0), t.Data)
	default:
		p.linef("  item %d: %s tid %s key %x", n, state, t.TID, t.Data)
	}
}

// VM prints a page of a visibility map: runs of heap blocks with equal bits, up
// to heapBlocks, the size of the heap.
func VM(w io.Writer, page pgfile.Page, blkno, heapBlocks uint32) error {
	p := &printer{w: w}
	if !p.header(page, blkno) {
		return p.err
	}
	first := uint64(blkno) * pgfile.HeapBlocksPerVMPage
	last := min(first+pgfile.HeapBlocksPerVMPage, uint64(heapBlocks))
	bits := func(b uint64) byte {
		_, off, shift := pgfile.VMLocation(uint32(b))
		return page[off] >> shift & 3
	}
	for from := first; from < last; {
		to := from + 1
		for to < last && bits(to) == bits(from) {
			to++
		}
		text := [...]string{"none", "all-visible", "all-frozen without all-visible", "all-visible all-frozen"}[bits(from)]
		p.linef("  heap blocks %d to %d: %s", from, to-1, text)
		from = to
	}
	return p.err
}
