package cluster

import (
	"encoding/binary"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/pipescan/pipescan/fileio"
	"github.com/pipescan/pipescan/internal/pgtest"
	"github.com/pipescan/pipescan/mvcc"
	"github.com/pipescan/pipescan/pgfile"
)

// TestXacts asks about transactions and multixacts that a server made.
func TestXacts(t *testing.T) {
	eachVersion(t, func(t *testing.T, major int) {
		s := pgtest.New(t, major, pgtest.Options{})
		s.Start()
		s.SQL("postgres", "CREATE TABLE t(a int PRIMARY KEY, b int); INSERT INTO t SELECT g, 0 FROM generate_series(1, 4) g")
		xid := func(c string) uint32 { return parseOID(t, c) }
		id := "SELECT pg_current_xact_id()::xid"
		a, b := s.Conn("postgres"), s.Conn("postgres")
		s.RunOn(a, "BEGIN; UPDATE t SET b = 1 WHERE a = 1")
		committed := xid(*s.QueryOn(a, id)[0][0])
		s.RunOn(a, "COMMIT; BEGIN; UPDATE t SET b = 2 WHERE a = 2")
		aborted := xid(*s.QueryOn(a, id)[0][0])
		s.RunOn(a, "ROLLBACK; BEGIN; SAVEPOINT s; UPDATE t SET b = 3 WHERE a = 3")
		prepared := xid(*s.QueryOn(a, id)[0][0])
		child := xid(*s.QueryOn(a, "SELECT xmin FROM t WHERE a = 3")[0][0])
		s.RunOn(a, "RELEASE s; PREPARE TRANSACTION 'p'")
		// A row locked by one and then updated by another: a multixact with an updater.
		s.RunOn(a, "BEGIN; SELECT * FROM t WHERE a = 1 FOR KEY SHARE")
		s.RunOn(b, "BEGIN; UPDATE t SET b = 9 WHERE a = 1")
		updater := xid(*s.QueryOn(b, id)[0][0])
		multi := xid(*s.QueryOn(a, "SELECT xmax FROM t WHERE a = 1")[0][0])
		s.RunOn(b, "COMMIT")
		s.RunOn(a, "COMMIT; BEGIN; SELECT * FROM t WHERE a = 4 FOR SHARE")
		s.RunOn(b, "BEGIN; SELECT * FROM t WHERE a = 4 FOR SHARE")
		lockers := xid(*s.QueryOn(a, "SELECT xmax FROM t WHERE a = 4")[0][0])
		s.RunOn(a, "COMMIT")
		s.RunOn(b, "COMMIT")
		s.Stop()

		c := attachTest(t, s.Dir(), Options{})
		for id, want := range map[uint32]pgfile.XactStatus{
			committed: pgfile.XactCommitted, aborted: pgfile.XactAborted, prepared: pgfile.XactInProgress, updater: pgfile.XactCommitted,
		} {
			got, err := c.xacts.status(id)
			require.NoError(t, err)
			require.Equal(t, want, got, "%d", id)
		}
		require.Equal(t, []uint32{prepared, child}, c.Snapshot().InProgress)
		require.False(t, c.mayRemember())
		got, err := c.Xacts().Updater(multi)
		require.NoError(t, err)
		require.Equal(t, updater, got)
		got, err = c.Xacts().Updater(lockers) // the last one
		require.NoError(t, err)
		require.Zero(t, got)
		for _, bad := range []uint32{0, lockers + 1, math.MaxUint32} {
			_, err = c.Xacts().Updater(bad)
			var unknown *mvcc.UnknownXactError
			require.ErrorAs(t, err, &unknown)
			require.True(t, unknown.Multi)
		}
		testDamagedTwoPhase(t, s, prepared)
	})
}

// testDamagedTwoPhase damages the state file of a prepared transaction.
func testDamagedTwoPhase(t *testing.T, s *pgtest.Server, prepared uint32) {
	names, err := filepath.Glob(filepath.Join(s.Dir(), "pg_twophase", "*"))
	require.NoError(t, err)
	require.Len(t, names, 1)
	b, err := os.ReadFile(names[0])
	require.NoError(t, err)
	b[len(b)/2]++
	require.NoError(t, os.WriteFile(names[0], b, 0o600))
	err = attachErr(t, s.Dir(), Options{})
	require.ErrorIs(t, err, pgfile.ErrCorrupt)
	require.Contains(t, err.Error(), "pg_twophase/"+filepath.Base(names[0]))
	losses := &lossList{}
	c := attachTest(t, s.Dir(), Options{OnLoss: losses.add})
	require.Equal(t, []uint32{prepared}, c.Snapshot().InProgress)
	require.Len(t, losses.all(), 1)
}

// fakeLog makes the files of pg_xact and pg_multixact in a directory.
type fakeLog struct {
	t   *testing.T
	dir string
}

func newFakeLog(t *testing.T, control *pgfile.Control, clean bool) (fakeLog, *xactLog) {
	dir := t.TempDir()
	for _, sub := range []string{pgfile.XactDir, pgfile.MultiOffsetDir, pgfile.MultiMemberDir} {
		require.NoError(t, os.MkdirAll(filepath.Join(dir, sub), 0o700))
	}
	d, err := fileio.OpenDir(dir)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, d.Close()) })
	return fakeLog{t, dir}, newXactLog(d, control, clean)
}

// put writes bytes at an offset of a segment, which gets whole pages.
func (f fakeLog) put(folder, segment string, off int64, b []byte) {
	f.t.Helper()
	path := filepath.Join(f.dir, folder, segment)
	file, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	require.NoError(f.t, err)
	st, err := file.Stat()
	require.NoError(f.t, err)
	if end := (off/pgfile.PageSize + 1) * pgfile.PageSize; st.Size() < end {
		require.NoError(f.t, file.Truncate(end))
	}
	_, err = file.WriteAt(b, off)
	require.NoError(f.t, err)
	require.NoError(f.t, file.Close())
}

func (f fakeLog) offset(multi, off uint32) {
	segment, at := pgfile.MultiOffsetLocation(multi)
	f.put(pgfile.MultiOffsetDir, segment, at, binary.LittleEndian.AppendUint32(nil, off))
}

func (f fakeLog) member(off, xid uint32, status pgfile.MultiStatus) {
	segment, flagOff, xidOff := pgfile.MultiMemberLocation(off)
	f.put(pgfile.MultiMemberDir, segment, flagOff, []byte{byte(status)})
	f.put(pgfile.MultiMemberDir, segment, xidOff, binary.LittleEndian.AppendUint32(nil, xid))
}

// TestMultiWraparound meets the places where ids and offsets begin anew.
func TestMultiWraparound(t *testing.T) {
	control := &pgfile.Control{OldestMulti: math.MaxUint32 - 5, NextMulti: 3, NextMultiOffset: 7}
	f, x := newFakeLog(t, control, true)
	f.offset(math.MaxUint32, math.MaxUint32-1) // members at max-1, max, (0), 1; its successor is multixact 1
	f.offset(1, 2)
	f.offset(2, 5) // the last one: to 7
	f.member(math.MaxUint32-1, 100, pgfile.MultiForKeyShare)
	f.member(math.MaxUint32, 101, pgfile.MultiForShare)
	f.member(0, 0, pgfile.MultiUpdate) // the gap
	f.member(1, 102, pgfile.MultiUpdate)
	for off := uint32(2); off < 7; off++ {
		f.member(off, 200+off, pgfile.MultiForKeyShare)
	}
	f.member(6, 300, pgfile.MultiNoKeyUpdate)
	for multi, want := range map[uint32]uint32{math.MaxUint32: 102, 1: 0, 2: 300} {
		got, err := x.Updater(multi)
		require.NoError(t, err, multi)
		require.Equal(t, want, got, multi)
	}
	for _, bad := range []uint32{0, 3, math.MaxUint32 - 6} {
		_, err := x.Updater(bad)
		require.ErrorIs(t, err, pgfile.ErrCorrupt)
	}
}

// TestMultiDamage meets members that contradict each other.
func TestMultiDamage(t *testing.T) {
	control := &pgfile.Control{OldestMulti: 1, NextMulti: 10, NextMultiOffset: 100}
	f, x := newFakeLog(t, control, false)
	f.offset(1, 1)
	f.offset(2, 3)
	f.offset(3, 4)
	f.offset(4, 3_000_000_000)
	f.offset(5, 9)
	f.offset(7, 20)
	f.offset(9, 30)
	f.offset(20, 200)
	f.offset(21, 203)
	f.member(1, 100, pgfile.MultiUpdate)
	f.member(2, 101, pgfile.MultiUpdate)
	f.member(3, 102, 17)
	f.member(203, 1, pgfile.MultiForShare)
	for off := uint32(30); off < 100; off++ {
		f.member(off, 500+off, pgfile.MultiForKeyShare)
	}
	for multi, says := range map[uint32]string{
		1: "both changed its row", 2: "with status 17", 3: "would be 2999999996", 5: "successor was never written", 6: "its offset was never written",
		20: "member 200 of multixact 20 is transaction 0", 100_000: "pg_multixact/offsets/0001",
	} {
		_, err := x.Updater(multi)
		require.ErrorIs(t, err, pgfile.ErrCorrupt)
		require.Contains(t, err.Error(), says)
	}
	// The last one the control file knows ends where the control file says, or
	// where an unclean cluster's log says.
	_, err := x.Updater(9)
	require.NoError(t, err)
}

// TestStatuses asks for ids across pages and segments at once.
func TestStatuses(t *testing.T) {
	f, x := newFakeLog(t, &pgfile.Control{}, true)
	want := map[uint32]pgfile.XactStatus{3: 1, 4: 2, 32767: 3, 32768: 1, 1048575: 1, 1048576: 2, 1048577: 1}
	bytes := map[string]map[int64]byte{}
	var xids []uint32
	for _, id := range []uint32{3, 4, 32767, 32768, 1048575, 1048576, 1048577} {
		segment, off, shift := pgfile.XactLocation(id)
		if bytes[segment] == nil {
			bytes[segment] = map[int64]byte{}
		}
		bytes[segment][off] |= byte(want[id]) << shift
		f.put(pgfile.XactDir, segment, off, []byte{bytes[segment][off]})
		xids = append(xids, id)
	}
	out := make([]pgfile.XactStatus, len(xids))
	require.NoError(t, x.Statuses(xids, out))
	for i, id := range xids {
		require.Equal(t, want[id], out[i], strconv.Itoa(int(id)))
	}
	require.NoError(t, x.Statuses(xids, out), "from the pages kept")
}

// TestPagesOfZeros: transactions of which the log knows nothing count as crashed
// only where a page of them is possible.
func TestPagesOfZeros(t *testing.T) {
	const perPage = pgfile.XactsPerPage
	for _, c := range []struct {
		next  uint64
		xid   uint32
		clean bool
		bad   bool
	}{
		{5 * perPage, 10, true, true},
		{100, 10, true, true}, // initdb's own
		{100, 10, false, false},
		{5*perPage + 100, 4 * perPage, true, true},
		{5*perPage + 100, 5 * perPage, true, false}, // begun
		{5*perPage + 100, 4 * perPage, false, false},
		{1<<32 + 100, 50, true, false}, // the first page in its second life
		{1<<32 + perPage + 1, 50, true, true},
		{1<<32 + 100, 1<<32 - 50, true, true},
	} {
		f, x := newFakeLog(t, &pgfile.Control{NextXID: c.next}, c.clean)
		segment, off, _ := pgfile.XactLocation(c.xid)
		f.put(pgfile.XactDir, segment, off-off%pgfile.PageSize+pgfile.PageSize-1, []byte{0})
		got, err := x.status(c.xid)
		if !c.bad {
			require.NoError(t, err, "%+v", c)
			require.Equal(t, pgfile.XactInProgress, got)
			continue
		}
		require.ErrorIs(t, err, pgfile.ErrCorrupt, "%+v", c)
		require.ErrorContains(t, err, pgfile.XactDir+"/"+segment)
		require.ErrorContains(t, err, "page of zeros")
		f.put(pgfile.XactDir, segment, off-off%pgfile.PageSize+pgfile.PageSize-1, []byte{1})
		x = newXactLog(x.xacts.dir, x.control, c.clean)
		_, err = x.status(c.xid)
		require.NoError(t, err)
	}
}

// TestSLRUForgets keeps no more pages than it may.
func TestSLRUForgets(t *testing.T) {
	f, x := newFakeLog(t, &pgfile.Control{}, true)
	for i := range uint32(2 * slruPages) {
		segment, off, _ := pgfile.XactLocation(i * pgfile.XactsPerPage)
		f.put(pgfile.XactDir, segment, off, []byte{byte(i), 1})
	}
	for i := range uint32(2 * slruPages) {
		got, err := x.status(i * pgfile.XactsPerPage)
		require.NoError(t, err)
		require.Equal(t, pgfile.XactStatus(i&3), got)
		require.LessOrEqual(t, len(x.xacts.pages), slruPages)
	}
}
