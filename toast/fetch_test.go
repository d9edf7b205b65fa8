package toast

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/pipescan/pipescan/pgfile"
)

// TestFetch finds every value in trees of every shape, and none that is not
// there.
func TestFetch(t *testing.T) {
	for _, perPage := range []int{2, 3, 7, 300} {
		var items []item
		sizes := map[uint32]int{}
		for id := uint32(10); id < 100; id += 2 {
			sizes[id] = 1 + int(id*id*13)%15000
			items = append(items, chunks(id, pattern(id, sizes[id]))...)
		}
		f := fetcher(items, perPage)
		for id := uint32(8); id < 104; id++ {
			got, err := f.FetchChunks(t.Context(), plain(id, max(sizes[id], 1)), []byte("before"))
			if sizes[id] == 0 {
				require.ErrorIs(t, err, pgfile.ErrCorrupt)
				require.ErrorContains(t, err, "chunk 0 of 1 is missing in the index")
				require.Equal(t, "before", string(got))
				continue
			}
			require.NoError(t, err, "value %d, %d a page", id, perPage)
			require.Equal(t, append([]byte("before"), pattern(id, sizes[id])...), got)
		}
	}
}

func TestFetchFromAnEmptyIndex(t *testing.T) {
	f := fetcher(nil, 10)
	_, err := f.FetchChunks(t.Context(), plain(1, 5), nil)
	require.ErrorContains(t, err, "pg_toast_1: TOAST value 1: chunk 0 of 1 is missing in the index")
	got, err := f.FetchChunks(t.Context(), plain(1, 0), nil)
	require.NoError(t, err)
	require.Empty(t, got)
}

// TestWhichChunksCount is the visibility rule of TOAST tuples.
func TestWhichChunksCount(t *testing.T) {
	yes := func(uint32) (bool, error) { return true, nil }
	no := func(uint32) (bool, error) { return false, nil }
	const inval = pgfile.HeapXminInvalid
	for _, c := range []struct {
		name      string
		it        item
		committed func(uint32) (bool, error)
		want      string // "" found, else part of the error
	}{
		{"committed, deleted", item{xmin: 9, mask: pgfile.HeapXminCommitted | pgfile.HeapXmaxCommitted}, nil, ""},
		{"frozen", item{xmin: 9, mask: pgfile.HeapXminFrozen}, nil, ""},
		{"no hint", item{xmin: 9, mask: pgfile.HeapXmaxInvalid}, nil, ""},
		{"no hint, not committed", item{xmin: 9, mask: pgfile.HeapXmaxInvalid}, no, ""},
		{"aborted", item{xmin: 9, mask: inval}, nil, "chunk 0 of 1 is missing"},
		{"speculative, given up", item{xmin: 0, mask: pgfile.HeapXmaxInvalid}, nil, "chunk 0 of 1 is missing"},
		{"moved off", item{xmin: 9, mask: pgfile.HeapMovedOff}, yes, "missing"},
		{"move off undone", item{xmin: 9, mask: pgfile.HeapMovedOff}, no, ""},
		{"moved in", item{xmin: 9, mask: pgfile.HeapMovedIn}, yes, ""},
		{"move in undone", item{xmin: 9, mask: pgfile.HeapMovedIn}, no, "missing"},
		{"moved, unknown", item{xmin: 9, mask: pgfile.HeapMovedIn}, nil, "before 9.0"},
	} {
		c.it.id, c.it.data = 5, []byte("hello")
		f := fetcher([]item{c.it}, 10)
		f.Committed = c.committed
		got, err := f.FetchChunks(t.Context(), plain(5, 5), nil)
		if c.want == "" {
			require.NoError(t, err, c.name)
			require.Equal(t, "hello", string(got))
		} else {
			require.ErrorContains(t, err, c.want, c.name)
		}
	}
}

// TestReusedID: old chunks of an id given out again are told from the new.
func TestReusedID(t *testing.T) {
	oldV, newV := pattern(1, 3000), pattern(2, 3000)
	mix := func(change func(it *item)) []item {
		olds, news := chunks(7, oldV), chunks(7, newV)
		var items []item
		for i := range olds {
			change(&olds[i])
			items = append(items, olds[i], news[i])
		}
		return items
	}
	aborted := fetcher(mix(func(it *item) { it.xmin, it.mask = 9, pgfile.HeapXminInvalid }), 2)
	got, err := aborted.FetchChunks(t.Context(), plain(7, 3000), nil)
	require.NoError(t, err)
	require.Equal(t, newV, got)

	killed := fetcher(mix(func(it *item) { it.dead = true }), 2)
	killed.Dead = true
	got, err = killed.FetchChunks(t.Context(), plain(7, 3000), nil)
	require.NoError(t, err)
	require.Equal(t, newV, got)

	noHint := fetcher(mix(func(it *item) { it.xmin, it.mask = 9, pgfile.HeapXmaxInvalid }), 2)
	_, err = noHint.FetchChunks(t.Context(), plain(7, 3000), nil)
	require.ErrorIs(t, err, pgfile.ErrCorrupt)
	require.ErrorContains(t, err, "chunk 0 is there 2 times, at (0,1) and (0,2)")
	noHint.Committed = func(xid uint32) (bool, error) { return xid != 9, nil }
	got, err = noHint.FetchChunks(t.Context(), plain(7, 3000), nil)
	require.NoError(t, err)
	require.Equal(t, newV, got)
	boom := errors.New("no pg_xact")
	noHint.Committed = func(uint32) (bool, error) { return false, boom }
	_, err = noHint.FetchChunks(t.Context(), plain(7, 3000), nil)
	require.ErrorIs(t, err, boom)
}

// TestDeadRows: a dead row's chunks may be marked dead, all or some.
func TestDeadRows(t *testing.T) {
	for _, marked := range [][]int{{0, 1, 2}, {1}, {0, 2}} {
		items := chunks(7, pattern(7, 5000))
		for _, i := range marked {
			items[i].dead = true
		}
		f := fetcher(items, 2)
		_, err := f.FetchChunks(t.Context(), plain(7, 5000), nil)
		require.ErrorContains(t, err, "missing in the index")
		f.Dead = true
		got, err := f.FetchChunks(t.Context(), plain(7, 5000), nil)
		require.NoError(t, err)
		require.Equal(t, pattern(7, 5000), got)
	}
	f := fetcher(chunks(7, pattern(7, 5000)), 2)
	for dead, remedy := range map[bool]string{false: remedyChunks, true: remedyDeadChunks} {
		f.Dead = dead
		_, err := f.FetchChunks(t.Context(), plain(8, 5000), nil)
		var damage *pgfile.CorruptError
		require.ErrorAs(t, err, &damage)
		require.Equal(t, remedy, damage.Remedy)
	}
}

// TestPostingList: one entry may stand for several chunks of one key.
func TestPostingList(t *testing.T) {
	items := []item{{id: 7, data: []byte("old"), xmin: 9, mask: pgfile.HeapXminInvalid}, {id: 7, data: []byte("new")}}
	f := fetcher(items, 10)
	p := newPage(16)
	b := make([]byte, 16+12)
	binary.LittleEndian.PutUint16(b[2:], 16)
	binary.LittleEndian.PutUint16(b[4:], 0x2000|2)
	binary.LittleEndian.PutUint16(b[6:], 0x2000|uint16(len(b)))
	binary.LittleEndian.PutUint32(b[8:], 7)
	binary.LittleEndian.PutUint16(b[20:], 1)
	binary.LittleEndian.PutUint16(b[26:], 2)
	require.True(t, addItem(p, b, pgfile.ItemNormal))
	setSpecial(p, 0, 0, 0, pgfile.BTreeLeaf)
	f.Index.(*memory).pages[1] = p
	got, err := f.FetchChunks(t.Context(), plain(7, 3), nil)
	require.NoError(t, err)
	require.Equal(t, "new", string(got))
}

// TestMovesRight: pages split, and deleted, behind their parent's back.
func TestMovesRight(t *testing.T) {
	var items []item
	for id := uint32(1); id <= 12; id++ {
		items = append(items, chunks(id, pattern(id, 2500))...)
	}
	f := fetcher(items, 4) // two values a leaf: leaves are blocks 1 to 6, then the inner ones
	index := f.Index.(*memory)
	require.Equal(t, uint32(0), binary.LittleEndian.Uint32(index.pages[6][pgfile.PageSize-12:]), "block 6 is the last leaf")

	// The root leads to the first leaf whatever is looked for, as before splits
	// were told upwards: everything lies to its right.
	meta := index.pages[0]
	binary.LittleEndian.PutUint32(meta[32:], 1)
	binary.LittleEndian.PutUint32(meta[36:], 0)
	for id := uint32(1); id <= 12; id++ {
		got, err := f.FetchChunks(t.Context(), plain(id, 2500), nil)
		require.NoError(t, err)
		require.Equal(t, pattern(id, 2500), got)
	}
	// A deleted leaf is passed, whatever its level and items say.
	f = fetcher(items, 4)
	index = f.Index.(*memory)
	setSpecial(index.pages[2], 1, 3, 12345, pgfile.BTreeDeleted|pgfile.BTreeLeaf)
	binary.LittleEndian.PutUint16(index.pages[2][12:], pgfile.PageHeaderSize)
	_, err := f.FetchChunks(t.Context(), plain(3, 2500), nil)
	require.ErrorContains(t, err, "chunk 0 of 2 is missing in the index")
	got, err := f.FetchChunks(t.Context(), plain(5, 2500), nil)
	require.NoError(t, err)
	require.Equal(t, pattern(5, 2500), got)
}

// TestReadErrorsPassOn: the device's error is neither corruption nor the
// index's fault.
func TestReadErrorsPassOn(t *testing.T) {
	boom := errors.New("device")
	for _, which := range []string{"heap", "index"} {
		f := fetcher(chunks(7, pattern(7, 2500)), 10)
		f.Fallback = fixed("never")
		if which == "heap" {
			f.Heap.(*memory).fail = map[uint32]error{0: boom}
		} else {
			f.Index.(*memory).fail = map[uint32]error{1: boom}
		}
		_, err := f.FetchChunks(t.Context(), plain(7, 2500), nil)
		require.ErrorIs(t, err, boom)
		f.Heap.(*memory).fail, f.Index.(*memory).fail = nil, nil
		got, err := f.FetchChunks(t.Context(), plain(7, 2500), nil)
		require.NoError(t, err, "a failed page is not kept")
		require.Equal(t, pattern(7, 2500), got)
	}
}

// TestClaimedSizeTakesNoMemory: a huge claim over few chunks allocates little.
func TestClaimedSizeTakesNoMemory(t *testing.T) {
	f := fetcher(chunks(7, pattern(7, 2500)), 10)
	_, err := f.FetchChunks(t.Context(), plain(7, maxPayload), nil)
	require.ErrorContains(t, err, "is missing in the index")
	require.Less(t, cap(f.asm.dst), 1<<16)
	// The same entry a thousand times over is not a value either.
	entries := slices.Repeat([]item{{id: 7, data: []byte("x")}}, 6000)
	f = fetcher(entries, 100)
	_, err = f.FetchChunks(t.Context(), plain(7, 1), nil)
	require.ErrorContains(t, err, "more than 4100 entries for value 7")
}

// TestClaimBeyondMemory: a pointer that claims more than memory allows is
// damaged if the chunks do not bear it out; else the value is too large.
func TestClaimBeyondMemory(t *testing.T) {
	raw := bytes.Repeat([]byte("0123456789abcdef, "), 1000)
	chunked := stored(0, len(raw), compressPGLZ(raw))
	f := fetcher(append(chunks(6, chunked), chunks(7, pattern(7, 5000))...), 10)
	d := &Detoaster{Fetcher: ByRelation{1: f}, MaxValue: 4000}
	p := pgfile.ToastPointer{RawSize: uint32(len(raw)) + 4, ExtSize: uint32(len(chunked)), ValueID: 6, RelID: 1}
	var large *SizeError
	_, err := d.Append(t.Context(), nil, pointer(p))
	require.ErrorAs(t, err, &large)
	_, err = d.Append(t.Context(), nil, pointer(plain(7, 5000)))
	require.ErrorAs(t, err, &large)

	p.RawSize++
	_, err = d.Append(t.Context(), nil, pointer(p))
	require.ErrorIs(t, err, pgfile.ErrCorrupt)
	require.ErrorContains(t, err, "the row claims 18001 bytes, the chunks 18000")
	for _, claim := range []int{9000, 1 << 29, maxPayload} {
		_, err = d.Append(t.Context(), nil, pointer(plain(7, claim)))
		require.ErrorIs(t, err, pgfile.ErrCorrupt)
		require.ErrorContains(t, err, "is missing in the index")
	}
	f.Index.(*memory).fail = map[uint32]error{1: pgfile.Corruptf(0, "noise")}
	f.index = indexCache{}
	_, err = d.Append(t.Context(), nil, pointer(plain(7, 9000)))
	var index *IndexError
	require.ErrorAs(t, err, &index)
}

// TestNeighboursReadLittle: values in order read each page once.
func TestNeighboursReadLittle(t *testing.T) {
	var items []item
	for id := uint32(1); id <= 500; id++ {
		items = append(items, chunks(id, pattern(id, 2500))...)
	}
	f := fetcher(items, 300)
	var dst []byte
	for id := uint32(1); id <= 500; id++ {
		var err error
		dst, err = f.FetchChunks(t.Context(), plain(id, 2500), dst[:0])
		require.NoError(t, err)
	}
	heap, index := f.Heap.(*memory), f.Index.(*memory)
	require.Equal(t, len(heap.pages), heap.reads)
	require.Equal(t, len(index.pages), index.reads)
	id := uint32(0)
	require.Zero(t, testing.AllocsPerRun(400, func() {
		id++
		dst, _ = f.FetchChunks(context.Background(), plain(id, 2500), dst[:0])
	}))
}

// FuzzFetch: whatever is written over heap and index, the result is the value
// or an error, in bounded steps and memory.
func FuzzFetch(f *testing.F) {
	f.Add([]byte{}, uint32(3), uint32(2500))
	f.Add([]byte{1, 31, 252, 255, 0, 0, 40, 9}, uint32(5), uint32(2500))
	f.Add([]byte{9, 0, 24, 1}, uint32(2), uint32(99999999))
	var items []item
	for id := uint32(1); id <= 12; id++ {
		items = append(items, chunks(id, pattern(id, 2500))...)
	}
	heap, index := build(items, 4)
	f.Fuzz(func(t *testing.T, writes []byte, id, size uint32) {
		h, x := &memory{pages: clonePages(heap.pages)}, &memory{pages: clonePages(index.pages)}
		all := append(slices.Clone(x.pages), h.pages...)
		for ; len(writes) >= 4; writes = writes[4:] {
			off := int(binary.LittleEndian.Uint16(writes[1:])) % pgfile.PageSize
			all[int(writes[0])%len(all)][off] = writes[3]
		}
		for _, page := range h.pages { // a BlockReader's promise
			if pgfile.ValidatePage(page) != nil {
				return
			}
		}
		fetch := &RelationFetcher{Heap: h, Index: x, HeapName: "heap", IndexName: "index", Dead: id%2 == 0}
		size %= 1 << 30
		got, err := fetch.FetchChunks(t.Context(), plain(id, int(size)), nil)
		if err == nil && len(got) != int(size) {
			t.Fatalf("%d bytes for %d", len(got), size)
		}
		if err != nil && !errors.Is(err, pgfile.ErrCorrupt) && !errors.Is(err, pgfile.ErrUnsupported) {
			t.Fatalf("untyped: %v", err)
		}
		if x.reads > 3*len(x.pages)+3 {
			t.Fatalf("%d reads of %d index pages", x.reads, len(x.pages))
		}
	})
}

func clonePages(pages [][]byte) [][]byte {
	c := make([][]byte, len(pages))
	for i, p := range pages {
		c[i] = bytes.Clone(p)
	}
	return c
}

// BenchmarkFetch compares values asked for in order with scattered ones: the
// pages kept make the difference.
func BenchmarkFetch(b *testing.B) {
	var items []item
	const n = 2000
	for id := uint32(1); id <= n; id++ {
		items = append(items, chunks(id, pattern(id, 5000))...)
	}
	for name, step := range map[string]uint32{"ordered": 1, "scattered": 997} {
		b.Run(name, func(b *testing.B) {
			f := fetcher(items, 300)
			var dst []byte
			id := uint32(0)
			b.ReportAllocs()
			b.SetBytes(5000)
			for b.Loop() {
				var err error
				if dst, err = f.FetchChunks(b.Context(), plain(id%n+1, 5000), dst[:0]); err != nil {
					b.Fatal(err)
				}
				id += step
			}
			b.ReportMetric(float64(f.Heap.(*memory).reads+f.Index.(*memory).reads)/float64(b.N), "reads/op")
		})
	}
}
