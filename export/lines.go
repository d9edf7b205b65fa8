package export

import (
	"context"

	"github.com/pipescan/pipescan/batch"
	"github.com/pipescan/pipescan/datum"
	"github.com/pipescan/pipescan/pipeline"
)

// FailFunc judges a value that could not be rendered: nil means that it counts
// as NULL, an error ends the scan. pipescan.Lane.Fail is one.
type FailFunc func(b *batch.Batch, row, column int, err error) error

// Lines is a stage that formats each row of a decoded batch as one line. Its
// output has one column of variable width: row i's line with its newline.
// One Lines a lane.
type Lines struct {
	format  Format
	columns []Column
	fail    FailFunc
	// encoding is that of the database; JSON leaves it for UTF-8.
	encoding int32
	pool     *batch.Pool
	names    [][]byte // JSON: `"name":`
	scratch  []byte
}

var _ pipeline.Stage[*batch.Batch, *batch.Batch] = (*Lines)(nil)

// lineWidth is the one column of an output batch: of variable width.
var lineWidth = [1]int{0}

// maxLines bounds the text of one output batch: past it the rest of the rows
// go into a further batch.
const maxLines = 4 << 20

// NewLines makes the stage of one lane. encoding is that of the values' text
// (pg_enc): COPY text and CSV keep it, JSON is converted to UTF-8. A nil fail
// returns every error.
func NewLines(f Format, columns []Column, encoding int32, fail FailFunc) *Lines {
	if fail == nil {
		fail = func(_ *batch.Batch, _, _ int, err error) error { return err }
	}
	l := &Lines{format: f, columns: columns, encoding: encoding, fail: fail, pool: batch.NewPool(4)}
	for _, c := range columns {
		l.names = append(l.names, append(appendJSONString(nil, []byte(datum.Printable(encoding, c.Name))), ':'))
	}
	return l
}

// Process formats the rows of in, releases it, and emits their lines.
func (l *Lines) Process(_ context.Context, in *batch.Batch, emit pipeline.Emit[*batch.Batch]) error {
	defer in.Release()
	rows := in.Rows()
	out := l.begin(in)
	v := &out.Cols[0]
	for k := range rows {
		i := in.Row(k)
		if len(v.Data) >= maxLines {
			if err := emit(out); err != nil {
				return err
			}
			out = l.begin(in)
			v = &out.Cols[0]
		}
		data, err := l.row(v.Data, in, i)
		if cap(l.scratch) > maxLines {
			l.scratch = nil // one huge value must not stay for the rest of the scan
		}
		if err != nil {
			out.Release()
			return err
		}
		if err := v.FinishVar(data); err != nil {
			out.Release()
			return err
		}
		out.N++
	}
	return emit(out)
}

// Flush has nothing left to give.
func (l *Lines) Flush(context.Context, pipeline.Emit[*batch.Batch]) error { return nil }

// begin takes an empty batch of one column.
func (l *Lines) begin(in *batch.Batch) *batch.Batch {
	out := l.pool.Get()
	out.SetWidths(lineWidth[:])
	out.Seq, out.Decoded = in.Seq, true
	return out
}

// row appends row i's line.
func (l *Lines) row(dst []byte, in *batch.Batch, i int) ([]byte, error) {
	switch l.format {
	case CSV:
		return l.csvRow(dst, in, i)
	case JSONLines:
		return l.jsonRow(dst, in, i)
	}
	return l.copyRow(dst, in, i)
}

// copyRow appends row i as COPY text.
func (l *Lines) copyRow(dst []byte, in *batch.Batch, i int) ([]byte, error) {
	for c := range l.columns {
		if c > 0 {
			dst = append(dst, '\t')
		}
		value, ok := in.Cols[c].Value(i)
		if !ok {
			dst = append(dst, copyNull...)
			continue
		}
		from := len(dst)
		text, err := l.columns[c].Codec.AppendText(dst, value)
		if err != nil {
			if err := l.fail(in, i, c, err); err != nil {
				return dst, err
			}
			dst = append(dst[:from], copyNull...)
			continue
		}
		dst = escapeCopy(text, from)
	}
	return append(dst, '\n'), nil
}

// csvRow appends row i as CSV.
func (l *Lines) csvRow(dst []byte, in *batch.Batch, i int) ([]byte, error) {
	for c := range l.columns {
		if c > 0 {
			dst = append(dst, ',')
		}
		value, ok := in.Cols[c].Value(i)
		if !ok {
			continue
		}
		text, err := l.columns[c].Codec.AppendText(l.scratch[:0], value)
		if err != nil {
			if err := l.fail(in, i, c, err); err != nil {
				return dst, err
			}
			continue
		}
		l.scratch = text
		dst = appendCSV(dst, text, len(l.columns) == 1)
	}
	return append(dst, '\n'), nil
}

// jsonRow appends row i as a JSON object.
func (l *Lines) jsonRow(dst []byte, in *batch.Batch, i int) ([]byte, error) {
	dst = append(dst, '{')
	for c := range l.columns {
		if c > 0 {
			dst = append(dst, ',')
		}
		dst = append(dst, l.names[c]...)
		value, ok := in.Cols[c].Value(i)
		if !ok {
			dst = append(dst, "null"...)
			continue
		}
		from := len(dst)
		text, err := l.appendJSON(dst, l.columns[c].Codec, value)
		if err != nil {
			if err := l.fail(in, i, c, err); err != nil {
				return dst, err
			}
			dst = append(dst[:from], "null"...)
			continue
		}
		if dst, err = l.utf8(text, from); err != nil {
			if err := l.fail(in, i, c, err); err != nil {
				return dst, err
			}
			dst = append(dst[:from], "null"...)
		}
	}
	return append(dst, '}', '\n'), nil
}

// utf8 converts dst[from:] from the database's encoding.
func (l *Lines) utf8(dst []byte, from int) ([]byte, error) {
	text, err := datum.ToUTF8(l.encoding, dst[from:])
	if err != nil {
		return dst, err
	}
	return append(dst[:from], text...), nil // onto itself when there was nothing to convert
}
