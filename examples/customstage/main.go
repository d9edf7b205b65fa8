// Command customstage adds a stage of its own to a scan: it keeps the rows
// whose first column's text contains a word, inside every lane, and counts them
// in a serial stage after the lanes are merged.
//
//	go run ./examples/customstage -D /path/to/data -d postgres -word abc public.orders
package main

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"log"
	"os"

	"github.com/pipescan/pipescan"
	"github.com/pipescan/pipescan/pipeline"
)

func main() {
	log.SetFlags(0)
	dir := flag.String("D", os.Getenv("PGDATA"), "data directory of a stopped server")
	database := flag.String("d", "postgres", "database")
	word := flag.String("word", "1", "what the first column has to contain")
	flag.Parse()
	if err := run(context.Background(), *dir, *database, flag.Arg(0), *word); err != nil {
		log.Fatal(err)
	}
}

// contains keeps the rows whose first column, as text, contains word. A stage
// is a plain function over a batch: no goroutine and no lock, since each lane
// has one of its own.
type contains struct {
	word  []byte
	field pipescan.Field
	fail  func(b *pipescan.Batch, row, column int, err error) error
	text  []byte
	err   error
}

// Process owns in: it narrows the selection and sends the batch on.
func (c *contains) Process(_ context.Context, in *pipescan.Batch, emit pipeline.Emit[*pipescan.Batch]) error {
	in.Select(func(row int) bool { return c.keep(in, row) })
	if c.err != nil {
		in.Release()
		return c.err
	}
	return emit(in)
}

// keep judges one row.
func (c *contains) keep(b *pipescan.Batch, row int) bool {
	value, ok := b.Cols[0].Value(row)
	if !ok || c.err != nil {
		return false
	}
	text, err := c.field.Codec.AppendText(c.text[:0], value)
	if err != nil {
		c.err = c.fail(b, row, 0, err)
		return false
	}
	c.text = text
	return bytes.Contains(text, c.word)
}

// Flush has nothing left to give.
func (c *contains) Flush(context.Context, pipeline.Emit[*pipescan.Batch]) error { return nil }

// counter counts the rows that pass; being serial it sees every lane's.
type counter struct{ rows *int }

func (c counter) Process(_ context.Context, in *pipescan.Batch, emit pipeline.Emit[*pipescan.Batch]) error {
	*c.rows += in.Rows()
	return emit(in)
}

func (c counter) Flush(context.Context, pipeline.Emit[*pipescan.Batch]) error { return nil }

func run(ctx context.Context, dir, database, table, word string) error {
	db, err := pipescan.Open(ctx, dir, pipescan.Options{Database: database})
	if err != nil {
		return err
	}
	defer db.Close()
	t, err := db.Table(ctx, table)
	if err != nil {
		return err
	}
	rows := 0
	scan, err := t.Scan(ctx, pipescan.Request{
		Lanes: 2, Descend: true,
		Stages: []pipescan.StageSpec{
			{Name: "contains", New: func(l pipescan.Lane) (pipescan.Stage, error) {
				return &contains{word: []byte(word), field: l.Schema.Fields[0], fail: l.Fail}, nil
			}},
			{Name: "count", Serial: true, New: func(pipescan.Lane) (pipescan.Stage, error) {
				return counter{&rows}, nil
			}},
		},
	})
	if err != nil {
		return err
	}
	for row, err := range scan.Rows() {
		if err != nil {
			return err
		}
		text, _, err := row.Text(0)
		if err != nil {
			return err
		}
		fmt.Println(text)
	}
	fmt.Printf("%d rows contain %q\n", rows, word)
	return nil
}
