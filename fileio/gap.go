package fileio

import (
	"fmt"
	"math"
	"path"

	"github.com/pipescan/pipescan/pgfile"
)

// Gap is a range of blocks that a relation should have and that cannot be
// read.
type Gap struct {
	File   string // the segment concerned, which may not exist
	First  uint32 // the first block concerned
	Count  uint32 // how many, within NBlocks; 0: they lie past NBlocks, how many is not known
	Reason string
}

// asError makes the gap the error that OpenRelation reports.
func (g Gap) asError() *pgfile.CorruptError {
	return &pgfile.CorruptError{
		File: g.File, Block: g.First, Offset: -1, Reason: g.Reason,
		Remedy: "restore the file from a backup, or go on without these blocks by --on-corruption skip",
	}
}

// measure sets the segments' block counts and finds what is wrong with them.
// Gaps are in block order; nblocks is where the last segment that has a block
// ends.
//
//	seg 0    seg 1    seg 2    seg 3    seg 4
//	[full ]  [half|]  missing  [some|]  [empty]
//	           ^gap    ^gap          ^NBlocks
//
// An existing segment, even an empty one, proves that all before it existed:
// a server makes them in order and truncates without removing them.
func measure(name string, segs []*segment, segBlocks uint32) (nblocks uint32, gaps []Gap) {
	last := -1 // the last segment with a block
	for i, s := range segs {
		s.blocks = wholeBlocks(s, segBlocks)
		if s.blocks > 0 {
			last, nblocks = i, s.first+s.blocks
		}
	}
	add := func(file string, first uint32, end uint64, reason string) {
		end = min(end, uint64(nblocks))
		g := Gap{File: file, First: first, Reason: reason}
		if uint64(first) < end {
			g.Count = uint32(end - uint64(first))
		}
		gaps = append(gaps, g)
	}
	want := uint32(0) // the segment number that comes next
	for i, s := range segs {
		if s.num > want {
			add(segmentName(name, want), want*segBlocks, uint64(s.first),
				fmt.Sprintf("gap between segments: the file is missing while %s exists", path.Base(s.name)))
		}
		if reason := oddSize(s.id.Size, segBlocks); reason != "" {
			add(s.name, s.first+s.blocks, 0, reason)
		}
		if i < last && s.blocks < segBlocks {
			add(s.name, s.first+s.blocks, uint64(s.first)+uint64(segBlocks),
				fmt.Sprintf("gap between segments: the file has %d of %d blocks while %s holds more", s.blocks, segBlocks, path.Base(segs[i+1].name)))
		}
		want = s.num + 1
	}
	return nblocks, gaps
}

// wholeBlocks is how many blocks of a segment a server would count; block
// numbers end before 0xFFFFFFFF.
func wholeBlocks(s *segment, segBlocks uint32) uint32 {
	n := min(s.id.Size/pgfile.PageSize, int64(segBlocks), int64(math.MaxUint32-s.first))
	return uint32(max(n, 0))
}

// oddSize says what is wrong with a segment's size, "" if nothing is.
func oddSize(size int64, segBlocks uint32) string {
	if size > int64(segBlocks)*pgfile.PageSize {
		return fmt.Sprintf("the file has %d bytes, a segment has at most %d", size, int64(segBlocks)*pgfile.PageSize)
	}
	if rest := size % pgfile.PageSize; rest != 0 {
		return fmt.Sprintf("partial page: the file ends %d bytes into it", rest)
	}
	return ""
}
