package aggregate

import (
	"bytes"
	"hash/maphash"
)

// keyTable numbers byte strings from 0 on, in the order they are first seen. It
// is an open-addressing table without pointers, which the garbage collector
// would have to follow:
//
//	slots   | 3 |   | 0 |   | 2 | 1 |        number+1 by hash, 0: free
//	hashes  | h0 | h1 | h2 | h3 |             by number
//	ends    | 5 | 9 | 14 | 20 |               of the keys in arena
//	arena   | k e y 0 | k e y 1 | ...
type keyTable struct {
	seed   maphash.Seed
	slots  []uint32
	hashes []uint64
	ends   []int
	arena  []byte
}

func newKeyTable() *keyTable {
	return &keyTable{seed: maphash.MakeSeed(), slots: make([]uint32, 64)}
}

// find returns a key's number, and whether it is new.
func (t *keyTable) find(key []byte) (number int32, isNew bool) {
	if 4*len(t.hashes) >= 3*len(t.slots) {
		t.grow()
	}
	h := maphash.Bytes(t.seed, key)
	mask := uint64(len(t.slots) - 1)
	for at := h & mask; ; at = (at + 1) & mask {
		n := t.slots[at]
		if n == 0 {
			t.slots[at] = uint32(len(t.hashes)) + 1
			t.hashes = append(t.hashes, h)
			t.arena = append(t.arena, key...)
			t.ends = append(t.ends, len(t.arena))
			return int32(len(t.hashes)) - 1, true
		}
		if t.hashes[n-1] == h && bytes.Equal(t.key(n-1), key) {
			return int32(n - 1), false
		}
	}
}

// key is the key of a number.
func (t *keyTable) key(n uint32) []byte {
	from := 0
	if n > 0 {
		from = t.ends[n-1]
	}
	return t.arena[from:t.ends[n]]
}

// grow doubles the slots.
func (t *keyTable) grow() {
	t.slots = make([]uint32, 2*len(t.slots))
	mask := uint64(len(t.slots) - 1)
	for n, h := range t.hashes {
		at := h & mask
		for t.slots[at] != 0 {
			at = (at + 1) & mask
		}
		t.slots[at] = uint32(n) + 1
	}
}

// size is how much memory the table takes.
func (t *keyTable) size() int64 {
	return int64(4*len(t.slots) + 16*cap(t.hashes) + cap(t.arena))
}
