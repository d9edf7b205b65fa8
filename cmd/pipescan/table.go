package main

import (
	"context"
	"fmt"
	"io"
	"strings"
	"unicode"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"

	"github.com/pipescan/pipescan"
	"github.com/pipescan/pipescan/catalog"
)

// tableRows is how many rows are laid out at a time: column widths are chosen
// for them, and no more are held in memory.
const tableRows = 1000

// writeTable writes rows as a table for people.
func writeTable(ctx context.Context, w io.Writer, t *pipescan.Table, r pipescan.Request) ([]pipescan.Loss, error) {
	scan, err := t.Scan(ctx, r)
	if err != nil {
		return nil, err
	}
	layout := newLayout(w, scan.Schema())
	rows := int64(0)
	for row, err := range scan.Rows() {
		if err != nil {
			return scan.Losses(), err
		}
		if err := layout.add(row); err != nil {
			return scan.Losses(), err
		}
		rows++
	}
	if err := layout.flush(); err != nil {
		return scan.Losses(), err
	}
	unit := "rows"
	if rows == 1 {
		unit = "row"
	}
	_, err = fmt.Fprintf(w, "(%d %s)\n", rows, unit)
	return scan.Losses(), err
}

// layout collects rows and writes them as a table.
type layout struct {
	w       io.Writer
	schema  *pipescan.Schema
	table   table.Writer
	rows    int
	written bool
}

func newLayout(w io.Writer, schema *pipescan.Schema) *layout {
	l := &layout{w: w, schema: schema}
	l.reset()
	return l
}

// reset begins a table.
func (l *layout) reset() {
	l.rows, l.table = 0, table.NewWriter()
	style := table.StyleLight
	style.Format.Header = text.FormatDefault // names as they are
	l.table.SetStyle(style)
	header := make(table.Row, len(l.schema.Fields))
	var columns []table.ColumnConfig
	for i := range l.schema.Fields {
		f := &l.schema.Fields[i]
		header[i] = printable(f.Name)
		c := table.ColumnConfig{Number: i + 1}
		if isNumber(f.Type) {
			c.Align, c.AlignHeader = text.AlignRight, text.AlignRight
		}
		columns = append(columns, c)
	}
	l.table.AppendHeader(header)
	l.table.SetColumnConfigs(columns)
}

// add adds a row; NULL is left empty, as in psql.
func (l *layout) add(row pipescan.Row) error {
	cells := make(table.Row, row.Len())
	for i := range cells {
		value, _, err := row.Text(i)
		if err != nil {
			return err
		}
		cells[i] = printable(value)
	}
	l.table.AppendRow(cells)
	if l.rows++; l.rows == tableRows {
		return l.flush()
	}
	return nil
}

// flush writes the rows so far; of no rows at all, the header.
func (l *layout) flush() error {
	if l.rows == 0 && l.written {
		return nil
	}
	l.written = true
	_, err := io.WriteString(l.w, l.table.Render()+"\n")
	l.reset()
	return err
}

// printable writes characters that would move a terminal's cursor, or worse, as
// escapes.
func printable(s string) string {
	if strings.IndexFunc(s, unprintable) < 0 {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		switch {
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\t':
			b.WriteString(`\t`)
		case unprintable(r):
			fmt.Fprintf(&b, `\x%02x`, r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

func unprintable(r rune) bool { return unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) }

// isNumber says whether the values of a type are aligned to the right.
func isNumber(typ catalog.OID) bool {
	switch typ {
	case catalog.Int2OID, catalog.Int4OID, catalog.Int8OID, catalog.Float4OID, catalog.Float8OID, catalog.NumericOID,
		catalog.MoneyOID, catalog.OidOID, catalog.XidOID, catalog.CidOID, catalog.Xid8OID:
		return true
	}
	return false
}
