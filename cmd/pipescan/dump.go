package main

import (
	"fmt"
	"runtime"

	"github.com/spf13/cobra"

	"github.com/pipescan/pipescan/dump"
	"github.com/pipescan/pipescan/export"
)

func dumpCmd(a *app) *cobra.Command {
	var o dump.Options
	var format string
	cmd := &cobra.Command{
		Use:   "dump -o DIR",
		Short: "Write many tables, each to a file",
		Long: "Write ordinary tables, partitions, materialized views and sequences, each to a\n" +
			"file DIR/<schema>.<table>.copy, and DIR/manifest.jsonl. Started again over the\n" +
			"same DIR it passes over what is done. With --all-databases each database has a\n" +
			"folder of its own.",
		Args: argRange(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error { return a.dump(cmd, &o, format) },
	}
	fl := cmd.Flags()
	fl.StringVarP(&o.Dir, "output", "o", "", "directory to write to")
	fl.StringArrayVarP(&o.Tables, "table", "t", nil, "shell pattern of tables to dump (name or schema.name)")
	fl.StringArrayVarP(&o.Schemas, "schema", "n", nil, "shell pattern of schemas to dump")
	fl.StringArrayVarP(&o.Exclude, "exclude-table", "T", nil, "shell pattern of tables to leave out")
	fl.BoolVar(&o.Catalogs, "catalogs", false, "system catalogs too")
	fl.BoolVar(&o.AllDatabases, "all-databases", false, "every database, templates included")
	fl.IntVarP(&o.Jobs, "jobs", "j", 1, "tables at a time")
	fl.StringVar(&format, "format", "copy", "copy, csv or jsonl")
	fl.BoolVar(&o.CSVHeader, "header", false, "begin csv with a line of column names")
	return cmd
}

// dump runs the verb.
func (a *app) dump(cmd *cobra.Command, o *dump.Options, format string) error {
	var err error
	if o.Dir == "" {
		return usagef("no directory to write to: give -o DIR")
	}
	if o.Format, err = export.ParseFormat(format); err != nil {
		return usagef("--format: %w", err)
	}
	if o.Jobs < 1 {
		return usagef("--jobs %d: want 1 or more", o.Jobs)
	}
	ctx := cmd.Context()
	db, err := a.open(ctx)
	if err != nil {
		return err
	}
	defer db.Close()
	if o.Lanes = a.workers; o.Lanes == 0 {
		o.Lanes = runtime.GOMAXPROCS(0)
	}
	bar := &progress{}
	o.Start = func(n int) { bar = a.newTables(n) }
	o.Done = func(e dump.Entry) {
		bar.step()
		switch {
		case e.Kind == "database":
			fmt.Fprintf(a.stderr, "pipescan: failed: %s\n", e.Error)
		case e.Error != "":
			fmt.Fprintf(a.stderr, "pipescan: failed: %s: %s.%s: %s\n", e.Database, e.Schema, e.Name, e.Error)
		}
		for _, l := range e.Ledger {
			fmt.Fprintf(a.stderr, "pipescan: %s: %s.%s: lost %s: %v\n", e.Database, e.Schema, e.Name, l.Kind, l.Err)
		}
	}
	sum, err := dump.Run(ctx, db, *o)
	bar.done()
	if err != nil {
		return err
	}
	fmt.Fprintf(a.stderr, "pipescan: %d tables, %d rows, %d bytes", sum.Tables, sum.Rows, sum.Bytes)
	if sum.Resumed > 0 {
		fmt.Fprintf(a.stderr, "; %d were done before", sum.Resumed)
	}
	fmt.Fprintln(a.stderr)
	for _, l := range db.CatalogLosses() {
		fmt.Fprintf(a.stderr, "pipescan: in a catalog: lost %s: %v\n", l.Kind, l.Err)
	}
	return a.dumpResult(sum, db.CatalogLossCount())
}

// dumpResult maps what a dump could not do to an exit code.
func (a *app) dumpResult(sum dump.Summary, catalogLosses int64) error {
	if sum.Failed > 0 {
		fmt.Fprintf(a.stderr, "pipescan: %d tables failed: %s says why\n", sum.Failed, dump.ManifestName)
		return &codeError{exitFailed, errReported}
	}
	if sum.WithLosses > 0 || catalogLosses > 0 {
		fmt.Fprintf(a.stderr, "pipescan: %d tables with losses, %d losses in catalogs\n", sum.WithLosses, catalogLosses)
		return &codeError{exitLosses, errReported}
	}
	return nil
}
