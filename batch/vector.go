package batch

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"unsafe"
)

// keepBytes is the largest data buffer a recycled vector keeps: one huge value
// must not stay in memory for the rest of a scan.
const keepBytes = 8 << 20

// Reset empties the vector and gives it a width; buffers are kept.
func (v *Vector) Reset(width int) {
	v.Width, v.N, v.Nulls = width, 0, 0
	v.Valid, v.Data, v.Offsets = v.Valid[:0], v.Data[:0], v.Offsets[:0]
	if width == 0 {
		v.Offsets = append(v.Offsets, 0)
	}
}

// trim empties the vector for recycling.
func (v *Vector) trim(trash bool) {
	if cap(v.Data) > keepBytes {
		v.Data = nil
	}
	if trash {
		poisonAll(v.Data, poison)
		poisonAll(v.Valid, poison)
		poisonAll(v.Offsets, -1)
	}
	v.Reset(v.Width)
}

// AppendFixed appends a value of exactly Width bytes.
func (v *Vector) AppendFixed(b []byte) {
	if len(b) != v.Width {
		panic(fmt.Sprintf("batch: value of %d bytes for a vector of width %d", len(b), v.Width))
	}
	// Cutting at Width tells nothing new, but lets the compiler see the size.
	switch v.Width {
	case 4:
		v.AppendUint32(binary.LittleEndian.Uint32(b))
		return
	case 8:
		v.Data = binary.LittleEndian.AppendUint64(v.grow(8), binary.LittleEndian.Uint64(b))
	default:
		v.Data = append(v.grow(v.Width), b...)
	}
	v.appended()
}

// AppendUint32 appends a value to a vector of width 4.
func (v *Vector) AppendUint32(x uint32) {
	v.Data = binary.LittleEndian.AppendUint32(v.grow(4), x)
	v.appended()
}

// AppendVar appends a value to a vector of width 0.
func (v *Vector) AppendVar(b []byte) error { return v.FinishVar(append(v.Data, b...)) }

// FinishVar ends a value of a vector of width 0 that was built at the end of
// its Data, so that a detoaster may write there directly:
//
//	data, err := detoaster.Append(ctx, v.Data, stored)
//	if err == nil { err = v.FinishVar(data) }
//
// Leaving FinishVar out leaves the value out. It fails, leaving the value out,
// when the vector would hold more than 2 GB.
func (v *Vector) FinishVar(data []byte) error {
	if len(data) > math.MaxInt32 {
		return fmt.Errorf("values of one column in one batch exceed %d bytes", math.MaxInt32)
	}
	v.Data = data
	v.Offsets = append(v.Offsets, int32(len(data)))
	v.appended()
	return nil
}

// ExtendFixed appends n values that are not NULL, of Width bytes each, and
// returns their bytes to be written: n*Width of them, with arbitrary contents.
func (v *Vector) ExtendFixed(n int) []byte {
	at := len(v.Data)
	v.Data = v.grow(n * v.Width)[:at+n*v.Width]
	if v.Nulls == 0 {
		v.N += n
	} else {
		for range n {
			v.appended()
		}
	}
	return v.Data[at:]
}

// AppendNull appends a NULL.
func (v *Vector) AppendNull() {
	if v.Nulls == 0 {
		v.allValid()
	}
	if v.Width > 0 {
		n := len(v.Data) + v.Width
		v.Data = v.grow(v.Width)[:n]
		clear(v.Data[n-v.Width:])
	} else {
		v.Offsets = append(v.Offsets, int32(len(v.Data)))
	}
	if v.N&7 == 0 {
		v.Valid = append(v.Valid, 0)
	}
	v.Nulls++
	v.N++
}

// grow returns Data with room for n more bytes. The first allocation is large
// enough that the allocator aligns it for the casts below.
func (v *Vector) grow(n int) []byte {
	if cap(v.Data)-len(v.Data) < n {
		return slices.Grow(v.Data, max(n, 1024, len(v.Data)))
	}
	return v.Data
}

// appended counts a value that is not NULL.
func (v *Vector) appended() {
	if v.Nulls > 0 {
		if v.N&7 == 0 {
			v.Valid = append(v.Valid, 0)
		}
		v.Valid[v.N>>3] |= 1 << (v.N & 7)
	}
	v.N++
}

// allValid writes the validity of the values so far, none of them NULL.
func (v *Vector) allValid() {
	v.Valid = v.Valid[:0]
	for i := 0; i+8 <= v.N; i += 8 {
		v.Valid = append(v.Valid, 0xff)
	}
	if rest := v.N & 7; rest != 0 {
		v.Valid = append(v.Valid, 1<<rest-1)
	}
}

// IsNull says whether value i is NULL.
func (v *Vector) IsNull(i int) bool {
	return v.Nulls > 0 && v.Valid[i>>3]&(1<<(i&7)) == 0
}

// Value is value i, aliasing the vector; ok is false for NULL.
func (v *Vector) Value(i int) (b []byte, ok bool) {
	if v.IsNull(i) {
		return nil, false
	}
	if v.Width > 0 {
		return v.Data[i*v.Width : (i+1)*v.Width : (i+1)*v.Width], true
	}
	from, to := v.Offsets[i], v.Offsets[i+1]
	return v.Data[from:to:to], true
}

// number is what fixed-width vectors can be read as.
type number interface {
	~int16 | ~int32 | ~int64 | ~uint32 | ~float32 | ~float64
}

// cast reads data in place as numbers of the machine, which must be
// little-endian as the files are. A buffer that is not aligned is copied.
func cast[T number](v *Vector) []T {
	var zero T
	size := int(unsafe.Sizeof(zero))
	if v.Width != size {
		panic(fmt.Sprintf("batch: vector of width %d read as numbers of %d bytes", v.Width, size))
	}
	if v.N == 0 {
		return nil
	}
	p := unsafe.Pointer(unsafe.SliceData(v.Data))
	if uintptr(p)%uintptr(size) == 0 {
		return unsafe.Slice((*T)(p), v.N)
	}
	out := make([]T, v.N)
	copy(unsafe.Slice((*byte)(unsafe.Pointer(&out[0])), v.N*size), v.Data)
	return out
}

// Int16s are the values of a vector of width 2, NULLs as 0; they alias it.
func (v *Vector) Int16s() []int16 { return cast[int16](v) }

// Int32s are the values of a vector of width 4, NULLs as 0; they alias it.
func (v *Vector) Int32s() []int32 { return cast[int32](v) }

// Uint32s are the values of a vector of width 4, NULLs as 0; they alias it.
func (v *Vector) Uint32s() []uint32 { return cast[uint32](v) }

// Int64s are the values of a vector of width 8, NULLs as 0; they alias it.
func (v *Vector) Int64s() []int64 { return cast[int64](v) }

// Float32s are the values of a vector of width 4, NULLs as 0; they alias it.
func (v *Vector) Float32s() []float32 { return cast[float32](v) }

// Float64s are the values of a vector of width 8, NULLs as 0; they alias it.
func (v *Vector) Float64s() []float64 { return cast[float64](v) }
