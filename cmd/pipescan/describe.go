package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/pipescan/pipescan"
	"github.com/pipescan/pipescan/catalog"
)

// blocks is the size of a table's main fork, or why it has none.
func blocks(ctx context.Context, t *pipescan.Table) any {
	if !t.Relation().HasStorage() {
		return 0
	}
	rel, err := t.Open(ctx)
	if err != nil {
		return "missing"
	}
	defer rel.Close()
	return rel.NBlocks()
}

func describeCmd(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "describe REL",
		Short: "Show a table's columns, indexes, children and file",
		Args:  argRange(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			ctx := cmd.Context()
			db, err := a.open(ctx)
			if err != nil {
				return err
			}
			defer db.Close()
			t, err := db.Table(ctx, args[0])
			if err != nil {
				return err
			}
			return a.describe(ctx, db, t)
		},
	}
}

// describe prints what the catalogs say about a table.
func (a *app) describe(ctx context.Context, db *pipescan.DB, t *pipescan.Table) error {
	l := &listing{names: []string{"num", "column", "type", "nullable", "storage", "notes"}}
	rel := t.Relation()
	for i := range rel.Columns {
		c := &rel.Columns[i]
		if c.Dropped {
			continue
		}
		typ, err := catalog.FormatTypeMod(db.Catalog(), db.Major(), c.Type, c.Typmod)
		if err != nil {
			return err
		}
		l.add(c.Num, t.Text(c.Name), t.Text(typ), !c.NotNull, storageName(c.Storage), notes(c))
	}
	if a.json {
		return l.write(a.stdout, true)
	}
	fmt.Fprintf(a.stdout, "%s %s (oid %d)\n", kindName(rel.Kind), t.Name(), rel.OID)
	if rel.HasStorage() {
		if err := a.describeFile(ctx, t); err != nil {
			return err
		}
	}
	if err := l.write(a.stdout, false); err != nil {
		return err
	}
	return a.describeRelated(ctx, db, rel)
}

// describeFile prints where the rows lie.
func (a *app) describeFile(ctx context.Context, t *pipescan.Table) error {
	f, err := t.Open(ctx)
	if err != nil {
		fmt.Fprintf(a.stdout, "file: %v\n", err)
		return nil
	}
	defer f.Close()
	fmt.Fprintf(a.stdout, "file: %s, %d blocks\n", f.Name(), f.NBlocks())
	return nil
}

// describeRelated prints indexes, children and the TOAST table.
func (a *app) describeRelated(ctx context.Context, db *pipescan.DB, rel *catalog.Relation) error {
	name := func(oid catalog.OID) (string, error) {
		text, ok, err := db.Catalog().RegName(catalog.RegClass, oid)
		if err != nil || !ok {
			return fmt.Sprint(oid), err
		}
		return db.Text(text), nil
	}
	indexes, err := db.Catalog().Indexes(ctx, rel.OID)
	if err != nil {
		return err
	}
	for _, ix := range indexes {
		text, err := name(ix.OID)
		if err != nil {
			return err
		}
		fmt.Fprintf(a.stdout, "index: %s%s (%s)\n", indexKind(ix), text, db.Text(indexColumns(rel, ix)))
	}
	if rel.Toast != 0 {
		text, err := name(rel.Toast)
		if err != nil {
			return err
		}
		fmt.Fprintf(a.stdout, "toast: %s\n", text)
	}
	members, err := db.Catalog().Expand(ctx, rel)
	if err != nil {
		return err
	}
	for _, m := range members {
		if m.OID == rel.OID {
			continue
		}
		text, err := name(m.OID)
		if err != nil {
			return err
		}
		fmt.Fprintf(a.stdout, "child: %s\n", text)
	}
	return nil
}

// indexKind is the words before an index's name.
func indexKind(ix catalog.Index) string {
	switch {
	case ix.Primary:
		return "primary key "
	case ix.Unique:
		return "unique "
	}
	return ""
}

// indexColumns lists an index's columns, expressions as (expression).
func indexColumns(rel *catalog.Relation, ix catalog.Index) string {
	var names []string
	for _, num := range ix.Keys {
		name := "(expression)"
		for i := range rel.Columns {
			if rel.Columns[i].Num == num {
				name = rel.Columns[i].Name
			}
		}
		names = append(names, name)
	}
	return strings.Join(names, ", ")
}

// storageName is the word for attstorage.
func storageName(storage byte) string {
	switch storage {
	case 'p':
		return "plain"
	case 'e':
		return "external"
	case 'm':
		return "main"
	case 'x':
		return "extended"
	}
	return string(rune(storage))
}

// notes are the less usual things about a column.
func notes(c *catalog.Column) string {
	var n []string
	switch c.Generated {
	case 's':
		n = append(n, "generated stored")
	case 'v':
		n = append(n, "generated virtual: not stored, left out by scan")
	}
	if c.Identity != 0 {
		n = append(n, "identity")
	}
	if c.HasDefault && c.Generated == 0 {
		n = append(n, "has default")
	}
	if c.HasMissing {
		n = append(n, "older rows take the value of ADD COLUMN")
	}
	switch c.Compression {
	case 'p':
		n = append(n, "pglz")
	case 'l':
		n = append(n, "lz4")
	}
	return strings.Join(n, ", ")
}
