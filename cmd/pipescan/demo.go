package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/pipescan/pipescan"
	"github.com/pipescan/pipescan/pgfile"
	"github.com/pipescan/pipescan/qual"
	"github.com/pipescan/pipescan/table"
)

// demoRounds is how often each query runs; the fastest is shown.
const demoRounds = 3

func demoCmd(a *app) *cobra.Command {
	var rows int64
	cmd := &cobra.Command{
		Use:   "demo",
		Short: "Make a table, scan it, and show plans, counters and rates",
		Long: "Make a table of integers in a temporary store, once as INSERT leaves it and once\n" +
			"frozen; run two queries on both with one lane and with two; print the plan, each\n" +
			"stage's counters and the rates. Needs no server, and about 80 bytes of disk a row\n" +
			"in the temporary directory.",
		Args: argRange(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if rows < 1 {
				return usagef("--rows %d: want 1 or more", rows)
			}
			return a.demo(cmd.Context(), rows)
		},
	}
	cmd.Flags().Int64Var(&rows, "rows", 10_000_000, "rows of the table")
	return cmd
}

// demo runs the whole show in a temporary store.
func (a *app) demo(ctx context.Context, rows int64) (err error) {
	dir, err := os.MkdirTemp("", "pipescan-demo-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	store := filepath.Join(dir, "store")
	if err := a.demoLoad(ctx, store, rows); err != nil {
		return err
	}
	db, err := pipescan.Open(ctx, store, pipescan.Options{Workers: max(a.workers, 2)})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	for _, name := range []string{"unfrozen", "frozen"} {
		t, err := db.Table(ctx, name)
		if err != nil {
			return err
		}
		for _, q := range demoQueries {
			if err := a.demoQuery(ctx, t, rows, q); err != nil {
				return err
			}
		}
	}
	a.demoTour()
	return nil
}

// demoLoad makes the two tables.
func (a *app) demoLoad(ctx context.Context, dir string, rows int64) (err error) {
	s, err := table.Create(dir)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	for _, name := range []string{"unfrozen", "frozen"} {
		rel, err := s.CreateTable(ctx, "public", name, "a int")
		if err != nil {
			return err
		}
		start := time.Now()
		if _, err := s.LoadGenerated(ctx, rel, fmt.Sprintf("a = series(1, %d)", rows), table.GenerateOptions{Frozen: name == "frozen"}); err != nil {
			return err
		}
		blocks, err := s.Blocks(rel)
		if err != nil {
			return err
		}
		took := time.Since(start)
		fmt.Fprintf(a.stdout, "table %s: %d rows in %d pages (%d MB) of PostgreSQL's format, loaded in %.1f s\n",
			name, rows, blocks, int64(blocks)*pgfile.PageSize>>20, took.Seconds())
	}
	return nil
}

// demoQueryText is one query of the demo, said in SQL and in Go.
type demoQueryText struct {
	sql     string
	request pipescan.Request
}

var demoQueries = []demoQueryText{
	{"SELECT * FROM %s WHERE a = 0", pipescan.Request{Where: qual.Col("a").Eq(0)}},
	{"SELECT count(*) FROM %s", pipescan.Request{Aggregates: []pipescan.Aggregate{{Name: "count", Func: "count", Star: true}}}},
}

// demoQuery runs a query with one lane and with two and prints what it took.
func (a *app) demoQuery(ctx context.Context, t *pipescan.Table, rows int64, q demoQueryText) error {
	fmt.Fprintf(a.stdout, "\n"+q.sql+"\n", t.Relation().Name)
	for _, lanes := range []int{1, 2} {
		r := q.request
		r.Lanes = lanes
		best, scan, err := demoRun(ctx, t, r)
		if err != nil {
			return err
		}
		if lanes == 1 {
			fmt.Fprint(a.stdout, scan.Tree().Text(pipescan.ExplainOptions{IO: true}))
		}
		seconds := best.Seconds()
		fmt.Fprintf(a.stdout, "%d lane(s): %.1f ms, %.0f million rows/s, %.1f GB/s\n", lanes, 1000*seconds,
			float64(rows)/seconds/1e6, float64(scan.Stats().Pages)*pgfile.PageSize/seconds/1e9)
	}
	return nil
}

// demoRun runs a request some times and returns the fastest run.
func demoRun(ctx context.Context, t *pipescan.Table, r pipescan.Request) (best time.Duration, fastest *pipescan.Scan, err error) {
	for range demoRounds {
		start := time.Now()
		scan, err := t.Scan(ctx, r)
		if err != nil {
			return 0, nil, err
		}
		for _, err := range scan.Batches() {
			if err != nil {
				return 0, nil, err
			}
		}
		if took := time.Since(start); fastest == nil || took < best {
			best, fastest = took, scan
		}
	}
	return best, fastest, nil
}

// demoTour says what to try next.
func (a *app) demoTour() {
	fmt.Fprint(a.stdout, `
What next:
  pipescan doctor -D DATADIR                          what a stopped cluster holds, and what to do about it
  pipescan tables -D DATADIR -d DB                    its tables
  pipescan scan -D DATADIR -d DB TABLE                rows, as COPY prints them (--format csv, jsonl)
  pipescan scan -D DATADIR TABLE --rows dead          deleted rows that are still in the file
  pipescan query -D DATADIR 'SELECT ...'              one table: WHERE, GROUP BY, ORDER BY, LIMIT
  pipescan explain --analyze -D DATADIR 'SELECT ...'  plan, counters, times
  pipescan dump -D DATADIR -o OUT                     all tables, each to a file
  pipescan inspect -D DATADIR TABLE --block 0         a page, line pointer by line pointer
  pipescan create -D STORE t 'a int, b text'          a table of your own
  pipescan load -D STORE t FILE                       and its rows
`)
}
