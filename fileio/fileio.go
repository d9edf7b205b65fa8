package fileio

import (
	"context"
	"errors"
	"os"
)

// Dir is a data directory opened read-only.
type Dir struct{ _ int }

// OpenDir opens a data directory.
func OpenDir(path string) (*Dir, error) { panic("not built yet") }

// Close closes the directory and every file kept open through it.
func (d *Dir) Close() error { panic("not built yet") }

// Path is the path given to OpenDir.
func (d *Dir) Path() string { panic("not built yet") }

// Identity tells one state of a file from another.
type Identity struct {
	Dev, Ino               uint64
	Size, MtimeNs, CtimeNs int64
}

// Stat returns the identity of a file; a missing one is fs.ErrNotExist.
func (d *Dir) Stat(name string) (Identity, error) { panic("not built yet") }

// ReadFile reads a whole file of at most max bytes.
func (d *Dir) ReadFile(name string, max int64) ([]byte, Identity, error) { panic("not built yet") }

// ReadDir lists the names in a directory, sorted.
func (d *Dir) ReadDir(name string) ([]string, error) { panic("not built yet") }

// OpenFile opens a regular file for reading.
func (d *Dir) OpenFile(name string) (*os.File, error) { panic("not built yet") }

// RelLocator names a relation's files. Tablespace 0 or 1663: base/<db>; 1664: global; else pg_tblspc.
type RelLocator struct{ Tablespace, Database, Node uint32 }

// Fork is one of a relation's forks.
type Fork uint8

// Forks of a relation.
const (
	Main Fork = iota
	FSM
	VM
	Init
)

// Layout is what file names depend on.
type Layout struct {
	Major         int
	CatVersion    uint32
	SegmentBlocks uint32 // 0: 131072
}

// RelPath is the path of the first segment of a fork, relative to the directory.
func (d *Dir) RelPath(l Layout, loc RelLocator, f Fork) string { panic("not built yet") }

// OpenRelation opens all segments of a fork; a gap or a partial page is an error.
func (d *Dir) OpenRelation(l Layout, loc RelLocator, f Fork) (*Relation, error) {
	panic("not built yet")
}

// OpenRelationLoose is OpenRelation that goes on over gaps and partial pages: see Relation.Gaps.
func (d *Dir) OpenRelationLoose(l Layout, loc RelLocator, f Fork) (*Relation, error) {
	panic("not built yet")
}

// Relation is all segments of one fork; safe for concurrent use.
type Relation struct{ _ int }

// Gap is a range of blocks that cannot be read.
type Gap struct {
	File   string
	First  uint32
	Count  uint32 // 0: how many is not known, they lie past NBlocks
	Reason string
}

// NBlocks is the number of blocks at opening.
func (r *Relation) NBlocks() uint32 { panic("not built yet") }

// Name is the path of the first segment.
func (r *Relation) Name() string { panic("not built yet") }

// BlockName is the path of the segment that holds block b.
func (r *Relation) BlockName(b uint32) string { panic("not built yet") }

// Gaps lists what OpenRelationLoose went over.
func (r *Relation) Gaps() []Gap { panic("not built yet") }

// ReadBlocks reads len(dst)/8192 blocks from first on.
func (r *Relation) ReadBlocks(ctx context.Context, first uint32, dst []byte) error {
	panic("not built yet")
}

// Map maps up to n blocks from first on; segments are not crossed, so the window may hold fewer.
func (r *Relation) Map(first uint32, n int) (*Window, error) { panic("not built yet") }

// Resident says whether the blocks seem to lie in the page cache.
func (r *Relation) Resident(first uint32, n int) bool { panic("not built yet") }

// Identities are the identities of the segments at opening.
func (r *Relation) Identities() []Identity { panic("not built yet") }

// Changed is an error (ErrChanged) when a segment differs from opening.
func (r *Relation) Changed() error { panic("not built yet") }

// Close closes the relation; windows must have been unmapped.
func (r *Relation) Close() error { panic("not built yet") }

// Window is a mapped range of blocks.
type Window struct{ _ int }

// Bytes are the blocks; touch them under Guard only.
func (w *Window) Bytes() []byte { panic("not built yet") }

// First is the first block of the window.
func (w *Window) First() uint32 { panic("not built yet") }

// Blocks is the number of blocks.
func (w *Window) Blocks() int { panic("not built yet") }

// Populate faults blocks i..i+n of the window in by one system call.
func (w *Window) Populate(i, n int) error { panic("not built yet") }

// Unmap unmaps the window; a second call does nothing.
func (w *Window) Unmap() error { panic("not built yet") }

// Guard runs fn; a memory fault inside a live Window becomes a *FaultError. It allocates nothing.
func Guard(fn func() error) (err error) { panic("not built yet") }

// GuardCall is Guard for a function with an argument, so that no closure is needed.
func GuardCall[T any](arg T, fn func(T) error) (err error) { panic("not built yet") }

// ErrChanged is what a *ChangedError is, for errors.Is.
var ErrChanged = errors.New("changed under the scan")

// ChangedError names a file that changed since it was opened.
type ChangedError struct {
	File   string
	Reason string
}

// Error names the file.
func (e *ChangedError) Error() string { panic("not built yet") }

// FaultError is a fault in a mapped window; errors.Is ErrChanged when the file shrank, else EIO.
type FaultError struct {
	File    string
	Block   uint32
	Changed bool
}

// Error names file and block.
func (e *FaultError) Error() string { panic("not built yet") }
