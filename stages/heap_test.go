package stages

import (
	"context"
	"encoding/binary"
	"fmt"
	"testing"

	"go.uber.org/goleak"

	"github.com/pipescan/pipescan/batch"
	"github.com/pipescan/pipescan/mvcc"
	"github.com/pipescan/pipescan/pgfile"
	"github.com/pipescan/pipescan/pipeline"
)

func TestMain(m *testing.M) {
	batch.PoisonReleased(true)
	// Importing the worker pools starts two goroutines of a pool nobody uses.
	goleak.VerifyTestMain(m, goleak.IgnoreCurrent())
}

// testAttrs is the row type of the tests' table: id of 4 bytes, name a varlena,
// pad of 3 bytes.
var testAttrs = []pgfile.Attr{
	{Len: 4, Align: 'i', ByVal: true},
	{Len: -1, Align: 'i'},
	{Len: 3, Align: 'c'},
}

// testColumns wants all of it, and the ctid.
var testColumns = []Column{
	{Name: "ctid", Num: NumCTID, Width: 6},
	{Name: "id", Num: 1, Width: 4},
	{Name: "name", Num: 2, Varlena: true},
	{Name: "pad", Num: 3, Width: 3},
}

// testRow is a row of that table.
type testRow struct {
	id         int32
	name       string // "NULL" is NULL
	xmin, xmax uint32
	infomask   uint16
	raw        []byte // name as it is stored, when not nil
}

const hinted = pgfile.HeapXminCommitted | pgfile.HeapXmaxInvalid

// tuple stores the row.
func (r testRow) tuple() []byte {
	t := make([]byte, 24, 64)
	binary.LittleEndian.PutUint32(t, r.xmin)
	binary.LittleEndian.PutUint32(t[4:], r.xmax)
	t[18] = 3
	im := r.infomask
	t[22] = 24
	t = binary.LittleEndian.AppendUint32(t, uint32(r.id))
	switch {
	case r.raw != nil:
		t = append(t, r.raw...)
	case r.name == "NULL":
		im |= pgfile.HeapHasNull
		t[23] = 0b101
	case len(r.name) < 100:
		t = append(append(t, byte(len(r.name)+1)<<1|1), r.name...)
	default:
		t = append(binary.LittleEndian.AppendUint32(t, uint32(len(r.name)+4)<<2), r.name...)
	}
	binary.LittleEndian.PutUint16(t[20:], im)
	return append(t, 'p', 'a', 'd')
}

// newPage makes a page of tuples, in line pointer order; a nil one is a line
// pointer that is LP_DEAD.
func newPage(flags uint16, tuples ...[]byte) []byte {
	p := make([]byte, pgfile.PageSize)
	upper := pgfile.PageSize
	for i, t := range tuples {
		id := uint32(pgfile.ItemDead) << 15
		if t != nil {
			upper -= (len(t) + 7) &^ 7
			copy(p[upper:], t)
			id = uint32(upper) | pgfile.ItemNormal<<15 | uint32(len(t))<<17
		}
		binary.LittleEndian.PutUint32(p[pgfile.PageHeaderSize+4*i:], id)
	}
	binary.LittleEndian.PutUint16(p[10:], flags)
	binary.LittleEndian.PutUint16(p[12:], uint16(pgfile.PageHeaderSize+4*len(tuples)))
	binary.LittleEndian.PutUint16(p[14:], uint16(upper))
	binary.LittleEndian.PutUint16(p[16:], pgfile.PageSize)
	binary.LittleEndian.PutUint16(p[18:], pgfile.PageSize|4)
	return p
}

// heap is a relation in memory.
type heap struct {
	bytes  []byte
	faults map[uint32]error // what reading a block gives
}

func (h *heap) Name() string    { return "base/5/16384" }
func (h *heap) NBlocks() uint32 { return uint32(len(h.bytes) / pgfile.PageSize) }
func (h *heap) BlockName(block uint32) string {
	return fmt.Sprintf("base/5/16384.%d", block/pgfile.BlocksPerSegment)
}

func (h *heap) ReadBlocks(ctx context.Context, first uint32, dst []byte) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	for i := range len(dst) / pgfile.PageSize {
		if err := h.faults[first+uint32(i)]; err != nil {
			return err
		}
	}
	copy(dst, h.bytes[int(first)*pgfile.PageSize:])
	return nil
}

// page is a block to be damaged.
func (h *heap) page(block int) []byte {
	return h.bytes[block*pgfile.PageSize : (block+1)*pgfile.PageSize]
}

// fakeLog knows transactions by number: below 1000 odd ones committed, even
// ones aborted; from 1000 on unknown.
type fakeLog struct{}

func (fakeLog) Statuses(xids []uint32, out []pgfile.XactStatus) error {
	for i, x := range xids {
		if x >= 1000 {
			return &mvcc.UnknownXactError{XID: x, Err: fmt.Errorf("pg_xact/0000 is missing")}
		}
		out[i] = pgfile.XactStatus(2 - x%2)
	}
	return nil
}

func (fakeLog) Updater(uint32) (uint32, error) { return 0, nil }

var testSnapshot = &mvcc.Snapshot{Xacts: fakeLog{}, NextXID: 1 << 31, Clean: true}

// newHeap makes a table of pages; per(page) gives the number of rows of a
// page. Some rows are dead, some line pointers too; some pages are empty or
// new. rows is what a forward scan gives.
func newHeap(pages int, per func(page int) int) (h *heap, rows []string) {
	h = &heap{}
	id := int32(0)
	for page := range pages {
		n := per(page)
		if n == 0 && page%2 == 0 {
			h.bytes = append(h.bytes, make([]byte, pgfile.PageSize)...)
			continue
		}
		var tuples [][]byte
		for i := range n {
			id++
			r := testRow{id: id, name: fmt.Sprint("row ", id), xmin: 11, infomask: hinted}
			switch id % 7 {
			case 1:
				r.name = "NULL"
			case 2:
				r.xmin, r.infomask = 12, pgfile.HeapXmaxInvalid // aborted
			case 3:
				r.infomask = pgfile.HeapXmaxInvalid
			case 4:
				r.xmax, r.infomask = 13, pgfile.HeapXminCommitted // deleted
			case 5:
				tuples = append(tuples, nil)
				continue
			}
			if id%7 != 2 && id%7 != 4 {
				rows = append(rows, fmt.Sprintf("(%d,%d)|%d|%s|pad", page, i+1, id, r.name))
			}
			tuples = append(tuples, r.tuple())
		}
		h.bytes = append(h.bytes, newPage(0, tuples...)...)
	}
	return h, rows
}

// sized gives pages of many, few and no rows.
func sized(page int) int { return []int{20, 3, 0, 1, 60}[page%5] }

// render reads a decoded batch of testColumns as newHeap writes rows.
func render(b *batch.Batch) []string {
	var out []string
	for i := range b.Rows() {
		row := b.Row(i)
		tid, _ := b.Cols[0].Value(row)
		s := pgfile.ParseTID(tid).String()
		if b.TIDs[row].String() != s {
			s = fmt.Sprintf("TIDs says %v, ctid %s", b.TIDs[row], s)
		}
		name := "NULL"
		if v, ok := b.Cols[2].Value(row); ok {
			name = string(v)
		}
		pad, _ := b.Cols[3].Value(row)
		out = append(out, fmt.Sprintf("%s|%d|%s|%s", s, b.Cols[1].Int32s()[row], name, pad))
	}
	return out
}

// newScan describes a scan of all test columns.
func newScan(src BlockSource) *HeapScan {
	return &HeapScan{Source: src, Attrs: testAttrs, Columns: testColumns, Snapshot: testSnapshot}
}

// mustPlan is plan for tests of single stages.
func mustPlan(t testing.TB, s *HeapScan) *plan {
	t.Helper()
	p, err := s.plan(1)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// failAt is a stage that fails at the n-th batch.
type failAt struct {
	seen *int
	n    int
	err  error
}

func (f failAt) Process(_ context.Context, in *batch.Batch, emit pipeline.Emit[*batch.Batch]) error {
	if *f.seen++; *f.seen == f.n {
		in.Release()
		return f.err
	}
	return emit(in)
}

func (failAt) Flush(context.Context, pipeline.Emit[*batch.Batch]) error { return nil }
