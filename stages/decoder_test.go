package stages

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/pipescan/pipescan/batch"
	"github.com/pipescan/pipescan/pgfile"
	"github.com/pipescan/pipescan/pipeline"
)

// fakeDetoaster knows values by the last byte of their pointer or stream.
type fakeDetoaster struct{ closed *int }

func (d fakeDetoaster) Append(_ context.Context, dst, v []byte) ([]byte, error) {
	switch last := v[len(v)-1]; last {
	case 1:
		return append(dst, strings.Repeat("wide", 1000)...), nil
	case 2:
		return append(dst, "half a va"...), pgfile.Corruptf(7, "chunk 3 is missing")
	case 3:
		return nil, &pgfile.CorruptError{File: "base/5/16390", Block: 9, Offset: -1, Reason: "chunk is bad"}
	case 4:
		return dst, fmt.Errorf("compression method 9: %w", pgfile.ErrUnsupported)
	default:
		panic("not a value of the test")
	}
}

func (d fakeDetoaster) Close() error { *d.closed++; return nil }

// external is an external pointer that ends in last.
func external(last byte) []byte {
	p := make([]byte, 18)
	p[0], p[1], p[17] = 1, 18, last
	return p
}

// TestDetoast decodes wide values and loses damaged ones.
func TestDetoast(t *testing.T) {
	compressed := []byte{15 << 2 & 0xff, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1}
	compressed[0] |= 2
	table := func(raws ...[]byte) *heap {
		var tuples [][]byte
		for i, raw := range raws {
			tuples = append(tuples, testRow{id: int32(i), raw: raw, xmin: 11, infomask: hinted}.tuple())
		}
		return &heap{bytes: newPage(0, tuples...)}
	}
	closed := 0
	scan := func(h *heap) *HeapScan {
		s := newScan(h)
		s.NewDetoaster = func() Detoaster { return fakeDetoaster{&closed} }
		return s
	}
	wide := strings.Repeat("wide", 1000)
	rows, err := collect(t, scan(table([]byte("\x09abc"), external(1), compressed)), 1, false, pipeline.Fused)
	require.NoError(t, err)
	require.Equal(t, []string{"(0,1)|0|abc|pad", "(0,2)|1|" + wide + "|pad", "(0,3)|2|" + wide + "|pad"}, rows)
	require.Equal(t, 1, closed)

	for last, say := range map[byte]string{2: "chunk 3 is missing", 3: "base/5/16390", 4: "method 9"} {
		h := table([]byte("\x09abc"), external(last), []byte("\x09xyz"))
		_, err := collect(t, scan(h), 1, false, pipeline.Fused)
		for _, s := range []string{say, "base/5/16384.0", "block 0", "line pointer 2", `column "name"`} {
			require.ErrorContains(t, err, s)
		}
		l := &ledger{}
		s := scan(h)
		s.OnLoss = l.lose
		rows, err := collect(t, s, 1, false, pipeline.Fused)
		if last == 4 { // a method we do not know is no damage
			require.ErrorIs(t, err, pgfile.ErrUnsupported)
			require.Empty(t, l.losses)
			continue
		}
		require.NoError(t, err)
		require.Equal(t, []string{"(0,1)|0|abc|pad", "(0,2)|1|NULL|pad", "(0,3)|2|xyz|pad"}, rows)
		require.Len(t, l.losses, 1)
		require.Equal(t, LostValue, l.losses[0].Kind)
		require.Equal(t, "name", l.losses[0].Column)
		require.EqualValues(t, 2, l.losses[0].Item)
	}

	_, err = collect(t, newScan(table(external(1))), 1, false, pipeline.Fused)
	require.ErrorIs(t, err, pgfile.ErrUnsupported)
}

// TestEarlyBatches bounds batches by decoded bytes, in order over lanes too.
func TestEarlyBatches(t *testing.T) {
	h, want := newHeap(40, sized)
	for _, limit := range []int{1, 100, 1000} {
		s := newScan(h)
		s.MaxBatchBytes = limit
		lanes, window, err := s.Lanes(2, true)
		require.NoError(t, err)
		var rows []string
		most := 0
		for b, err := range pipeline.Run(context.Background(), pipeline.Options{Ordered: true, Window: window}, lanes) {
			require.NoError(t, err)
			rows = append(rows, render(b)...)
			most = max(most, b.N)
		}
		require.Equal(t, want, rows)
		require.LessOrEqual(t, most, limit/30+1)
	}
}

// TestSystemColumns shows headers raw.
func TestSystemColumns(t *testing.T) {
	h := &heap{bytes: newPage(0, testRow{xmin: 11, xmax: 44, infomask: hinted}.tuple())}
	s := newScan(h)
	s.RelOID = 16384
	s.Columns = nil
	for i, num := range []int16{NumXmin, NumCmin, NumXmax, NumCmax, NumTableOID} {
		s.Columns = append(s.Columns, Column{Name: fmt.Sprint(i), Num: num, Width: 4})
	}
	lanes, _, err := s.Lanes(1, false)
	require.NoError(t, err)
	for b, err := range pipeline.Run(context.Background(), pipeline.Options{}, lanes) {
		require.NoError(t, err)
		var got []uint32
		for i := range b.Cols {
			got = append(got, b.Cols[i].Uint32s()...)
		}
		require.Equal(t, []uint32{11, 0, 44, 0, 16384}, got)
	}
}

// TestMissingAndDropped gives attributes that a tuple does not store.
func TestMissingAndDropped(t *testing.T) {
	h := &heap{bytes: newPage(0, testRow{id: 5, name: "abc", xmin: 11, infomask: hinted}.tuple())}
	s := newScan(h)
	s.Attrs = append(s.Attrs[:3:3],
		pgfile.Attr{Len: 4, Align: 'i', Missing: []byte{9, 0, 0, 0}},
		pgfile.Attr{Len: -1, Align: 'i', Missing: []byte("\x0bmiss")},
		pgfile.Attr{Len: 8, Align: 'd'})
	s.Columns = []Column{{Name: "d", Num: 4, Width: 4}, {Name: "e", Num: 5, Varlena: true}, {Name: "f", Num: 6, Width: 8}, {Name: "a", Num: 1, Width: 4}}
	lanes, _, err := s.Lanes(1, false)
	require.NoError(t, err)
	for b, err := range pipeline.Run(context.Background(), pipeline.Options{}, lanes) {
		require.NoError(t, err)
		require.Equal(t, []int32{9}, b.Cols[0].Int32s())
		v, ok := b.Cols[1].Value(0)
		require.True(t, ok)
		require.Equal(t, "miss", string(v))
		require.True(t, b.Cols[2].IsNull(0))
		require.Equal(t, []int32{5}, b.Cols[3].Int32s())
	}
	s.Attrs[3].Missing = []byte{1}
	_, _, err = s.Lanes(1, false)
	require.ErrorIs(t, err, pgfile.ErrCorrupt)
}

// TestConsumerFails releases everything when a later stage fails in between
// two outputs of one input.
func TestConsumerFails(t *testing.T) {
	h, _ := newHeap(10, func(int) int { return 20 })
	s := newScan(h)
	s.MaxBatchBytes = 1
	p := mustPlan(t, s)
	errFull := errors.New("disk full")
	n := 0
	lane := p.lane(&serialClaimer{total: 10, batch: 4})
	for b, err := range pipeline.Run(context.Background(), pipeline.Options{}, []*pipeline.Chain[*batch.Batch]{pipeline.Then(lane, "sink", failAt{&n, 5, errFull})}) {
		if err != nil {
			require.ErrorIs(t, err, errFull)
			break
		}
		_ = b
	}
	require.Zero(t, p.pages.Live()+p.batches.Live())
}
