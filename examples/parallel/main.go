// Command parallel scans a table with 1, 2 and more lanes, and in each
// topology, and prints what each configuration took. All give the same rows;
// which is fastest depends on the machine:
//
//   - one lane, fused (the default): block reader, extractor, visibility and
//     decoder run on one goroutine. Nothing crosses cores.
//   - W lanes, fused: W such goroutines take blocks from one shared cursor. This
//     scales until memory does not.
//   - actors: a goroutine a stage. Right when a stage blocks or is slow.
//   - pulled: everything on the caller's goroutine, for small scans.
//
// The lanes come out of the DB's worker budget (Options.Workers): scans that run
// at the same time share it, and a scan gets what is free.
//
//	go run ./examples/parallel -D /path/to/data -d postgres public.orders
package main

import (
	"context"
	"flag"
	"fmt"
	"log"
	"os"
	"runtime"
	"time"

	"github.com/pipescan/pipescan"
)

func main() {
	log.SetFlags(0)
	dir := flag.String("D", os.Getenv("PGDATA"), "data directory of a stopped server")
	database := flag.String("d", "postgres", "database")
	flag.Parse()
	if err := run(context.Background(), *dir, *database, flag.Arg(0)); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context, dir, database, table string) error {
	most := max(2, runtime.GOMAXPROCS(0))
	db, err := pipescan.Open(ctx, dir, pipescan.Options{Database: database, Workers: most})
	if err != nil {
		return err
	}
	defer db.Close()
	t, err := db.Table(ctx, table)
	if err != nil {
		return err
	}
	configurations := []pipescan.Request{
		{Lanes: 1, Topology: pipescan.Pulled},
		{Lanes: 1},
		{Lanes: 1, Topology: pipescan.Actors},
		{Lanes: 2},
		{Lanes: 2, Order: pipescan.OrderAny},
		{Lanes: most, Order: pipescan.OrderAny},
		{Lanes: 4 * most, Order: pipescan.OrderAny}, // more than the budget: it gets what is free
	}
	for _, r := range configurations {
		r.Descend = true
		if err := measure(ctx, t, r); err != nil {
			return err
		}
	}
	return nil
}

// measure scans the whole table once and prints rows, bytes and time.
func measure(ctx context.Context, t *pipescan.Table, r pipescan.Request) error {
	start := time.Now()
	scan, err := t.Scan(ctx, r)
	if err != nil {
		return err
	}
	var rows, bytes int
	for b, err := range scan.Batches() {
		if err != nil {
			return err
		}
		rows += b.Rows()
		for i := range b.Cols {
			bytes += len(b.Cols[i].Data)
		}
	}
	fmt.Printf("lanes %2d  %-7s ordered %-5t  %d rows, %d bytes of values in %v\n",
		r.Lanes, r.Topology, r.Order != pipescan.OrderAny, rows, bytes, time.Since(start).Round(time.Microsecond))
	return nil
}
