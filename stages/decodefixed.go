package stages

import "encoding/binary"

// fixedRun bounds the rows that fillFixed decodes at once: their tuples stay in
// the first-level cache from one column to the next.
const fixedRun = 256

// fillFixed decodes the rows from the next one on whose attributes all lie at
// known offsets, column by column, and returns how many there were: 0 when the
// next row needs Deform. It gives what the row by row path gives.
func (d *Decoder) fillFixed() int {
	g := &d.progress
	n := d.findFixed()
	if n == 0 {
		return 0
	}
	for i := range d.row.steps {
		st := &d.row.steps[i]
		gather(g.out.Cols[i].ExtendFixed(n), g.in.Pages.Data, d.starts[:n], int(st.off), st.width)
	}
	g.out.N += n
	g.bytes += n * d.row.fixed
	return n
}

// findFixed collects where the data of the next rows start, and their TIDs.
func (d *Decoder) findFixed() int {
	g := &d.progress
	if d.starts == nil {
		d.starts = make([]int32, fixedRun)
	}
	n := 0
	for n < fixedRun && g.at != g.end && g.bytes+n*d.row.fixed < d.p.maxBytes {
		t := g.in.Tuples[g.in.Row(g.at)]
		start := d.row.deform.DataStart(g.in.HeapTuple(t))
		if start == 0 {
			break
		}
		d.starts[n] = int32(t.Page)*pageBytes + int32(t.Off) + int32(start)
		g.out.TIDs = append(g.out.TIDs, g.in.TID(t))
		g.at += g.step
		n++
	}
	return n
}

// pageBytes is pgfile.PageSize as the type of starts: a batch has fewer than
// 65536 pages, so that offsets into it fit 32 bits.
const pageBytes = 8192

// gather copies the width bytes at starts[i]+off of data to place i of dst.
func gather(dst, data []byte, starts []int32, off, width int) {
	switch width {
	case 4:
		for _, s := range starts {
			binary.LittleEndian.PutUint32(dst, binary.LittleEndian.Uint32(data[int(s)+off:]))
			dst = dst[4:]
		}
	case 8:
		for _, s := range starts {
			binary.LittleEndian.PutUint64(dst, binary.LittleEndian.Uint64(data[int(s)+off:]))
			dst = dst[8:]
		}
	default:
		for _, s := range starts {
			copy(dst[:width], data[int(s)+off:])
			dst = dst[width:]
		}
	}
}
