package stages

import (
	"context"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/pipescan/pipescan/pipeline"
)

// serverOrder walks blocks as a server does: initial_block and advance_block of
// a scan in one direction, step by step.
func serverOrder(nblocks, start, limit uint32, limited, backward bool) []uint32 {
	if nblocks == 0 || limited && limit == 0 {
		return nil
	}
	block := start
	if backward {
		switch {
		case limited:
			block = (start + limit - 1) % nblocks
		case start > 0:
			block = start - 1
		default:
			block = nblocks - 1
		}
	}
	var out []uint32
	for {
		out = append(out, block)
		if backward {
			if block == start {
				return out
			}
			if block == 0 {
				block = nblocks
			}
			block--
		} else {
			if block++; block == nblocks {
				block = 0
			}
			if block == start {
				return out
			}
		}
		if limited {
			if limit--; limit == 0 {
				return out
			}
		}
	}
}

// TestBlockOrderModel compares positions with the server's walk.
func TestBlockOrderModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.Uint32Range(0, 40).Draw(t, "blocks")
		dir := rapid.SampledFrom([]pipeline.Direction{pipeline.Forward, pipeline.Backward}).Draw(t, "direction")
		var o Order
		var r BlockRange
		limited := rapid.Bool().Draw(t, "limited")
		if limited {
			r = BlockRange{First: rapid.Uint32Range(0, 45).Draw(t, "first"), N: rapid.Uint32Range(1, 45).Draw(t, "n")}
		} else {
			o.Start = rapid.Uint32Range(0, 45).Draw(t, "start")
		}
		o.Direction = dir
		got, err := newBlockOrder(n, o, r)
		if err != nil {
			t.Fatal(err)
		}
		start, limit := o.Start, uint32(0)
		if limited {
			start = r.First
			if r.First < n {
				limit = min(r.N, n-r.First)
			}
		}
		if start >= n {
			start = 0
		}
		want := serverOrder(n, start, limit, limited, dir == pipeline.Backward)
		c := &serialClaimer{total: got.Len(), batch: rapid.Uint32Range(1, 9).Draw(t, "batch"), backward: dir == pipeline.Backward}
		var blocks []uint32
		for {
			r, ok, _ := c.claim(context.Background(), true)
			if !ok {
				break
			}
			for i := range r.n {
				pos := r.pos + i
				if c.backward {
					pos = r.pos + r.n - 1 - i
				}
				blocks = append(blocks, got.Block(pos))
			}
		}
		require.Equal(t, want, blocks)
	})
}

// TestChunkRule pins chunk sizes to the server's for known table sizes.
func TestChunkRule(t *testing.T) {
	for blocks, want := range map[uint32]uint64{
		0: 1, 1: 1, 2047: 1, 4095: 1, 4096: 2, 44248: 32, 65536: 32, 1 << 20: 512, 3 << 20: 2048, 1 << 31: 8192, 1<<32 - 2: 8192,
	} {
		require.Equal(t, want, newChunkAllocator(blocks).size, "%d blocks", blocks)
	}
}

// TestChunksCoverOnce has lanes claim concurrently: each block comes once, and
// chunks shrink only near the end.
func TestChunksCoverOnce(t *testing.T) {
	for _, total := range []uint32{0, 1, 5, 2049, 44248, 300000} {
		for _, backward := range []bool{false, true} {
			a := newChunkAllocator(total)
			seen := make([]uint8, total)
			var mu sync.Mutex
			var wg sync.WaitGroup
			for range 4 {
				wg.Go(func() {
					c := newChunkClaimer(a, 32, backward)
					var runs []run
					for {
						r, ok, _ := c.claim(context.Background(), true)
						if !ok {
							break
						}
						runs = append(runs, r)
						if c.size < a.size && c.last+2*c.size*chunksRampDown <= a.total {
							t.Errorf("%d blocks: chunks of %d already at %d", total, c.size, c.last)
							return
						}
					}
					mu.Lock()
					defer mu.Unlock()
					for _, r := range runs {
						for i := range r.n {
							seen[r.pos+i]++
						}
					}
				})
			}
			wg.Wait()
			for pos, n := range seen {
				if n != 1 {
					t.Fatalf("%d blocks: position %d was claimed %d times", total, pos, n)
				}
			}
		}
	}
}

// TestSyncScans follows the table of running scans.
func TestSyncScans(t *testing.T) {
	s := &SyncScans{MinBlocks: 10}
	a := SyncKey{Node: 1}
	require.Zero(t, s.start(a, 100))
	s.report(a, 100, 48)
	require.EqualValues(t, 48, s.start(a, 100))
	require.Zero(t, s.start(a, 30), "the table has shrunk")
	s.report(SyncKey{Node: 2}, 10, 5)
	require.Zero(t, s.start(SyncKey{Node: 2}, 10), "too small to take part")
	for i := range uint32(syncEntries) {
		require.EqualValues(t, 48, s.start(a, 100), "used in between, it stays")
		s.report(SyncKey{Node: 100 + i}, 100, i)
	}
	require.EqualValues(t, 48, s.start(a, 100))
	for i := range uint32(syncEntries) {
		s.report(SyncKey{Node: 200 + i}, 100, i)
	}
	require.Zero(t, s.start(a, 100), "twenty others were used since")
	require.Len(t, s.entries, syncEntries)
}

// TestSynchronizedScan starts a scan where another one is.
func TestSynchronizedScan(t *testing.T) {
	h, want := newHeap(64, func(int) int { return 3 })
	sync := &SyncScans{MinBlocks: 32}
	first := newScan(h)
	first.Order.Sync, first.BatchPages = sync, 8
	lanes, _, err := first.Lanes(1, false)
	require.NoError(t, err)
	p := pipeline.NewPuller(lanes[0])
	for range 5 { // 40 blocks: the last report is of block 32
		b, err := p.Next(context.Background())
		require.NoError(t, err)
		b.Release()
	}
	require.EqualValues(t, 32, sync.start(SyncKey{}, 64))
	second := newScan(h)
	second.Order.Sync, second.BatchPages = sync, 8
	got, err := collect(t, second, 1, false, pipeline.Fused)
	require.NoError(t, err)
	require.Equal(t, "(32,", got[0][:4])
	require.ElementsMatch(t, want, got)
	require.NoError(t, p.Close())
	require.EqualValues(t, 32, sync.start(SyncKey{}, 64), "a scan that ends reports where it began")
	back := newScan(h)
	back.Order.Sync, back.Order.Direction = sync, pipeline.Backward
	got, err = collect(t, back, 1, false, pipeline.Fused)
	require.NoError(t, err)
	require.Equal(t, want[len(want)-1], got[0], "backward scans take no part")
}
