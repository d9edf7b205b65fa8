package cluster

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/pipescan/pipescan/batch"
	"github.com/pipescan/pipescan/catalog"
	"github.com/pipescan/pipescan/fileio"
	"github.com/pipescan/pipescan/pgfile"
	"github.com/pipescan/pipescan/pipeline"
	"github.com/pipescan/pipescan/stages"
	"github.com/pipescan/pipescan/store"
)

// catalogTable is a system catalog, ready to be scanned.
type catalogTable struct {
	oid       catalog.OID
	name      string
	loc       fileio.RelLocator
	cols      []catalog.Column
	detoaster func() stages.Detoaster
}

// scan calls fn with each visible row of the catalog. want names the columns
// that fn takes, in that order, with a question mark behind those that some
// versions lack. The sources are the files read.
func (t catalogTable) scan(ctx context.Context, c *Cluster, want string, fn func(*catRow) error) ([]store.Source, error) {
	rel, err := c.openFork(t.loc, fileio.Main)
	if err != nil {
		return nil, fmt.Errorf("catalog %s: %w", t.name, err)
	}
	defer func() { _ = rel.Close() }()
	hs, places, err := t.heapScan(c, rel, want)
	if err != nil {
		return nil, err
	}
	lanes, _, err := hs.Lanes(1, false)
	if err != nil {
		return nil, fmt.Errorf("catalog %s: %w", t.name, err)
	}
	puller := pipeline.NewPuller(lanes[0])
	row := &catRow{places: places, lost: func(kind stages.LossKind, tid pgfile.TID, column string, err error) error {
		return c.lostInCatalog(rel, kind, tid, column, err)
	}}
	for {
		b, err := puller.Next(ctx)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, errors.Join(fmt.Errorf("catalog %s: %w", t.name, err), puller.Close())
		}
		err = row.each(b, fn)
		b.Release()
		if err != nil {
			return nil, errors.Join(fmt.Errorf("catalog %s: %w", t.name, err), puller.Close())
		}
	}
	return c.sourcesOf(rel), puller.Close()
}

// lostInCatalog places an error about a row's contents, and passes damage over
// when that is wanted: nil means to go on without it.
func (c *Cluster) lostInCatalog(rel *fileio.Relation, kind stages.LossKind, tid pgfile.TID, column string, err error) error {
	var ce *pgfile.CorruptError
	if !errors.As(err, &ce) {
		return err
	}
	placed := *ce
	if placed.File == "" {
		placed.File, placed.Block, placed.Item, placed.Offset, placed.Column = rel.BlockName(tid.Block), tid.Block, tid.Offset, -1, column
	}
	if placed.Remedy == "" {
		placed.Remedy = remedyCatalog + ", or go on without this row by --on-corruption skip"
	}
	if c.o.OnLoss == nil {
		return &placed
	}
	return c.o.OnLoss(stages.Loss{Kind: kind, Err: &placed, File: rel.BlockName(tid.Block), Block: tid.Block, Item: tid.Offset, Column: column})
}

// heapScan describes the scan; places[i] is the decoded column that holds the
// i-th wanted one, -1 for one that this version lacks.
func (t catalogTable) heapScan(c *Cluster, rel *fileio.Relation, want string) (*stages.HeapScan, []int, error) {
	hs := &stages.HeapScan{
		Source: rel, RelOID: t.oid, Attrs: attrsOf(t.cols), Snapshot: c.snapshot, Checksums: c.Checksums(),
		IO: stages.IOPread, NewDetoaster: t.detoaster, OnLoss: c.o.OnLoss,
	}
	var places []int
	for _, name := range strings.Fields(want) {
		name, optional := strings.CutSuffix(name, "?")
		col := findColumn(t.cols, name)
		if col == nil && !optional {
			e := pgfile.Corruptf(-1, "pg_attribute has no column %s of %s", name, t.name)
			e.Remedy = remedyCatalog
			return nil, nil, e
		}
		if col == nil {
			places = append(places, -1)
			continue
		}
		places = append(places, len(hs.Columns))
		hs.Columns = append(hs.Columns, columnOf(*col))
	}
	return hs, places, nil
}

func findColumn(cols []catalog.Column, name string) *catalog.Column {
	for i := range cols {
		if cols[i].Name == name && !cols[i].Dropped {
			return &cols[i]
		}
	}
	return nil
}

// attrsOf is what deforming needs to know of a row type.
func attrsOf(cols []catalog.Column) []pgfile.Attr {
	attrs := make([]pgfile.Attr, len(cols))
	for i, c := range cols {
		attrs[i] = pgfile.Attr{Len: c.Len, Align: c.Align, ByVal: c.ByVal, Dropped: c.Dropped, Missing: c.Missing}
	}
	return attrs
}

// columnOf is a scan's column for a catalog's.
func columnOf(c catalog.Column) stages.Column {
	return stages.Column{Name: c.Name, Num: c.Num, Width: int(max(c.Len, 0)), Varlena: c.Len == -1}
}

// sourcesOf names the files of a relation without gaps, with their identities.
func (c *Cluster) sourcesOf(rel *fileio.Relation) []store.Source {
	var out []store.Source
	for i, id := range rel.Identities() {
		out = append(out, store.Source{Name: rel.BlockName(uint32(i) * c.layout.SegmentBlocks), ID: id})
	}
	return out
}

// catRow is one row of a catalog, taken column by column in the order wanted.
// A NULL, and a column that this version lacks, is the type's zero value.
type catRow struct {
	places []int
	cols   []batch.Vector
	row    int
	next   int

	tid  pgfile.TID // where the row lies
	lost func(kind stages.LossKind, tid pgfile.TID, column string, err error) error
}

// lostValue judges damage in a column's value: nil means that the row is to be
// taken without it.
func (r *catRow) lostValue(column string, err error) error {
	return r.lost(stages.LostValue, r.tid, column, err)
}

// each calls fn for the rows of a batch. A row that fn finds damaged is lost.
func (r *catRow) each(b *batch.Batch, fn func(*catRow) error) error {
	r.cols = b.Cols
	for i := range b.Rows() {
		r.row, r.next = i, 0
		if b.HasSel {
			r.row = int(b.Sel[i])
		}
		r.tid = b.TIDs[r.row]
		if err := fn(r); err != nil {
			if err = r.lost(stages.LostTuple, r.tid, "", err); err != nil {
				return err
			}
		}
	}
	return nil
}

// bytes takes the next column; nil is NULL. They alias the batch.
func (r *catRow) bytes() []byte {
	p := r.places[r.next]
	r.next++
	if p < 0 {
		return nil
	}
	v, ok := r.cols[p].Value(r.row)
	if ok && v == nil {
		v = []byte{}
	}
	return v
}

// oid takes an oid or xid.
func (r *catRow) oid() uint32 {
	if b := r.bytes(); len(b) == 4 {
		return binary.LittleEndian.Uint32(b)
	}
	return 0
}

// int takes an int2 or int4: some columns changed from one to the other.
func (r *catRow) int() int32 {
	switch b := r.bytes(); len(b) {
	case 2:
		return int32(int16(binary.LittleEndian.Uint16(b)))
	case 4:
		return int32(binary.LittleEndian.Uint32(b))
	}
	return 0
}

// float takes a float4.
func (r *catRow) float() float32 { return math.Float32frombits(r.oid()) }

// bool takes a bool.
func (r *catRow) bool() bool { return r.char() != 0 }

// char takes a "char".
func (r *catRow) char() byte {
	if b := r.bytes(); len(b) == 1 {
		return b[0]
	}
	return 0
}

// str takes a name or text: some columns changed from one to the other.
func (r *catRow) str() string {
	p := r.places[r.next]
	b := r.bytes()
	if p >= 0 && r.cols[p].Width == 64 {
		for i, ch := range b {
			if ch == 0 {
				return string(b[:i])
			}
		}
	}
	return string(b)
}

// vector takes the elements of an oidvector or int2vector, each of size bytes.
// What is not laid out as one is an error: the payload is
//
//	ndim 1 | dataoffset 0 | element type | dim | lower bound | elements
func (r *catRow) vector(size int) ([]byte, error) {
	b := r.bytes()
	if b == nil {
		return nil, nil
	}
	const header = 20
	if len(b) < header {
		return nil, pgfile.Corruptf(-1, "vector of %d bytes", len(b))
	}
	n := int64(binary.LittleEndian.Uint32(b[12:]))
	if binary.LittleEndian.Uint32(b) != 1 || binary.LittleEndian.Uint32(b[4:]) != 0 || n*int64(size) != int64(len(b)-header) {
		return nil, pgfile.Corruptf(-1, "vector that claims %d elements in %d bytes", n, len(b)-header)
	}
	return b[header:], nil
}

// oids takes an oidvector.
func (r *catRow) oids() ([]catalog.OID, error) {
	b, err := r.vector(4)
	out := make([]catalog.OID, 0, len(b)/4)
	for ; len(b) >= 4; b = b[4:] {
		out = append(out, binary.LittleEndian.Uint32(b))
	}
	return out, err
}

// int2s takes an int2vector.
func (r *catRow) int2s() ([]int16, error) {
	b, err := r.vector(2)
	out := make([]int16, 0, len(b)/2)
	for ; len(b) >= 2; b = b[2:] {
		out = append(out, int16(binary.LittleEndian.Uint16(b)))
	}
	return out, err
}
