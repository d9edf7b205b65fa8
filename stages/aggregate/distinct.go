package aggregate

import (
	"bytes"
	"encoding/binary"
	"slices"

	"github.com/pipescan/pipescan/batch"
)

// distinct gives an accumulator each different value of a group once, NULLs
// left out. As the server sorts them for this, they are added in their order
// where the result depends on it (sums of floats). Of equal values of different bytes (numeric
// 1.0 and 1.00) the first in the scan is the one added.
type distinct struct {
	inner   Accumulator
	compare func(a, b []byte) int // nil: the order does not matter
	key     func(dst, v []byte) []byte
	width   int
	groups  int

	index   *keyTable // group and key → entry
	entries []entry
	values  []byte // of all entries
	scratch []byte
	done    bool
}

// entry is one value of one group.
type entry struct {
	group    int32
	length   int32
	place    uint64
	position int // of the value in values
}

// entryBytes is what an entry takes besides its value and key.
const entryBytes = 24

// value is an entry's value.
func (d *distinct) value(e *entry) []byte { return d.values[e.position : e.position+int(e.length)] }

func newDistinct(inner Accumulator, width int, compare func(a, b []byte) int, key func(dst, v []byte) []byte) *distinct {
	return &distinct{inner: inner, width: width, compare: compare, key: key, index: newKeyTable()}
}

func (d *distinct) Grow(n int) { d.groups = max(d.groups, n) }
func (d *distinct) Bytes() int64 {
	return int64(cap(d.values)+entryBytes*cap(d.entries)) + d.index.size()
}

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
	at, isNew := d.index.find(d.scratch)
	if isNew {
		d.entries = append(d.entries, entry{g, int32(len(v)), place, len(d.values)})
		d.values = append(d.values, v...)
		return
	}
	e := &d.entries[at]
	if place >= e.place {
		return
	}
	e.place = place
	if !bytes.Equal(d.value(e), v) {
		e.position, e.length = len(d.values), int32(len(v))
		d.values = append(d.values, v...)
	}
}

// Merge notes the other's values.
func (d *distinct) Merge(other Accumulator, to []int32) error {
	o := other.(*distinct)
	for i := range o.entries {
		e := &o.entries[i]
		d.note(to[e.group], o.value(e), e.place)
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
	d.index = newKeyTable() // the memory is needed no more
	if d.compare != nil {
		slices.SortStableFunc(d.entries, func(a, b entry) int { return d.compare(d.value(&a), d.value(&b)) })
	}
	d.inner.Grow(d.groups)
	var values batch.Vector
	for part := range slices.Chunk(d.entries, chunk) {
		in := Input{N: len(part), Values: &values}
		values.Reset(d.width)
		for _, e := range part {
			if d.width > 0 {
				values.AppendFixed(d.value(&e))
			} else if err := values.AppendVar(d.value(&e)); err != nil {
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
