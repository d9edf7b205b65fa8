package fileio

import (
	"context"
	"encoding/binary"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/pipescan/pipescan/pgfile"
)

func TestRelPath(t *testing.T) {
	d := &Dir{}
	l := Layout{Major: 15, CatVersion: 202209061}
	for want, c := range map[string]struct {
		loc  RelLocator
		fork Fork
	}{
		"base/5/16384":      {RelLocator{Database: 5, Node: 16384}, Main},
		"base/5/16384_vm":   {RelLocator{Tablespace: 1663, Database: 5, Node: 16384}, VM},
		"global/1260_fsm":   {RelLocator{Tablespace: 1664, Node: 1260}, FSM},
		"base/5/16384_init": {RelLocator{Database: 5, Node: 16384}, Init},
		"pg_tblspc/16400/PG_15_202209061/5/4294967295": {RelLocator{16400, 5, 4294967295}, Main},
	} {
		require.Equal(t, want, d.RelPath(l, c.loc, c.fork))
	}
}

func TestReadAcrossSegments(t *testing.T) {
	dir := t.TempDir()
	writeSegment(t, dir, "base/5/100", 0, 4)
	writeSegment(t, dir, "base/5/100.1", 4, 4)
	writeSegment(t, dir, "base/5/100.2", 8, 1)
	writeSegment(t, dir, "base/5/100.3", 12, 0) // as a truncation leaves it
	write(t, dir, "base/5/100.04", []byte("not a segment"))
	write(t, dir, "base/5/100.old", []byte("not a segment"))
	d := openDir(t, dir)
	r, err := d.OpenRelation(small, table, Main)
	require.NoError(t, err)
	require.EqualValues(t, 9, r.NBlocks())
	require.Equal(t, "base/5/100", r.Name())
	require.Equal(t, "base/5/100.1", r.BlockName(7))
	require.Len(t, r.Identities(), 4)

	for first := range uint32(9) {
		for n := 1; first+uint32(n) <= 9; n++ {
			dst := make([]byte, n*pgfile.PageSize)
			require.NoError(t, r.ReadBlocks(t.Context(), first, dst))
			for i := range uint32(n) {
				require.Equal(t, first+i, binary.LittleEndian.Uint32(dst[i*pgfile.PageSize:]))
			}
		}
	}
	err = r.ReadBlocks(t.Context(), 8, make([]byte, 2*pgfile.PageSize))
	require.ErrorIs(t, err, pgfile.ErrCorrupt)
	require.ErrorContains(t, err, "base/5/100.2: block 9: past the end: base/5/100 has 9 blocks")
	require.Error(t, r.ReadBlocks(t.Context(), 0, make([]byte, 100)))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	require.ErrorIs(t, r.ReadBlocks(ctx, 0, make([]byte, pgfile.PageSize)), context.Canceled)

	require.NoError(t, r.Changed())
	require.NoError(t, r.Close())
	require.NoError(t, r.Close())
	require.ErrorIs(t, r.ReadBlocks(t.Context(), 0, make([]byte, pgfile.PageSize)), fs.ErrClosed)
}

// TestGaps: strict opening refuses each, loose opening names the lost blocks.
func TestGaps(t *testing.T) {
	type seg struct {
		num    uint32
		blocks int
		tail   int
	}
	for _, c := range []struct {
		name    string
		segs    []seg
		nblocks uint32
		gaps    []Gap // File and Reason: what the error must say
	}{
		{"whole", []seg{{0, 4, 0}, {1, 2, 0}}, 6, nil},
		{"empty", []seg{{0, 0, 0}}, 0, nil},
		{"truncated", []seg{{0, 3, 0}, {1, 0, 0}, {2, 0, 0}}, 3, nil},
		{"full and truncated", []seg{{0, 4, 0}, {1, 0, 0}}, 4, nil},
		{"missing", []seg{{0, 4, 0}, {2, 1, 0}}, 9, []Gap{{"base/5/100.1", 4, 4, "missing while 100.2 exists"}}},
		{"three missing", []seg{{0, 4, 0}, {4, 1, 0}}, 17, []Gap{{"base/5/100.1", 4, 12, "missing while 100.4"}}},
		{"first missing", []seg{{1, 4, 0}}, 8, []Gap{{"base/5/100", 0, 4, "missing while 100.1"}}},
		{"short", []seg{{0, 1, 0}, {1, 2, 0}}, 6, []Gap{{"base/5/100", 1, 3, "1 of 4 blocks while 100.1"}}},
		{"emptied", []seg{{0, 4, 0}, {1, 0, 0}, {2, 2, 0}}, 10, []Gap{{"base/5/100.1", 4, 4, "0 of 4 blocks"}}},
		{"short and missing", []seg{{0, 2, 0}, {2, 1, 0}}, 9, []Gap{{"base/5/100", 2, 2, "2 of 4"}, {"base/5/100.1", 4, 4, "missing"}}},
		{"missing before an empty one", []seg{{0, 4, 0}, {2, 0, 0}}, 4, []Gap{{"base/5/100.1", 4, 0, "missing"}}},
		{"partial", []seg{{0, 2, 100}}, 2, []Gap{{"base/5/100", 2, 0, "partial page: the file ends 100 bytes into it"}}},
		{"only a partial", []seg{{0, 0, 8191}}, 0, []Gap{{"base/5/100", 0, 0, "partial page"}}},
		{"partial inside", []seg{{0, 2, 100}, {1, 1, 0}}, 5, []Gap{{"base/5/100", 2, 0, "partial page"}, {"base/5/100", 2, 2, "2 of 4"}}},
		{"too long", []seg{{0, 5, 0}}, 4, []Gap{{"base/5/100", 4, 0, "a segment has at most"}}},
		{"beyond counting", []seg{{0, 1, 0}, {1 << 30, 1, 0}}, 1, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			for _, s := range c.segs {
				writeSegment(t, dir, segmentName("base/5/100", s.num), s.num*4, s.blocks, make([]byte, s.tail)...)
			}
			d := openDir(t, dir)
			r, err := d.OpenRelationLoose(small, table, Main)
			require.NoError(t, err)
			require.Equal(t, c.nblocks, r.NBlocks())
			require.Len(t, r.Gaps(), len(c.gaps))
			lost := map[uint32]bool{}
			for i, g := range r.Gaps() {
				require.Contains(t, g.Reason, c.gaps[i].Reason)
				g.Reason = c.gaps[i].Reason
				require.Equal(t, c.gaps[i], g)
				for b := range g.Count {
					lost[g.First+b] = true
				}
			}
			page := make([]byte, pgfile.PageSize)
			for b := range r.NBlocks() {
				err := r.ReadBlocks(t.Context(), b, page)
				if lost[b] {
					require.ErrorIs(t, err, pgfile.ErrCorrupt)
					_, err = r.Map(b, 1)
					require.ErrorIs(t, err, pgfile.ErrCorrupt)
				} else {
					require.NoError(t, err)
					require.Equal(t, b, binary.LittleEndian.Uint32(page))
				}
			}
			_, err = d.OpenRelation(small, table, Main)
			if len(c.gaps) == 0 {
				require.NoError(t, err)
				return
			}
			var ce *pgfile.CorruptError
			require.ErrorAs(t, err, &ce)
			require.Equal(t, c.gaps[0].File, ce.File)
			require.Equal(t, c.gaps[0].First, ce.Block)
			require.NotEmpty(t, ce.Remedy)
			require.Equal(t, c.name == "first missing", errors.Is(err, fs.ErrNotExist))
		})
	}
}

func TestMissingRelation(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "base/5"), 0o700))
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "pg_tblspc"), 0o700))
	require.NoError(t, os.Symlink("/nowhere/at/all", filepath.Join(dir, "pg_tblspc/77")))
	d := openDir(t, dir)
	for says, loc := range map[string]RelLocator{
		"base/5/100: the file is missing":                     {0, 5, 100},
		"the directory base/6 is missing":                     {0, 6, 100},
		"let the link pg_tblspc/77 lead to it":                {77, 5, 100},
		"the directory pg_tblspc/78/PG_15_202209061/5 of its": {78, 5, 100},
	} {
		for _, open := range []func(Layout, RelLocator, Fork) (*Relation, error){d.OpenRelation, d.OpenRelationLoose} {
			_, err := open(small, loc, Main)
			require.ErrorIs(t, err, fs.ErrNotExist)
			require.ErrorIs(t, err, pgfile.ErrCorrupt)
			require.ErrorContains(t, err, says)
		}
	}
}

// TestTablespaces: links that lead outside are followed, in-place ones too.
func TestTablespaces(t *testing.T) {
	dir, outside := t.TempDir(), t.TempDir()
	writeSegment(t, outside, "PG_15_202209061/5/100", 0, 2)
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "pg_tblspc"), 0o700))
	require.NoError(t, os.Symlink(outside, filepath.Join(dir, "pg_tblspc/77")))
	writeSegment(t, dir, "pg_tblspc/78/PG_15_202209061/5/100", 0, 3)
	d := openDir(t, dir)
	for space, n := range map[uint32]uint32{77: 2, 78: 3} {
		r, err := d.OpenRelation(small, RelLocator{space, 5, 100}, Main)
		require.NoError(t, err)
		require.Equal(t, n, r.NBlocks())
		require.NoError(t, r.ReadBlocks(t.Context(), 0, make([]byte, n*pgfile.PageSize)))
	}
}

// TestListingIsRemembered: one listing serves a directory until it changes.
func TestListingIsRemembered(t *testing.T) {
	dir := t.TempDir()
	writeSegment(t, dir, "base/5/100", 0, 4)
	writeSegment(t, dir, "base/5/100.1", 4, 1)
	long := time.Now().Add(-time.Hour)
	require.NoError(t, os.Chtimes(filepath.Join(dir, "base/5"), long, long))
	d := openDir(t, dir)
	for range 2 {
		r, err := d.OpenRelation(small, table, Main)
		require.NoError(t, err)
		require.EqualValues(t, 5, r.NBlocks())
	}
	require.Len(t, d.mu.listings, 1)
	writeSegment(t, dir, "base/5/100.2", 8, 1)
	_, err := d.OpenRelation(small, table, Main)
	require.ErrorContains(t, err, "1 of 4 blocks while 100.2 holds more")
}

func TestChanged(t *testing.T) {
	for name, change := range map[string]func(t *testing.T, dir, file string){
		"its size was 16384 and is 24576": func(t *testing.T, dir, file string) { writeSegment(t, dir, "base/5/100.1", 4, 3) },
		"its size was 16384 and is 8192":  func(t *testing.T, dir, file string) { require.NoError(t, os.Truncate(file, pgfile.PageSize)) },
		"its times differ": func(t *testing.T, dir, file string) {
			require.NoError(t, os.Chtimes(file, time.Now(), time.Now().Add(time.Hour)))
		},
		"replaced by another file": func(t *testing.T, dir, file string) {
			writeSegment(t, dir, "other", 4, 2)
			require.NoError(t, os.Rename(filepath.Join(dir, "other"), file))
		},
		"it is gone": func(t *testing.T, dir, file string) { require.NoError(t, os.Remove(file)) },
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			writeSegment(t, dir, "base/5/100", 0, 4)
			writeSegment(t, dir, "base/5/100.1", 4, 2)
			d := openDir(t, dir)
			r, err := d.OpenRelation(small, table, Main)
			require.NoError(t, err)
			require.NoError(t, r.Changed())
			change(t, dir, filepath.Join(dir, "base/5/100.1"))
			// A file not yet open is compared when it is opened.
			for _, err := range []error{r.Changed(), r.ReadBlocks(t.Context(), 4, make([]byte, pgfile.PageSize))} {
				require.ErrorIs(t, err, ErrChanged)
				require.ErrorContains(t, err, "base/5/100.1")
				require.ErrorContains(t, err, name)
			}
			_, err = r.Map(4, 1)
			require.ErrorIs(t, err, ErrChanged)
		})
	}
}

func TestChangedByANewSegment(t *testing.T) {
	dir := t.TempDir()
	writeSegment(t, dir, "base/5/100", 0, 4)
	d := openDir(t, dir)
	r, err := d.OpenRelation(small, table, Main)
	require.NoError(t, err)
	writeSegment(t, dir, "base/5/100.1", 4, 1)
	require.ErrorIs(t, r.Changed(), ErrChanged)
}

// TestTruncatedWhileOpen: a short read names the place.
func TestTruncatedWhileOpen(t *testing.T) {
	dir := t.TempDir()
	writeSegment(t, dir, "base/5/100", 0, 4)
	d := openDir(t, dir)
	r, err := d.OpenRelation(small, table, Main)
	require.NoError(t, err)
	require.NoError(t, r.ReadBlocks(t.Context(), 0, make([]byte, pgfile.PageSize)))
	require.NoError(t, os.Truncate(filepath.Join(dir, "base/5/100"), 2*pgfile.PageSize+10))
	err = r.ReadBlocks(t.Context(), 1, make([]byte, 3*pgfile.PageSize))
	require.ErrorIs(t, err, ErrChanged)
	require.ErrorContains(t, err, "base/5/100: changed under the scan: it ends at offset 16394, in block 2, and had 32768 bytes")
}

// TestReadError: the memory of this process, read as a file, fails with EIO
// where nothing is mapped.
func TestReadError(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.Symlink("/proc/self/mem", filepath.Join(dir, "mem")))
	d := openDir(t, dir)
	id, err := d.Stat("mem")
	require.NoError(t, err)
	r := &Relation{dir: d, name: "mem", segBlocks: 4, nblocks: 4, segs: []*segment{{name: "mem", blocks: 4, id: id}}}
	err = r.ReadBlocks(t.Context(), 0, make([]byte, pgfile.PageSize))
	var re *ReadError
	require.ErrorAs(t, err, &re)
	require.ErrorIs(t, err, syscall.EIO)
	require.Equal(t, "mem: block 0: offset 0: read failed: input/output error (check the device; copy what can be read elsewhere)", err.Error())
	require.NoError(t, r.Close())
}

// TestDescriptorsAreBounded: many relations, many readers, few descriptors.
func TestDescriptorsAreBounded(t *testing.T) {
	dir := t.TempDir()
	d := openDir(t, dir)
	d.SetMaxFiles(3)
	var rels []*Relation
	for i := range uint32(20) {
		loc := RelLocator{Database: 5, Node: 200 + i}
		writeSegment(t, dir, d.RelPath(small, loc, Main), i, 2)
		r, err := d.OpenRelation(small, loc, Main)
		require.NoError(t, err)
		rels = append(rels, r)
	}
	require.Equal(t, 0, openFDs(t, dir+"/base"))
	var wg sync.WaitGroup
	for g := range 4 {
		wg.Go(func() {
			page := make([]byte, pgfile.PageSize)
			for i := range 200 {
				n := (i*7 + g) % len(rels)
				if err := rels[n].ReadBlocks(context.Background(), 0, page); err != nil {
					t.Error(err)
				}
				if got := binary.LittleEndian.Uint32(page); got != uint32(n) {
					t.Errorf("relation %d: block of %d", n, got)
				}
			}
		})
	}
	wg.Wait()
	require.LessOrEqual(t, openFDs(t, dir+"/base"), 3)
	for _, r := range rels {
		require.NoError(t, r.Close())
	}
	require.Equal(t, 0, openFDs(t, dir+"/base"))
}

func TestResident(t *testing.T) {
	dir := t.TempDir()
	writeSegment(t, dir, "base/5/100", 0, 4)
	writeSegment(t, dir, "base/5/100.1", 4, 4)
	d := openDir(t, dir)
	r, err := d.OpenRelation(small, table, Main)
	require.NoError(t, err)
	require.NoError(t, r.ReadBlocks(t.Context(), 0, make([]byte, 8*pgfile.PageSize)))
	require.False(t, r.Resident(0, 0))
	require.False(t, r.Resident(7, 2), "past the end")
	require.False(t, r.Resident(^uint32(0), 5), "past every end")
	if f, err := os.Open(filepath.Join(dir, "base/5/100")); err == nil {
		t.Log("the file system can tell:", cached(int(f.Fd()), 0, make([]byte, 1)))
		require.Equal(t, cached(int(f.Fd()), 0, make([]byte, 1)), r.Resident(0, 8))
		require.NoError(t, f.Close())
	}
}
