package stages

import (
	"context"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/pipescan/pipescan/batch"
	"github.com/pipescan/pipescan/pgfile"
)

// fixedAttrs is a row type of fixed widths, with every alignment.
var fixedAttrs = []pgfile.Attr{
	{Len: 4, Align: 'i', ByVal: true},
	{Len: 1, Align: 'c', ByVal: true},
	{Len: 8, Align: 'd', ByVal: true},
	{Len: 2, Align: 's', ByVal: true},
	{Len: 16, Align: 'c'},
	{Len: 4, Align: 'i', ByVal: true, Missing: []byte{7, 0, 0, 0}},
}

// randomFixedTuple makes a tuple of fixedAttrs: some have nulls, some store
// fewer attributes, some a wrong header.
func randomFixedTuple(r *rand.Rand) []byte {
	natts, size := 6, 44
	switch r.IntN(8) {
	case 0:
		natts, size = 5, 40 // the last one is missing
	case 1:
		natts, size = 6, 30 // damaged: the data end early
	}
	t := make([]byte, 24+size)
	for i := range t {
		t[i] = byte(r.Uint32())
	}
	binary.LittleEndian.PutUint16(t[18:], uint16(natts))
	im := uint16(hinted)
	t[22] = 24
	if r.IntN(6) == 0 {
		im |= pgfile.HeapHasNull // the null bitmap is the byte before the data
	}
	if r.IntN(12) == 0 {
		t[22] = 20 // damaged
	}
	binary.LittleEndian.PutUint16(t[20:], im)
	return t
}

// TestFixedColumnsTwin decodes the same rows column by column and row by row.
func TestFixedColumnsTwin(t *testing.T) {
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 5))
		var tuples [][]byte
		for range 1 + r.IntN(60) {
			tuples = append(tuples, randomFixedTuple(r))
		}
		h := &heap{bytes: newPage(0, tuples...)}
		var nums []int16
		for _, n := range r.Perm(len(fixedAttrs)) {
			nums = append(nums, int16(n+1))
		}
		nums = nums[:1+r.IntN(len(nums))]
		maxBytes := 1 << r.IntN(14)
		keep := r.Uint64()
		fast, slow := decodeFixed(t, h, nums, maxBytes, keep, true), decodeFixed(t, h, nums, maxBytes, keep, false)
		require.Equal(t, slow, fast, "seed %d", seed)
	}
}

// decodeFixed decodes a heap of fixedAttrs, losses passed over, and renders
// what came out and what was lost.
func decodeFixed(t *testing.T, h *heap, nums []int16, maxBytes int, keep uint64, columnar bool) []string {
	t.Helper()
	l := &ledger{}
	s := newScan(h)
	s.Attrs, s.Columns, s.MaxBatchBytes, s.OnLoss, s.IO = fixedAttrs, nil, maxBytes, l.lose, IOPread
	for _, n := range nums {
		s.Columns = append(s.Columns, Column{Name: "c", Num: n, Width: int(fixedAttrs[n-1].Len)})
	}
	p := mustPlan(t, s)
	require.True(t, p.row.columnar)
	p.row.columnar = columnar
	d := newDecoder(p)
	pages := batch.NewPagesPool(1).Get()
	pages.Blocks, pages.Data = []uint32{0}, h.bytes
	in, err := newExtractor(p).extract(pages)
	require.NoError(t, err)
	in.Select(func(row int) bool { return keep>>(row&63)&1 != 0 })
	var out []string
	require.NoError(t, d.Process(context.Background(), in, func(b *batch.Batch) error {
		defer b.Release()
		out = append(out, "batch")
		for row := range b.N {
			line := b.TIDs[row].String()
			for i := range b.Cols {
				v, ok := b.Cols[i].Value(row)
				line += fmt.Sprintf("|%v %x", ok, v)
			}
			out = append(out, line)
		}
		return nil
	}))
	for _, loss := range l.losses {
		out = append(out, loss.Err.Error())
	}
	return out
}
