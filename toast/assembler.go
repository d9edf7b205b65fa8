package toast

import (
	"fmt"
	"slices"

	"github.com/pipescan/pipescan/pgfile"
)

// DefaultChunkSize is TOAST_MAX_CHUNK_SIZE of PostgreSQL's default build:
// four chunks fill a page.
const DefaultChunkSize = 1996

// remedyChunks is the advice for a value whose chunks are not right.
const remedyChunks = "the value is lost; restore the TOAST table from a backup, or go on without the value by --on-corruption skip"

// remedyDeadChunks is the advice where dead rows are read: vacuum removes a
// dead row's chunks apart from the row, perhaps before it.
const remedyDeadChunks = "if the row is dead, its wide value may be vacuumed away: go on with NULL in its place by --on-corruption skip; if it is not, restore the TOAST table from a backup"

// Assembler puts the chunks of one value together after another: Start, Add
// for each chunk in order, Finish. It holds each chunk to its number and size.
type Assembler struct {
	Relation  string // the TOAST relation's name, or file, for errors
	ChunkSize int    // bytes of all chunks but a value's last; 0: DefaultChunkSize

	p     pgfile.ToastPointer
	dst   []byte
	start int // where the value begins in dst
	next  int // number of the chunk that comes next
}

// Chunks is how many chunks so many stored bytes take.
func (a *Assembler) Chunks(extSize uint32) int {
	c := a.chunkSize()
	return (int(extSize) + c - 1) / c
}

func (a *Assembler) chunkSize() int {
	if a.ChunkSize <= 0 {
		return DefaultChunkSize
	}
	return a.ChunkSize
}

// Start begins the value p, to be appended to dst, whose capacity is grown to
// hold it: call it when the chunks are known to exist.
func (a *Assembler) Start(p pgfile.ToastPointer, dst []byte) {
	a.p, a.start, a.next = p, len(dst), 0
	a.dst = slices.Grow(dst, int(p.ExtSize))
}

// Add appends the chunk numbered seq, which must be the next one and of the
// size that its place demands. data is copied.
func (a *Assembler) Add(seq int32, data []byte) error {
	total := a.Chunks(a.p.ExtSize)
	if int(seq) != a.next {
		if a.next >= total {
			return a.errorf("chunk %d is one too many: the value has %d", seq, total)
		}
		return a.errorf("chunk %d comes where chunk %d of %d belongs", seq, a.next, total)
	}
	if a.next >= total {
		return a.errorf("chunk %d is one too many: the value has %d", seq, total)
	}
	want := a.chunkSize()
	if a.next == total-1 {
		want = int(a.p.ExtSize) - (total-1)*want
	}
	if len(data) != want {
		return a.errorf("chunk %d of %d has %d bytes, want %d", seq, total, len(data), want)
	}
	a.dst = append(a.dst, data...)
	a.next++
	return nil
}

// Finish returns dst with the whole value appended, or, when chunks are
// missing, dst as it was and an error. The Assembler lets go of dst.
func (a *Assembler) Finish() ([]byte, error) {
	dst := a.dst
	a.dst = nil
	if total := a.Chunks(a.p.ExtSize); a.next != total {
		return dst[:a.start], a.errorf("chunk %d of %d is missing", a.next, total)
	}
	return dst, nil
}

// Abort returns dst as it was before Start, after an error of Add.
func (a *Assembler) Abort() []byte {
	dst := a.dst[:a.start]
	a.dst = nil
	return dst
}

// errorf makes an error about the value.
func (a *Assembler) errorf(format string, args ...any) *pgfile.CorruptError {
	return &pgfile.CorruptError{
		File: a.Relation, Block: pgfile.NoBlock, Offset: -1,
		Reason: fmt.Sprintf("TOAST value %d: ", a.p.ValueID) + fmt.Sprintf(format, args...),
		Remedy: remedyChunks,
	}
}
