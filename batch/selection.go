package batch

// Row is the index of the i-th row still wanted, of Tuples before decoding and
// of the vectors after it; i runs from 0 to Rows()-1.
func (b *Batch) Row(i int) int {
	if b.HasSel {
		return int(b.Sel[i])
	}
	return i
}

// Total is the number of rows without regard to the selection.
func (b *Batch) Total() int {
	if b.Decoded {
		return b.N
	}
	return len(b.Tuples)
}

// Select keeps the wanted rows that keep accepts.
func (b *Batch) Select(keep func(row int) bool) {
	n := 0
	sel := b.ensureSel()
	for _, row := range sel {
		if keep(int(row)) {
			sel[n] = row
			n++
		}
	}
	b.Sel = sel[:n]
}

// Slice keeps the wanted rows from..to-1, counted among themselves.
func (b *Batch) Slice(from, to int) {
	sel := b.ensureSel()
	b.Sel = append(sel[:0], sel[from:to]...)
}

// ensureSel makes the selection explicit.
func (b *Batch) ensureSel() []int32 {
	if b.HasSel {
		return b.Sel
	}
	b.Sel = b.Sel[:0]
	for i := range b.Total() {
		b.Sel = append(b.Sel, int32(i))
	}
	b.HasSel = true
	return b.Sel
}
