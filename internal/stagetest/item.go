package stagetest

import (
	"fmt"
	"sync/atomic"
)

// Ledger counts items so that a test can say that each was released exactly
// once. It is safe for concurrent use.
type Ledger struct {
	made, released, twice atomic.Int64
}

// Live is how many items are not released.
func (l *Ledger) Live() int { return int(l.made.Load() - l.released.Load()) }

// Made is how many items there were.
func (l *Ledger) Made() int { return int(l.made.Load()) }

// Err says which rule was broken: nil when every item was released once.
func (l *Ledger) Err() error {
	if n := l.twice.Load(); n != 0 {
		return fmt.Errorf("%d items were released more than once", n)
	}
	if n := l.Live(); n != 0 {
		return fmt.Errorf("%d of %d items were not released", n, l.made.Load())
	}
	return nil
}

// Forgive books n items as released: those that stages had in hand when they
// panicked, which go to the garbage collector.
func (l *Ledger) Forgive(n int) { l.released.Add(int64(n)) }

// New makes an item with a value and a place in an ordered run.
func (l *Ledger) New(seq uint64, value int) *Item {
	l.made.Add(1)
	return &Item{ledger: l, seq: seq, value: value}
}

// Item is an item of one number. Its memory is poisoned on release: whoever
// looks at it afterwards panics.
type Item struct {
	ledger *Ledger
	seq    uint64
	value  int
	dead   atomic.Bool
}

// poison is what a released item holds.
const poison = -0x5ca1ab1e

// Value is the item's number; it panics after Release.
func (i *Item) Value() int {
	if i.dead.Load() || i.value == poison {
		panic("stagetest: an item was read after its release")
	}
	return i.value
}

// Sequence is the item's place in an ordered run.
func (i *Item) Sequence() uint64 { return i.seq }

// Rows is 1.
func (i *Item) Rows() int { return 1 }

// Release poisons the item and books it.
func (i *Item) Release() {
	if i.dead.Swap(true) {
		i.ledger.twice.Add(1)
		return
	}
	i.value = poison
	i.ledger.released.Add(1)
}
