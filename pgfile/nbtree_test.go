package pgfile

import (
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// leafEntry is one heap TID of an index with its key.
type leafEntry struct {
	tid TID
	key int32
}

// leafEntries walks an int4 index from its root to the leftmost leaf and then
// along the leaves.
func leafEntries(t *testing.T, pages []Page) (entries []leafEntry, postings int) {
	t.Helper()
	meta, err := ParseBTreeMeta(pages[0])
	require.NoError(t, err)
	require.Equal(t, uint32(4), meta.Version)
	require.Equal(t, meta.Root, meta.FastRoot)
	require.True(t, meta.AllEqualImage)
	blk := meta.Root
	for level := meta.Level; ; level-- {
		bp, err := ParseBTreePage(pages[blk])
		require.NoError(t, err)
		require.Equal(t, level, bp.Level)
		require.Equal(t, level == 0, bp.IsLeaf())
		if bp.IsLeaf() {
			break
		}
		first, err := ParseIndexTuple(pages[blk], bp.FirstDataItem())
		require.NoError(t, err)
		require.True(t, first.Pivot)
		require.Zero(t, first.Natts, "the first item of an internal page is minus infinity")
		require.Empty(t, first.Data)
		blk = first.TID.Block
	}
	for prev := uint32(BTreeNone); blk != BTreeNone; {
		bp, err := ParseBTreePage(pages[blk])
		require.NoError(t, err)
		require.Equal(t, prev, bp.Prev)
		require.False(t, bp.Ignore())
		if !bp.Rightmost() {
			high, err := ParseIndexTuple(pages[blk], 1)
			require.NoError(t, err)
			require.True(t, high.Pivot)
			require.Equal(t, 1, high.Natts)
		}
		for n := bp.FirstDataItem(); n <= pages[blk].NumItems(); n++ {
			it, err := ParseIndexTuple(pages[blk], n)
			require.NoError(t, err)
			require.Equal(t, -1, it.Natts)
			require.GreaterOrEqual(t, len(it.Data), 4)
			key := int32(binary.LittleEndian.Uint32(it.Data))
			if it.Posting == nil {
				entries = append(entries, leafEntry{it.TID, key})
				continue
			}
			postings++
			require.Equal(t, it.TID, it.PostingTID(0))
			for i := range it.NumTIDs() {
				entries = append(entries, leafEntry{it.PostingTID(i), key})
			}
		}
		prev, blk = blk, bp.Next
	}
	return entries, postings
}

// TestBTreeLeaves: both indexes of heap2 point to exactly the server's rows.
func TestBTreeLeaves(t *testing.T) {
	eachMajor(t, func(t *testing.T, major int) {
		want := map[TID]int32{}
		for _, line := range goldenLines(t, major, "heap2_rows.txt") {
			var tid TID
			var id int32
			_, err := fmt.Sscanf(line, "(%d,%d) %d", &tid.Block, &tid.Offset, &id)
			require.NoError(t, err)
			want[tid] = id
		}
		entries, postings := leafEntries(t, goldenPages(t, major, "heap2_pkey"))
		require.Zero(t, postings)
		require.Len(t, entries, len(want))
		for i, e := range entries {
			require.Equal(t, want[e.tid], e.key)
			require.True(t, i == 0 || entries[i-1].key < e.key, "keys ascend")
		}
		entries, postings = leafEntries(t, goldenPages(t, major, "heap2_dup"))
		require.Greater(t, postings, 5)
		require.Len(t, entries, len(want))
		seen := map[TID]bool{}
		for _, e := range entries {
			require.Equal(t, want[e.tid]%3, e.key)
			require.False(t, seen[e.tid])
			seen[e.tid] = true
		}
	})
}

// TestBTreeItems compares one page with the server's own reading, pivot and
// posting lists included.
func TestBTreeItems(t *testing.T) {
	pages := goldenPages(t, 15, "heap2_dup")
	for _, line := range goldenLines(t, 15, "heap2_dup_items.txt") {
		f := strings.Split(line, "|")
		n, err := strconv.Atoi(f[0])
		require.NoError(t, err)
		it, err := ParseIndexTuple(pages[1], n)
		require.NoError(t, err)
		require.Equal(t, f[3] == "t", it.Nulls != nil)
		require.Equal(t, f[6] == "t", it.Dead)
		data := hex.EncodeToString(it.Data)
		if it.Pivot { // the server prints a pivot's heap TID apart, and the padding before it as data
			require.Equal(t, f[7], it.PivotTID.String())
			require.Equal(t, f[5], data[:16])
			continue
		}
		require.Equal(t, f[5], data)
		require.Equal(t, f[7], it.TID.String())
		require.Equal(t, f[8], strconv.Itoa(len(it.Posting)/6))
		if f[9] != "" {
			require.Equal(t, f[9], it.PostingTID(1).String())
		}
	}
	var want BTreeMeta
	var equal string
	_, err := fmt.Sscan(goldenLines(t, 15, "heap2_dup_meta.txt")[0],
		&want.Version, &want.Root, &want.Level, &want.FastRoot, &want.FastLevel, &equal)
	require.NoError(t, err)
	want.AllEqualImage = equal == "t"
	got, err := ParseBTreeMeta(pages[0])
	require.NoError(t, err)
	require.Equal(t, want, got)
}

func TestBTreeDamage(t *testing.T) {
	pages := goldenPages(t, 15, "heap2_dup")
	for _, c := range []struct {
		name string
		f    func() error
	}{
		{"zeros", func() error { _, err := ParseBTreePage(make(Page, PageSize)); return err }},
		{"heap page", func() error { _, err := ParseBTreePage(goldenPages(t, 15, "heap1")[0]); return err }},
		{"leaf as meta", func() error { _, err := ParseBTreeMeta(pages[1]); return err }},
		{"meta version", func() error {
			p := append(Page(nil), pages[0]...)
			p[28] = 9
			_, err := ParseBTreeMeta(p)
			return err
		}},
		{"item 0", func() error { _, err := ParseIndexTuple(pages[1], 0); return err }},
		{"item past the last", func() error { _, err := ParseIndexTuple(pages[1], pages[1].NumItems()+1); return err }},
	} {
		t.Run(c.name, func(t *testing.T) { requireCorrupt(t, c.f()) })
	}
	for _, c := range []struct {
		name string
		off  int // in the tuple of item 2, a posting list
		v    uint16
	}{
		{"size beyond the item", 6, 0x2000 | 0x1fff},
		{"size under the header", 6, 4},
		{"nulls without room", 6, 0x8000 | 12},
		{"list before the data", 2, 4},
		{"list past the end", 2, 730},
		{"list of none", 4, 0x2000},
		{"list too long", 4, 0x2000 | 0xfff},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := append(Page(nil), pages[1]...)
			binary.LittleEndian.PutUint16(p[p.Item(2).Off()+c.off:], c.v)
			_, err := ParseIndexTuple(p, 2)
			requireCorrupt(t, err)
			require.Equal(t, uint16(2), err.(*CorruptError).Item)
		})
	}
	// A pivot whose size leaves no room for the heap TID that it claims.
	p := append(Page(nil), pages[1]...)
	off := p.Item(1).Off()
	binary.LittleEndian.PutUint16(p[off+4:], btreePivotHeapTID|1)
	binary.LittleEndian.PutUint16(p[off+6:], indexAltTID|8)
	_, err := ParseIndexTuple(p, 1)
	requireCorrupt(t, err)
}
