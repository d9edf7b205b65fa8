package stages

import (
	"context"
	"math/bits"
	"sync/atomic"
)

// Constants of PostgreSQL's parallel sequential scan (14 and later): a table is
// cut into about 2048 chunks of at most 8192 blocks, and a lane halves its
// chunk size once fewer than 64 chunks are left, so that all end together.
const (
	chunksPerTable = 2048
	chunksRampDown = 64
	chunkMaxBlocks = 8192
)

// chunkAllocator is what the lanes of an unordered scan share: how many
// positions were given out. The count runs past the total at the end.
type chunkAllocator struct {
	total uint64
	size  uint64 // first chunk size of each lane
	next  atomic.Uint64
}

func newChunkAllocator(total uint32) *chunkAllocator {
	size := uint64(1) << bits.Len64(uint64(max(total/chunksPerTable, 1))-1)
	return &chunkAllocator{total: uint64(total), size: min(size, chunkMaxBlocks)}
}

// chunkClaimer is the claimer of one lane of an unordered scan.
type chunkClaimer struct {
	shared   *chunkAllocator
	batch    uint64
	backward bool

	size      uint64
	last      uint64 // where the lane's last chunk began
	pos, left uint64 // what is left of it
	seq       uint64
}

func newChunkClaimer(a *chunkAllocator, batch uint32, backward bool) *chunkClaimer {
	return &chunkClaimer{shared: a, batch: uint64(batch), backward: backward, size: a.size}
}

func (c *chunkClaimer) claim(context.Context, bool) (run, bool, error) {
	if c.left == 0 {
		// Near the end halve. The sum, unlike the difference, cannot wrap.
		if c.size > 1 && c.last+c.size*chunksRampDown > c.shared.total {
			c.size >>= 1
		}
		c.last = c.shared.next.Add(c.size) - c.size
		if c.last >= c.shared.total {
			return run{}, false, nil
		}
		c.pos, c.left = c.last, min(c.size, c.shared.total-c.last)
	}
	n := min(c.batch, c.left)
	r := run{seq: c.seq, pos: uint32(c.pos), n: uint32(n)}
	c.pos, c.left = c.pos+n, c.left-n
	c.seq++
	return r.turned(uint32(c.shared.total), c.backward), true, nil
}
