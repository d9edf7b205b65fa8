package toast

import (
	"context"
	"encoding/binary"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/pipescan/pipescan/pgfile"
)

// TestDamagedIndex: each damage is an IndexError naming the index, and the
// fallback is asked instead if there is one.
func TestDamagedIndex(t *testing.T) {
	var items []item
	for id := uint32(1); id <= 40; id++ {
		items = append(items, chunks(id, pattern(id, 2500))...)
	}
	last := func(m *memory) []byte { return m.pages[len(m.pages)-1] }
	for says, damage := range map[string]func(m *memory){
		"not the metapage":               func(m *memory) { m.pages[0][24] = 0 },
		"page of level":                  func(m *memory) { m.pages[0][36]++ },
		"link past the end":              func(m *memory) { binary.LittleEndian.PutUint32(m.pages[0][32:], 1000) },
		"page of zeros":                  func(m *memory) { clear(last(m)) },
		"without items":                  func(m *memory) { binary.LittleEndian.PutUint16(last(m)[12:], 24) },
		"lead in a circle":               func(m *memory) { loop(m) },
		"deleted page without a right":   func(m *memory) { setSpecial(last(m), 0, 0, 2, pgfile.BTreeDeleted) },
		"is not a key of a TOAST index":  func(m *memory) { nulls(m) },
		"is the sibling of one of level": func(m *memory) { crooked(m) },
		"is a pivot":                     func(m *memory) { pivots(m) },
		"the index is missing":           nil,
	} {
		t.Run(says, func(t *testing.T) {
			f := fetcher(items, 4)
			if damage == nil {
				f.Index = nil
			} else {
				damage(f.Index.(*memory))
			}
			var err error
			for id := uint32(1); id <= 40 && err == nil; id++ {
				_, err = f.FetchChunks(t.Context(), plain(id, 2500), nil)
			}
			var ie *IndexError
			require.ErrorAs(t, err, &ie)
			require.ErrorIs(t, err, pgfile.ErrCorrupt)
			require.ErrorContains(t, err, says)
			require.ErrorContains(t, err, "pg_toast_1_index")
			require.ErrorContains(t, err, "REINDEX")

			f.Fallback = fixed("fallback")
			for id := uint32(1); id <= 40; id++ {
				if got, err := f.FetchChunks(t.Context(), plain(id, 2500), nil); err == nil && string(got) == "fallback" {
					return
				}
			}
			t.Fatal("the fallback was never asked")
		})
	}
}

// loop makes the leaves' right links a circle, of leaves that end under every
// value.
func loop(m *memory) {
	for b := 1; b < len(m.pages); b++ {
		p := newPage(16)
		addItem(p, indexTuple(pgfile.TID{}, 0, 0, 1), pgfile.ItemNormal)
		setSpecial(p, 0, uint32(b%(len(m.pages)-1)+1), 0, pgfile.BTreeLeaf)
		m.pages[b] = p
	}
	binary.LittleEndian.PutUint32(m.pages[0][36:], 0)
}

// crooked makes the first leaf the root and an inner page its sibling.
func crooked(m *memory) {
	setSpecial(m.pages[1], 0, uint32(len(m.pages)-1), 0, pgfile.BTreeLeaf)
	binary.LittleEndian.PutUint32(m.pages[0][32:], 1)
	binary.LittleEndian.PutUint32(m.pages[0][36:], 0)
}

// nulls says that a leaf's last item has nulls.
func nulls(m *memory) {
	p := pgfile.Page(m.pages[1])
	p[p.Item(p.NumItems()).Off()+7] |= 0x80
}

// pivots makes a leaf's last item a pivot.
func pivots(m *memory) {
	p := pgfile.Page(m.pages[1])
	off := p.Item(p.NumItems()).Off()
	p[off+7] |= 0x20
	p[off+4] = 2
}

// fixed is a fetcher of always the same.
type fixed string

func (f fixed) FetchChunks(_ context.Context, _ pgfile.ToastPointer, dst []byte) ([]byte, error) {
	return append(dst, f...), nil
}

// TestDamagedHeap: each is an error that names table, value and place.
func TestDamagedHeap(t *testing.T) {
	for says, damage := range map[string]func(p pgfile.Page, tup []byte){
		"missing":                              func(p pgfile.Page, tup []byte) { binary.LittleEndian.PutUint16(p[12:], 24) },
		"chunk 1 of 2 is missing":              func(p pgfile.Page, tup []byte) { tup[19] |= 0x80 },
		"the index points to chunk 9 of value": func(p pgfile.Page, tup []byte) { tup[28] = 9 },
		"chunk 1 of value 8":                   func(p pgfile.Page, tup []byte) { tup[24] = 8 },
		"not that of a TOAST table":            func(p pgfile.Page, tup []byte) { tup[18] = 2 },
		"header length":                        func(p pgfile.Page, tup []byte) { tup[22] = 17 },
		"varlena":                              func(p pgfile.Page, tup []byte) { tup[35] = 0xff },
		"itself compressed":                    func(p pgfile.Page, tup []byte) { tup[32] |= 2 },
		"bytes, want 504":                      func(p pgfile.Page, tup []byte) { binary.LittleEndian.PutUint32(tup[32:], 100<<2) },
		"line pointer to 4 bytes":              func(p pgfile.Page, tup []byte) { p[24+4+3] = 0; p[24+4+2] = p[24+4+2]&1 | 8 },
	} {
		t.Run(says, func(t *testing.T) {
			f := fetcher(chunks(7, pattern(7, 2500)), 10)
			p := pgfile.Page(f.Heap.(*memory).pages[0])
			damage(p, p[p.Item(2).Off():])
			got, err := f.FetchChunks(t.Context(), plain(7, 2500), []byte("x"))
			require.ErrorIs(t, err, pgfile.ErrCorrupt)
			require.ErrorContains(t, err, says)
			require.ErrorContains(t, err, "pg_toast_1: ")
			require.ErrorContains(t, err, "TOAST value 7")
			require.Equal(t, "x", string(got))
		})
	}
	f := fetcher(chunks(7, pattern(7, 2500)), 10)
	p := pgfile.Page(f.Index.(*memory).pages[1])
	p[p.Item(2).Off()+2] = 77
	_, err := f.FetchChunks(t.Context(), plain(7, 2500), nil)
	require.ErrorContains(t, err, "the index points to (77,2), the table has 1 blocks")
}
