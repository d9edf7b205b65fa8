package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"github.com/pipescan/pipescan/catalog"
	"github.com/pipescan/pipescan/table"
)

// openStore opens the store in -D; create makes it when nothing is there.
func (a *app) openStore(create bool) (*table.Store, error) {
	if a.dir == "" {
		return nil, usagef("no store directory: give -D DIR or set PGDATA")
	}
	if !create || table.IsStore(a.dir) {
		return table.Open(a.dir, table.Options{})
	}
	return table.Create(a.dir)
}

// ownName reads a table's SQL name; the schema is public unless given.
func ownName(sqlName string) (schema, name string, err error) {
	parts, err := catalog.ParseName(sqlName)
	switch {
	case err != nil:
		return "", "", usagef("%w", err)
	case len(parts) == 1:
		return "public", parts[0], nil
	case len(parts) == 2:
		return parts[0], parts[1], nil
	}
	return "", "", usagef("%s: want a table, or schema.table", sqlName)
}

func createCmd(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "create REL COLUMNS",
		Short: "Make a table of one's own in a store directory",
		Long: "Make an empty table in the store directory -D, and the store when the directory\n" +
			"is not there or empty. COLUMNS is what stands between the parentheses of CREATE\nTABLE: 'a int, b numeric(10,2) NOT NULL'.",
		Args: argRange(2, 2),
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			schema, name, err := ownName(args[0])
			if err != nil {
				return err
			}
			if _, err := table.ParseColumns(args[1]); err != nil {
				return usagef("%w", err)
			}
			s, err := a.openStore(true)
			if err != nil {
				return err
			}
			defer func() { err = errors.Join(err, s.Close()) }()
			_, err = s.CreateTable(cmd.Context(), schema, name, args[1])
			return err
		},
	}
}

func dropCmd(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "drop REL",
		Short: "Remove a table from a store directory",
		Args:  argRange(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.withOwn(cmd.Context(), args[0], func(s *table.Store, rel *catalog.Relation) error {
				return s.Drop(cmd.Context(), rel)
			})
		},
	}
}

// withOwn opens the store and finds a table for fn.
func (a *app) withOwn(ctx context.Context, sqlName string, fn func(*table.Store, *catalog.Relation) error) (err error) {
	schema, name, err := ownName(sqlName)
	if err != nil {
		return err
	}
	s, err := a.openStore(false)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	rel, err := s.RelationByName(ctx, schema, name)
	if err != nil {
		return err
	}
	return fn(s, rel)
}

// loadFlags are the flags of load.
type loadFlags struct {
	format, generate string
	frozen, header   bool
}

func loadCmd(a *app) *cobra.Command {
	var f loadFlags
	cmd := &cobra.Command{
		Use:   "load REL (FILE|-|--generate SPEC)",
		Short: "Append rows to a table of a store directory",
		Long: "Append the rows of a file in COPY's text or CSV format, or generated ones, to a\n" +
			"table of the store directory -D: all of them or, on any error, none.\n" +
			"SPEC: 'a = series(1, 1000000), b = null(0.1, random(0, 99)), c = text(5, 20)'.",
		Args: argRange(1, 2),
		RunE: func(cmd *cobra.Command, args []string) error { return a.load(cmd.Context(), args, &f) },
	}
	fl := cmd.Flags()
	fl.StringVar(&f.format, "format", "copy", "copy or csv")
	fl.StringVar(&f.generate, "generate", "", "make rows to this specification instead of reading them")
	fl.BoolVar(&f.frozen, "frozen", false, "store rows as VACUUM FREEZE leaves them")
	fl.BoolVar(&f.header, "header", false, "pass over the first line")
	return cmd
}

// load runs the verb.
func (a *app) load(ctx context.Context, args []string, f *loadFlags) error {
	if (len(args) == 2) == (f.generate != "") {
		return usagef("usage: pipescan load REL (FILE|-|--generate SPEC): one source of rows")
	}
	o := table.LoadOptions{Frozen: f.frozen, Header: f.header}
	switch f.format {
	case "copy":
	case "csv":
		o.Format = table.FormatCSV
	default:
		return usagef("--format %s: want copy or csv", f.format)
	}
	return a.withOwn(ctx, args[0], func(s *table.Store, rel *catalog.Relation) error {
		rows, err := f.rows(ctx, s, rel, o, args)
		if err == nil {
			fmt.Fprintf(a.stderr, "pipescan: %d rows\n", rows)
		}
		return err
	})
}

// rows loads from the source that the command line names.
func (f *loadFlags) rows(ctx context.Context, s *table.Store, rel *catalog.Relation, o table.LoadOptions, args []string) (int64, error) {
	if f.generate != "" {
		return s.LoadGenerated(ctx, rel, f.generate, table.GenerateOptions{Frozen: f.frozen})
	}
	var in io.Reader = os.Stdin
	if args[1] != "-" {
		file, err := os.Open(args[1])
		if err != nil {
			return 0, err
		}
		defer file.Close()
		in = file
	}
	return s.Load(ctx, rel, o, in)
}
