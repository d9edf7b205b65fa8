package pgfile

import (
	"bytes"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"
)

// requireTyped wants an error of the two kinds that readers of files handle.
func requireTyped(t *testing.T, err error) {
	t.Helper()
	for _, kind := range []error{ErrCorrupt, ErrUnsupported} {
		if errors.Is(err, kind) {
			return
		}
	}
	t.Fatalf("untyped error %v", err)
}

// fuzzPage damages a real page: each three bytes of patch are an offset and a
// value. Mutating a few patches goes where mutating 8 KB does not.
func fuzzPage(bases []Page, base uint8, patch []byte) Page {
	p := append(Page(nil), bases[int(base)%len(bases)]...)
	for ; len(patch) >= 3; patch = patch[3:] {
		p[(int(patch[0])<<8|int(patch[1]))%PageSize] = patch[2]
	}
	return p
}

// FuzzHeapPage: what validation accepts, every accessor can read.
func FuzzHeapPage(f *testing.F) {
	bases := []Page{testPage(40, 60), make(Page, PageSize), goldenPages(f, 15, "heap1")[1]}
	for _, name := range []string{"heap1", "heap2", "mx", "tc", "sq", "heap2_vm", "heap2_dup"} {
		bases = append(bases, goldenPages(f, 15, name)[0])
	}
	for i := range bases {
		f.Add(uint8(i), []byte{0, 12, 60})
	}
	f.Add(uint8(2), []byte{0, 24, 1, 0, 25, 0x82, 0, 29, 7})
	attrs := heap1Attrs()
	plan, err := NewDeformPlan(attrs, allOf(attrs))
	require.NoError(f, err)
	f.Fuzz(func(t *testing.T, base uint8, patch []byte) {
		p := fuzzPage(bases, base, patch)
		PageChecksum(p, 1)
		if err := ValidatePage(p); err != nil {
			requireTyped(t, err)
			return
		}
		VMBitsAt(p, 12345)
		FSMCategory(p, FSMSlotsPerPage-1)
		if _, err := ParseSequence(p); err != nil {
			requireTyped(t, err)
		}
		bad, err := ValidateItems(p)
		badLoose, errLoose := ValidateLinePointers(p)
		if err != nil {
			requireTyped(t, err)
		} else if errLoose != nil {
			t.Fatalf("the loose check refuses what the strict one accepts: %v", errLoose)
		}
		if errLoose != nil {
			requireTyped(t, errLoose)
			if bad > badLoose {
				t.Fatalf("first bad item %d, loosely %d", bad, badLoose)
			}
		}
		if err != nil && bad == 0 {
			return
		}
		dst := make([]Datum, plan.Width())
		for n := 1; n <= p.NumItems() && (bad == 0 || n < bad); n++ {
			if p.Item(n).State() == ItemNormal {
				readTuple(t, plan, p.Tuple(n), dst)
			}
		}
	})
}

func readTuple(t *testing.T, plan *DeformPlan, tup HeapTuple, dst []Datum) {
	tup.Data()
	tup.CTID()
	if err := ValidateHeapTuple(tup); err != nil {
		requireTyped(t, err)
	} else {
		tup.NullBitmap()
	}
	if err := plan.Deform(tup, dst); err != nil {
		requireTyped(t, err)
		return
	}
	for _, d := range dst {
		if _, err := ParseVarlena(d); err != nil {
			requireTyped(t, err)
		}
	}
}

// FuzzDeform takes a row type, the wanted attributes and a tuple from anywhere.
func FuzzDeform(f *testing.F) {
	p := goldenPages(f, 15, "heap1")[1]
	for n := 1; n <= p.NumItems(); n++ {
		f.Add([]byte{4, 1, 2, 3, 5, 3, 5, 5, 7, 2, 2, 5}, []byte{0, 4, 7, 11}, []byte(p.Tuple(n)))
	}
	f.Add([]byte{6, 6, 0}, []byte{2, 2}, []byte("\x00"))
	kinds := []Attr{
		{Len: 1, Align: 'c'},
		{Len: 2, Align: 's'},
		{Len: 4, Align: 'i'},
		{Len: 8, Align: 'd'},
		{Len: 16, Align: 'c'},
		{Len: -1, Align: 'i'},
		{Len: -2, Align: 'c'},
		{Len: 64, Align: 'c'},
		{Len: -1, Align: 'd'},
		{Len: 32767, Align: 'd'},
		{Len: 4, Align: 'i', Missing: []byte{1, 2, 3, 4}},
	}
	f.Fuzz(func(t *testing.T, types, wants, tuple []byte) {
		attrs := make([]Attr, min(len(types), 1600))
		for i := range attrs {
			attrs[i] = kinds[int(types[i])%len(kinds)]
		}
		var wanted []int
		for _, w := range wants {
			if int(w) < len(attrs) {
				wanted = append(wanted, int(w))
			}
		}
		plan, err := NewDeformPlan(attrs, wanted)
		if err != nil {
			t.Fatal(err)
		}
		// An exact capacity turns a read past the end into a panic.
		tup := append(make([]byte, 0, len(tuple)), tuple...)
		tup = tup[:len(tup):len(tup)]
		dst := make([]Datum, plan.Width())
		if err := plan.Deform(tup, dst); err != nil {
			requireTyped(t, err)
		} else {
			checkWidths(t, attrs, wanted, dst)
		}
		if err := plan.DeformData(len(attrs), nil, tup, dst); err != nil {
			requireTyped(t, err)
		}
		if err := plan.DeformData(len(attrs), wants, tup, dst); err != nil {
			requireTyped(t, err)
		}
	})
}

func checkWidths(t *testing.T, attrs []Attr, wanted []int, dst []Datum) {
	for i, w := range wanted {
		d := dst[i]
		switch l := attrs[w].Len; {
		case d == nil:
		case l > 0 && len(d) != int(l):
			t.Fatalf("attribute %d of length %d got %d bytes", w, l, len(d))
		case l == -1:
			if size, err := VarlenaSize(d); err != nil || size != len(d) {
				t.Fatalf("attribute %d: size %d of %d bytes, %v", w, size, len(d), err)
			}
		case l == -2 && bytes.IndexByte(d, 0) >= 0:
			t.Fatalf("attribute %d: a NUL inside a cstring", w)
		}
	}
}

// FuzzVarlena parses one varlena.
func FuzzVarlena(f *testing.F) {
	f.Add(shortVarlena([]byte("abc")))
	f.Add(longVarlena([]byte("abcdef")))
	f.Add(toastPointer(2004, 2000))
	f.Add([]byte{8<<2 | 2, 0, 0, 0, 100, 0, 0, 0x40})
	f.Fuzz(func(t *testing.T, b []byte) {
		v, err := ParseVarlena(b)
		if err != nil {
			requireTyped(t, err)
			return
		}
		if len(v.Data) >= len(b) {
			t.Fatalf("%d bytes of data in %d", len(v.Data), len(b))
		}
		if v.Pointer.Compressed() && v.Kind != VarlenaExternal {
			t.Fatalf("%+v", v)
		}
	})
}

// FuzzBTreePage parses every item of a page, and the page as a metapage.
func FuzzBTreePage(f *testing.F) {
	bases := append(goldenPages(f, 15, "heap2_dup"), goldenPages(f, 15, "heap2_pkey")...)
	for i := range bases {
		f.Add(uint8(i), []byte{0, 12, 60})
	}
	f.Add(uint8(1), []byte{0x1f, 0xe8, 0xff, 0x0a, 6, 0xff})
	f.Fuzz(func(t *testing.T, base uint8, patch []byte) {
		p := fuzzPage(bases, base, patch)
		if _, err := ParseBTreeMeta(p); err != nil {
			requireTyped(t, err)
		}
		if _, err := ParseBTreePage(p); err != nil {
			requireTyped(t, err)
			return
		}
		for n := range p.NumItems() + 2 {
			it, err := ParseIndexTuple(p, n)
			if err != nil {
				requireTyped(t, err)
				continue
			}
			for i := range it.NumTIDs() {
				if it.Posting != nil {
					it.PostingTID(i)
				}
			}
		}
	})
}

// FuzzControl parses any bytes, as they are and with their CRC put right.
func FuzzControl(f *testing.F) {
	for _, major := range majors {
		f.Add(goldenFile(f, major, "pg_control")[:controlMinSize])
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		for range 2 {
			c, err := ParseControl(b)
			if err != nil {
				requireTyped(t, err)
			} else if c.Major < 13 || c.Major > 18 || c.State.String() == "" {
				t.Fatalf("%+v", c)
			}
			b = resealControl(bytes.Clone(b))
		}
	})
}

// FuzzRelMap parses any bytes, as they are and with their CRC put right.
func FuzzRelMap(f *testing.F) {
	for _, major := range []int{15, 18} {
		f.Add(goldenFile(f, major, "base_relmap"))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		for range 2 {
			m, err := ParseRelMap(b)
			if err != nil {
				requireTyped(t, err)
			} else if len(m) > 64 {
				t.Fatalf("%d entries", len(m))
			}
			b = resealRelMap(bytes.Clone(b))
		}
	})
}

// FuzzTwoPhase parses any bytes, as they are and with length and CRC put right.
func FuzzTwoPhase(f *testing.F) {
	for _, major := range majors {
		for name, b := range goldenFiles(f, major) {
			if len(name) > 9 && name[:9] == "twophase/" {
				f.Add(b, major)
			}
		}
	}
	f.Fuzz(func(t *testing.T, b []byte, major int) {
		for range 2 {
			tp, err := ParseTwoPhase(b, major)
			if err != nil {
				requireTyped(t, err)
			} else if len(tp.GID)+4*len(tp.Children) > len(b) {
				t.Fatalf("%+v out of %d bytes", tp, len(b))
			}
			b = resealTwoPhase(bytes.Clone(b))
		}
	})
}

// FuzzRelPath: what is parsed is written back the same.
func FuzzRelPath(f *testing.F) {
	for _, s := range []string{"base/5/16384_vm.1", "base/5/t3_16384", "global/1262_init", "pg_tblspc/16400/PG_15_202209061/5/16384", "base/5/01"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, path string) {
		rf, ok := ParseRelPath(path)
		if !ok {
			return
		}
		again, ok := ParseRelPath(rf.Path())
		if !ok || again != rf {
			t.Fatalf("%q: %+v is written as %q", path, rf, rf.Path())
		}
		if rf.Version == "" && rf.Path() != path {
			t.Fatalf("%q is written as %q", path, rf.Path())
		}
	})
}

// FuzzClusterFiles parses PG_VERSION and postmaster.pid.
func FuzzClusterFiles(f *testing.F) {
	f.Add([]byte("15\n"))
	f.Add([]byte("17817\n/data\n1796066729\n5432\n/run\n*\n 1 2\nready\n"))
	f.Fuzz(func(t *testing.T, b []byte) {
		if major, err := ParseVersionFile(b); err != nil {
			requireTyped(t, err)
		} else if major < 13 || major > 18 {
			t.Fatal(major)
		}
		if p, err := ParsePostmasterPID(b); err != nil {
			requireTyped(t, err)
		} else if p.PID <= 0 || p.Port < 0 || p.Port > 65535 {
			t.Fatalf("%+v", p)
		}
	})
}

// FuzzLocations: places of transactions and multixacts lie inside a segment.
func FuzzLocations(f *testing.F) {
	for _, n := range []uint32{0, 1, 2, 3, 1635, 1636, 32672, 1<<20 - 1, 1 << 20, 1<<31 - 1, 1 << 31, 1<<32 - 1} {
		f.Add(n)
	}
	f.Fuzz(func(t *testing.T, n uint32) {
		inSegment := func(name string, off, width int64) {
			if len(name) < 4 || len(name) > 5 || off < 0 || off/PageSize != (off+width-1)/PageSize || off+width > SLRUSegmentSize {
				t.Fatalf("%d: segment %s, byte %d", n, name, off)
			}
		}
		name, off, shift := XactLocation(n)
		inSegment(name, off, 1)
		if shift > 6 {
			t.Fatal(shift)
		}
		name, off = SubtransLocation(n)
		inSegment(name, off, 4)
		name, off = MultiOffsetLocation(n)
		inSegment(name, off, 4)
		name, flag, xid := MultiMemberLocation(n)
		inSegment(name, flag, 1)
		inSegment(name, xid, 4)
		if _, off, shift := VMLocation(n); off < PageHeaderSize || off >= PageSize || shift > 6 {
			t.Fatal(off, shift)
		}
		if block, slot := FSMLocation(n); slot < 0 || slot >= FSMSlotsPerPage || block < 2 {
			t.Fatal(block, slot)
		}
	})
}
