package sorter

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/pipescan/pipescan/batch"
	"github.com/pipescan/pipescan/pgfile"
)

// Key is a column to sort by.
type Key struct {
	Column     int // into the batch's columns
	Compare    func(a, b []byte) int
	Rank       func(v []byte) uint64 // never decreases as values go up; may be nil
	Desc       bool
	NullsFirst bool
}

// Options of a Sorter.
type Options struct {
	Keys []Key
	// First is how many rows of the order are wanted; negative: all.
	First int64
	// Memory is how many bytes the rows may take; 0: no limit.
	Memory int64
}

// Sorter sorts rows. It belongs to one goroutine.
type Sorter struct {
	o     Options
	cols  []batch.Vector
	tids  []pgfile.TID
	n     int // rows kept in cols
	order []entry
	bound int // top-n: the worst row wanted, -1: not known yet
	sel   []int32
	seen  int64
}

// entry is a row to be sorted: where it is in the columns, and the rank of its
// first key, turned so that it ascends. Most rows are told apart by it.
type entry struct {
	rank uint64
	row  int32
}

// MemoryError says that the rows do not fit.
type MemoryError struct{ Limit int64 }

// Error names the limit and the ways out.
func (e *MemoryError) Error() string {
	return fmt.Sprintf("sorting needs more memory than the %d bytes it may have: raise the budget with --memory (Options.Memory), add a LIMIT, or leave out ORDER BY", e.Limit)
}

// SQLState is out_of_memory.
func (e *MemoryError) SQLState() string { return "53200" }

// New makes a sorter of rows with columns of these vector widths.
func New(widths []int, o Options) *Sorter {
	s := &Sorter{o: o, cols: make([]batch.Vector, len(widths)), bound: -1}
	for i, w := range widths {
		s.cols[i].Reset(w)
	}
	return s
}

// Seen is how many rows were added.
func (s *Sorter) Seen() int64 { return s.seen }

// Bytes is about how much memory the rows take.
func (s *Sorter) Bytes() int64 {
	n := int64(8*len(s.tids) + 32*s.n) // with what merging takes
	for i := range s.cols {
		n += int64(s.cols[i].Bytes())
	}
	return n
}

// minKeep is how many rows a top-n keeps before it looks which are needed.
const minKeep = 1024

// Add adds a batch's wanted rows; the batch stays the caller's.
func (s *Sorter) Add(ctx context.Context, in *batch.Batch) error {
	s.seen += int64(in.Rows())
	s.sel = s.sel[:0]
	for k := range in.Rows() {
		row := in.Row(k)
		if s.bound < 0 || s.compareRows(in.Cols, row, s.cols, s.bound) < 0 {
			s.sel = append(s.sel, int32(row))
		}
	}
	for c := range s.cols {
		if err := s.cols[c].Gather(&in.Cols[c], s.sel); err != nil {
			return err
		}
	}
	for _, row := range s.sel {
		tid := pgfile.TID{}
		if int(row) < len(in.TIDs) {
			tid = in.TIDs[row]
		}
		s.tids = append(s.tids, tid)
		s.order = append(s.order, entry{s.rank(s.n), int32(s.n)})
		s.n++
	}
	if s.o.First >= 0 && int64(len(s.order)) > max(2*s.o.First, minKeep) {
		if err := s.prune(ctx); err != nil {
			return err
		}
	}
	if s.o.Memory > 0 && s.Bytes() > s.o.Memory {
		if s.o.First >= 0 {
			if err := s.prune(ctx); err != nil {
				return err
			}
		}
		if s.Bytes() > s.o.Memory {
			return &MemoryError{s.o.Memory}
		}
	}
	return nil
}

// rank is the rank of row i of cols.
func (s *Sorter) rank(i int) uint64 {
	key := &s.o.Keys[0]
	if key.Rank == nil {
		return 0
	}
	v, ok := s.cols[key.Column].Value(i)
	switch {
	case !ok && key.NullsFirst:
		return 0
	case !ok:
		return math.MaxUint64
	case key.Desc:
		return ^key.Rank(v)
	}
	return key.Rank(v)
}

// compareRows compares rows of two sets of columns by the keys.
func (s *Sorter) compareRows(a []batch.Vector, i int, b []batch.Vector, j int) int {
	for k := range s.o.Keys {
		key := &s.o.Keys[k]
		x, xOK := a[key.Column].Value(i)
		y, yOK := b[key.Column].Value(j)
		c := 0
		switch {
		case xOK && yOK:
			if c = key.Compare(x, y); key.Desc {
				c = -c
			}
		case xOK != yOK:
			if c = -1; xOK == key.NullsFirst { // the NULL, of the two, comes first
				c = 1
			}
		}
		if c != 0 {
			return c
		}
	}
	return 0
}

// prune keeps the first rows only.
func (s *Sorter) prune(ctx context.Context) error {
	if err := s.sort(ctx); err != nil {
		return err
	}
	first := int(min(s.o.First, int64(len(s.order))))
	kept := rowsOf(s.order[:first], nil)
	slices.Sort(kept) // equal keys stay as they came
	for c := range s.cols {
		var v batch.Vector
		v.Reset(s.cols[c].Width)
		if err := v.Gather(&s.cols[c], kept); err != nil {
			return err
		}
		s.cols[c] = v
	}
	tids := make([]pgfile.TID, 0, first)
	for _, r := range kept {
		tids = append(tids, s.tids[r])
	}
	worst := int32(-1)
	if first == int(s.o.First) && first > 0 {
		at, _ := slices.BinarySearch(kept, s.order[first-1].row)
		worst = int32(at)
	}
	s.tids, s.n, s.order, s.bound = tids, first, s.order[:first], int(worst)
	for i := range s.order {
		s.order[i] = entry{s.rank(i), int32(i)}
	}
	return nil
}

// rowsOf appends the rows of entries.
func rowsOf(list []entry, rows []int32) []int32 {
	for _, e := range list {
		rows = append(rows, e.row)
	}
	return rows
}

// runLength is how many rows are sorted, and merged, between looks at the
// context.
const runLength = 1 << 14

// sort sorts order: runs first, then merges, so that it can be interrupted.
func (s *Sorter) sort(ctx context.Context) error {
	compare := func(a, b entry) int {
		if a.rank != b.rank {
			return cmp.Compare(a.rank, b.rank)
		}
		if c := s.compareRows(s.cols, int(a.row), s.cols, int(b.row)); c != 0 {
			return c
		}
		return int(a.row) - int(b.row)
	}
	for run := range slices.Chunk(s.order, runLength) {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		slices.SortFunc(run, compare)
	}
	if len(s.order) <= runLength {
		return nil
	}
	from, to := s.order, make([]entry, len(s.order))
	for length := runLength; length < len(from); length *= 2 {
		for start := 0; start < len(from); start += 2 * length {
			mid, end := min(start+length, len(from)), min(start+2*length, len(from))
			if err := merge(ctx, to[start:end], from[start:mid], from[mid:end], compare); err != nil {
				return err
			}
		}
		from, to = to, from
	}
	s.order = from
	return nil
}

// merge merges two sorted runs into to.
func merge(ctx context.Context, to, a, b []entry, compare func(a, b entry) int) error {
	for i := range to {
		if i%runLength == 0 && ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if len(b) == 0 || len(a) > 0 && compare(a[0], b[0]) <= 0 {
			to[i], a = a[0], a[1:]
		} else {
			to[i], b = b[0], b[1:]
		}
	}
	return nil
}

// resultRows is how many rows a batch of the result has at most.
const resultRows = 4096

// Result emits the rows in order, with the first keep columns; the rest were
// keys. The sorter cannot be used after it.
func (s *Sorter) Result(ctx context.Context, keep int, pool *batch.Pool, emit func(*batch.Batch) error) error {
	if err := s.sort(ctx); err != nil {
		return err
	}
	order := s.order
	if s.o.First >= 0 {
		order = order[:min(int64(len(order)), s.o.First)]
	}
	widths := make([]int, keep)
	for i := range widths {
		widths[i] = s.cols[i].Width
	}
	var rows []int32
	for part := range slices.Chunk(order, resultRows) {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		out := pool.Get()
		out.SetWidths(widths)
		out.Decoded, out.N = true, len(part)
		rows = rowsOf(part, rows[:0])
		for c := range out.Cols {
			if err := out.Cols[c].Gather(&s.cols[c], rows); err != nil {
				out.Release()
				return err
			}
		}
		for _, r := range rows {
			out.TIDs = append(out.TIDs, s.tids[r])
		}
		if err := emit(out); err != nil {
			return err
		}
	}
	return nil
}
