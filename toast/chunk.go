package toast

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/pipescan/pipescan/pgfile"
)

// chunk is a TOAST tuple; data aliases a cached page and lives until the next
// page is read.
type chunk struct {
	ok        bool // it is there and counts
	committed bool // known from the tuple alone
	xmin      uint32
	tid       pgfile.TID
	data      []byte
}

// locate adds the chunk's place to an error about it; nil stays nil.
func (c chunk) locate(err error) error {
	if err == nil {
		return nil
	}
	var ce *pgfile.CorruptError
	if errors.As(err, &ce) {
		ce.Block, ce.Item = c.tid.Block, c.tid.Offset
	}
	return err
}

// chunk reads the tuple an entry points to. A line pointer that holds no tuple
// is no error, as it is none for the server: a missing chunk shows later.
//
//	 hoff    +4      +8
//	+-------+-------+---------------------------------------------+
//	| id u4 | seq i4| varlena: plain, or short when few bytes long|
//	+-------+-------+---------------------------------------------+
func (f *RelationFetcher) chunk(ctx context.Context, value uint32, e entry) (chunk, error) {
	c := chunk{tid: e.tid}
	if e.tid.Block >= f.Heap.NBlocks() {
		return c, c.locate(f.asm.errorf("the index points to %v, the table has %d blocks", e.tid, f.Heap.NBlocks()))
	}
	page, err := f.heap.page(ctx, f.Heap, e.tid.Block)
	if err != nil {
		return c, err
	}
	n := int(e.tid.Offset)
	if n < 1 || n > page.NumItems() || page.Item(n).State() != pgfile.ItemNormal {
		return c, nil
	}
	id := page.Item(n)
	if id.Off() < pgfile.PageHeaderSize || id.Len() < 24 || id.Off()+id.Len() > pgfile.PageSize {
		return c, c.locate(f.asm.errorf("line pointer to %d bytes at %d", id.Len(), id.Off()))
	}
	t := pgfile.HeapTuple(page[id.Off() : id.Off()+id.Len()])
	if err := pgfile.ValidateHeapTuple(t); err != nil {
		return c, c.locate(f.asm.errorf("%v", err))
	}
	// A scan by index follows no chain to here; the server gives such an entry up.
	if t.Infomask2()&pgfile.HeapOnly != 0 {
		return c, nil
	}
	c.xmin = t.Xmin()
	if c.ok, c.committed, err = f.counts(t); err != nil || !c.ok {
		return c, err
	}
	c.data, err = chunkData(t, value, e.seq)
	if err != nil {
		return c, c.locate(f.asm.errorf("chunk %d: %v", e.seq, err))
	}
	return c, nil
}

// counts is the visibility of a TOAST tuple: xmax does not matter, and of xmin
// only whether it is marked as aborted. committed says that it is marked as
// committed.
func (f *RelationFetcher) counts(t pgfile.HeapTuple) (ok, committed bool, err error) {
	mask := t.Infomask()
	switch {
	case mask&pgfile.HeapXminCommitted != 0 || t.Xmin() == 1 || t.Xmin() == 2: // frozen too
		return true, true, nil
	case mask&pgfile.HeapXminInvalid != 0:
		return false, false, nil
	case mask&(pgfile.HeapMovedOff|pgfile.HeapMovedIn) != 0:
		if f.Committed == nil {
			return false, false, fmt.Errorf("%s: a chunk was moved by VACUUM FULL of a version before 9.0, and pg_xact is not open: %w", f.HeapName, pgfile.ErrUnsupported)
		}
		done, err := f.Committed(t.Field3())
		return done == (mask&pgfile.HeapMovedIn != 0), false, err
	}
	return t.Xmin() != 0, false, nil
}

// chunkData takes the chunk's bytes out of its tuple, which must be chunk seq
// of value.
func chunkData(t pgfile.HeapTuple, value uint32, seq int32) ([]byte, error) {
	if t.Natts() != 3 || t.Infomask()&pgfile.HeapHasNull != 0 && t[pgfile.HeapTupleHeaderSize]&7 != 7 {
		return nil, fmt.Errorf("the tuple is not that of a TOAST table")
	}
	b := t[t.Hoff():]
	if len(b) < 9 {
		return nil, fmt.Errorf("the tuple has %d bytes", len(b))
	}
	if id, s := binary.LittleEndian.Uint32(b), int32(binary.LittleEndian.Uint32(b[4:])); id != value || s != seq {
		return nil, fmt.Errorf("the index points to chunk %d of value %d", s, id)
	}
	size, err := pgfile.VarlenaSize(b[8:])
	if err != nil {
		return nil, err
	}
	v, err := pgfile.ParseVarlena(b[8 : 8+size])
	if err != nil {
		return nil, err
	}
	if v.Kind != pgfile.VarlenaPlain {
		return nil, fmt.Errorf("the chunk is itself compressed or out of line")
	}
	return v.Data, nil
}
