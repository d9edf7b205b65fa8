// Command serial reads a table row by row on one lane: the shortest way to use
// pipescan as a library.
//
//	go run ./examples/serial -D /path/to/data -d postgres public.orders
package main

import (
	"context"
	"flag"
	"fmt"
	"log"
	"os"

	"github.com/pipescan/pipescan"
)

func main() {
	log.SetFlags(0)
	dir := flag.String("D", os.Getenv("PGDATA"), "data directory of a stopped server")
	database := flag.String("d", "postgres", "database")
	limit := flag.Int64("limit", 10, "rows to print")
	flag.Parse()
	if err := run(context.Background(), *dir, *database, flag.Arg(0), *limit); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context, dir, database, table string, limit int64) error {
	db, err := pipescan.Open(ctx, dir, pipescan.Options{Database: database})
	if err != nil {
		return err
	}
	defer db.Close()
	t, err := db.Table(ctx, table)
	if err != nil {
		return err
	}
	scan, err := t.Scan(ctx, pipescan.Request{Limit: &limit, Descend: true})
	if err != nil {
		return err
	}
	fmt.Println(scan.Schema().Names())
	for row, err := range scan.Rows() {
		if err != nil {
			return err
		}
		for i := range row.Len() {
			// Value gives a Go value; Text would give what COPY prints.
			v, err := row.Value(i)
			if err != nil {
				return err
			}
			fmt.Printf("%v\t", v)
		}
		fmt.Println()
	}
	return nil
}
