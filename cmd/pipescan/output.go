package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/pipescan/pipescan"
	"github.com/pipescan/pipescan/dump"
	"github.com/pipescan/pipescan/export"
)

// rowFlags say where rows go and how they look.
type rowFlags struct {
	format, output string
	header         bool
}

// add adds the flags to a verb.
func (f *rowFlags) add(cmd *cobra.Command) {
	fl := cmd.Flags()
	fl.StringVar(&f.format, "format", "", "copy, csv, jsonl or table (default table on a terminal, else copy)")
	fl.StringVarP(&f.output, "output", "o", "-", "file to write, - for stdout")
	fl.BoolVar(&f.header, "header", false, "begin csv with a line of column names")
}

// rowFormat is a format of package export, or the table for terminals.
type rowFormat struct {
	export.Format
	table bool
}

// parse reads the format.
func (f *rowFlags) parse(a *app) (rowFormat, error) {
	switch {
	case f.format == "table", f.format == "" && f.output == "-" && isTerminal(a.stdout):
		return rowFormat{table: true}, nil
	case f.format == "":
		f.format = "copy"
	}
	format, err := export.ParseFormat(f.format)
	if err != nil {
		return rowFormat{}, usagef("--format: %w, or table", err)
	}
	return rowFormat{Format: format}, nil
}

// write scans and writes the rows.
func (a *app) write(ctx context.Context, db *pipescan.DB, table *pipescan.Table, r pipescan.Request, format rowFormat, f *rowFlags) error {
	out, err := openOutput(f.output, a.stdout)
	if err != nil {
		return err
	}
	var losses []pipescan.Loss
	if format.table {
		losses, err = writeTable(ctx, out, table, r)
	} else {
		bar := a.newProgress(table.Name())
		var res dump.Result
		res, err = dump.Copy(ctx, out, table, r, format.Format, export.Options{Header: f.header}, bar.update)
		bar.done()
		losses = res.Losses
	}
	if err := out.finish(err); err != nil {
		return err
	}
	return a.reportLosses(append(db.CatalogLosses(), losses...))
}

// output is where data go: stdout, or a file that gets its name once it is
// whole.
type output struct {
	io.Writer
	file  *os.File
	final string
}

// openOutput opens "-" or a file. A device or pipe is written as it is.
func openOutput(name string, stdout io.Writer) (*output, error) {
	if name == "-" {
		return &output{Writer: stdout}, nil
	}
	if st, err := os.Stat(name); err == nil && !st.Mode().IsRegular() {
		f, err := os.OpenFile(name, os.O_WRONLY, 0)
		return &output{Writer: f, file: f}, err
	}
	f, err := os.CreateTemp(filepath.Dir(name), ".partial-*")
	if err != nil {
		return nil, err
	}
	if err := f.Chmod(0o644); err != nil {
		return nil, err
	}
	return &output{Writer: f, file: f, final: name}, nil
}

// finish closes the output; err is how the scan ended.
func (o *output) finish(err error) error {
	if o.file == nil {
		return err
	}
	if cerr := o.file.Close(); err == nil {
		err = cerr
	}
	if o.final == "" {
		return err
	}
	if err == nil {
		err = os.Rename(o.file.Name(), o.final)
	}
	if err != nil {
		_ = os.Remove(o.file.Name())
		return fmt.Errorf("%w (nothing was written to %s)", err, o.final)
	}
	return nil
}
