package export

import (
	"io"

	"github.com/pipescan/pipescan/batch"
)

// WriteLines writes the lines of a batch that a Lines stage made, in one call
// when the batch is whole or a contiguous part was selected.
func WriteLines(w io.Writer, b *batch.Batch) (int64, error) {
	v := &b.Cols[0]
	rows := b.Rows()
	if rows == 0 {
		return 0, nil
	}
	first, last := 0, rows-1
	if b.HasSel {
		first, last = int(b.Sel[0]), int(b.Sel[rows-1])
	}
	if last-first == rows-1 {
		n, err := w.Write(v.Data[v.Offsets[first]:v.Offsets[last+1]])
		return int64(n), err
	}
	var total int64
	for _, i := range b.Sel {
		n, err := w.Write(v.Data[v.Offsets[i]:v.Offsets[i+1]])
		total += int64(n)
		if err != nil {
			return total, err
		}
	}
	return total, nil
}
