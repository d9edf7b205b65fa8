package batch

import (
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/pipescan/pipescan/pgfile"
)

func TestMain(m *testing.M) {
	PoisonReleased(true)
	os.Exit(m.Run())
}

// TestVectorModel appends values and NULLs in any order to vectors of all
// widths, over several uses of one vector, and reads them back.
func TestVectorModel(t *testing.T) {
	var v Vector
	rapid.Check(t, func(t *rapid.T) {
		width := rapid.SampledFrom([]int{0, 1, 2, 3, 4, 6, 8, 12, 16, 64}).Draw(t, "width")
		size := rapid.IntRange(0, 20)
		if width > 0 {
			size = rapid.Just(width)
		}
		v.trim(rapid.Bool().Draw(t, "trash"))
		v.Reset(width)
		var want []*string
		for range rapid.IntRange(0, 70).Draw(t, "rows") {
			if rapid.IntRange(0, 4).Draw(t, "null") == 0 {
				v.AppendNull()
				want = append(want, nil)
				continue
			}
			n := size.Draw(t, "size")
			b := rapid.SliceOfN(rapid.Byte(), n, n).Draw(t, "value")
			s := string(b)
			want = append(want, &s)
			switch {
			case width > 0:
				v.AppendFixed(b)
			case rapid.Bool().Draw(t, "in place"):
				require.NoError(t, v.FinishVar(append(v.Data, b...)))
			default:
				_ = append(v.Data, "left out"...)
				require.NoError(t, v.AppendVar(b))
			}
		}
		require.Equal(t, len(want), v.N)
		nulls := 0
		for i, w := range want {
			b, ok := v.Value(i)
			require.Equal(t, w != nil, ok, "row %d", i)
			require.Equal(t, w == nil, v.IsNull(i))
			if w == nil {
				nulls++
				continue
			}
			require.Equal(t, *w, string(b), "row %d", i)
		}
		require.Equal(t, nulls, v.Nulls)
		if width > 0 {
			require.Len(t, v.Data, width*len(want))
		}
	})
}

// TestNumbers reads vectors as numbers, in place.
func TestNumbers(t *testing.T) {
	var v Vector
	v.Reset(4)
	require.Empty(t, v.Int32s())
	for i := range 5 {
		v.AppendUint32(uint32(-i))
	}
	v.AppendNull()
	require.Equal(t, []int32{0, -1, -2, -3, -4, 0}, v.Int32s())
	require.Equal(t, uint32(math.MaxUint32), v.Uint32s()[1])
	require.Len(t, v.Float32s(), 6)
	v.Data[0] = 7
	require.EqualValues(t, 7, v.Int32s()[0])
	require.Panics(t, func() { v.Int64s() })
	require.Panics(t, func() { v.AppendFixed([]byte{1}) })

	v.Reset(8)
	v.AppendFixed(binary.LittleEndian.AppendUint64(nil, math.Float64bits(1.5)))
	require.Equal(t, []float64{1.5}, v.Float64s())
	require.Len(t, v.Int64s(), 1)
	v.Reset(2)
	v.AppendFixed([]byte{0xfe, 0xff})
	require.Equal(t, []int16{-2}, v.Int16s())

	// A buffer that is not aligned is copied rather than cast.
	odd := Vector{Width: 4, N: 2, Data: append(make([]byte, 1, 32), 1, 0, 0, 0, 2, 0, 0, 0)[1:]}
	require.Equal(t, []int32{1, 2}, odd.Int32s())
}

// TestHolders counts references of batches, pages and what the pages lie in.
func TestHolders(t *testing.T) {
	pages, batches := NewPagesPool(4), NewPool(4)
	p := pages.Get()
	var w owner
	p.Own(make([]byte, pgfile.PageSize), &w)
	require.True(t, p.Mapped())
	b := batches.Get()
	b.Pages = p
	p.Retain()
	b.Retain()
	b.Release()
	require.Equal(t, 1, batches.Live())
	b.Release()
	require.Zero(t, batches.Live())
	require.Equal(t, 1, pages.Live())
	require.Zero(t, w)
	p.Release()
	require.EqualValues(t, 1, w)
	require.Zero(t, pages.Live())
	require.PanicsWithValue(t, "batch: pages released twice", p.Release)
	require.PanicsWithValue(t, "batch: batch released twice", b.Release)
	require.Panics(t, p.Retain)
}

type owner int

func (o *owner) Release() { *o++ }

// TestPoison fills what was released with nonsense.
func TestPoison(t *testing.T) {
	pages, batches := NewPagesPool(4), NewPool(4)
	p := pages.Get()
	p.Reserve(1)
	p.Blocks = append(p.Blocks, 1)
	data := p.Data
	b := batches.Get()
	b.SetWidths([]int{4, 0})
	b.Cols[0].AppendUint32(7)
	require.NoError(t, b.Cols[1].AppendVar([]byte("abc")))
	b.Tuples = append(b.Tuples, Tuple{Item: 1})
	numbers, letters, tuples := b.Cols[0].Data, b.Cols[1].Data, b.Tuples
	b.Release()
	p.Release()
	require.EqualValues(t, poison, data[0])
	require.EqualValues(t, poison, data[len(data)-1])
	require.EqualValues(t, poison, numbers[0])
	require.EqualValues(t, poison, letters[2])
	require.EqualValues(t, 0xdbdb, tuples[0].Item)
}

// TestRecycle gives the same objects out again, emptied, and drops huge buffers.
func TestRecycle(t *testing.T) {
	PoisonReleased(false)
	defer PoisonReleased(true)
	pool := NewPool(1)
	b := pool.Get()
	b.SetWidths([]int{0, 4, 8})
	require.NoError(t, b.Cols[0].AppendVar(make([]byte, keepBytes+1)))
	b.Cols[1].AppendNull()
	b.HasSel, b.N, b.Decoded, b.Seq = true, 1, true, 9
	b.Release()
	c := pool.Get()
	require.Same(t, b, c)
	require.Zero(t, c.Rows())
	require.Zero(t, c.Sequence())
	require.Zero(t, cap(c.Cols[0].Data))
	c.SetWidths([]int{4})
	require.Len(t, c.Cols, 1)
	c.SetWidths([]int{0, 4, 8, 2})
	require.Len(t, c.Cols, 4)
	other := pool.Get()
	require.NotSame(t, c, other)
	c.Release()
	other.Release() // the pool keeps one
	require.Zero(t, pool.Live())

	allocs := testing.AllocsPerRun(100, func() {
		b := pool.Get()
		b.SetWidths([]int{0, 4})
		for range 100 {
			_ = b.Cols[0].AppendVar([]byte("value"))
			b.Cols[1].AppendUint32(1)
			b.Cols[1].AppendNull()
		}
		b.Release()
	})
	require.Zero(t, allocs)
}

// TestSelection narrows rows step by step.
func TestSelection(t *testing.T) {
	b := NewPool(0).Get()
	b.Tuples = make([]Tuple, 10)
	require.Equal(t, 10, b.Rows())
	require.Equal(t, 3, b.Row(3))
	b.Select(func(row int) bool { return row%2 == 1 })
	require.Equal(t, []int32{1, 3, 5, 7, 9}, b.Sel)
	b.Slice(1, 4)
	require.Equal(t, []int32{3, 5, 7}, b.Sel)
	require.Equal(t, 5, b.Row(1))
	b.Select(func(row int) bool { return row != 5 })
	require.Equal(t, 2, b.Rows())
	require.Equal(t, 10, b.Total())
	b.Release()

	d := NewPool(0).Get()
	d.Decoded, d.N = true, 4
	d.Slice(2, 4)
	require.Equal(t, []int32{2, 3}, d.Sel)
	d.Release()
}

// TestPlaces finds tuples in their pages.
func TestPlaces(t *testing.T) {
	p := NewPagesPool(0).Get()
	p.Reserve(2)
	p.Blocks = append(p.Blocks, 70, 71)
	copy(p.Page(1)[100:], "tuple bytes")
	b := NewPool(0).Get()
	b.Pages = p
	tuple := Tuple{Page: 1, Item: 5, Off: 100, Len: 11}
	require.Equal(t, "tuple bytes", string(b.HeapTuple(tuple)))
	require.Equal(t, "(71,5)", b.TID(tuple).String())
	b.Release()
}

// ExampleVector shows how values and NULLs lie in a vector.
func ExampleVector() {
	var v Vector
	v.Reset(0)
	_ = v.AppendVar([]byte("abc"))
	v.AppendNull()
	_ = v.AppendVar([]byte("de"))
	fmt.Printf("%s %v %03b\n", v.Data, v.Offsets, v.Valid[0])
	// Output: abcde [0 3 3 5] 101
}
