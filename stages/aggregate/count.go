package aggregate

import (
	"encoding/binary"

	"github.com/pipescan/pipescan/batch"
)

// count is count(*), and count(x), which leaves out NULLs.
type count struct{ n []int64 }

func (c *count) Grow(n int)   { c.n = grow(c.n, n) }
func (c *count) Bytes() int64 { return int64(8 * cap(c.n)) }

// Add counts.
func (c *count) Add(in *Input) error {
	nulls := in.Values != nil && in.Values.Nulls > 0
	if in.Groups == nil {
		c.n[0] += int64(in.N)
		if nulls {
			c.n[0] -= int64(in.Values.Nulls)
		}
		return nil
	}
	for i := range in.N {
		if !nulls || !in.Values.IsNull(i) {
			c.n[in.Groups[i]]++
		}
	}
	return nil
}

// Merge adds the counts.
func (c *count) Merge(other Accumulator, to []int32) error {
	for g, n := range other.(*count).n {
		c.n[to[g]] += n
	}
	return nil
}

// Append appends a bigint.
func (c *count) Append(g int, out *batch.Vector) error {
	appendInt64(out, c.n[g])
	return nil
}

func appendInt64(out *batch.Vector, n int64) {
	var b [8]byte
	binary.LittleEndian.PutUint64(b[:], uint64(n))
	out.AppendFixed(b[:])
}
