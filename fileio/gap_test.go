package fileio

import (
	"strconv"
	"testing"

	"github.com/pipescan/pipescan/pgfile"
)

// FuzzSplitSegment: only names that a server would write are segments.
func FuzzSplitSegment(f *testing.F) {
	for _, name := range []string{"100.1", "100_vm.12", "100", "100.", ".1", "100.01", "100.+1", "100.1.2", "100.4294967296", "100.-1"} {
		f.Add(name)
	}
	f.Fuzz(func(t *testing.T, name string) {
		base, num, ok := splitSegment(name)
		if ok && (num == 0 || base == "" || segmentName(base, num) != name) {
			t.Fatalf("%q is segment %d of %q", name, num, base)
		}
	})
}

// FuzzMeasure: whatever sizes and numbers segments have, the gaps and the
// segments together are exactly the blocks 0 to nblocks.
func FuzzMeasure(f *testing.F) {
	f.Add([]byte{0, 4, 0, 1, 4, 0, 3, 1, 9})
	f.Add([]byte{2, 1, 0, 200, 0, 0})
	f.Fuzz(func(t *testing.T, b []byte) {
		const segBlocks = 4
		b = b[:min(len(b), 60)]
		var segs []*segment
		num := uint32(0)
		for ; len(b) >= 3; b = b[3:] {
			num += uint32(b[0])
			size := int64(b[1]%6)*pgfile.PageSize + int64(b[2])
			segs = append(segs, &segment{name: "s." + strconv.Itoa(int(num)), num: num, first: num * segBlocks, id: Identity{Size: size}})
			num++
		}
		if len(segs) == 0 {
			return
		}
		nblocks, gaps := measure("s", segs, segBlocks)
		covered := map[uint32]int{}
		for _, s := range segs {
			for i := range s.blocks {
				covered[s.first+i]++
			}
		}
		for _, g := range gaps {
			for i := range g.Count {
				covered[g.First+i]++
			}
		}
		if len(covered) != int(nblocks) {
			t.Fatalf("%d blocks covered of %d", len(covered), nblocks)
		}
		for b, n := range covered {
			if n != 1 || b >= nblocks {
				t.Fatalf("block %d of %d covered %d times", b, nblocks, n)
			}
		}
	})
}
