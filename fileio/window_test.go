package fileio

import (
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/pipescan/pipescan/pgfile"
)

// mapped opens a relation of two segments of four and two blocks.
func mapped(t testing.TB) (dir string, r *Relation) {
	dir = t.TempDir()
	writeSegment(t, dir, "base/5/100", 0, 4)
	writeSegment(t, dir, "base/5/100.1", 4, 2)
	r, err := openDir(t, dir).OpenRelation(small, table, Main)
	require.NoError(t, err)
	return dir, r
}

// sum touches every page of b.
func sum(b []byte) error {
	n := 0
	for i := 0; i < len(b); i += 512 {
		n += int(b[i])
	}
	if n < 0 {
		return errors.New("impossible")
	}
	return nil
}

func TestMap(t *testing.T) {
	_, r := mapped(t)
	for first := range uint32(6) {
		w, err := r.Map(first, 100)
		require.NoError(t, err)
		want := 4 - int(first)
		if first >= 4 {
			want = 6 - int(first)
		}
		require.Equal(t, want, w.Blocks())
		require.Equal(t, first, w.First())
		require.NoError(t, w.Populate(0, w.Blocks()))
		require.NoError(t, w.Populate(w.Blocks(), 0))
		require.Error(t, w.Populate(0, w.Blocks()+1))
		require.NoError(t, Guard(func() error {
			for i := range w.Blocks() {
				if got := binary.LittleEndian.Uint32(w.Bytes()[i*pgfile.PageSize:]); got != first+uint32(i) {
					t.Errorf("block %d holds %d", first+uint32(i), got)
				}
			}
			return sum(w.Bytes())
		}))
		require.NoError(t, w.Unmap())
		require.NoError(t, w.Unmap())
	}
	_, err := r.Map(6, 1)
	require.ErrorIs(t, err, pgfile.ErrCorrupt)
	_, err = r.Map(0, 0)
	require.Error(t, err)
	require.Empty(t, windows.live)
}

// TestTruncatedUnderMap: touching what the file no longer has is an error that
// names the block, by hand, by assembly (copy) and by Populate.
func TestTruncatedUnderMap(t *testing.T) {
	dir, r := mapped(t)
	w, err := r.Map(1, 3)
	require.NoError(t, err)
	defer func() { require.NoError(t, w.Unmap()) }()
	require.NoError(t, GuardCall(w.Bytes(), sum))
	require.NoError(t, os.Truncate(filepath.Join(dir, "base/5/100"), 2*pgfile.PageSize))

	for name, touch := range map[string]func() error{
		"read": func() error { return Guard(func() error { return sum(w.Bytes()) }) },
		"call": func() error { return GuardCall(w.Bytes(), sum) },
		"copy": func() error {
			return Guard(func() error { copy(make([]byte, 3*pgfile.PageSize), w.Bytes()); return nil })
		},
		"populate": func() error { return w.Populate(1, 2) },
	} {
		t.Run(name, func(t *testing.T) {
			err := touch()
			var fe *FaultError
			require.ErrorAs(t, err, &fe)
			require.ErrorIs(t, err, ErrChanged)
			require.NotErrorIs(t, err, syscall.EIO)
			require.Equal(t, "base/5/100", fe.File)
			// Any of the two lost blocks: copy may begin at the end.
			require.Contains(t, []uint32{2, 3}, fe.Block)
			require.EqualValues(t, int64(fe.Block)*pgfile.PageSize, fe.Offset)
		})
	}
	// What is still there can be read.
	require.NoError(t, GuardCall(w.Bytes()[:pgfile.PageSize], sum))
	_, err = r.Map(0, 1)
	require.ErrorIs(t, err, ErrChanged)
}

// TestFaultErrorKinds: a fault of an unchanged file is the device's.
func TestFaultErrorKinds(t *testing.T) {
	_, r := mapped(t)
	w, err := r.Map(4, 2)
	require.NoError(t, err)
	fe := w.fault(pgfile.PageSize + 17)
	require.ErrorIs(t, fe, syscall.EIO)
	require.NotErrorIs(t, fe, ErrChanged)
	require.Equal(t, "base/5/100.1: block 5: offset 8192: read of the mapped file failed (check the device; copy what can be read elsewhere)", fe.Error())
	require.NoError(t, w.Unmap())
}

// TestGuardPassesOn: results and errors come back, other panics go on, faults
// outside a window too, and the goroutine's setting is restored.
func TestGuardPassesOn(t *testing.T) {
	boom := errors.New("boom")
	require.Equal(t, boom, Guard(func() error { return boom }))
	require.PanicsWithValue(t, "mine", func() { _ = Guard(func() error { panic("mine") }) })
	require.Panics(t, func() {
		_ = GuardCall([]byte{}, func(b []byte) error { return errors.New(string(b[len(b)])) })
	})

	dir, r := mapped(t)
	w, err := r.Map(0, 4)
	require.NoError(t, err)
	require.NoError(t, os.Truncate(filepath.Join(dir, "base/5/100"), 0))
	windows.Lock()
	delete(windows.live, w) // as if another package had mapped it
	windows.Unlock()
	func() {
		defer func() {
			e, ok := recover().(runtime.Error)
			require.True(t, ok)
			require.Implements(t, (*interface{ Addr() uintptr })(nil), e)
		}()
		_ = GuardCall(w.Bytes(), sum)
	}()
	require.False(t, debug.SetPanicOnFault(false), "the goroutine's setting is restored")
	require.NoError(t, w.Unmap())
}

func TestGuardAllocatesNothing(t *testing.T) {
	b := make([]byte, 100)
	n := 0
	require.Zero(t, testing.AllocsPerRun(100, func() {
		if Guard(func() error { n++; return sum(b) }) != nil || GuardCall(b, sum) != nil {
			n = -1000
		}
	}))
	require.Positive(t, n)
}

func BenchmarkGuard(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		_ = Guard(func() error { return nil })
	}
}

func BenchmarkReadBlocks(b *testing.B) {
	_, r := mapped(b)
	dst := make([]byte, 4*pgfile.PageSize)
	b.ReportAllocs()
	b.SetBytes(int64(len(dst)))
	for b.Loop() {
		if err := r.ReadBlocks(b.Context(), 0, dst); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkOpenRelation(b *testing.B) {
	dir, _ := mapped(b)
	d := openDir(b, dir)
	b.ReportAllocs()
	for b.Loop() {
		r, err := d.OpenRelation(small, table, Main)
		if err != nil {
			b.Fatal(err)
		}
		_ = r.Close()
	}
}
