package pgfile

import (
	"encoding/binary"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestRealPagesAreValid: every page of every fork that a server wrote passes,
// with the checksum that the server gave it.
func TestRealPagesAreValid(t *testing.T) {
	eachMajor(t, func(t *testing.T, major int) {
		checked := 0
		for _, name := range goldenRelations(t, major) {
			for blk, p := range goldenPages(t, major, name) {
				require.NoError(t, ValidatePage(p), "%s block %d", name, blk)
				if p.IsNew() {
					continue
				}
				require.Equal(t, p.Checksum(), PageChecksum(p, uint32(blk)), "%s block %d", name, blk)
				require.NotEqual(t, p.Checksum(), PageChecksum(p, uint32(blk)+1), "%s block %d", name, blk)
				checked++
				if p.Special() == PageSize {
					bad, err := ValidateItems(p)
					require.NoError(t, err, "%s block %d", name, blk)
					require.Zero(t, bad)
					bad, err = ValidateLinePointers(p)
					require.NoError(t, err, "%s block %d", name, blk)
					require.Zero(t, bad)
				}
			}
		}
		require.Greater(t, checked, 30)
	})
}

// TestPageHeader compares with the server's own reading.
func TestPageHeader(t *testing.T) {
	p := goldenPages(t, 15, "heap1")[0]
	var hi, lo uint64
	var checksum, flags, lower, upper, special, size, version, prune int
	_, err := fmt.Sscanf(goldenLines(t, 15, "heap1_header.txt")[0], "%X/%X %d %d %d %d %d %d %d %d",
		&hi, &lo, &checksum, &flags, &lower, &upper, &special, &size, &version, &prune)
	require.NoError(t, err)
	require.Equal(t, hi<<32|lo, p.LSN())
	require.Equal(t, flags, int(p.Flags()))
	require.Equal(t, []int{lower, upper, special}, []int{p.Lower(), p.Upper(), p.Special()})
	require.Equal(t, size|version, int(p.SizeVersion()))
	require.Equal(t, prune, int(p.PruneXID()))
	require.False(t, p.AllVisible())
	require.True(t, goldenPages(t, 15, "heap2")[0].AllVisible())
}

// testPage builds a heap page of tuples of the given lengths.
func testPage(lens ...int) Page {
	p := make(Page, PageSize)
	upper := PageSize
	for i, l := range lens {
		upper -= (l + 7) &^ 7
		binary.LittleEndian.PutUint32(p[PageHeaderSize+4*i:], uint32(upper|ItemNormal<<15|l<<17))
		p[upper+22] = 24
	}
	binary.LittleEndian.PutUint16(p[12:], uint16(PageHeaderSize+4*len(lens)))
	binary.LittleEndian.PutUint16(p[14:], uint16(upper))
	binary.LittleEndian.PutUint16(p[16:], PageSize)
	binary.LittleEndian.PutUint16(p[18:], PageSize|4)
	return p
}

func TestValidatePage(t *testing.T) {
	put := func(off int, v uint16) func(Page) {
		return func(p Page) { binary.LittleEndian.PutUint16(p[off:], v) }
	}
	for _, c := range []struct {
		name   string
		damage func(Page)
		offset int // -1: valid
	}{
		{"good", func(Page) {}, -1},
		{"zeros", func(p Page) { clear(p) }, -1},
		{"new but a byte", func(p Page) { clear(p); p[4099] = 1 }, 4099},
		{"upper lost", put(14, 0), 12},
		{"every flag", put(10, 7), -1},
		{"unknown flag", put(10, 8), 10},
		{"lower past upper", put(12, 8192), 12},
		{"upper past special", put(16, 8000), 14},
		{"special past the end", put(16, 8200), 16},
		{"special odd", func(p Page) { put(14, 8180)(p); put(16, 8188)(p) }, 16},
		{"lower in the header", put(12, 8), -1},
		{"another version", put(18, 8192|3), -1},
		{"lower equals upper", put(14, 32), -1},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := testPage(40, 60)
			c.damage(p)
			err := ValidatePage(p)
			if c.offset < 0 {
				require.NoError(t, err)
				return
			}
			requireCorrupt(t, err)
			if c.name != "upper lost" {
				require.Equal(t, c.offset, err.(*CorruptError).Offset)
			}
		})
	}
	requireCorrupt(t, ValidatePage(make(Page, PageSize-1)))
	requireCorrupt(t, ValidatePage(nil))
}

func TestValidateItems(t *testing.T) {
	item := func(off, state, l int) func(Page) {
		return func(p Page) {
			binary.LittleEndian.PutUint32(p[PageHeaderSize+4:], uint32(off|state<<15|l<<17))
		}
	}
	for _, c := range []struct {
		name   string
		damage func(Page)
		bad    int
		loose  int // what ValidateLinePointers says
	}{
		{"good", func(Page) {}, 0, 0},
		{"before upper", item(8000, ItemNormal, 40), 2, 2},
		{"past the end", item(8152, ItemNormal, 48), 2, 2},
		{"far past the end", item(32760, ItemNormal, 32767), 2, 2},
		{"odd offset", item(8100, ItemNormal, 40), 2, 2},
		{"too short", item(8152, ItemNormal, 23), 2, 2},
		{"shortest", item(8152, ItemNormal, 24), 0, 0},
		{"no length", item(8152, ItemNormal, 0), 2, 2},
		{"redirect", item(3, ItemRedirect, 0), 0, 0},
		{"redirect to 0", item(0, ItemRedirect, 0), 2, 2},
		{"redirect past the last", item(4, ItemRedirect, 0), 2, 2},
		{"unused with storage", item(8, ItemUnused, 77), 0, 0},
		{"dead with storage", item(9999, ItemDead, 77), 0, 0},
		{"hoff odd", func(p Page) { p[p.Item(2).Off()+22] = 25 }, 2, 0},
		{"hoff short", func(p Page) { p[p.Item(2).Off()+22] = 16 }, 2, 0},
		{"hoff long", func(p Page) { p[p.Item(2).Off()+22] = 248 }, 2, 0},
		{"hoff takes all", func(p Page) { p[p.Item(2).Off()+22] = 56 }, 0, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := testPage(40, 56, 24)
			c.damage(p)
			require.NoError(t, ValidatePage(p))
			for _, v := range []struct {
				f    func(Page) (int, error)
				want int
			}{{ValidateItems, c.bad}, {ValidateLinePointers, c.loose}} {
				bad, err := v.f(p)
				require.Equal(t, v.want, bad)
				if v.want == 0 {
					require.NoError(t, err)
				} else {
					requireCorrupt(t, err)
					require.Equal(t, uint16(bad), err.(*CorruptError).Item)
					require.Contains(t, err.Error(), "line pointer 2: ")
				}
			}
		})
	}
	many := testPage()
	binary.LittleEndian.PutUint16(many[12:], PageHeaderSize+4*(MaxTuplesPerPage+1))
	require.NoError(t, ValidatePage(many))
	bad, err := ValidateItems(many)
	requireCorrupt(t, err)
	require.Zero(t, bad)
	_, err = ValidateItems(make(Page, PageSize))
	require.NoError(t, err, "a page of zeros has no items")
}

func TestValidateHeapTuple(t *testing.T) {
	tuple := func(l, hoff, natts int, infomask uint16) HeapTuple {
		b := make(HeapTuple, l)
		binary.LittleEndian.PutUint16(b[18:], uint16(natts))
		binary.LittleEndian.PutUint16(b[20:], infomask)
		b[22] = byte(hoff)
		return b
	}
	require.NoError(t, ValidateHeapTuple(tuple(24, 24, 0, 0)))
	require.NoError(t, ValidateHeapTuple(tuple(32, 24, 8, HeapHasNull)))
	require.NoError(t, ValidateHeapTuple(tuple(32, 32, 8, HeapHasNull)), "room for an oid of old")
	require.NoError(t, ValidateHeapTuple(tuple(300, 232, 1664, HeapHasNull)))
	requireCorrupt(t, ValidateHeapTuple(tuple(32, 24, 9, HeapHasNull)))
	requireCorrupt(t, ValidateHeapTuple(tuple(32, 40, 1, 0)))
	requireCorrupt(t, ValidateHeapTuple(tuple(32, 20, 1, 0)))
	requireCorrupt(t, ValidateHeapTuple(tuple(300, 248, 1665, 0)))
	requireCorrupt(t, ValidateHeapTuple(make(HeapTuple, 23)))
}

func TestErrorText(t *testing.T) {
	e := Corruptf(12, "pd_lower %d", 7)
	e.Item, e.Column, e.Remedy = 3, "a", "restore it"
	wrapped := At(fmt.Errorf("scan: %w", e), "base/5/1", 9)
	require.EqualError(t, wrapped, `base/5/1: block 9: line pointer 3: column "a": offset 12: pd_lower 7 (restore it)`)
	require.ErrorIs(t, wrapped, ErrCorrupt)
	require.Equal(t, NoBlock, e.Block, "At leaves the original alone")
	require.Equal(t, "x", At(fmt.Errorf("x"), "f", 1).Error())
	require.EqualError(t, At(wrapped, "other", 1), wrapped.Error(), "what is known stays")
}
