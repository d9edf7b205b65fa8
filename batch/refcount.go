package batch

import (
	"sync"
	"sync/atomic"
)

// refcount counts the holders of a buffer.
type refcount struct{ n atomic.Int32 }

// retain adds a holder.
func (r *refcount) retain(what string) {
	if r.n.Add(1) <= 1 {
		panic("batch: " + what + " retained after its release")
	}
}

// release takes a holder away and says whether it was the last one.
func (r *refcount) release(what string) bool {
	n := r.n.Add(-1)
	if n < 0 {
		panic("batch: " + what + " released twice")
	}
	return n == 0
}

// poisoned makes released buffers unusable, so that whoever still reads them
// is found out. On from the start with -tags invariants.
var poisoned atomic.Bool

func init() { poisoned.Store(invariants) }

// PoisonReleased makes (or stops making) released heap buffers garbage before
// they are used again, and keeps every other one from being used again at all,
// so that a second release of it is noticed. It is for a TestMain.
func PoisonReleased(on bool) { poisoned.Store(on) }

// poison is the byte that released buffers are filled with: as a length, an
// offset, a line pointer or a transaction id it is nonsense.
const poison = 0xdb

// poisonAll fills a slice, to its capacity, with a value.
func poisonAll[T any](s []T, v T) {
	s = s[:cap(s)]
	for i := range s {
		s[i] = v
	}
}

// freeList keeps a bounded number of released objects. It is a plain list
// because sync.Pool forgets at each garbage collection, and a scan's steady
// state is to allocate nothing.
type freeList[T any] struct {
	mu   sync.Mutex
	free []*T
	max  int
	turn uint // releases while poisoned
}

// get returns a released object, or nil.
func (l *freeList[T]) get() *T {
	l.mu.Lock()
	defer l.mu.Unlock()
	n := len(l.free) - 1
	if n < 0 {
		return nil
	}
	x := l.free[n]
	l.free[n] = nil
	l.free = l.free[:n]
	return x
}

// put keeps x if there is a place.
func (l *freeList[T]) put(x *T) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if poisoned.Load() {
		if l.turn++; l.turn%2 == 0 {
			return
		}
	}
	if len(l.free) < l.max {
		l.free = append(l.free, x)
	}
}
