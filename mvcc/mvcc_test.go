package mvcc

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/pipescan/pipescan/batch"
	"github.com/pipescan/pipescan/pgfile"
)

func TestMain(m *testing.M) {
	batch.PoisonReleased(true)
	os.Exit(m.Run())
}

// logs is a transaction log of a map; ids it lacks are unknown.
type logs struct {
	states  map[uint32]pgfile.XactStatus
	updates map[uint32]uint32
	asked   []uint32
}

func (l *logs) Statuses(xids []uint32, out []pgfile.XactStatus) error {
	if !slices.IsSorted(xids) {
		return errors.New("not sorted")
	}
	for i, x := range xids {
		if i > 0 && xids[i-1] == x {
			return errors.New("not distinct")
		}
		s, ok := l.states[x]
		if !ok {
			return &UnknownXactError{XID: x, Err: errors.New("no page")}
		}
		out[i] = s
	}
	l.asked = append(l.asked, xids...)
	return nil
}

func (l *logs) Updater(multi uint32) (uint32, error) {
	x, ok := l.updates[multi]
	if !ok {
		return 0, &UnknownXactError{XID: multi, Multi: true, Err: errors.New("no page")}
	}
	return x, nil
}

// header builds a tuple of a header alone.
func header(xmin, xmax, field3 uint32, infomask uint16) pgfile.HeapTuple {
	t := make(pgfile.HeapTuple, 24)
	binary.LittleEndian.PutUint32(t, xmin)
	binary.LittleEndian.PutUint32(t[4:], xmax)
	binary.LittleEndian.PutUint32(t[8:], field3)
	binary.LittleEndian.PutUint16(t[20:], infomask)
	t[22] = 24
	return t
}

// batchOf lays tuples out over pages of per tuples; allVisible marks pages.
func batchOf(tuples []pgfile.HeapTuple, per int, allVisible func(page int) bool) *batch.Batch {
	n := (len(tuples) + per - 1) / per
	p := batch.NewPagesPool(0).Get()
	p.Reserve(max(n, 1))
	b := batch.NewPool(0).Get()
	b.Pages = p
	for i, t := range tuples {
		page, at := i/per, i%per
		if at == 0 {
			p.Blocks = append(p.Blocks, uint32(100+page))
			b.Ranges = append(b.Ranges, batch.PageRange{First: int32(i), AllVisible: allVisible(page)})
		}
		off := pgfile.PageSize - 24*(at+1)
		copy(p.Page(page)[off:], t)
		b.Tuples = append(b.Tuples, batch.Tuple{Page: uint16(page), Item: uint16(at + 1), Off: uint16(off), Len: 24})
		b.Ranges[page].N++
	}
	return b
}

func never(int) bool { return false }

// TestRules gives each corner of the rules one tuple.
func TestRules(t *testing.T) {
	const (
		xc, xi = pgfile.HeapXminCommitted, pgfile.HeapXminInvalid
		mc, mi = pgfile.HeapXmaxCommitted, pgfile.HeapXmaxInvalid
		multi  = pgfile.HeapXmaxIsMulti
		lock   = pgfile.HeapXmaxLockOnly
		excl   = pgfile.HeapXmaxExcl
		keyshr = pgfile.HeapXmaxKeyShr
		off    = pgfile.HeapMovedOff
		in     = pgfile.HeapMovedIn
	)
	const (
		good, aborted, sub, crashed, prepared, child = 100, 101, 102, 103, 104, 105
		multiGone, multiKept, multiLocks, multiPrep  = 9001, 9002, 9003, 9004
	)
	l := &logs{
		states: map[uint32]pgfile.XactStatus{
			good: pgfile.XactCommitted, aborted: pgfile.XactAborted, sub: pgfile.XactSubCommitted, crashed: pgfile.XactInProgress,
			// A log that runs ahead of the snapshot must not matter.
			prepared: pgfile.XactCommitted, child: pgfile.XactCommitted, 200: pgfile.XactCommitted,
		},
		updates: map[uint32]uint32{multiGone: good, multiKept: aborted, multiLocks: 0, multiPrep: prepared},
	}
	clean := &Snapshot{Xacts: l, InProgress: []uint32{prepared, child}, NextXID: 1<<32 + 200, Clean: true}
	unclean := &Snapshot{Xacts: l, InProgress: []uint32{prepared, child}, NextXID: 1<<32 + 200}
	for _, c := range []struct {
		name           string
		xmin, xmax, f3 uint32
		im             uint16
		want           bool
		unclean        *bool
	}{
		{name: "inserted", xmin: good, im: mi, want: true},
		{name: "inserted, hinted", xmin: good, im: xc | mi, want: true},
		{name: "hint decides without the log", xmin: 77, im: xc | mi, want: true},
		{name: "aborted", xmin: aborted, im: mi},
		{name: "aborted, hinted", xmin: 77, im: xi | mi},
		{name: "aborted hint beside a committed xmax", xmin: 77, xmax: good, im: xi | mc},
		{name: "sub-committed", xmin: sub, im: mi},
		{name: "crashed", xmin: crashed, im: mi},
		{name: "prepared", xmin: prepared, im: mi},
		{name: "prepared child", xmin: child, im: mi},
		{name: "prepared, hinted committed", xmin: prepared, im: xc | mi},
		{name: "frozen keeps the old xmin", xmin: aborted, im: xc | xi | mi, want: true},
		{name: "frozen, prepared number", xmin: prepared, im: xc | xi | mi, want: true},
		{name: "frozen xid without hints", xmin: 2, im: mi, want: true},
		{name: "bootstrap xid", xmin: 1, im: xc | mi, want: true},
		{name: "bootstrap xid without hints", xmin: 1, im: mi, want: true},
		{name: "super-deleted speculative insertion", xmin: 0, im: mi},
		{name: "past the snapshot", xmin: 200, im: mi, unclean: yes(true)},
		{name: "past the snapshot, hinted", xmin: 5000, im: xc | mi, unclean: yes(true)},
		{name: "deleted", xmin: good, xmax: good, im: xc},
		{name: "deleted, hinted", xmin: good, xmax: 77, im: xc | mc},
		{name: "delete hinted, prepared", xmin: good, xmax: prepared, im: xc | mc, want: true},
		{name: "delete past the snapshot", xmin: good, xmax: 200, im: xc, want: true, unclean: yes(false)},
		{name: "delete aborted", xmin: good, xmax: aborted, im: xc, want: true},
		{name: "delete crashed", xmin: good, xmax: crashed, im: xc, want: true},
		{name: "delete sub-committed", xmin: good, xmax: sub, im: xc, want: true},
		{name: "delete prepared", xmin: good, xmax: prepared, im: xc, want: true},
		{name: "delete by nobody", xmin: good, im: xc, want: true},
		{name: "delete by bootstrap", xmin: good, xmax: 1, im: xc},
		{name: "frozen and deleted", xmin: 77, xmax: good, im: xc | xi},
		{name: "locked", xmin: good, xmax: good, im: xc | lock | keyshr, want: true},
		{name: "locked, committed hint", xmin: good, xmax: good, im: xc | lock | excl | mc, want: true},
		{name: "locked as 9.2 wrote it", xmin: good, xmax: good, im: xc | excl, want: true},
		{name: "share bits without lock-only delete", xmin: good, xmax: good, im: xc | excl | keyshr},
		{name: "multixact of lockers as 9.2 wrote it", xmin: good, xmax: 77, im: xc | multi | lock, want: true},
		{name: "multixact of lockers", xmin: good, xmax: multiLocks, im: xc | multi | lock | keyshr, want: true},
		{name: "multixact without updater", xmin: good, xmax: multiLocks, im: xc | multi, want: true},
		{name: "multixact, updater committed", xmin: good, xmax: multiGone, im: xc | multi},
		{name: "multixact, exclusive bit", xmin: good, xmax: multiGone, im: xc | multi | excl},
		{name: "multixact, updater aborted", xmin: good, xmax: multiKept, im: xc | multi, want: true},
		{name: "multixact, the committed hint says nothing", xmin: good, xmax: multiKept, im: xc | multi | mc, want: true},
		{name: "multixact, updater prepared", xmin: good, xmax: multiPrep, im: xc | multi, want: true},
		{name: "moved off, vacuum committed", xmin: good, f3: good, im: off | mi},
		{name: "moved off, vacuum aborted", xmin: aborted, f3: aborted, im: off | mi, want: true},
		{name: "moved off, vacuum prepared", xmin: aborted, f3: prepared, im: off | mi, want: true},
		{name: "moved in, vacuum committed", xmin: aborted, f3: good, im: in | mi, want: true},
		{name: "moved in, vacuum aborted", xmin: good, f3: aborted, im: in | mi},
		{name: "moved in, vacuum prepared", xmin: good, f3: prepared, im: in | mi},
		{name: "moved in and deleted", xmin: good, xmax: good, f3: good, im: in},
		{name: "moved bits after a hint", xmin: good, f3: good, im: xc | off | mi, want: true},
	} {
		tuple := header(c.xmin, c.xmax, c.f3, c.im)
		for name, s := range map[string]*Snapshot{"clean": clean, "unclean": unclean} {
			want := c.want
			if s == unclean && c.unclean != nil {
				want = *c.unclean
			}
			got, err := s.Visible(tuple)
			require.NoError(t, err, "%s, %s", c.name, name)
			require.Equal(t, want, got, "%s, %s", c.name, name)
			for _, rows := range []RowSet{Visible, Dead} {
				b := batchOf([]pgfile.HeapTuple{tuple, tuple}, 2, never)
				require.NoError(t, NewResolver(s, rows, nil).Resolve(b), c.name)
				require.Equal(t, want == (rows == Visible), b.Rows() == 2, "%s, %s, %v", c.name, name, rows)
				b.Release()
			}
		}
	}
}

func yes(b bool) *bool { return &b }

// TestToastVisible pins the rule for chunks.
func TestToastVisible(t *testing.T) {
	s := &Snapshot{Xacts: &logs{states: map[uint32]pgfile.XactStatus{100: pgfile.XactCommitted, 101: pgfile.XactAborted}}, NextXID: 300, Clean: true}
	for _, c := range []struct {
		xmin, f3 uint32
		im       uint16
		want     bool
	}{
		{xmin: 100, want: true},
		{xmin: 101, want: true}, // no hint: never looked up
		{xmin: 9, im: pgfile.HeapXmaxCommitted, want: true},
		{xmin: 100, im: pgfile.HeapXminInvalid},
		{xmin: 100, im: pgfile.HeapXminFrozen, want: true},
		{xmin: 0},
		{xmin: 100, f3: 100, im: pgfile.HeapMovedOff},
		{xmin: 100, f3: 101, im: pgfile.HeapMovedIn},
		{xmin: 0, f3: 100, im: pgfile.HeapMovedIn, want: true},
	} {
		got, err := s.ToastVisible(header(c.xmin, 100, c.f3, c.im))
		require.NoError(t, err)
		require.Equal(t, c.want, got, "%+v", c)
	}
}

// TestLookedUpOnce counts the questions of one batch.
func TestLookedUpOnce(t *testing.T) {
	l := &logs{states: map[uint32]pgfile.XactStatus{10: 1, 11: 1, 12: 2}}
	var tuples []pgfile.HeapTuple
	for i := range 300 {
		tuples = append(tuples, header(uint32(10+i%3), uint32(12-i%3), 0, 0))
	}
	b := batchOf(tuples, 100, never)
	defer b.Release()
	r := NewResolver(&Snapshot{Xacts: l, NextXID: 100, Clean: true}, Visible, nil)
	require.NoError(t, r.Resolve(b))
	require.Equal(t, []uint32{10, 11, 12}, l.asked)
	require.Equal(t, 100, b.Rows()) // inserted by 10, deleted by the aborted 12
}

// TestUnknown drops, or fails at, tuples whose transactions cannot be known,
// and only those.
func TestUnknown(t *testing.T) {
	l := &logs{states: map[uint32]pgfile.XactStatus{10: 1, 12: 2}, updates: map[uint32]uint32{}}
	tuples := []pgfile.HeapTuple{
		header(10, 0, 0, pgfile.HeapXmaxInvalid),
		header(50, 0, 0, pgfile.HeapXmaxInvalid),                            // unknown inserter
		header(12, 50, 0, 0),                                                // aborted: its unknown deleter does not matter
		header(10, 51, 0, 0),                                                // unknown deleter
		header(10, 7, 0, pgfile.HeapXmaxIsMulti|pgfile.HeapXminCommitted),   // unknown multixact
		header(10, 7, 0, pgfile.HeapXmaxIsMulti|pgfile.HeapXmaxLockOnly),    // never looked up
		header(12, 7, 0, pgfile.HeapXmaxIsMulti|pgfile.HeapHasNull),         // aborted
		header(10, 0, 0, pgfile.HeapXmaxInvalid|pgfile.HeapXminCommitted|1), // hinted
	}
	s := &Snapshot{Xacts: l, NextXID: 100, Clean: true}
	for rows, want := range map[RowSet][]int32{Visible: {0, 5, 7}, Dead: {2, 6}} {
		b := batchOf(tuples, 3, never)
		var dropped []uint16
		err := NewResolver(s, rows, func(b *batch.Batch, t batch.Tuple, err error) error {
			var u *UnknownXactError
			if !errors.As(err, &u) || !errors.Is(err, pgfile.ErrCorrupt) {
				return fmt.Errorf("odd error: %w", err)
			}
			dropped = append(dropped, uint16(b.TID(t).Block-100)*3+t.Item-1)
			return nil
		}).Resolve(b)
		require.NoError(t, err)
		require.Equal(t, []uint16{1, 3, 4}, dropped)
		require.Equal(t, want, b.Sel)
		b.Release()

		b = batchOf(tuples, 3, never)
		err = NewResolver(s, rows, nil).Resolve(b)
		require.ErrorIs(t, err, pgfile.ErrCorrupt)
		require.ErrorContains(t, err, "(100,2)")
		require.ErrorContains(t, err, "transaction 50 is unknown")
		b.Release()
	}
}

// drawHeader draws a tuple over few ids, so that they repeat.
func drawHeader(t *rapid.T) pgfile.HeapTuple {
	xid := rapid.SampledFrom([]uint32{0, 1, 2, 3, 10, 11, 12, 13, 14, 40, 41, 0x7fffffff, 0xfffffff0})
	im := rapid.Uint16().Draw(t, "infomask")
	if rapid.Bool().Draw(t, "plain") {
		im |= pgfile.HeapXminCommitted | pgfile.HeapXmaxInvalid
	}
	return header(xid.Draw(t, "xmin"), xid.Draw(t, "xmax"), xid.Draw(t, "field3"), im)
}

// TestResolverAgainstVisible compares the batch form with the plain one, over
// several batches of one resolver, so that what it remembers is tested too.
func TestResolverAgainstVisible(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := &logs{states: map[uint32]pgfile.XactStatus{}, updates: map[uint32]uint32{}}
		for _, x := range []uint32{3, 10, 11, 12, 13, 14, 40, 41, 0x7fffffff, 0xfffffff0} {
			if k := rapid.IntRange(0, 4).Draw(t, "state"); k < 4 {
				l.states[x] = pgfile.XactStatus(k)
			}
			if rapid.Bool().Draw(t, "multi known") {
				l.updates[x] = rapid.SampledFrom([]uint32{0, 3, 10, 12, 13, 40}).Draw(t, "updater")
			}
		}
		l.updates[0], l.updates[1], l.updates[2] = 0, 10, 13
		s := &Snapshot{Xacts: l, NextXID: 40, Clean: rapid.Bool().Draw(t, "clean")}
		s.InProgress = rapid.SampledFrom([][]uint32{nil, {12}, {11, 13}, {13, 0xfffffff0}, {3, 0x7fffffff, 0xfffffff0}}).Draw(t, "prepared")
		rows := rapid.SampledFrom([]RowSet{Visible, Dead, All}).Draw(t, "rows")
		var dropped int
		r := NewResolver(s, rows, func(*batch.Batch, batch.Tuple, error) error { dropped++; return nil })
		for range rapid.IntRange(1, 3).Draw(t, "batches") {
			dropped = 0
			tuples := rapid.SliceOfN(rapid.Custom(drawHeader), 0, 40).Draw(t, "tuples")
			flags := rapid.SliceOfN(rapid.Bool(), 8, 8).Draw(t, "all-visible")
			av := func(page int) bool { return flags[page%8] }
			b := batchOf(tuples, 7, av)
			if err := r.Resolve(b); err != nil {
				t.Fatal(err)
			}
			var want []int
			unknown := 0
			for i, tuple := range tuples {
				ok, err := av(i/7), error(nil)
				if !ok && rows != All {
					if ok, err = s.Visible(tuple); err != nil {
						unknown++
						continue
					}
				}
				if rows == All || ok == (rows == Visible) {
					want = append(want, i)
				}
			}
			var got []int
			for i := range b.Rows() {
				got = append(got, b.Row(i))
			}
			if !slices.Equal(got, want) || dropped != unknown {
				t.Fatalf("rows %v: got %v (%d dropped), want %v (%d unknown)", rows, got, dropped, want, unknown)
			}
			b.Release()
		}
	})
}

// BenchmarkResolve resolves batches of 32 pages of 226 tuples.
func BenchmarkResolve(b *testing.B) {
	for name, im := range map[string]uint16{
		"hinted":   pgfile.HeapXminCommitted | pgfile.HeapXmaxInvalid,
		"unhinted": pgfile.HeapXmaxInvalid,
		"deleted":  pgfile.HeapXminCommitted,
	} {
		b.Run(name, func(b *testing.B) {
			tuples := make([]pgfile.HeapTuple, 32*226)
			for i := range tuples {
				tuples[i] = header(10, 11, 0, im)
			}
			s := &Snapshot{Xacts: &logs{states: map[uint32]pgfile.XactStatus{10: 1, 11: 1}}, NextXID: 100, Clean: true}
			r, bt := NewResolver(s, Visible, nil), batchOf(tuples, 226, never)
			b.ReportAllocs()
			for b.Loop() {
				bt.HasSel = false
				if err := r.Resolve(bt); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(tuples)), "ns/tuple")
		})
	}
}
