package stages

import (
	"context"
	"encoding/binary"
	"errors"
	"slices"
	"testing"

	"github.com/pipescan/pipescan/mvcc"
	"github.com/pipescan/pipescan/pgfile"
	"github.com/pipescan/pipescan/pipeline"
)

// FuzzHeapPage scans damaged pages: a scan ends with rows or a typed error,
// and one that passes over damage always ends with rows. The damage is a list
// of offsets (two bytes) and new values (one), which keeps inputs small.
func FuzzHeapPage(f *testing.F) {
	h, _ := newHeap(5, sized)
	h.bytes = append(h.bytes, newPage(pgfile.PageAllVisible,
		testRow{raw: external(1), infomask: pgfile.HeapXmaxIsMulti}.tuple(), testRow{name: "NULL"}.tuple())...)
	for block := range uint8(h.NBlocks()) {
		f.Add(block, []byte{}, block)
		f.Add(block, []byte{12, 0, 0xff, 13, 0, 0xff}, block+6)  // pd_lower
		f.Add(block, []byte{24, 0, 0x01, 27, 0, 0xff}, block+12) // the first line pointer
		f.Add(block, []byte{0xc8 + 20, 0x1f, 0x11, 0xc8 + 22, 0x1f, 0xff}, block)
	}
	f.Fuzz(func(t *testing.T, block uint8, patches []byte, how uint8) {
		page := slices.Clone(h.page(int(block) % int(h.NBlocks())))
		for ; len(patches) >= 3; patches = patches[3:] {
			page[int(binary.LittleEndian.Uint16(patches))%len(page)] = patches[2]
		}
		closed := 0
		for _, skip := range []bool{false, true} {
			s := newScan(&heap{bytes: page})
			s.Rows = mvcc.RowSet(how % 3)
			s.Checksums = how&4 != 0
			s.NewDetoaster = func() Detoaster { return corruptDetoaster{fakeDetoaster{&closed}} }
			if how&8 != 0 {
				s.Order.Direction = pipeline.Backward
			}
			if skip {
				s.OnLoss = func(Loss) error { return nil }
			}
			lanes, _, err := s.Lanes(1, false)
			if err != nil {
				t.Fatal(err)
			}
			n := 0
			for b, err := range pipeline.Run(context.Background(), pipeline.Options{Topology: pipeline.Pulled}, lanes) {
				if err != nil {
					var panicked *pipeline.PanicError
					if skip || errors.As(err, &panicked) || !errors.Is(err, pgfile.ErrCorrupt) {
						t.Fatal(err)
					}
					break
				}
				render(b)
				n += b.Rows()
			}
			if n > pgfile.MaxTuplesPerPage {
				t.Fatalf("%d rows of one page", n)
			}
		}
	})
}

// corruptDetoaster finds all values damaged that fakeDetoaster does not know.
type corruptDetoaster struct{ fakeDetoaster }

func (d corruptDetoaster) Append(ctx context.Context, dst, v []byte) ([]byte, error) {
	if last := v[len(v)-1]; last >= 1 && last <= 3 {
		return d.fakeDetoaster.Append(ctx, dst, v)
	}
	return dst, pgfile.Corruptf(0, "no such value")
}
