package fileio

import (
	"errors"
	"fmt"
	"io/fs"
	"math"
	"sort"

	"github.com/pipescan/pipescan/pgfile"
)

// Relation is all segments of one fork; safe for concurrent use. Its length
// and the files' identities are those at opening.
type Relation struct {
	dir       *Dir
	name      string
	segBlocks uint32
	nblocks   uint32
	segs      []*segment // ascending, gaps left out
	gaps      []Gap
}

// OpenRelation opens all segments of a fork. A relation without a file is
// both fs.ErrNotExist and a *pgfile.CorruptError; a gap between segments, a
// partial page at a segment's end and a segment too long are
// *pgfile.CorruptErrors.
func (d *Dir) OpenRelation(l Layout, loc RelLocator, f Fork) (*Relation, error) {
	r, err := d.openRelation(l, loc, f)
	if err != nil {
		return nil, err
	}
	if len(r.gaps) == 0 {
		return r, nil
	}
	g := r.gaps[0]
	c := g.asError()
	if g.First == 0 && r.segs[0].num != 0 {
		return nil, &missingFile{c}
	}
	return nil, c
}

// OpenRelationLoose is OpenRelation that goes on over gaps, partial pages and
// overlong segments: Relation.Gaps tells them, and reading a block of a gap is
// an error. A relation without any file stays an error.
func (d *Dir) OpenRelationLoose(l Layout, loc RelLocator, f Fork) (*Relation, error) {
	return d.openRelation(l, loc, f)
}

func (d *Dir) openRelation(l Layout, loc RelLocator, f Fork) (*Relation, error) {
	r := &Relation{dir: d, name: d.RelPath(l, loc, f), segBlocks: l.segmentBlocks()}
	var err error
	if r.segs, err = d.findSegments(r.name, r.segBlocks); err != nil {
		return nil, err
	}
	r.nblocks, r.gaps = measure(r.name, r.segs, r.segBlocks)
	return r, nil
}

// NBlocks is the number of blocks at opening, gaps included.
func (r *Relation) NBlocks() uint32 { return r.nblocks }

// Name is the path of the first segment, inside the data directory.
func (r *Relation) Name() string { return r.name }

// BlockName is the path of the segment that holds block b.
func (r *Relation) BlockName(b uint32) string { return segmentName(r.name, b/r.segBlocks) }

// Gaps lists what OpenRelationLoose went over, in block order. Do not change
// it.
func (r *Relation) Gaps() []Gap { return r.gaps }

// Identities are the identities of the existing segments at opening, in order.
func (r *Relation) Identities() []Identity {
	ids := make([]Identity, len(r.segs))
	for i, s := range r.segs {
		ids[i] = s.id
	}
	return ids
}

// Changed is a *ChangedError when a segment is not what it was at opening, or
// one more has come. Call it at the end of a scan.
func (r *Relation) Changed() error {
	for _, s := range r.segs {
		id, err := r.dir.Stat(s.name)
		if errors.Is(err, fs.ErrNotExist) {
			return &ChangedError{File: s.name, Reason: "it is gone"}
		}
		if err != nil {
			return err
		}
		if !r.dir.unchanged(s.id, id) {
			return &ChangedError{File: s.name, Reason: describeChange(s.id, id)}
		}
	}
	if r.dir.grows {
		return nil
	}
	next := r.segs[len(r.segs)-1].num + 1
	if uint64(next)*uint64(r.segBlocks) >= math.MaxUint32 {
		return nil
	}
	name := segmentName(r.name, next)
	if _, err := r.dir.Stat(name); !errors.Is(err, fs.ErrNotExist) {
		return errors.Join(&ChangedError{File: name, Reason: "it is new"}, err)
	}
	return nil
}

// Close gives up the relation's descriptors; reads under way end first, later
// ones fail with fs.ErrClosed. Windows stay mapped until Unmap. A second call
// does nothing.
func (r *Relation) Close() error { return r.dir.files.drop(r.segs) }

// find returns the segment that holds block b, or the error why none does.
func (r *Relation) find(b uint32) (*segment, error) {
	num := b / r.segBlocks
	i := int(num)
	if i >= len(r.segs) || r.segs[i].num != num { // not dense: a gap comes before
		i = sort.Search(len(r.segs), func(i int) bool { return r.segs[i].num >= num })
	}
	if i < len(r.segs) {
		if s := r.segs[i]; s.num == num && b-s.first < s.blocks {
			return s, nil
		}
	}
	for _, g := range r.gaps {
		if b >= g.First && b-g.First < g.Count {
			return nil, &pgfile.CorruptError{File: g.File, Block: b, Offset: -1, Reason: g.Reason, Remedy: g.asError().Remedy}
		}
	}
	return nil, &pgfile.CorruptError{
		File: r.BlockName(b), Block: b, Offset: -1,
		Reason: fmt.Sprintf("past the end: %s has %d blocks", r.name, r.nblocks),
		Remedy: "what refers to this block is damaged or the file was cut: restore it from a backup",
	}
}
