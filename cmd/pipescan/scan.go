package main

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/pipescan/pipescan"
	"github.com/pipescan/pipescan/catalog"
)

// scanFlags are the flags of scan.
type scanFlags struct {
	rowFlags
	columns, where, order, rows string
	limit, offset               int64
	only                        bool
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
	f.add(cmd)
	fl := cmd.Flags()
	fl.StringVar(&f.columns, "columns", "", "columns, separated by commas; system columns and * too (default all)")
	fl.StringVar(&f.where, "where", "", "SQL condition that rows must meet, as behind WHERE")
	fl.StringVar(&f.order, "order", "forward", "forward or backward")
	fl.StringVar(&f.rows, "rows", "visible", "visible, dead or all; with ctid, xmin and xmax first for the last two")
	fl.Int64Var(&f.limit, "limit", -1, "rows at most")
	fl.Int64Var(&f.offset, "offset", 0, "rows to pass over first")
	fl.BoolVar(&f.only, "only", false, "without inheritance children and partitions")
	return cmd
}

// scan runs the verb.
func (a *app) scan(cmd *cobra.Command, args []string, f *scanFlags) (err error) {
	name := strings.Join(args, " ")
	if len(args) == 2 && !strings.EqualFold(args[0], "only") {
		return usagef("usage: pipescan scan REL: one table a scan, or ONLY REL")
	}
	format, err := f.parse(a)
	if err != nil {
		return err
	}
	request, err := f.request(a, cmd.Flags().Changed("limit"))
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
	return withCaret(f.where, a.write(ctx, db, table, request, format, &f.rowFlags))
}

// request turns the flags into a Request.
func (f *scanFlags) request(a *app, limited bool) (r pipescan.Request, err error) {
	r = pipescan.Request{Descend: !f.only, Offset: f.offset, Lanes: a.lanes()}
	if f.offset < 0 || limited && f.limit < 0 {
		return r, usagef("--limit and --offset must not be negative")
	}
	if limited {
		r.Limit = &f.limit
	}
	switch f.order {
	case "forward":
	case "backward":
		r.Order = pipescan.OrderBackward
	default:
		return r, usagef("--order %s: want forward or backward", f.order)
	}
	if f.where != "" {
		if r.Where, err = parseWhere(f.where); err != nil {
			return r, err
		}
	}
	if f.columns != "" {
		if r.Columns, err = parseColumns(f.columns); err != nil {
			return r, err
		}
	}
	switch f.rows {
	case "visible":
		return r, nil
	case "dead":
		r.Rows = pipescan.Dead
	case "all":
		r.Rows = pipescan.All
	default:
		return r, usagef("--rows %s: want visible, dead or all", f.rows)
	}
	if f.columns == "" {
		r.Columns = []string{"ctid", "xmin", "xmax", "*"}
	}
	return r, nil
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
