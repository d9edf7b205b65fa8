package stages

import (
	"fmt"

	"github.com/pipescan/pipescan/pipeline"
)

// BlockOrder is the order a scan visits blocks in: positions 0, 1, ... Len()-1
// of a forward scan, which a backward scan goes through from the last to the
// first. Position 0 is block Start, and after the table's last block comes the
// first one:
//
//	blocks      0   1   2   3   4   5   6   7      NBlocks 8, Start 5, Limit 6
//	positions   3   4   5           0   1   2
//
// This is what a server does (heapgettup and its helpers): a forward scan
// begins at the start block and ends when it comes round to it, or after Limit
// blocks; a backward scan begins at the block a forward scan would end with; a
// change of direction turns round at the current position.
type BlockOrder struct {
	NBlocks uint32 // fixed when the scan begins: what is appended later is not seen
	Start   uint32 // below NBlocks, or 0
	Limit   uint32 // blocks to visit, at most NBlocks
}

// Len is the number of blocks visited.
func (o BlockOrder) Len() uint32 { return o.Limit }

// Block is the block at a position below Len.
func (o BlockOrder) Block(pos uint32) uint32 {
	return uint32((uint64(o.Start) + uint64(pos)) % uint64(o.NBlocks))
}

// newBlockOrder fixes the order of a scan over a table of n blocks.
func newBlockOrder(n uint32, o Order, r BlockRange) (BlockOrder, error) {
	whole := r == BlockRange{}
	if o.Direction != 0 && o.Direction != pipeline.Forward && o.Direction != pipeline.Backward {
		return BlockOrder{}, fmt.Errorf("direction %d is neither forward nor backward", o.Direction)
	}
	if !whole {
		if o.Start != 0 {
			return BlockOrder{}, fmt.Errorf("a scan of blocks from %d on cannot start at block %d: give a range or a start", r.First, o.Start)
		}
		if r.First >= n {
			return BlockOrder{NBlocks: n}, nil
		}
		limit := n - r.First
		if r.N != 0 {
			limit = min(limit, r.N)
		}
		return BlockOrder{NBlocks: n, Start: r.First, Limit: limit}, nil
	}
	start := o.Start
	if o.Sync != nil && o.Direction != pipeline.Backward {
		start = o.Sync.start(o.SyncKey, n)
	}
	if start >= n {
		start = 0
	}
	return BlockOrder{NBlocks: n, Start: start, Limit: n}, nil
}
