package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/spf13/cobra"

	"github.com/pipescan/pipescan"
	"github.com/pipescan/pipescan/catalog"
	"github.com/pipescan/pipescan/dump"
	"github.com/pipescan/pipescan/export"
)

// scanFlags are the flags of scan.
type scanFlags struct {
	columns, order, rows, format, output string
	limit, offset                        int64
	header, only                         bool
}

func scanCmd(a *app) *cobra.Command {
	var f scanFlags
	cmd := &cobra.Command{
		Use:   "scan REL",
		Short: "Write the rows of a table",
		Long: "Write the rows of a table, with its inheritance children or partitions\n" +
			"(\"ONLY REL\" or --only leaves them out). REL follows SQL's quoting and folding;\n" +
			"the schema is public unless given.",
		Args: argRange(1, 2),
		RunE: func(cmd *cobra.Command, args []string) error { return a.scan(cmd, args, &f) },
	}
	fl := cmd.Flags()
	fl.StringVar(&f.columns, "columns", "", "columns, separated by commas; system columns and * too (default all)")
	fl.StringVar(&f.order, "order", "forward", "forward or backward")
	fl.StringVar(&f.rows, "rows", "visible", "visible, dead or all; with ctid, xmin and xmax first for the last two")
	fl.StringVar(&f.format, "format", "copy", "copy, csv or jsonl")
	fl.StringVarP(&f.output, "output", "o", "-", "file to write, - for stdout")
	fl.Int64Var(&f.limit, "limit", -1, "rows at most")
	fl.Int64Var(&f.offset, "offset", 0, "rows to pass over first")
	fl.BoolVar(&f.header, "header", false, "begin csv with a line of column names")
	fl.BoolVar(&f.only, "only", false, "without inheritance children and partitions")
	return cmd
}

// scan runs the verb.
func (a *app) scan(cmd *cobra.Command, args []string, f *scanFlags) (err error) {
	name := strings.Join(args, " ")
	if len(args) == 2 && !strings.EqualFold(args[0], "only") {
		return usagef("usage: pipescan scan REL: one table a scan, or ONLY REL")
	}
	request, format, err := f.request(a, cmd.Flags().Changed("limit"))
	if err != nil {
		return err
	}
	ctx := cmd.Context()
	db, err := a.open(ctx)
	if err != nil {
		return err
	}
	defer db.Close()
	table, err := db.Table(ctx, name)
	if err != nil {
		return err
	}
	out, err := openOutput(f.output, a.stdout)
	if err != nil {
		return err
	}
	bar := a.newProgress(table.Name())
	res, err := dump.Copy(ctx, out, table, request, format, export.Options{Header: f.header}, bar.update)
	bar.done()
	if err := out.finish(err); err != nil {
		return err
	}
	return a.reportLosses(append(db.CatalogLosses(), res.Losses...))
}

// request turns the flags into a Request.
func (f *scanFlags) request(a *app, limited bool) (pipescan.Request, export.Format, error) {
	r := pipescan.Request{Descend: !f.only, Offset: f.offset, Lanes: a.workers}
	if r.Lanes == 0 {
		r.Lanes = runtime.GOMAXPROCS(0)
	}
	format, err := export.ParseFormat(f.format)
	if err != nil {
		return r, format, usagef("--format: %w", err)
	}
	if f.offset < 0 || limited && f.limit < 0 {
		return r, format, usagef("--limit and --offset must not be negative")
	}
	if limited {
		r.Limit = &f.limit
	}
	switch f.order {
	case "forward":
	case "backward":
		r.Order = pipescan.OrderBackward
	default:
		return r, format, usagef("--order %s: want forward or backward", f.order)
	}
	if f.columns != "" {
		if r.Columns, err = parseColumns(f.columns); err != nil {
			return r, format, err
		}
	}
	switch f.rows {
	case "visible":
		return r, format, nil
	case "dead":
		r.Rows = pipescan.Dead
	case "all":
		r.Rows = pipescan.All
	default:
		return r, format, usagef("--rows %s: want visible, dead or all", f.rows)
	}
	if f.columns == "" {
		r.Columns = []string{"ctid", "xmin", "xmax", "*"}
	}
	return r, format, nil
}

// parseColumns splits a list at the commas outside quotes and reads each name
// as SQL would.
func parseColumns(list string) ([]string, error) {
	var names []string
	for len(list) > 0 {
		part, rest := cutColumn(list)
		list = rest
		if strings.TrimSpace(part) == "*" {
			names = append(names, "*")
			continue
		}
		parsed, err := catalog.ParseName(part)
		if err != nil {
			return nil, usagef("--columns: %w", err)
		}
		if len(parsed) != 1 {
			return nil, usagef("--columns: %q is not a column's name", part)
		}
		names = append(names, parsed[0])
	}
	return names, nil
}

// cutColumn cuts a list at its first comma outside double quotes.
func cutColumn(list string) (part, rest string) {
	quoted := false
	for i := range len(list) {
		switch {
		case list[i] == '"':
			quoted = !quoted
		case list[i] == ',' && !quoted:
			return list[:i], list[i+1:]
		}
	}
	return list, ""
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
