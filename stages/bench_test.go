package stages

import (
	"context"
	"testing"

	"github.com/pipescan/pipescan/batch"
	"github.com/pipescan/pipescan/pgfile"
	"github.com/pipescan/pipescan/pipeline"
)

// benchPages is a table of 10 million int4 rows when run whole; the benchmark
// scans a tenth and reports the time a tuple.
const benchPages = 4424

// int4Heap is a table of one int4 column, 226 rows a page.
func int4Heap(pages int, infomask uint16) *heap {
	tuple := make([]byte, 28)
	copy(tuple, testRow{xmin: 11, infomask: infomask}.tuple()[:24])
	tuple[18] = 1
	tuples := make([][]byte, 226)
	for i := range tuples {
		tuples[i] = tuple
	}
	page := newPage(0, tuples...)
	h := &heap{}
	for range pages {
		h.bytes = append(h.bytes, page...)
	}
	return h
}

// BenchmarkScan scans a mapped table, and one read, counting and decoding. The
// allocations are those of making the scan: none a batch.
func BenchmarkScan(b *testing.B) {
	batch.PoisonReleased(false)
	defer batch.PoisonReleased(true)
	for name, infomask := range map[string]uint16{"hinted": hinted, "unhinted": pgfile.HeapXmaxInvalid} {
		rel, _ := onDisk(b, int4Heap(benchPages, infomask), pgfile.BlocksPerSegment)
		for method, io := range map[string]IOMethod{"mmap": IOMmap, "pread": IOPread} {
			for what, countOnly := range map[string]bool{"count": true, "decode": false} {
				b.Run(what+"/"+method+"/"+name, func(b *testing.B) {
					b.ReportAllocs()
					rows := 0
					for b.Loop() {
						s := &HeapScan{
							Source: rel, Attrs: testAttrs[:1], Columns: testColumns[1:2], Snapshot: testSnapshot,
							IO: io, CountOnly: countOnly,
						}
						lanes, _, err := s.Lanes(1, false)
						if err != nil {
							b.Fatal(err)
						}
						rows = 0
						for bt, err := range pipeline.Run(context.Background(), pipeline.Options{Topology: pipeline.Pulled}, lanes) {
							if err != nil {
								b.Fatal(err)
							}
							rows += bt.Rows()
						}
					}
					if rows != benchPages*226 {
						b.Fatalf("%d rows", rows)
					}
					b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(rows), "ns/tuple")
				})
			}
		}
	}
}

// TestNoAllocationsABatch compares a short scan's allocations with a long one's.
func TestNoAllocationsABatch(t *testing.T) {
	batch.PoisonReleased(false)
	defer batch.PoisonReleased(true)
	allocations := func(pages int, io IOMethod, countOnly bool) float64 {
		rel, _ := onDisk(t, int4Heap(pages, hinted), pgfile.BlocksPerSegment)
		return testing.AllocsPerRun(5, func() {
			s := &HeapScan{Source: rel, Attrs: testAttrs[:1], Columns: testColumns[1:2], Snapshot: testSnapshot, IO: io, CountOnly: countOnly}
			lanes, _, err := s.Lanes(1, false)
			if err != nil {
				t.Fatal(err)
			}
			p := pipeline.NewPuller(lanes[0])
			for {
				b, err := p.Next(context.Background())
				if err != nil {
					break
				}
				b.Release()
			}
			if err := p.Close(); err != nil {
				t.Fatal(err)
			}
		})
	}
	for _, io := range []IOMethod{IOMmap, IOPread} {
		for _, countOnly := range []bool{true, false} {
			short, long := allocations(64, io, countOnly), allocations(1280, io, countOnly)
			if long > short+2 { // of 38 batches more
				t.Errorf("method %d, count only %v: %.0f allocations in 2 batches, %.0f in 40", io, countOnly, short, long)
			}
		}
	}
}
