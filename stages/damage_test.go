package stages

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/pipescan/pipescan/fileio"
	"github.com/pipescan/pipescan/mvcc"
	"github.com/pipescan/pipescan/pgfile"
	"github.com/pipescan/pipescan/pipeline"
)

// ledger is a LossFunc that remembers.
type ledger struct {
	mu     sync.Mutex
	losses []Loss
	fail   error
}

func (l *ledger) lose(loss Loss) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.losses = append(l.losses, loss)
	return l.fail
}

// without leaves out the rows of a block, or of one item of it.
func without(rows []string, prefix string) []string {
	return slices.DeleteFunc(slices.Clone(rows), func(r string) bool { return r[:len(prefix)] == prefix })
}

// TestDamage damages one thing in a table, and scans it in both ways: failing
// with the place, and going on without what was lost.
func TestDamage(t *testing.T) {
	setItem := func(page []byte, item int, id uint32) {
		binary.LittleEndian.PutUint32(page[pgfile.PageHeaderSize+4*(item-1):], id)
	}
	tupleAt := func(page []byte, item int) []byte { return page[pgfile.Page(page).Item(item).Off():] }
	for _, c := range []struct {
		name   string
		damage func(h *heap)
		kind   LossKind
		item   uint16
		says   []string
		gone   string
		sums   bool
	}{
		{name: "header", damage: func(h *heap) { h.page(3)[13] = 0xff }, kind: LostPage, says: []string{"pd_lower"}, gone: "(3,"},
		{name: "torn new page", damage: func(h *heap) { clear(h.page(3)[:24]) }, kind: LostPage, says: []string{"not all zeros"}, gone: "(3,"},
		{name: "too many items", damage: func(h *heap) {
			binary.LittleEndian.PutUint16(h.page(3)[12:], 4000)
			binary.LittleEndian.PutUint16(h.page(3)[14:], 4000)
		}, kind: LostPage, says: []string{"line pointers, at most"}, gone: "(3,"},
		{name: "item past the page", damage: func(h *heap) { setItem(h.page(3), 3, 8184|1<<15|200<<17) }, kind: LostTuple, item: 3, says: []string{"line pointer 3"}, gone: "(3,3)"},
		{name: "item in the header", damage: func(h *heap) { setItem(h.page(3), 3, 8|1<<15|40<<17) }, kind: LostTuple, item: 3, says: []string{"line pointer 3"}, gone: "(3,3)"},
		{name: "item too short", damage: func(h *heap) { setItem(h.page(3), 3, 8000|1<<15|3<<17) }, kind: LostTuple, item: 3, says: []string{"line pointer 3"}, gone: "(3,3)"},
		{name: "redirect to nowhere", damage: func(h *heap) { setItem(h.page(3), 3, 200|2<<15) }, kind: LostTuple, item: 3, says: []string{"line pointer 3"}, gone: "(3,3)"},
		{name: "tuple header", damage: func(h *heap) { tupleAt(h.page(3), 3)[22] = 100 }, kind: LostTuple, item: 3, says: []string{"line pointer 3", "header"}, gone: "(3,3)"},
		{name: "varlena length", damage: func(h *heap) { tupleAt(h.page(3), 3)[28] = 0xff }, kind: LostTuple, item: 3, says: []string{"line pointer 3"}, gone: "(3,3)"},
		{name: "attribute count", damage: func(h *heap) { tupleAt(h.page(3), 3)[18] = 9 }, kind: LostTuple, item: 3, says: []string{"9 attributes"}, gone: "(3,3)"},
		{name: "unknown inserter", damage: func(h *heap) {
			tuple := tupleAt(h.page(3), 3)
			binary.LittleEndian.PutUint32(tuple, 5000)
			binary.LittleEndian.PutUint16(tuple[20:], pgfile.HeapXmaxInvalid)
		}, kind: UnknownVisibility, item: 3, says: []string{"transaction 5000 is unknown", "pg_xact/0000"}, gone: "(3,3)"},
		{name: "unreadable", damage: func(h *heap) {
			h.faults = map[uint32]error{3: &fileio.ReadError{File: h.BlockName(3), Block: 3, Err: errors.New("input/output error")}}
		}, kind: LostPage, says: []string{"input/output error"}, gone: "(3,"},
		{name: "checksum", damage: func(h *heap) {
			for b := range int(h.NBlocks()) {
				binary.LittleEndian.PutUint16(h.page(b)[8:], pgfile.PageChecksum(h.page(b), uint32(b)))
			}
			tupleAt(h.page(3), 3)[24] ^= 1
		}, kind: LostPage, says: []string{"checksum"}, gone: "(3,", sums: true},
	} {
		t.Run(c.name, func(t *testing.T) {
			h, want := newHeap(8, func(int) int { return 14 })
			c.damage(h)
			s := newScan(h)
			s.Checksums = c.sums
			_, err := collect(t, s, 1, false, pipeline.Fused)
			require.Error(t, err)
			for _, say := range append(c.says, "base/5/16384.0", "block 3") {
				require.ErrorContains(t, err, say)
			}
			for _, lanes := range []int{1, 2} {
				l := &ledger{}
				s = newScan(h)
				s.OnLoss, s.Checksums, s.Counters = l.lose, c.sums, new(Counters)
				rows, err := collect(t, s, lanes, true, pipeline.Actors)
				require.NoError(t, err)
				require.Equal(t, without(want, c.gone), rows)
				require.Len(t, l.losses, 1)
				loss := l.losses[0]
				require.Equal(t, c.kind, loss.Kind)
				require.EqualValues(t, 3, loss.Block)
				require.Equal(t, c.item, loss.Item)
				require.ErrorContains(t, loss.Err, c.says[0])
				require.EqualValues(t, 1, s.Counters.Lost.Load())
			}
			s = newScan(h)
			s.Checksums = c.sums
			s.OnLoss = (&ledger{fail: errors.New("enough losses")}).lose
			_, err = collect(t, s, 1, false, pipeline.Pulled)
			require.ErrorContains(t, err, "enough losses")
		})
	}
}

// TestManyLosses goes on after several bad items on one page, backward too.
func TestManyLosses(t *testing.T) {
	h, want := newHeap(2, func(int) int { return 20 })
	for _, item := range []int{3, 6, 7, 20} {
		binary.LittleEndian.PutUint32(h.page(1)[pgfile.PageHeaderSize+4*(item-1):], 7|1<<15|40<<17)
		want = without(want, fmt.Sprintf("(1,%d)", item))
	}
	l := &ledger{}
	s := newScan(h)
	s.OnLoss, s.Order.Direction = l.lose, pipeline.Backward
	rows, err := collect(t, s, 1, false, pipeline.Fused)
	require.NoError(t, err)
	slices.Reverse(rows)
	require.Equal(t, want, rows)
	require.Len(t, l.losses, 4)
}

// TestNotPassedOver fails a skipping scan at what is no damage.
func TestNotPassedOver(t *testing.T) {
	for _, fault := range []error{
		&fileio.ChangedError{File: "base/5/16384", Reason: "it shrank"},
		errors.New("out of descriptors"),
	} {
		h, _ := newHeap(4, func(int) int { return 3 })
		h.faults = map[uint32]error{2: fault}
		l := &ledger{}
		s := newScan(h)
		s.OnLoss = l.lose
		_, err := collect(t, s, 1, false, pipeline.Fused)
		require.ErrorIs(t, err, fault)
		require.Empty(t, l.losses)
	}
}

// TestDeadRowsOfAnotherShape names the tuple whose bytes are no row.
func TestDeadRowsOfAnotherShape(t *testing.T) {
	h, _ := newHeap(2, func(int) int { return 14 })
	tuple := h.page(1)[pgfile.Page(h.page(1)).Item(4).Off():]
	require.EqualValues(t, 13, binary.LittleEndian.Uint32(tuple[4:]), "a deleted row")
	tuple[18] = 77
	rows, err := collect(t, newScan(h), 1, false, pipeline.Fused)
	require.NoError(t, err, "a dead row's shape does not matter")
	require.NotEmpty(t, rows)
	s := newScan(h)
	s.Rows = mvcc.Dead
	_, err = collect(t, s, 1, false, pipeline.Fused)
	require.ErrorIs(t, err, pgfile.ErrCorrupt)
	require.ErrorContains(t, err, "block 1: line pointer 4")
}
