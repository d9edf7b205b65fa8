package aggregate

import (
	"github.com/pipescan/pipescan/batch"
)

// Accumulator is the states of one aggregate function, one for each group.
// NULLs are passed to it and, but for count(*), ignored.
type Accumulator interface {
	// Grow makes groups up to n-1, the new ones empty.
	Grow(n int)
	// Add adds value i of in.Values to group in.Groups[i].
	Add(in *Input) error
	// Merge adds group g of other, of the same function, to group to[g].
	Merge(other Accumulator, to []int32) error
	// Append appends the result of group g.
	Append(g int, out *batch.Vector) error
	// Bytes is about how much memory the states take.
	Bytes() int64
}

// Input is a batch's worth of values for an accumulator.
type Input struct {
	N      int
	Values *batch.Vector // N values, dense; nil for count(*)
	Groups []int32       // by value; nil: all belong to group 0
	Places []uint64      // by value: where in the scan, greater is later; only where asked for
}

// group is the group of value i.
func (in *Input) group(i int) int32 {
	if in.Groups == nil {
		return 0
	}
	return in.Groups[i]
}

// grow makes a slice n long, the new elements zero.
func grow[T any](s []T, n int) []T {
	if n <= len(s) {
		return s
	}
	return append(s, make([]T, n-len(s))...)
}
