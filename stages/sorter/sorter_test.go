package sorter

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/pipescan/pipescan/batch"
	"github.com/pipescan/pipescan/pgfile"
)

// row is a row of the tests: a key of fixed width and one of text, either of
// which may be NULL, and its number.
type row struct {
	key          uint32
	text         string
	noKey, noTxt bool
	number       int
}

func compareWords(a, b []byte) int {
	x, y := binary.LittleEndian.Uint32(a), binary.LittleEndian.Uint32(b)
	return int(int64(x) - int64(y))
}

// randomRows makes rows with few different keys.
func randomRows(rnd *rand.Rand, n int) (rows []row) {
	for i := range n {
		rows = append(rows, row{
			key: uint32(rnd.IntN(20)), text: fmt.Sprint(rnd.IntN(9)), number: i,
			noKey: rnd.IntN(10) == 0, noTxt: rnd.IntN(10) == 0,
		})
	}
	return rows
}

// batchOf makes a batch with a selection: every other row is not wanted.
func batchOf(pool *batch.Pool, rows []row) *batch.Batch {
	b := pool.Get()
	b.SetWidths([]int{4, 4, 0})
	b.Decoded, b.HasSel = true, true
	for _, r := range rows {
		b.Sel = append(b.Sel, int32(b.N))
		for range 2 {
			b.Cols[0].AppendUint32(uint32(r.number))
			if r.noKey {
				b.Cols[1].AppendNull()
			} else {
				b.Cols[1].AppendUint32(r.key)
			}
			if r.noTxt {
				b.Cols[2].AppendNull()
			} else if err := b.Cols[2].AppendVar([]byte(r.text)); err != nil {
				panic(err)
			}
			b.TIDs = append(b.TIDs, pgfile.TID{Block: uint32(r.number), Offset: 1})
			b.N++
		}
	}
	return b
}

// want sorts as the sorter should.
func want(rows []row, desc [2]bool, nullsFirst [2]bool) []row {
	rows = slices.Clone(rows)
	slices.SortStableFunc(rows, func(a, b row) int {
		for k := range 2 {
			aNull, bNull := a.noKey, b.noKey
			c := int(a.key) - int(b.key)
			if k == 1 {
				aNull, bNull = a.noTxt, b.noTxt
				c = bytes.Compare([]byte(a.text), []byte(b.text))
			}
			if desc[k] {
				c = -c
			}
			if aNull || bNull {
				c = 0
				if aNull != bNull {
					c = 1
					if aNull == nullsFirst[k] {
						c = -1
					}
				}
			}
			if c != 0 {
				return c
			}
		}
		return 0
	})
	return rows
}

// TestSort compares with the library's stable sort: all rows and the first
// ones, with batches of many sizes.
func TestSort(t *testing.T) {
	rnd := rand.New(rand.NewPCG(8, 9))
	pool := batch.NewPool(4)
	for round := range 60 {
		rows := randomRows(rnd, rnd.IntN(4000))
		if round == 0 {
			rows = randomRows(rnd, 3*runLength+77)
		}
		desc, nullsFirst := [2]bool{rnd.IntN(2) == 0, rnd.IntN(2) == 0}, [2]bool{rnd.IntN(2) == 0, rnd.IntN(2) == 0}
		first := int64(-1)
		if round%2 == 1 {
			first = int64(rnd.IntN(1500))
		}
		var rank func([]byte) uint64
		if round%3 > 0 {
			rank = func(v []byte) uint64 { return uint64(binary.LittleEndian.Uint32(v) / 3) }
		}
		s := New([]int{4, 4, 0}, Options{First: first, Keys: []Key{
			{Column: 1, Compare: compareWords, Rank: rank, Desc: desc[0], NullsFirst: nullsFirst[0]},
			{Column: 2, Compare: bytes.Compare, Desc: desc[1], NullsFirst: nullsFirst[1]},
		}})
		for part := range slices.Chunk(rows, 1+rnd.IntN(300)) {
			b := batchOf(pool, part)
			require.NoError(t, s.Add(context.Background(), b))
			b.Release()
		}
		require.Equal(t, int64(len(rows)), s.Seen())
		expect := want(rows, desc, nullsFirst)
		if first >= 0 {
			expect = expect[:min(int(first), len(expect))]
		}
		var got, numbers []int
		require.NoError(t, s.Result(context.Background(), 1, pool, func(b *batch.Batch) error {
			defer b.Release()
			require.Len(t, b.Cols, 1)
			for i, n := range b.Cols[0].Uint32s() {
				got = append(got, int(n))
				require.Equal(t, n, b.TIDs[i].Block)
			}
			return nil
		}))
		for _, r := range expect {
			numbers = append(numbers, r.number)
		}
		require.Equal(t, numbers, got, "round %d", round)
		require.Zero(t, pool.Live())
	}
}

// TestMemory wants an error for rows that do not fit, but not for the first
// few of as many.
func TestMemory(t *testing.T) {
	rnd := rand.New(rand.NewPCG(8, 9))
	pool := batch.NewPool(4)
	fill := func(first int64) error {
		s := New([]int{4, 4, 0}, Options{First: first, Memory: 100_000, Keys: []Key{{Column: 1, Compare: compareWords}}})
		for range 100 {
			b := batchOf(pool, randomRows(rnd, 500))
			err := s.Add(context.Background(), b)
			b.Release()
			if err != nil {
				return err
			}
		}
		return nil
	}
	var e *MemoryError
	require.True(t, errors.As(fill(-1), &e))
	require.ErrorContains(t, fill(-1), "LIMIT")
	require.ErrorContains(t, fill(40_000), "--memory")
	require.NoError(t, fill(200))
}

// TestCancel wants a sort to end with its context.
func TestCancel(t *testing.T) {
	pool := batch.NewPool(4)
	s := New([]int{4, 4, 0}, Options{First: -1, Keys: []Key{{Column: 1, Compare: compareWords}}})
	b := batchOf(pool, randomRows(rand.New(rand.NewPCG(1, 1)), 3*runLength))
	require.NoError(t, s.Add(context.Background(), b))
	b.Release()
	cause := errors.New("enough")
	ctx, cancel := context.WithCancelCause(context.Background())
	cancel(cause)
	require.ErrorIs(t, s.Result(ctx, 1, pool, nil), cause)
	stop := errors.New("stop")
	require.ErrorIs(t, s.Result(context.Background(), 1, pool, func(b *batch.Batch) error {
		b.Release()
		return stop
	}), stop)
}
