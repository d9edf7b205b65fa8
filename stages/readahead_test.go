package stages

import (
	"context"
	"errors"
	"io"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/pipescan/pipescan/pipeline"
)

// slowHeap takes its time for each read and counts those under way.
type slowHeap struct {
	*heap
	delay        time.Duration
	inMemory     bool
	now, most, n atomic.Int32
}

func (h *slowHeap) ReadBlocks(ctx context.Context, first uint32, dst []byte) error {
	h.n.Add(1)
	now := h.now.Add(1)
	defer h.now.Add(-1)
	for most := h.most.Load(); now > most && !h.most.CompareAndSwap(most, now); most = h.most.Load() {
	}
	time.Sleep(h.delay)
	return h.heap.ReadBlocks(ctx, first, dst)
}

func (h *slowHeap) Resident(uint32, int) bool { return h.inMemory }

// TestReadsAhead has several reads in flight on a slow device and none
// otherwise.
func TestReadsAhead(t *testing.T) {
	h, want := newHeap(60, sized)
	pool, err := pipeline.NewReadPool(8)
	require.NoError(t, err)
	defer func() { require.NoError(t, pool.Close()) }()
	for _, c := range []struct {
		inMemory bool
		ahead    int
		most     int32
	}{{true, 0, 1}, {false, 0, 8}, {false, 3, 3}, {false, 1, 1}} {
		src := &slowHeap{heap: h, delay: time.Millisecond, inMemory: c.inMemory}
		s := newScan(src)
		s.ReadPool, s.BatchPages, s.MaxAhead, s.Counters = pool, 1, c.ahead, new(Counters)
		rows, err := collect(t, s, 1, false, pipeline.Fused)
		require.NoError(t, err)
		require.Equal(t, want, rows)
		require.EqualValues(t, 60, s.Counters.Reads.Load())
		require.LessOrEqual(t, src.most.Load(), c.most)
		if c.most > 1 {
			require.Greater(t, src.most.Load(), int32(1))
		}
		require.Equal(t, c.inMemory, s.Counters.Waits.Load() == 0)
	}
}

// TestReadAheadStops joins the reads in flight when the scan ends early.
func TestReadAheadStops(t *testing.T) {
	h, _ := newHeap(60, func(int) int { return 5 })
	pool, err := pipeline.NewReadPool(4)
	require.NoError(t, err)
	defer func() { require.NoError(t, pool.Close()) }()
	src := &slowHeap{heap: h, delay: time.Millisecond}
	s := newScan(src)
	s.ReadPool, s.BatchPages = pool, 1
	p := mustPlan(t, s)
	r := newBlockReader(p, &serialClaimer{total: 60, batch: 1})
	for range 10 {
		pages, err := r.Next(context.Background())
		require.NoError(t, err)
		pages.Release()
	}
	ctx, cancel := context.WithCancelCause(context.Background())
	stop := errors.New("stop")
	cancel(stop)
	for err == nil { // what was read already may still come
		pages, failed := r.Next(ctx)
		if err = failed; err == nil {
			pages.Release()
		}
	}
	require.ErrorIs(t, err, stop)
	require.NoError(t, r.Close())
	require.Zero(t, src.now.Load())
	require.Zero(t, p.pages.Live())

	// A failed read fails the scan at its place, after the rows before it.
	h.faults = map[uint32]error{30: io.ErrNoProgress}
	s = newScan(src)
	s.ReadPool, s.BatchPages = pool, 1
	rows, err := collect(t, s, 1, false, pipeline.Fused)
	require.ErrorIs(t, err, io.ErrNoProgress)
	require.NotEmpty(t, rows)
	require.Zero(t, src.now.Load())
}
