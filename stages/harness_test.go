package stages

import (
	"context"
	"fmt"
	"testing"

	"github.com/pipescan/pipescan/batch"
	"github.com/pipescan/pipescan/internal/stagetest"
	"github.com/pipescan/pipescan/pgfile"
	"github.com/pipescan/pipescan/pipeline"
)

// harnessHeap makes the table of a case, with or without NULL names.
func harnessHeap(c stagetest.Case) (*heap, []string) {
	h := &heap{}
	var rows []string
	rnd := c.Rand()
	id := 0
	for page := range 9 {
		var tuples [][]byte
		for item := range 1 + rnd.IntN(8) {
			id++
			r := testRow{id: int32(id), name: fmt.Sprint("row ", id), xmin: 11, infomask: hinted}
			if c.Nulls && rnd.IntN(2) == 0 {
				r.name = "NULL"
			}
			if c.Selection && rnd.IntN(2) == 0 {
				r.xmin, r.infomask = 12, pgfile.HeapXmaxInvalid // aborted: not selected
			} else {
				rows = append(rows, fmt.Sprintf("(%d,%d)|%d|%s|pad", page, item+1, id, r.name))
			}
			tuples = append(tuples, r.tuple())
		}
		h.bytes = append(h.bytes, newPage(0, tuples...)...)
	}
	return h, rows
}

// pagesOf reads the whole table as the block reader does.
func pagesOf(t testing.TB, p *plan, size int) []*batch.Pages {
	r := newBlockReader(p, &serialClaimer{total: p.order.Len(), batch: uint32(size)})
	var all []*batch.Pages
	for {
		pages, err := r.Next(context.Background())
		if err != nil {
			return all
		}
		all = append(all, pages)
	}
}

func live(p *plan) func() int { return func() int { return p.pages.Live() + p.batches.Live() } }

// renderTuples reads an undecoded batch as newHeap writes rows.
func renderTuples(p *plan) func(*batch.Batch) []string {
	d := newDecoder(p)
	return func(b *batch.Batch) []string {
		d.begin(b, 0, 1, b.Rows())
		var rows []string
		for d.left() {
			out, err := d.next(context.Background())
			if err != nil {
				return append(rows, err.Error())
			}
			rows = append(rows, render(out)...)
			out.Release()
		}
		return rows
	}
}

// TestExtractorHarness runs the extractor through everything.
func TestExtractorHarness(t *testing.T) {
	stagetest.Run(t, stagetest.Config[*batch.Pages, *batch.Batch]{
		NoSelection: true, // pages have none
		New: func(t testing.TB, c stagetest.Case) stagetest.Subject[*batch.Pages, *batch.Batch] {
			h, want := harnessHeap(c)
			p := mustPlan(t, newScan(h))
			return stagetest.Subject[*batch.Pages, *batch.Batch]{
				Stage:  func() pipeline.Stage[*batch.Pages, *batch.Batch] { return newExtractor(p) },
				Inputs: pagesOf(t, p, c.Size),
				Render: renderTuples(p), Want: want, Live: live(p),
			}
		},
	})
}

// extracted are the extractor's outputs.
func extracted(t testing.TB, p *plan, size int) []*batch.Batch {
	var all []*batch.Batch
	e := newExtractor(p)
	for _, pages := range pagesOf(t, p, size) {
		b, err := e.extract(pages)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, b)
	}
	return all
}

// TestVisibilityHarness runs the resolver's stage through everything.
func TestVisibilityHarness(t *testing.T) {
	stagetest.Run(t, stagetest.Config[*batch.Batch, *batch.Batch]{
		New: func(t testing.TB, c stagetest.Case) stagetest.Subject[*batch.Batch, *batch.Batch] {
			h, want := harnessHeap(c)
			p := mustPlan(t, newScan(h))
			return stagetest.Subject[*batch.Batch, *batch.Batch]{
				Stage:  func() pipeline.Stage[*batch.Batch, *batch.Batch] { return newVisibility(p) },
				Inputs: extracted(t, p, c.Size),
				Render: renderTuples(p), Want: want, Live: live(p),
			}
		},
	})
}

// TestDecoderHarness runs the decoder through everything, with whole and with
// many small outputs.
func TestDecoderHarness(t *testing.T) {
	for _, limit := range []int{0, 60} {
		stagetest.Run(t, stagetest.Config[*batch.Batch, *batch.Batch]{
			New: func(t testing.TB, c stagetest.Case) stagetest.Subject[*batch.Batch, *batch.Batch] {
				h, want := harnessHeap(c)
				s := newScan(h)
				s.MaxBatchBytes = limit
				p := mustPlan(t, s)
				inputs := extracted(t, p, c.Size)
				v := newVisibility(p)
				for _, b := range inputs {
					if err := v.resolve(b); err != nil {
						t.Fatal(err)
					}
				}
				return stagetest.Subject[*batch.Batch, *batch.Batch]{
					Stage:  func() pipeline.Stage[*batch.Batch, *batch.Batch] { return newDecoder(p) },
					Inputs: inputs, Render: render, Want: want, Live: live(p),
				}
			},
		})
	}
}
