package stages

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/pipescan/pipescan/batch"
	"github.com/pipescan/pipescan/pgfile"
	"github.com/pipescan/pipescan/pipeline"
)

// Decoder turns selected tuples into columns. Values are copied: what it
// emits refers to no page. Varlenas lose their headers, compressed and
// external ones are written by the Detoaster at the end of the vector. A batch
// is given out early once it holds MaxBatchBytes, so one input may become
// several outputs, of the same sequence number.
type Decoder struct {
	p        *plan
	row      *rowPlan
	detoast  Detoaster
	values   []pgfile.Datum
	starts   []int32 // see fillFixed
	progress struct {
		ctx   context.Context
		in    *batch.Batch
		out   *batch.Batch
		at    int // next row, counted among the wanted ones
		step  int // 1, or -1 for a cursor that goes back
		end   int // where to stop
		bytes int // decoded so far
	}
}

var _ pipeline.Stage[*batch.Batch, *batch.Batch] = (*Decoder)(nil)

func newDecoder(p *plan) *Decoder {
	d := &Decoder{p: p, row: p.row, values: make([]pgfile.Datum, p.row.slots)}
	if p.scan.NewDetoaster != nil {
		d.detoast = p.scan.NewDetoaster()
	}
	return d
}

// Process implements pipeline.Stage.
func (d *Decoder) Process(ctx context.Context, in *batch.Batch, emit pipeline.Emit[*batch.Batch]) error {
	d.begin(in, 0, 1, in.Rows())
	for more := true; more; {
		out, err := d.next(ctx)
		more = err == nil && d.left()
		if !more {
			// The pages first: a mapped window may slide on while the consumer works.
			d.progress.in = nil
			in.Release()
		}
		if err != nil {
			return err
		}
		if out.N == 0 {
			out.Release()
			continue
		}
		if err := emit(out); err != nil {
			if more {
				d.progress.in = nil
				in.Release()
			}
			return err
		}
	}
	return nil
}

// Flush implements pipeline.Stage.
func (d *Decoder) Flush(context.Context, pipeline.Emit[*batch.Batch]) error { return nil }

// Close implements pipeline.Closer.
func (d *Decoder) Close() error {
	if c, ok := d.detoast.(pipeline.Closer); ok {
		return c.Close()
	}
	return nil
}

// Explain implements pipeline.Explainer.
func (d *Decoder) Explain() string { return fmt.Sprintf("%d columns", len(d.row.steps)) }

// begin sets out to decode the wanted rows from, from+step, ... before end.
func (d *Decoder) begin(in *batch.Batch, from, step, end int) {
	g := &d.progress
	g.in, g.at, g.step, g.end = in, from, step, end
}

// left says whether rows remain.
func (d *Decoder) left() bool { return d.progress.at != d.progress.end }

// next decodes rows into a new batch until it is full or none is left. After
// an error there is no batch.
func (d *Decoder) next(ctx context.Context) (*batch.Batch, error) {
	g := &d.progress
	g.out, g.ctx, g.bytes = d.p.batches.Get(), ctx, 0
	out := g.out
	out.SetWidths(d.row.widths)
	out.Seq, out.Decoded = g.in.Seq, true
	err := guarded(g.in.Pages, d, (*Decoder).fill)
	g.out, g.ctx = nil, nil
	if err != nil {
		out.Release()
		return nil, err
	}
	d.p.counters.Rows.Add(int64(out.N))
	return out, nil
}

// fill decodes row after row.
func (d *Decoder) fill() error {
	g := &d.progress
	for g.at != g.end && g.bytes < d.p.maxBytes {
		if d.row.columnar && d.fillFixed() > 0 {
			continue
		}
		t := g.in.Tuples[g.in.Row(g.at)]
		g.at += g.step
		tuple := g.in.HeapTuple(t)
		if d.row.slots > 0 {
			if err := d.row.deform.Deform(tuple, d.values); err != nil {
				s := spot{block: g.in.TID(t).Block, item: t.Item, base: int(t.Off)}
				if err := d.p.lost(LostTuple, err, s); err != nil {
					return err
				}
				continue
			}
		}
		if err := d.appendRow(t, tuple); err != nil {
			return err
		}
	}
	return nil
}

// appendRow appends the deformed attributes, and the system columns, of a row.
func (d *Decoder) appendRow(t batch.Tuple, tuple pgfile.HeapTuple) error {
	g := &d.progress
	for i := range d.row.steps {
		st, v := &d.row.steps[i], &g.out.Cols[i]
		if st.slot < 0 {
			d.appendSystem(v, st.system, t, tuple)
			continue
		}
		switch value := d.values[st.slot]; {
		case value == nil:
			v.AppendNull()
		case st.width > 0:
			v.AppendFixed(value)
		default:
			before := len(v.Data)
			if err := d.appendVariable(v, st, value); err != nil {
				if err := d.loseValue(v, st, t, err); err != nil {
					return err
				}
			}
			g.bytes += len(v.Data) - before
		}
	}
	g.out.TIDs = append(g.out.TIDs, g.in.TID(t))
	g.out.N++
	g.bytes += d.row.fixed
	return nil
}

// errNoDetoaster says that a scan was not given the means to read wide values.
var errNoDetoaster = fmt.Errorf("the value is compressed or stored apart, and the scan has no way to fetch it: %w", pgfile.ErrUnsupported)

// appendVariable appends a varlena's payload, or a cstring.
func (d *Decoder) appendVariable(v *batch.Vector, st *colStep, value pgfile.Datum) error {
	if !st.varlena {
		return v.AppendVar(value)
	}
	switch first := value[0]; {
	case first&1 != 0 && first != 1:
		return v.AppendVar(value[1:])
	case first&3 == 0 && len(value) >= 4:
		return v.AppendVar(value[4:])
	}
	if d.detoast == nil {
		return errNoDetoaster
	}
	data, err := d.detoast.Append(d.progress.ctx, v.Data, value)
	if err != nil {
		return err
	}
	return v.FinishVar(data)
}

// loseValue puts NULL in the place of a value that cannot be had.
func (d *Decoder) loseValue(v *batch.Vector, st *colStep, t batch.Tuple, err error) error {
	s := spot{block: d.progress.in.TID(t).Block, item: t.Item, column: st.column.Name}
	if ctx := d.progress.ctx; ctx.Err() != nil {
		return context.Cause(ctx)
	}
	// An offset in the error counts from the value, which may lie in the tuple
	// or be a missing value of the catalog: it is left out.
	var c *pgfile.CorruptError
	if errors.As(err, &c) && c.File == "" {
		located := *c
		located.Offset = -1
		err = &located
	}
	if err := d.p.lost(LostValue, err, s); err != nil {
		return err
	}
	v.AppendNull()
	return nil
}

// appendSystem appends a system column: what the tuple's header holds, raw, as
// a server shows it (a frozen row's xmin too; cmin and cmax are one field).
func (d *Decoder) appendSystem(v *batch.Vector, num int16, t batch.Tuple, tuple pgfile.HeapTuple) {
	switch num {
	case NumCTID:
		tid := d.progress.in.TID(t)
		var b [tidWidth]byte
		binary.LittleEndian.PutUint16(b[0:], uint16(tid.Block>>16))
		binary.LittleEndian.PutUint16(b[2:], uint16(tid.Block))
		binary.LittleEndian.PutUint16(b[4:], tid.Offset)
		v.AppendFixed(b[:])
	case NumXmin:
		v.AppendUint32(tuple.Xmin())
	case NumXmax:
		v.AppendUint32(tuple.Xmax())
	case NumCmin, NumCmax:
		v.AppendUint32(tuple.Field3())
	case NumTableOID:
		v.AppendUint32(d.p.scan.RelOID)
	}
}
