package toast

import (
	"context"

	"github.com/pipescan/pipescan/pgfile"
)

// Pages a fetcher keeps. An index of four levels is one value's path; a heap
// page holds four chunks, and a few pages serve values that were stored by
// several sessions at a time.
const (
	indexPages = 8
	heapPages  = 4
)

// indexPage is a page of the index with its special space parsed.
type indexPage struct {
	pgfile.BTreePage
	block uint32
	used  uint64 // the cache's clock at the last use; 0: the slot is empty
	page  pgfile.Page
}

// indexCache keeps the least recently used pages out.
type indexCache struct {
	clock uint64
	slots [indexPages]indexPage
}

// get returns a page of the index, valid until indexPages other ones were
// asked for. Parse errors lack the file's name.
func (c *indexCache) get(ctx context.Context, r BlockReader, block uint32) (*indexPage, error) {
	c.clock++
	oldest := &c.slots[0]
	for i := range c.slots {
		s := &c.slots[i]
		if s.used != 0 && s.block == block {
			s.used = c.clock
			return s, nil
		}
		if s.used < oldest.used {
			oldest = s
		}
	}
	if oldest.page == nil {
		oldest.page = make(pgfile.Page, pgfile.PageSize)
	}
	oldest.used = 0 // in case of an error
	if err := r.ReadBlock(ctx, block, oldest.page); err != nil {
		return nil, err
	}
	bp, err := pgfile.ParseBTreePage(oldest.page)
	if err != nil {
		return nil, err
	}
	oldest.BTreePage, oldest.block, oldest.used = bp, block, c.clock
	return oldest, nil
}

// heapCache keeps the last pages read, replaced in turn.
type heapCache struct {
	pages  [heapPages]pgfile.Page
	blocks [heapPages]uint32
	valid  [heapPages]bool
	next   int
}

// page returns a page of the heap, valid until heapPages other ones were asked
// for.
func (c *heapCache) page(ctx context.Context, r BlockReader, block uint32) (pgfile.Page, error) {
	for i, b := range c.blocks {
		if b == block && c.valid[i] {
			return c.pages[i], nil
		}
	}
	i := c.next
	c.next = (i + 1) % heapPages
	if c.pages[i] == nil {
		c.pages[i] = make(pgfile.Page, pgfile.PageSize)
	}
	c.valid[i] = false
	if err := r.ReadBlock(ctx, block, c.pages[i]); err != nil {
		return nil, err
	}
	c.blocks[i], c.valid[i] = block, true
	return c.pages[i], nil
}
