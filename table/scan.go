package table

import (
	"context"
	"fmt"
	"io/fs"

	"github.com/pipescan/pipescan/catalog"
	"github.com/pipescan/pipescan/fileio"
	"github.com/pipescan/pipescan/mvcc"
	"github.com/pipescan/pipescan/pgfile"
	"github.com/pipescan/pipescan/stages"
)

const (
	pageSize      = pgfile.PageSize
	segmentBlocks = pgfile.BlocksPerSegment
)

// OpenRelation opens a table's file. It may be longer than the table, which
// ends at Blocks. The caller closes it.
func (s *Store) OpenRelation(_ context.Context, rel *catalog.Relation) (*fileio.Relation, error) {
	if _, err := s.current().table(rel); err != nil {
		return nil, err
	}
	// Loosely: a load that runs may have written half a page behind the end.
	file, err := s.dir.OpenRelationLoose(fileio.Layout{Major: Major}, fileio.RelLocator{Database: databaseID, Node: rel.FileNode}, fileio.Main)
	if err != nil {
		return nil, fmt.Errorf("table %q: %w", rel.Name, err)
	}
	return file, nil
}

// OpenFork opens the main fork as OpenRelation does; own tables have no other,
// which is fs.ErrNotExist.
func (s *Store) OpenFork(ctx context.Context, rel *catalog.Relation, f fileio.Fork) (*fileio.Relation, error) {
	if f == fileio.Main {
		return s.OpenRelation(ctx, rel)
	}
	return nil, fmt.Errorf("table %q has no such fork: %w", rel.Name, fs.ErrNotExist)
}

// bounded is a table's file up to the known end. What it does not override, it
// shares with the file: a window may reach past the end, a scan does not ask
// for one that does.
type bounded struct {
	*fileio.Relation
	end uint32
}

var (
	_ stages.BlockSource = bounded{}
	_ stages.Mapper      = bounded{}
	_ stages.Prober      = bounded{}
)

// NBlocks is the known end.
func (b bounded) NBlocks() uint32 { return b.end }

// Gaps hides the file's own: what lies past the known end is what a load left,
// or writes just now, and a gap before it is found when it is read.
func (b bounded) Gaps() []fileio.Gap { return nil }

// HeapScan describes a scan of all the table's columns, serial, forward, of
// what loads that have ended put into it. Change what else is wanted before
// use. The caller closes the file after the scan.
func (s *Store) HeapScan(ctx context.Context, rel *catalog.Relation) (*stages.HeapScan, *fileio.Relation, error) {
	st := s.current()
	t, err := st.table(rel)
	if err != nil {
		return nil, nil, err
	}
	file, err := s.OpenRelation(ctx, rel)
	if err != nil {
		return nil, nil, err
	}
	if file.NBlocks() < t.blocks {
		err := &pgfile.CorruptError{
			File: file.Name(), Block: file.NBlocks(), Offset: -1,
			Reason: fmt.Sprintf("the file ends here, and the table has %d blocks", t.blocks), Remedy: "restore the store from a backup",
		}
		_ = file.Close() // the damage says more
		return nil, nil, err
	}
	hs := &stages.HeapScan{
		Source: bounded{file, t.blocks}, RelOID: rel.OID, Attrs: attrsOf(rel.Columns), Snapshot: s.snapshotOf(st),
		Checksums: s.o.Checksums, ReadPool: s.o.ReadPool,
	}
	for _, c := range rel.Columns {
		hs.Columns = append(hs.Columns, stages.Column{Name: c.Name, Num: c.Num, Width: int(max(c.Len, 0)), Varlena: c.Len == -1})
	}
	return hs, file, nil
}

// SetRows makes a scan return dead rows, or all.
func (s *Store) SetRows(hs *stages.HeapScan, rows mvcc.RowSet) { hs.Rows = rows }

// Blocks is the known end of a table. Errors: *catalog.NotFoundError.
func (s *Store) Blocks(rel *catalog.Relation) (uint32, error) {
	t, err := s.current().table(rel)
	if err != nil {
		return 0, err
	}
	return t.blocks, nil
}

// visibilityMap is a table's map as it was when it was asked for.
type visibilityMap struct {
	pages map[uint32][]byte
	end   uint32
}

// Bits are the two bits of a block.
func (v *visibilityMap) Bits(block uint32) pgfile.VMBits {
	if block >= v.end {
		return 0
	}
	num, off, shift := pgfile.VMLocation(block)
	page := v.pages[num]
	if page == nil {
		return 0
	}
	return pgfile.VMBits(page[off-pgfile.PageHeaderSize]>>shift) & (pgfile.VMAllVisible | pgfile.VMAllFrozen)
}

// VM is the table's visibility map. It is safe for concurrent use, and stays
// right when more is loaded.
func (s *Store) VM(_ context.Context, rel *catalog.Relation) (stages.VisibilityMap, error) {
	t, err := s.current().table(rel)
	if err != nil {
		return nil, err
	}
	pages, err := s.own.VM(rel.OID)
	if err != nil {
		return nil, err
	}
	return &visibilityMap{pages: pages, end: t.blocks}, nil
}

// attrsOf is the row type of columns.
func attrsOf(cols []catalog.Column) []pgfile.Attr {
	attrs := make([]pgfile.Attr, len(cols))
	for i, c := range cols {
		attrs[i] = pgfile.Attr{Len: c.Len, Align: c.Align, ByVal: c.ByVal}
	}
	return attrs
}
