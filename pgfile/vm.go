package pgfile

// VMBits are the two bits of a heap block in the visibility map.
type VMBits uint8

// Visibility map bits.
const (
	VMAllVisible        VMBits = 1
	VMAllFrozen         VMBits = 2
	HeapBlocksPerVMPage        = 32672
)

// VMLocation says in which VM page and at which byte of that page, header
// included, and bit a heap block's bits lie. A page that the fork does not have
// means no bits.
//
//	byte of the page   24                        25
//	heap block         3   2   1   0             7 …
//	                  +---+---+---+---+         +---
//	bits, high first  |F V|F V|F V|F V|         |F V   (V visible, F frozen)
//	                  +---+---+---+---+         +---
func VMLocation(heapBlock uint32) (page uint32, byteOff int, shift uint) {
	in := heapBlock % HeapBlocksPerVMPage
	return heapBlock / HeapBlocksPerVMPage, PageHeaderSize + int(in/4), uint(in%4) * 2
}

// VMBitsAt reads the bits of a heap block from the VM page that VMLocation
// names; ValidatePage must have accepted the page. A page of zeros has no bits.
func VMBitsAt(p Page, heapBlock uint32) VMBits {
	_, off, shift := VMLocation(heapBlock)
	return VMBits(p[off]>>shift) & (VMAllVisible | VMAllFrozen)
}

// String is "-", "visible", "visible,frozen" or, which only damage makes,
// "frozen".
func (v VMBits) String() string {
	return flagNames(uint32(v), []flagName{{uint32(VMAllVisible), "visible"}, {uint32(VMAllFrozen), "frozen"}})
}
