package pgfile

// Figures of a free space map page: a binary tree of bytes in an array after a
// 4-byte field; leaves are the last 4069 of 8164 nodes.
const (
	fsmNodesOff     = PageHeaderSize + 4
	fsmNonLeafNodes = PageSize/2 - 1
	FSMSlotsPerPage = PageSize - fsmNodesOff - fsmNonLeafNodes // 4069
	fsmLevels       = 3
	FSMCategoryStep = 32 // bytes of free space a category stands for
)

// FSMLocation says in which block of the FSM fork, and in which slot of that
// page, a heap block's free space is recorded. The map is a hint, and pipescan
// only shows it.
//
//	block 0: root (level 2) ── block 1: first of level 1 ── blocks 2, 3, …: its leaves (level 0)
//
// Blocks are in depth-first order, each parent before its children.
func FSMLocation(heapBlock uint32) (block uint32, slot int) {
	leaf := heapBlock / FSMSlotsPerPage
	for n, level := leaf, 0; level < fsmLevels; level++ {
		block += n + 1
		n /= FSMSlotsPerPage
	}
	return block - 1, int(heapBlock % FSMSlotsPerPage)
}

// FSMCategory is the category (0 to 255) in a slot of an FSM page: at least
// that many steps of 32 bytes were free; 255 means a whole page's most.
// ValidatePage must have accepted the page, and slot must be one that
// FSMLocation returned.
func FSMCategory(p Page, slot int) uint8 { return p[fsmNodesOff+fsmNonLeafNodes+slot] }
