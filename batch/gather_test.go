package batch

import (
	"encoding/binary"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// randomVector makes a vector of n values of a width, with NULLs when asked.
func randomVector(rnd *rand.Rand, width, n int, nulls bool) *Vector {
	v := &Vector{}
	v.Reset(width)
	for range n {
		var b [16]byte
		binary.LittleEndian.PutUint64(b[:], rnd.Uint64())
		switch {
		case nulls && rnd.IntN(3) == 0:
			v.AppendNull()
		case width > 0:
			v.AppendFixed(b[:width])
		default:
			if err := v.AppendVar(b[:rnd.IntN(16)]); err != nil {
				panic(err)
			}
		}
	}
	return v
}

// TestGather compares Gather, into empty and filled vectors, with values taken
// one by one.
func TestGather(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	for _, width := range []int{0, 1, 2, 4, 6, 8, 12, 16} {
		for _, nulls := range []bool{false, true} {
			src := randomVector(rnd, width, 37, nulls)
			for _, rows := range [][]int32{nil, {}, {0}, {36, 3, 3, 20}, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10}} {
				var got, want Vector
				got.Reset(width)
				want.Reset(width)
				for range 2 {
					require.NoError(t, got.Gather(src, rows))
					each := rows
					if rows == nil {
						for i := range src.N {
							each = append(each, int32(i))
						}
					}
					for _, r := range each {
						require.NoError(t, want.AppendFrom(src, int(r)))
					}
					requireSame(t, &want, &got)
				}
			}
		}
	}
	require.Panics(t, func() { _ = (&Vector{Width: 4}).Gather(&Vector{Width: 8}, nil) })
}

// requireSame compares two vectors value by value.
func requireSame(t *testing.T, want, got *Vector) {
	t.Helper()
	require.Equal(t, want.N, got.N)
	require.Equal(t, want.Nulls, got.Nulls)
	for i := range want.N {
		a, okA := want.Value(i)
		b, okB := got.Value(i)
		require.Equal(t, okA, okB)
		require.Equal(t, string(a), string(b))
	}
}
