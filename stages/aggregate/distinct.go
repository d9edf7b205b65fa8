package aggregate

import (
	"encoding/binary"
	"slices"

	"github.com/pipescan/pipescan/batch"
)

// distinct gives an accumulator each different value of a group once, NULLs
// left out. As the server sorts them for this, they are added in their order,
// which sums of floats depend on. Of equal values of different bytes (numeric
// 1.0 and 1.00) the first in the scan is the one added.
type distinct struct {
	inner   Accumulator
	compare func(a, b []byte) int
	key     func(dst, v []byte) []byte
	width   int
	groups  int

	index   map[string]int32 // group and key → entry
	entries []entry
	scratch []byte
	bytes   int64
	done    bool
}

// entry is one value of one group.
type entry struct {
	group int32
	place uint64
	value []byte
}

// entryOverhead is about what an entry takes besides its value and key.
const entryOverhead = 96

func newDistinct(inner Accumulator, width int, compare func(a, b []byte) int, key func(dst, v []byte) []byte) *distinct {
	return &distinct{inner: inner, width: width, compare: compare, key: key, index: map[string]int32{}}
}

func (d *distinct) Grow(n int)   { d.groups = max(d.groups, n) }
func (d *distinct) Bytes() int64 { return d.bytes }

// Add notes the values that are new.
func (d *distinct) Add(in *Input) error {
	for i := range in.N {
		if v, ok := in.Values.Value(i); ok {
			d.note(in.group(i), v, in.Places[i])
		}
	}
	return nil
}

func (d *distinct) note(g int32, v []byte, place uint64) {
	d.scratch = binary.LittleEndian.AppendUint32(d.scratch[:0], uint32(g))
	d.scratch = d.key(d.scratch, v)
	if at, ok := d.index[string(d.scratch)]; ok {
		if e := &d.entries[at]; place < e.place {
			e.place, e.value = place, append(e.value[:0], v...)
		}
		return
	}
	d.index[string(d.scratch)] = int32(len(d.entries))
	d.entries = append(d.entries, entry{g, place, append([]byte(nil), v...)})
	d.bytes += int64(len(d.scratch) + len(v) + entryOverhead)
}

// Merge notes the other's values.
func (d *distinct) Merge(other Accumulator, to []int32) error {
	o := other.(*distinct)
	for _, e := range o.entries {
		d.note(to[e.group], e.value, e.place)
	}
	return nil
}

// Append has the inner accumulator add all values, the first time.
func (d *distinct) Append(g int, out *batch.Vector) error {
	if !d.done {
		if err := d.finish(); err != nil {
			return err
		}
		d.done = true
	}
	return d.inner.Append(g, out)
}

// chunk is how many values are handed to the inner accumulator at once.
const chunk = 4096

func (d *distinct) finish() error {
	d.index = nil
	slices.SortFunc(d.entries, func(a, b entry) int {
		if c := d.compare(a.value, b.value); c != 0 {
			return c
		}
		return int(a.group) - int(b.group)
	})
	d.inner.Grow(d.groups)
	var values batch.Vector
	for part := range slices.Chunk(d.entries, chunk) {
		in := Input{N: len(part), Values: &values}
		values.Reset(d.width)
		for _, e := range part {
			if d.width > 0 {
				values.AppendFixed(e.value)
			} else if err := values.AppendVar(e.value); err != nil {
				return err
			}
			in.Groups = append(in.Groups, e.group)
			in.Places = append(in.Places, e.place)
		}
		if err := d.inner.Add(&in); err != nil {
			return err
		}
	}
	return nil
}
