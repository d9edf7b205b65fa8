package stages

import (
	"context"
	"errors"
	"testing"

	"github.com/pipescan/pipescan/mvcc"
	"github.com/pipescan/pipescan/pgfile"
	"github.com/pipescan/pipescan/pipeline"
)

// FuzzHeapPage scans arbitrary bytes: a scan ends with rows or a typed error,
// and one that passes over damage always ends with rows.
func FuzzHeapPage(f *testing.F) {
	h, _ := newHeap(5, sized)
	for b := range h.NBlocks() {
		f.Add(h.page(int(b)), uint8(b))
	}
	f.Add(newPage(pgfile.PageAllVisible, testRow{raw: external(1), infomask: pgfile.HeapXmaxIsMulti}.tuple()), uint8(7))
	f.Fuzz(func(t *testing.T, data []byte, how uint8) {
		page := make([]byte, pgfile.PageSize)
		copy(page, data)
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
