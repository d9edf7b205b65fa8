package batch

import (
	"encoding/binary"
	"fmt"
	"slices"
)

// AppendFrom appends value i of src, which has the same width. It fails, as
// FinishVar does, when a variable-width vector would become too large.
func (v *Vector) AppendFrom(src *Vector, i int) error {
	b, ok := src.Value(i)
	switch {
	case !ok:
		v.AppendNull()
	case v.Width > 0:
		v.AppendFixed(b)
	default:
		return v.AppendVar(b)
	}
	return nil
}

// Gather appends the values of src, which has the same width, at the given
// rows, in their order; nil rows are all of src.
func (v *Vector) Gather(src *Vector, rows []int32) error {
	if v.Width != src.Width {
		panic(fmt.Sprintf("batch: gather from a vector of width %d into one of width %d", src.Width, v.Width))
	}
	switch {
	case v.N == 0 && rows == nil:
		return v.copyAll(src)
	case v.N > 0 || src.Nulls > 0:
		return v.gatherEach(src, rows)
	}
	n := len(rows)
	switch v.Width {
	case 0:
		return v.gatherEach(src, rows)
	case 4:
		out := slices.Grow(v.Data, 4*n)[:4*n]
		for i, r := range rows {
			binary.LittleEndian.PutUint32(out[4*i:], binary.LittleEndian.Uint32(src.Data[4*r:]))
		}
		v.Data = out
	case 8:
		out := slices.Grow(v.Data, 8*n)[:8*n]
		for i, r := range rows {
			binary.LittleEndian.PutUint64(out[8*i:], binary.LittleEndian.Uint64(src.Data[8*int(r):]))
		}
		v.Data = out
	default:
		for _, r := range rows {
			v.Data = append(v.Data, src.Data[int(r)*v.Width:(int(r)+1)*v.Width]...)
		}
	}
	v.N = n
	return nil
}

// copyAll makes the empty vector a copy of src.
func (v *Vector) copyAll(src *Vector) error {
	v.Data = append(v.Data[:0], src.Data...)
	v.Offsets = append(v.Offsets[:0], src.Offsets...)
	v.Valid = append(v.Valid[:0], src.Valid...)
	v.N, v.Nulls = src.N, src.Nulls
	return nil
}

// gatherEach is Gather a value at a time.
func (v *Vector) gatherEach(src *Vector, rows []int32) error {
	if rows == nil {
		for i := range src.N {
			if err := v.AppendFrom(src, i); err != nil {
				return err
			}
		}
		return nil
	}
	for _, r := range rows {
		if err := v.AppendFrom(src, int(r)); err != nil {
			return err
		}
	}
	return nil
}

// Bytes is about how much memory the values take.
func (v *Vector) Bytes() int { return len(v.Data) + 4*len(v.Offsets) + len(v.Valid) }
