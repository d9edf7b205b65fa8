package toast

import (
	"context"
	"encoding/binary"
	"fmt"
	"testing"

	"go.uber.org/goleak"

	"github.com/pipescan/pipescan/pgfile"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// memory is a BlockReader over pages in memory that counts reads.
type memory struct {
	pages [][]byte
	reads int
	fail  map[uint32]error
}

func (m *memory) NBlocks() uint32 { return uint32(len(m.pages)) }

func (m *memory) ReadBlock(_ context.Context, block uint32, page []byte) error {
	m.reads++
	if err := m.fail[block]; err != nil {
		return err
	}
	if block >= m.NBlocks() {
		return fmt.Errorf("block %d of %d was asked for", block, len(m.pages))
	}
	copy(page, m.pages[block])
	return nil
}

// item is a chunk as the tests' TOAST table holds it.
type item struct {
	id    uint32
	seq   int32
	data  []byte
	dead  bool   // marked so in the index
	xmin  uint32 // 0: 700
	mask  uint16 // 0: xmin committed, xmax invalid
	field uint32 // xvac
}

// newPage makes an empty page with so much special space.
func newPage(special int) pgfile.Page {
	p := make(pgfile.Page, pgfile.PageSize)
	binary.LittleEndian.PutUint16(p[12:], pgfile.PageHeaderSize)
	binary.LittleEndian.PutUint16(p[14:], uint16(pgfile.PageSize-special))
	binary.LittleEndian.PutUint16(p[16:], uint16(pgfile.PageSize-special))
	binary.LittleEndian.PutUint16(p[18:], pgfile.PageSize|4)
	return p
}

// addItem adds bytes under a new line pointer; false when they do not fit.
func addItem(p pgfile.Page, b []byte, state int) bool {
	off := (p.Upper() - len(b)) &^ 7
	if off < p.Lower()+4 {
		return false
	}
	copy(p[off:], b)
	binary.LittleEndian.PutUint32(p[p.Lower():], uint32(off)|uint32(state)<<15|uint32(len(b))<<17)
	binary.LittleEndian.PutUint16(p[12:], uint16(p.Lower()+4))
	binary.LittleEndian.PutUint16(p[14:], uint16(off))
	return true
}

// tuple makes the heap tuple of a chunk.
func tuple(it item) []byte {
	b := make([]byte, 36, 36+len(it.data))
	if it.xmin == 0 && it.mask == 0 {
		it.xmin = 700
	}
	if it.mask == 0 {
		it.mask = pgfile.HeapXminCommitted | pgfile.HeapXmaxInvalid
	}
	binary.LittleEndian.PutUint32(b, it.xmin)
	binary.LittleEndian.PutUint32(b[8:], it.field)
	binary.LittleEndian.PutUint16(b[18:], 3)
	binary.LittleEndian.PutUint16(b[20:], it.mask|pgfile.HeapHasVarWidth)
	b[22] = 24
	binary.LittleEndian.PutUint32(b[24:], it.id)
	binary.LittleEndian.PutUint32(b[28:], uint32(it.seq))
	if len(it.data) < 100 { // as a server stores short ones
		b[32] = byte(len(it.data)+1)<<1 | 1
		return append(b[:33], it.data...)
	}
	binary.LittleEndian.PutUint32(b[32:], uint32(len(it.data)+4)<<2)
	return append(b, it.data...)
}

// indexTuple makes a leaf tuple (natts -1) or a pivot.
func indexTuple(tid pgfile.TID, id uint32, seq int32, natts int) []byte {
	b := make([]byte, 16)
	info := uint16(16)
	if natts >= 0 {
		info |= 0x2000
		tid.Offset = uint16(natts)
	}
	if natts == 0 {
		b, info = b[:8], 8|0x2000
	}
	binary.LittleEndian.PutUint16(b, uint16(tid.Block>>16))
	binary.LittleEndian.PutUint16(b[2:], uint16(tid.Block))
	binary.LittleEndian.PutUint16(b[4:], tid.Offset)
	binary.LittleEndian.PutUint16(b[6:], info)
	if natts != 0 {
		binary.LittleEndian.PutUint32(b[8:], id)
	}
	if natts == -1 || natts == 2 {
		binary.LittleEndian.PutUint32(b[12:], uint32(seq))
	}
	return b
}

// setSpecial writes an nbtree page's special space.
func setSpecial(p pgfile.Page, prev, next, level uint32, flags uint16) {
	s := p[pgfile.PageSize-16:]
	binary.LittleEndian.PutUint32(s, prev)
	binary.LittleEndian.PutUint32(s[4:], next)
	binary.LittleEndian.PutUint32(s[8:], level)
	binary.LittleEndian.PutUint16(s[12:], flags)
}

// node is an index page under construction: its lower bound and its block.
type node struct {
	id    uint32
	seq   int32
	natts int
	block uint32
}

// tree builds an nbtree over sorted keys, perPage items a page.
type tree struct {
	pages   [][]byte
	perPage int
}

// level writes a level of pages; write puts item i into a page.
func (t *tree) level(level uint32, lower []node, flags uint16, write func(p pgfile.Page, i int)) []node {
	var above []node
	for from := 0; from < len(lower); from += t.perPage {
		to := min(from+t.perPage, len(lower))
		p := newPage(16)
		block := uint32(len(t.pages))
		prev, next := uint32(0), uint32(0)
		if from > 0 {
			prev = block - 1
		}
		if to < len(lower) {
			next = block + 1
			high := bound(level, lower[to-1], lower[to])
			addItem(p, indexTuple(pgfile.TID{}, high.id, high.seq, high.natts), pgfile.ItemNormal)
		}
		for i := from; i < to; i++ {
			write(p, i)
		}
		setSpecial(p, prev, next, level, flags)
		t.pages = append(t.pages, p)
		n := node{block: block, natts: 0}
		if from > 0 {
			n = bound(level, lower[from-1], lower[from])
			n.block = block
		}
		above = append(above, n)
	}
	return above
}

// bound is the pivot between two neighbours: of leaf tuples the id alone if
// that tells them apart, further up the right one's lower bound.
func bound(level uint32, left, right node) node {
	if level == 0 && left.id != right.id {
		right.natts = 1
	}
	return right
}

// build makes the heap and the index of a TOAST table. items are in key order.
func build(items []item, perPage int) (heap, index *memory) {
	heap = &memory{}
	var leaves []node
	tids := make([]pgfile.TID, len(items))
	p := newPage(0)
	for i, it := range items {
		if !addItem(p, tuple(it), pgfile.ItemNormal) {
			heap.pages = append(heap.pages, p)
			p = newPage(0)
			addItem(p, tuple(it), pgfile.ItemNormal)
		}
		tids[i] = pgfile.TID{Block: uint32(len(heap.pages)), Offset: uint16(p.NumItems())}
		leaves = append(leaves, node{id: it.id, seq: it.seq, natts: 2})
	}
	heap.pages = append(heap.pages, p)

	t := &tree{pages: [][]byte{nil}, perPage: perPage}
	above := t.level(0, leaves, pgfile.BTreeLeaf, func(p pgfile.Page, i int) {
		state := pgfile.ItemNormal
		if items[i].dead {
			state = pgfile.ItemDead
		}
		addItem(p, indexTuple(tids[i], items[i].id, items[i].seq, -1), state)
	})
	level := uint32(0)
	for len(above) > 1 {
		level++
		lower := above
		above = t.level(level, lower, 0, func(p pgfile.Page, i int) {
			n := lower[i]
			if p.NumItems() == 0 || p.NumItems() == 1 && i%t.perPage == 0 {
				n.natts = 0 // the first of each internal page is minus infinity
			}
			addItem(p, indexTuple(pgfile.TID{Block: n.block}, n.id, n.seq, n.natts), pgfile.ItemNormal)
		})
	}
	meta := newPage(16)
	setSpecial(meta, 0, 0, 0, pgfile.BTreeMetaPage)
	binary.LittleEndian.PutUint16(meta[12:], 72)
	root := uint32(0)
	if len(above) > 0 {
		root = above[0].block
	}
	for i, v := range []uint32{0x053162, 4, root, level, root, level} {
		binary.LittleEndian.PutUint32(meta[24+4*i:], v)
	}
	t.pages[0] = meta
	return heap, &memory{pages: t.pages}
}

// pattern is the stored form of a value that tells its id.
func pattern(id uint32, n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(uint32(i)*7 + id*31 + uint32(i)>>8)
	}
	return b
}

// chunks cuts a stored form into items.
func chunks(id uint32, b []byte) []item {
	var items []item
	for seq := int32(0); len(b) > 0; seq++ {
		n := min(DefaultChunkSize, len(b))
		items = append(items, item{id: id, seq: seq, data: b[:n]})
		b = b[n:]
	}
	return items
}

// fetcher wires a RelationFetcher over built pages.
func fetcher(items []item, perPage int) *RelationFetcher {
	heap, index := build(items, perPage)
	return &RelationFetcher{Heap: heap, Index: index, HeapName: "pg_toast_1", IndexName: "pg_toast_1_index"}
}

// plain is a pointer to an uncompressed value of n bytes.
func plain(id uint32, n int) pgfile.ToastPointer {
	return pgfile.ToastPointer{RawSize: uint32(n) + 4, ExtSize: uint32(n), ValueID: id, RelID: 1}
}
