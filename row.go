package pipescan

import (
	"fmt"
	"iter"
)

// Row is one row of a scan, valid until the next step of the iterator.
type Row struct {
	schema *Schema
	batch  *Batch
	i      int
}

// Rows iterates over the result row by row. The error, if any, comes last.
func (s *Scan) Rows() iter.Seq2[Row, error] {
	return func(yield func(Row, error) bool) {
		for b, err := range s.Batches() {
			if err != nil {
				yield(Row{}, err)
				return
			}
			for k := range b.Rows() {
				if !yield(Row{schema: s.plan.schema, batch: b, i: b.Row(k)}, nil) {
					return
				}
			}
		}
	}
}

// Len is the number of columns.
func (r Row) Len() int { return len(r.batch.Cols) }

// Schema is the columns of the row.
func (r Row) Schema() *Schema { return r.schema }

// IsNull says whether column i is NULL.
func (r Row) IsNull(i int) bool {
	_, ok := r.batch.Cols[i].Value(r.i)
	return !ok
}

// Bytes returns column i's payload, nil when it is NULL; it aliases the batch.
func (r Row) Bytes(i int) []byte {
	v, ok := r.batch.Cols[i].Value(r.i)
	if !ok {
		return nil
	}
	return v
}

// Value returns column i as a Go value (see docs/types.md), nil when it is
// NULL. It does not alias the batch.
func (r Row) Value(i int) (any, error) {
	v, ok := r.batch.Cols[i].Value(r.i)
	if !ok {
		return nil, nil
	}
	x, err := r.schema.Fields[i].Codec.Value(v)
	if err != nil {
		return nil, r.named(i, err)
	}
	return x, nil
}

// AppendText appends column i as COPY text prints it, before escaping; ok is
// false when it is NULL.
func (r Row) AppendText(dst []byte, i int) (out []byte, ok bool, err error) {
	v, ok := r.batch.Cols[i].Value(r.i)
	if !ok {
		return dst, false, nil
	}
	out, err = r.schema.Fields[i].Codec.AppendText(dst, v)
	if err != nil {
		return dst, false, r.named(i, err)
	}
	return out, true, nil
}

// Text returns column i as COPY text prints it, before escaping; ok is false
// when it is NULL.
func (r Row) Text(i int) (text string, ok bool, err error) {
	b, ok, err := r.AppendText(nil, i)
	return string(b), ok, err
}

// named adds the row's place and the column's name to a value's error.
func (r Row) named(i int, err error) error {
	if r.i < len(r.batch.TIDs) {
		return fmt.Errorf("row %s: column %q: %w", r.batch.TIDs[r.i], r.schema.Fields[i].Name, err)
	}
	return fmt.Errorf("column %q: %w", r.schema.Fields[i].Name, err)
}
