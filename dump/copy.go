package dump

import (
	"context"
	"io"

	"github.com/pipescan/pipescan"
	"github.com/pipescan/pipescan/export"
)

// Result is what one table gave.
type Result struct {
	Rows, Bytes int64
	Losses      []pipescan.Loss // the first of them, see pipescan.Scan.Losses
	LossCount   int64
	Stats       pipescan.Stats
}

// Progress is called after each batch with the totals so far; it must be quick.
type Progress func(rows, bytes int64)

// Copy scans t as r asks and writes its rows to w in format f. Rows come in
// r's order. What was written before an error is counted in Result.
func Copy(ctx context.Context, w io.Writer, t *pipescan.Table, r pipescan.Request, f export.Format, o export.Options, progress Progress) (Result, error) {
	var res Result
	plan, err := t.Plan(ctx, r)
	if err != nil {
		return res, err
	}
	columns := make([]export.Column, len(plan.Schema().Fields))
	for i, field := range plan.Schema().Fields {
		columns[i] = export.Column{Name: field.Name, Codec: field.Codec}
	}
	r.Stages = append(r.Stages[:len(r.Stages):len(r.Stages)], linesStage(f, columns, t.Encoding()))
	scan, err := t.Scan(ctx, r)
	if err != nil {
		return res, err
	}
	if h := export.Header(f, columns, o); h != nil {
		n, err := w.Write(h)
		res.Bytes += int64(n)
		if err != nil {
			return res, err
		}
	}
	err = res.write(w, scan, progress)
	res.Losses, res.LossCount, res.Stats = scan.Losses(), scan.LossCount(), scan.Stats()
	return res, err
}

// linesStage formats rows inside the lanes; its schema is one column of lines.
func linesStage(f export.Format, columns []export.Column, encoding int32) pipescan.StageSpec {
	return pipescan.StageSpec{
		Name: f.String() + " text",
		New: func(l pipescan.Lane) (pipescan.Stage, error) {
			return export.NewLines(f, columns, encoding, l.Fail), nil
		},
		Schema: func(*pipescan.Schema) (*pipescan.Schema, error) {
			return &pipescan.Schema{Fields: []pipescan.Field{{Name: "line"}}}, nil
		},
	}
}

// write puts out the lines of every batch.
func (res *Result) write(w io.Writer, scan *pipescan.Scan, progress Progress) error {
	for b, err := range scan.Batches() {
		if err != nil {
			return err
		}
		n, err := export.WriteLines(w, b)
		res.Bytes += n
		if err != nil {
			return err
		}
		res.Rows += int64(b.Rows())
		if progress != nil {
			progress(res.Rows, res.Bytes)
		}
	}
	return nil
}
