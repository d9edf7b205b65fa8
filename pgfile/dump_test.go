package pgfile

import (
	"fmt"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"
)

// TestPageDump prints golden pages as a person would want to read them; the
// expectations are under testdata/TestPageDump, rewritten by -rewrite.
//
//	heap  major=15 file=mx block=0
//	btree major=15 file=heap2_dup block=1 items=3
func TestPageDump(t *testing.T) {
	datadriven.RunTest(t, "testdata/TestPageDump", func(t *testing.T, d *datadriven.TestData) string {
		var major, block, items int
		var file string
		d.ScanArgs(t, "major", &major)
		d.MaybeScanArgs(t, "file", &file)
		d.MaybeScanArgs(t, "block", &block)
		d.MaybeScanArgs(t, "items", &items)
		switch d.Cmd {
		case "heap":
			return dumpHeap(t, goldenPages(t, major, file)[block])
		case "btree":
			return dumpBTree(t, goldenPages(t, major, file)[block], items)
		}
		d.Fatalf(t, "unknown command")
		return ""
	})
}

// dumpHeader leaves LSN and checksum out: they differ with each making of the
// archives.
func dumpHeader(b *strings.Builder, p Page) {
	fmt.Fprintf(b, "lower %d upper %d special %d flags %s\n", p.Lower(), p.Upper(), p.Special(), PageFlagsString(p.Flags()))
}

func dumpHeap(t *testing.T, p Page) string {
	var b strings.Builder
	dumpHeader(&b, p)
	if bad, err := ValidateItems(p); err != nil {
		t.Fatalf("item %d: %v", bad, err)
	}
	for n := 1; n <= p.NumItems(); n++ {
		id := p.Item(n)
		fmt.Fprintf(&b, "%3d %s off %d len %d", n, ItemStateString(id.State()), id.Off(), id.Len())
		if id.State() == ItemNormal {
			tup := p.Tuple(n)
			fmt.Fprintf(&b, " ctid %s natts %d hoff %d %s %s data %x", tup.CTID(), tup.Natts(), tup.Hoff(),
				InfomaskString(tup.Infomask()), Infomask2String(tup.Infomask2()), tup.Data())
		}
		b.WriteByte('\n')
	}
	return b.String()
}

func dumpBTree(t *testing.T, p Page, items int) string {
	var b strings.Builder
	dumpHeader(&b, p)
	bp, err := ParseBTreePage(p)
	if err != nil {
		t.Fatal(err)
	}
	fmt.Fprintf(&b, "prev %d next %d level %d %s\n", bp.Prev, bp.Next, bp.Level, BTreeFlagsString(bp.Flags))
	for n := 1; n <= min(items, p.NumItems()); n++ {
		it, err := ParseIndexTuple(p, n)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&b, "%3d tid %s natts %d pivot %t tids %d data %x\n", n, it.TID, it.Natts, it.Pivot, it.NumTIDs(), it.Data)
	}
	return b.String()
}
