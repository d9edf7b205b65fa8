package fileio

import (
	"fmt"
	"os"
	"sync"
	"sync/atomic"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/pipescan/pipescan/pgfile"
)

// Window is a mapped range of blocks of one segment. Its methods may be called
// concurrently, Unmap last.
type Window struct {
	rel   *Relation
	seg   *segment
	first uint32
	mem   []byte // whole system pages
	data  []byte // the blocks, inside mem
	gone  atomic.Bool
}

// windows are those mapped now: a fault is ours when it lies in one of them.
var windows struct {
	sync.Mutex
	live map[*Window]struct{}
}

// Map maps up to n blocks from first on, read-only. A window does not cross a
// segment's end, so it may hold fewer: see Window.Blocks. Errors are those of
// ReadBlocks. The caller bounds n (32 MB a lane keeps the resident size low,
// touched pages count) and calls Unmap.
func (r *Relation) Map(first uint32, n int) (*Window, error) {
	s, err := r.find(first)
	if err != nil {
		return nil, err
	}
	if n <= 0 {
		return nil, fmt.Errorf("%s: a window of %d blocks", r.name, n)
	}
	blocks := min(uint64(n), uint64(s.first)+uint64(s.blocks)-uint64(first))
	f, err := r.dir.files.acquire(r.dir, s)
	if err != nil {
		return nil, err
	}
	defer r.dir.files.release(s)
	id, err := identityOfFile(f)
	if err != nil {
		return nil, r.dir.pathError("stat", s.name, err)
	}
	if !r.dir.unchanged(s.id, id) { // cheaper than finding out by a fault
		return nil, &ChangedError{File: s.name, Reason: describeChange(s.id, id)}
	}
	// The system's pages may be larger than a block (64 KB on some arm64).
	off := int64(first-s.first) * pgfile.PageSize
	lead := off % int64(os.Getpagesize())
	mem, err := unix.Mmap(int(f.Fd()), off-lead, int(lead)+int(blocks)*pgfile.PageSize, unix.PROT_READ, unix.MAP_SHARED)
	if err != nil {
		return nil, &ReadError{File: s.name, Block: first, Offset: off, Err: fmt.Errorf("mmap: %w", err)}
	}
	w := &Window{rel: r, seg: s, first: first, mem: mem, data: mem[lead:]}
	windows.Lock()
	defer windows.Unlock()
	if windows.live == nil {
		windows.live = map[*Window]struct{}{}
	}
	windows.live[w] = struct{}{}
	return w, nil
}

// Bytes are the blocks, valid until Unmap. Touch them under Guard only.
func (w *Window) Bytes() []byte { return w.data }

// First is the first block of the window.
func (w *Window) First() uint32 { return w.first }

// Blocks is the number of blocks.
func (w *Window) Blocks() int { return len(w.data) / pgfile.PageSize }

// Populate brings n blocks of the window, from its i-th on, into memory by one
// system call, so that touching them faults no more and other goroutines run
// meanwhile. Where the system cannot do that it does nothing. A failure is a
// *FaultError.
func (w *Window) Populate(i, n int) error {
	if i < 0 || n < 0 || i+n > w.Blocks() {
		return fmt.Errorf("%s: blocks %d..%d of a window of %d", w.seg.name, i, i+n, w.Blocks())
	}
	if n == 0 {
		return nil
	}
	lead := len(w.mem) - len(w.data)
	from := (lead + i*pgfile.PageSize) / os.Getpagesize() * os.Getpagesize()
	if populate(w.mem[from:lead+(i+n)*pgfile.PageSize]) == nil {
		return nil
	}
	return w.fault(lead + i*pgfile.PageSize)
}

// Unmap unmaps the window; its bytes must not be touched afterwards. A second
// call does nothing.
func (w *Window) Unmap() error {
	if w.gone.Swap(true) {
		return nil
	}
	windows.Lock()
	delete(windows.live, w)
	windows.Unlock()
	if err := unix.Munmap(w.mem); err != nil {
		return w.rel.dir.pathError("munmap", w.seg.name, err)
	}
	return nil
}

// fault makes the error of a fault at byte i of w.mem, asking whether the file
// is still what it was.
func (w *Window) fault(i int) *FaultError {
	in := i - (len(w.mem) - len(w.data))
	block := w.first + uint32(max(in, 0)/pgfile.PageSize)
	id, err := w.rel.dir.Stat(w.seg.name)
	return &FaultError{
		File: w.seg.name, Block: block, Offset: int64(block-w.seg.first) * pgfile.PageSize,
		Changed: err != nil || id != w.seg.id,
	}
}

// windowAt finds the live window that address lies in, and where in w.mem.
func windowAt(address uintptr) (w *Window, at int) {
	windows.Lock()
	defer windows.Unlock()
	for w := range windows.live {
		start := uintptr(unsafe.Pointer(unsafe.SliceData(w.mem)))
		if address >= start && address-start < uintptr(len(w.mem)) {
			return w, int(address - start)
		}
	}
	return nil, 0
}
