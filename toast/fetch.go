package toast

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/pipescan/pipescan/pgfile"
)

// BlockReader reads the pages of one fork. ReadBlock fills page, of 8192
// bytes, with a block whose header and checksum it has validated; its errors
// name the file and the block.
type BlockReader interface {
	NBlocks() uint32
	ReadBlock(ctx context.Context, block uint32, page []byte) error
}

// RelationFetcher is a ChunkFetcher over one TOAST relation: it goes down the
// index to a value's entries and reads the chunks they point to. It keeps the
// last pages of both, because values are mostly stored, and asked for, in
// order. One a goroutine; the files must not change while it lives.
type RelationFetcher struct {
	Heap, Index         BlockReader // Index nil: missing
	HeapName, IndexName string      // for errors
	ChunkSize           uint32      // TOAST_MAX_CHUNK_SIZE of pg_control; 0: DefaultChunkSize

	// Committed asks pg_xact about a transaction. It is needed for chunks that
	// a VACUUM FULL before 9.0 moved, and to choose between two chunks of the
	// same number; nil: such chunks are errors.
	Committed func(xid uint32) (bool, error)

	// Dead says that the rows read may be dead, so that index entries marked
	// dead are tried when the others do not make the value.
	Dead bool

	// Fallback is asked for values when the index is missing or damaged; nil:
	// that is an *IndexError.
	Fallback ChunkFetcher

	index indexCache
	heap  heapCache
	asm   Assembler
	found []entry // what the index says about the value
	use   []entry // those of found that are tried now
}

// entry is what the index says about one chunk.
type entry struct {
	tid  pgfile.TID
	dead bool // marked dead in the index
	seq  int32
}

// IndexError is a TOAST index that cannot be used; errors.Is ErrCorrupt.
type IndexError struct {
	Index string // its name or file
	Err   error  // what is wrong with it
}

// Error names the index, what is wrong, and what to do.
func (e *IndexError) Error() string {
	return fmt.Sprintf("TOAST index %s cannot be used: %v (its table may be whole: REINDEX it on a server, or restore the file from a backup)", e.Index, e.Err)
}

// Unwrap returns what is wrong with the index.
func (e *IndexError) Unwrap() error { return e.Err }

// FetchChunks appends the p.ExtSize stored bytes of the value p.ValueID to
// dst. On an error dst comes back as it was: *pgfile.CorruptError for missing,
// doubled or malformed chunks, *IndexError for a damaged index, and what the
// BlockReaders and Committed return.
func (f *RelationFetcher) FetchChunks(ctx context.Context, p pgfile.ToastPointer, dst []byte) ([]byte, error) {
	if p.ExtSize == 0 {
		return dst, nil
	}
	if err := f.begin(ctx, p); err != nil {
		if !errors.Is(err, pgfile.ErrCorrupt) {
			return dst, err
		}
		if f.Fallback != nil {
			return f.Fallback.FetchChunks(ctx, p, dst)
		}
		return dst, &IndexError{Index: f.IndexName, Err: err}
	}
	got, err := f.assemble(ctx, p, dst, func(e entry) bool { return !e.dead })
	if err == nil || !f.Dead || !errors.Is(err, pgfile.ErrCorrupt) {
		return got, err
	}
	// A dead row's chunks: all marked, or some of them.
	if got, err := f.assemble(ctx, p, dst, func(e entry) bool { return e.dead }); err == nil {
		return got, nil
	}
	if got, err := f.assemble(ctx, p, dst, func(entry) bool { return true }); err == nil {
		return got, nil
	}
	var damage *pgfile.CorruptError
	if errors.As(err, &damage) && damage.Remedy == remedyChunks {
		damage.Remedy = remedyDeadChunks
	}
	return dst, err
}

// begin finds what the index knows about a value.
func (f *RelationFetcher) begin(ctx context.Context, p pgfile.ToastPointer) error {
	f.asm.Relation, f.asm.ChunkSize, f.asm.p = f.HeapName, int(f.ChunkSize), p
	return f.lookup(ctx, p)
}

// CheckClaim implements ClaimChecker: the index must know every chunk of the
// claimed size, and the first chunk of a compressed value must say the same raw
// size. What else may be wrong shows when the value is fetched.
func (f *RelationFetcher) CheckClaim(ctx context.Context, p pgfile.ToastPointer) error {
	if err := f.begin(ctx, p); err != nil {
		if errors.Is(err, pgfile.ErrCorrupt) {
			return &IndexError{Index: f.IndexName, Err: err}
		}
		return err
	}
	f.use = append(f.use[:0], f.found...)
	if err := f.count(p); err != nil || !p.Compressed() {
		return err
	}
	c, err := f.pick(ctx, p.ValueID, f.use[:sameSeq(f.use)])
	if err != nil || len(c.data) < tcinfoSize {
		return err
	}
	if raw := binary.LittleEndian.Uint32(c.data) & (1<<30 - 1); int64(raw) != int64(p.RawSize)-4 {
		return c.locate(f.asm.errorf("the row claims %d bytes, the chunks %d", int64(p.RawSize)-4, raw))
	}
	return nil
}

// assemble puts the value together from those entries that want takes.
func (f *RelationFetcher) assemble(ctx context.Context, p pgfile.ToastPointer, dst []byte, want func(entry) bool) ([]byte, error) {
	f.use = f.use[:0]
	for _, e := range f.found {
		if want(e) {
			f.use = append(f.use, e)
		}
	}
	if err := f.count(p); err != nil {
		return dst, err
	}
	f.asm.Start(p, dst)
	for i := 0; i < len(f.use); {
		n := sameSeq(f.use[i:])
		c, err := f.pick(ctx, p.ValueID, f.use[i:i+n])
		if err == nil && c.ok {
			err = c.locate(f.asm.Add(f.use[i].seq, c.data))
		}
		if err != nil {
			return f.asm.Abort(), err
		}
		i += n
	}
	return f.asm.Finish()
}

// count says, before memory is taken, whether the index knows every chunk.
func (f *RelationFetcher) count(p pgfile.ToastPointer) error {
	total, next := f.asm.Chunks(p.ExtSize), 0
	for i := 0; i < len(f.use) && int(f.use[i].seq) == next; next++ {
		i += sameSeq(f.use[i:])
	}
	if next < total {
		return f.asm.errorf("chunk %d of %d is missing in the index", next, total)
	}
	return nil
}

// sameSeq is how many entries at the start are for the same chunk: one, unless
// an id was given out again while old entries are left.
func sameSeq(e []entry) int {
	n := 1
	for n < len(e) && e[n].seq == e[0].seq {
		n++
	}
	return n
}

// pick reads the chunk that a group of entries is for. Of several, the one
// whose inserter committed counts; a chunk that is not ok is not seen.
func (f *RelationFetcher) pick(ctx context.Context, value uint32, group []entry) (chunk, error) {
	if len(group) == 1 {
		return f.chunk(ctx, value, group[0])
	}
	var seen []entry
	for _, e := range group {
		c, err := f.chunk(ctx, value, e)
		if err != nil {
			return chunk{}, err
		}
		if c.ok {
			seen = append(seen, e)
		}
	}
	if len(seen) > 1 && f.Committed != nil {
		var err error
		if seen, err = f.committed(ctx, value, seen); err != nil {
			return chunk{}, err
		}
	}
	switch len(seen) {
	case 0:
		return chunk{}, nil
	case 1:
		return f.chunk(ctx, value, seen[0])
	default:
		return chunk{}, f.asm.errorf("chunk %d is there %d times, at %v and %v", group[0].seq, len(seen), seen[0].tid, seen[1].tid)
	}
}

// committed keeps those entries whose chunk was inserted by a transaction that
// committed.
func (f *RelationFetcher) committed(ctx context.Context, value uint32, from []entry) ([]entry, error) {
	var kept []entry
	for _, e := range from {
		c, err := f.chunk(ctx, value, e)
		if err != nil {
			return nil, err
		}
		yes := c.committed
		if !yes {
			if yes, err = f.Committed(c.xmin); err != nil {
				return nil, err
			}
		}
		if yes {
			kept = append(kept, e)
		}
	}
	return kept, nil
}
