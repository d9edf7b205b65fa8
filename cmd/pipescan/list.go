package main

import (
	"encoding/json"
	"fmt"
	"io"
	"strconv"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/spf13/cobra"

	"github.com/pipescan/pipescan"
	"github.com/pipescan/pipescan/catalog"
)

// listing is rows under named columns, printed as a table or as JSON lines.
type listing struct {
	names []string
	rows  [][]any
}

// add appends a row; its values go with the names.
func (l *listing) add(values ...any) { l.rows = append(l.rows, values) }

// write prints the listing: a JSON object a line, or aligned columns.
func (l *listing) write(w io.Writer, asJSON bool) error {
	if asJSON {
		return l.writeJSON(w)
	}
	t := table.NewWriter()
	style := table.StyleDefault
	style.Options = table.OptionsNoBordersAndSeparators
	style.Format.Header = 0
	style.Box.PaddingLeft = ""
	style.Box.PaddingRight = "  "
	t.SetStyle(style)
	header := make(table.Row, len(l.names))
	for i, n := range l.names {
		header[i] = n
	}
	t.AppendHeader(header)
	for _, r := range l.rows {
		t.AppendRow(r)
	}
	_, err := fmt.Fprintln(w, t.Render())
	return err
}

// writeJSON keeps the columns' order, which a map would not.
func (l *listing) writeJSON(w io.Writer) error {
	for _, r := range l.rows {
		line := []byte{'{'}
		for i, n := range l.names {
			if i > 0 {
				line = append(line, ',')
			}
			line = strconv.AppendQuote(line, n)
			v, err := json.Marshal(r[i])
			if err != nil {
				return err
			}
			line = append(append(line, ':'), v...)
		}
		if _, err := w.Write(append(line, '}', '\n')); err != nil {
			return err
		}
	}
	return nil
}

func databasesCmd(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "databases",
		Short: "List the databases",
		Args:  argRange(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			ctx := cmd.Context()
			db, err := a.open(ctx)
			if err != nil {
				return err
			}
			defer db.Close()
			all, err := db.Databases(ctx)
			if err != nil {
				return err
			}
			l := &listing{names: []string{"oid", "name", "owner", "encoding", "collate", "ctype", "template", "connections"}}
			for _, d := range all {
				owner, _, err := db.Catalog().Role(d.Owner)
				if err != nil {
					return err
				}
				l.add(d.OID, db.Text(d.Name), db.Text(owner), catalog.EncodingName(d.Encoding), d.Collate, d.CType, d.IsTemplate, connections(d))
			}
			return l.write(a.stdout, a.json)
		},
	}
}

// connections says whether a server would let clients in.
func connections(d catalog.Database) string {
	switch {
	case d.ConnLimit == -2:
		return "invalid"
	case !d.AllowConn:
		return "no"
	}
	return "yes"
}

func tablesCmd(a *app) *cobra.Command {
	var all bool
	cmd := &cobra.Command{
		Use:   "tables [PATTERN]",
		Short: "List the tables of a database",
		Long:  "List tables, partitioned tables, materialized views and sequences. PATTERN is a\nshell pattern over the name, or over schema.name when it has a dot.",
		Args:  argRange(0, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			ctx := cmd.Context()
			db, err := a.open(ctx)
			if err != nil {
				return err
			}
			defer db.Close()
			f := pipescan.TableFilter{Catalogs: all}
			if len(args) == 1 {
				f.Pattern = args[0]
			}
			tables, err := db.Tables(ctx, f)
			if err != nil {
				return err
			}
			l := &listing{names: []string{"schema", "name", "kind", "oid", "blocks", "rows (estimate)"}}
			for _, t := range tables {
				r := t.Relation()
				l.add(t.Text(t.Namespace()), t.Text(r.Name), kindName(r.Kind), r.OID, blocks(ctx, t), int64(r.Tuples))
			}
			return l.write(a.stdout, a.json)
		},
	}
	cmd.Flags().BoolVar(&all, "catalogs", false, "system catalogs too")
	return cmd
}

// kindName is the word for a pg_class.relkind.
func kindName(kind byte) string {
	switch kind {
	case 'r':
		return "table"
	case 'p':
		return "partitioned table"
	case 'm':
		return "materialized view"
	case 'S':
		return "sequence"
	case 't':
		return "toast table"
	case 'i':
		return "index"
	case 'I':
		return "partitioned index"
	case 'v':
		return "view"
	case 'f':
		return "foreign table"
	case 'c':
		return "composite type"
	}
	return string(rune(kind))
}
