package toast

import (
	"context"
	"encoding/binary"
	"sort"

	"github.com/pipescan/pipescan/pgfile"
)

// key is a tuple's key in the TOAST index. Attributes cut off a pivot are
// minus infinity: natts says how many there are.
type key struct {
	id    uint32
	seq   int32
	natts int
}

// below says whether k is at or under (value, minus infinity), the place where
// the chunks of value begin.
func (k key) below(value uint32) bool {
	return k.natts == 0 || k.id < value || k.id == value && k.natts == 1
}

// keepEntries is how long a fetcher's lists may be between values.
const keepEntries = 1 << 14

// descent is one walk through the index. Each step reads a page, and no walk
// needs more steps than the index has pages: damaged links end there.
type descent struct {
	f     *RelationFetcher
	steps uint32
}

// lookup fills f.found with the entries of p's value, in index order. Errors
// that are pgfile.ErrCorrupt are the index's.
func (f *RelationFetcher) lookup(ctx context.Context, p pgfile.ToastPointer) error {
	if cap(f.found) > keepEntries {
		f.found, f.use = nil, nil
	}
	f.found = f.found[:0]
	if f.Index == nil {
		return &pgfile.CorruptError{File: f.IndexName, Block: pgfile.NoBlock, Offset: -1, Reason: "the index is missing"}
	}
	d := descent{f: f}
	pg, err := d.leaf(ctx, p.ValueID)
	if err != nil || pg == nil {
		return err
	}
	// An id given out again leaves a few old entries; thousands are damage.
	limit := 4*f.asm.Chunks(p.ExtSize) + 4096
	for {
		done, err := d.collect(pg, p.ValueID)
		if err != nil || done {
			return err
		}
		if len(f.found) > limit {
			return d.errorf(pg, "more than %d entries for value %d", limit, p.ValueID)
		}
		if pg, err = d.right(ctx, pg); err != nil {
			return err
		}
	}
}

// leaf goes from the root down to the leaf where entries of value begin; nil
// if the index is empty.
func (d *descent) leaf(ctx context.Context, value uint32) (*indexPage, error) {
	pg, err := d.read(ctx, 0)
	if err != nil {
		return nil, err
	}
	meta, err := pgfile.ParseBTreeMeta(pg.page)
	if err != nil {
		return nil, pgfile.At(err, d.f.IndexName, 0)
	}
	if meta.Root == 0 {
		return nil, nil
	}
	if pg, err = d.read(ctx, meta.Root); err != nil {
		return nil, err
	}
	for level := meta.Level; ; level-- {
		if pg, err = d.moveRight(ctx, pg, value); err != nil {
			return nil, err
		}
		if pg.Level != level || pg.IsLeaf() != (level == 0) {
			return nil, d.errorf(pg, "page of level %d where one of level %d belongs", pg.Level, level)
		}
		if level == 0 {
			return pg, nil
		}
		child, err := d.child(pg, value)
		if err != nil {
			return nil, err
		}
		if pg, err = d.read(ctx, child); err != nil {
			return nil, err
		}
	}
}

// moveRight passes pages that are deleted, and those that were split since
// their parent was written, so that value lies further right.
func (d *descent) moveRight(ctx context.Context, pg *indexPage, value uint32) (*indexPage, error) {
	for {
		if !pg.Ignore() {
			if pg.Rightmost() {
				return pg, nil
			}
			high, err := d.key(pg, 1)
			if err != nil {
				return nil, err
			}
			if !high.below(value) {
				return pg, nil
			}
		}
		var err error
		if pg, err = d.right(ctx, pg); err != nil {
			return nil, err
		}
	}
}

// right reads the right sibling, which must be there and of the same kind.
func (d *descent) right(ctx context.Context, pg *indexPage) (*indexPage, error) {
	if pg.Rightmost() {
		return nil, d.errorf(pg, "deleted page without a right sibling")
	}
	level, ignored := pg.Level, pg.Ignore()
	next, err := d.read(ctx, pg.Next)
	if err != nil {
		return nil, err
	}
	if !ignored && !next.Ignore() && next.Level != level {
		return nil, d.errorf(next, "page of level %d is the sibling of one of level %d", next.Level, level)
	}
	return next, nil
}

// child finds the downlink to follow: the last item at or under the place
// looked for. The first item of an internal page is minus infinity.
func (d *descent) child(pg *indexPage, value uint32) (uint32, error) {
	first, n := pg.FirstDataItem(), pg.page.NumItems()
	if first > n {
		return 0, d.errorf(pg, "internal page without items")
	}
	var bad error
	i := first + sort.Search(n-first, func(i int) bool {
		k, err := d.key(pg, first+1+i)
		if err != nil {
			bad = err
		}
		return err != nil || !k.below(value)
	})
	if bad != nil {
		return 0, bad
	}
	t, err := pgfile.ParseIndexTuple(pg.page, i)
	if err != nil {
		return 0, pgfile.At(err, d.f.IndexName, pg.block)
	}
	return t.TID.Block, nil
}

// collect appends the page's entries of value to f.found; done says that there
// are none further right.
func (d *descent) collect(pg *indexPage, value uint32) (done bool, err error) {
	if pg.Ignore() {
		return false, nil
	}
	first, n := pg.FirstDataItem(), pg.page.NumItems()
	var bad error
	i := first + sort.Search(max(n-first+1, 0), func(i int) bool {
		k, err := d.key(pg, first+i)
		if err != nil {
			bad = err
		}
		return err != nil || !k.below(value)
	})
	if bad != nil {
		return false, bad
	}
	for ; i <= n; i++ {
		t, err := pgfile.ParseIndexTuple(pg.page, i)
		if err != nil {
			return false, pgfile.At(err, d.f.IndexName, pg.block)
		}
		k, err := d.keyOf(pg, i, t)
		if err != nil {
			return false, err
		}
		if t.Pivot {
			return false, d.errorf(pg, "item %d of a leaf is a pivot", i)
		}
		if k.id != value {
			return true, nil
		}
		for j := range t.NumTIDs() {
			tid := t.TID
			if t.Posting != nil {
				tid = t.PostingTID(j)
			}
			d.f.found = append(d.f.found, entry{tid: tid, dead: t.Dead, seq: k.seq})
		}
	}
	if pg.Rightmost() {
		return true, nil
	}
	high, err := d.key(pg, 1)
	return high.natts > 0 && high.id > value, err
}

// key parses the key of item n.
func (d *descent) key(pg *indexPage, n int) (key, error) {
	t, err := pgfile.ParseIndexTuple(pg.page, n)
	if err != nil {
		return key{}, pgfile.At(err, d.f.IndexName, pg.block)
	}
	return d.keyOf(pg, n, t)
}

// keyOf takes the key out of a parsed item: oid, int4, neither ever null.
func (d *descent) keyOf(pg *indexPage, n int, t pgfile.IndexTuple) (key, error) {
	k := key{natts: 2}
	if t.Natts >= 0 {
		k.natts = t.Natts
	}
	if k.natts > 2 || len(t.Data) < 4*k.natts || t.Nulls != nil {
		return key{}, d.errorf(pg, "item %d is not a key of a TOAST index", n)
	}
	if k.natts > 0 {
		k.id = binary.LittleEndian.Uint32(t.Data)
	}
	if k.natts > 1 {
		k.seq = int32(binary.LittleEndian.Uint32(t.Data[4:]))
	}
	return k, nil
}

// read reads a page of the index within the walk's bound.
func (d *descent) read(ctx context.Context, block uint32) (*indexPage, error) {
	n := d.f.Index.NBlocks()
	if block >= n || d.steps > n {
		reason := "links of the index lead in a circle"
		if block >= n {
			reason = "link past the end of the index"
		}
		return nil, &pgfile.CorruptError{File: d.f.IndexName, Block: block, Offset: -1, Reason: reason}
	}
	d.steps++
	pg, err := d.f.index.get(ctx, d.f.Index, block)
	if err != nil {
		return nil, pgfile.At(err, d.f.IndexName, block)
	}
	return pg, nil
}

// errorf makes an error about a page of the index.
func (d *descent) errorf(pg *indexPage, format string, args ...any) error {
	return pgfile.At(pgfile.Corruptf(-1, format, args...), d.f.IndexName, pg.block)
}
