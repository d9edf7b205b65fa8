package fileio

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/pipescan/pipescan/pgfile"
)

// ReadBlocks reads len(dst)/8192 blocks from block first on by pread; dst's
// length is a multiple of 8192, and segments may be crossed. Blocks of a gap or
// past the end are *pgfile.CorruptErrors, a file that changed or became shorter
// a *ChangedError, a device's failure a *ReadError. On an error dst holds
// anything. ctx is looked at before each system call.
func (r *Relation) ReadBlocks(ctx context.Context, first uint32, dst []byte) error {
	if len(dst)%pgfile.PageSize != 0 {
		return fmt.Errorf("%s: a buffer of %d bytes is not a number of blocks", r.name, len(dst))
	}
	for len(dst) > 0 {
		if err := ctx.Err(); err != nil {
			return err
		}
		s, err := r.find(first)
		if err != nil {
			return err
		}
		n := min(uint64(len(dst)/pgfile.PageSize), uint64(s.first)+uint64(s.blocks)-uint64(first))
		if err := r.readSegment(s, first, dst[:n*pgfile.PageSize]); err != nil {
			return err
		}
		dst = dst[n*pgfile.PageSize:]
		first += uint32(n)
	}
	return nil
}

// readSegment reads blocks that lie in one segment.
func (r *Relation) readSegment(s *segment, first uint32, dst []byte) error {
	f, err := r.dir.files.acquire(r.dir, s)
	if err != nil {
		return err
	}
	defer r.dir.files.release(s)
	off := int64(first-s.first) * pgfile.PageSize
	n, err := f.ReadAt(dst, off)
	if err == nil {
		return nil
	}
	off += int64(n)
	if errors.Is(err, io.EOF) {
		return &ChangedError{File: s.name, Reason: fmt.Sprintf("it ends at offset %d, in block %d, and had %d bytes", off, first+uint32(n/pgfile.PageSize), s.id.Size)}
	}
	return &ReadError{File: s.name, Block: first + uint32(n/pgfile.PageSize), Offset: off, Err: unwrapPath(err)}
}

// probes bounds the questions one call of Resident asks, each a system call of
// a third of a microsecond.
const probes = 64

// Resident says whether n blocks from first on seem to lie in the page cache:
// then mapping them reads no device. It asks for single bytes, at least one
// every 128 KB of a range of up to 8 MB, without waiting. false also means: not
// known, or not readable.
func (r *Relation) Resident(first uint32, n int) bool {
	var one [1]byte
	step := uint64(max(n/probes, 16))
	end := uint64(first) + uint64(max(n, 0))
	for b := uint64(first); b < end; b += step {
		if !r.residentBlock(uint32(b), one[:]) {
			return false
		}
	}
	return n > 0 && end-1 < uint64(r.nblocks) && r.residentBlock(uint32(end-1), one[:])
}

func (r *Relation) residentBlock(b uint32, one []byte) bool {
	s, err := r.find(b)
	if err != nil {
		return false
	}
	f, err := r.dir.files.acquire(r.dir, s)
	if err != nil {
		return false
	}
	defer r.dir.files.release(s)
	return cached(int(f.Fd()), int64(b-s.first)*pgfile.PageSize, one)
}
