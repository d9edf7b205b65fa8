package qual

import "slices"

func init() {
	family("array_", phNone, phNone, compareArrays)
	comparisons["array_eq"].cmp = equalArrays
	comparisons["array_ne"].cmp = equalArrays
	kernels["arraycontains"] = arrayContains(false)
	kernels["arraycontained"] = arrayContains(true)
	kernels["arrayoverlap"] = arrayOverlap
	kernels["array_cardinality"] = func(_ *fctx, dst []byte, args [][]byte) ([]byte, error) {
		h, err := readArray(args[0])
		if err != nil {
			return nil, err
		}
		return appendInt(dst, int32(h.items)), nil
	}
	kernels["array_ndims"] = func(_ *fctx, dst []byte, args [][]byte) ([]byte, error) {
		h, err := readArray(args[0])
		if err != nil || h.ndim == 0 {
			return nil, err
		}
		return appendInt(dst, int32(h.ndim)), nil
	}
	dimension := func(f func(h *arrayValue, d int) int32) rowFunc {
		return func(_ *fctx, dst []byte, args [][]byte) ([]byte, error) {
			h, err := readArray(args[0])
			d := int(getInt32(args[1]))
			if err != nil || d < 1 || d > h.ndim {
				return nil, err
			}
			return appendInt(dst, f(&h, d-1)), nil
		}
	}
	kernels["array_length"] = dimension(func(h *arrayValue, d int) int32 { return h.dims[d] })
	kernels["array_lower"] = dimension(func(h *arrayValue, d int) int32 { return h.lower[d] })
	kernels["array_upper"] = dimension(func(h *arrayValue, d int) int32 { return h.lower[d] + h.dims[d] - 1 })
	kernels["array_append"] = func(c *fctx, dst []byte, args [][]byte) ([]byte, error) {
		return arrayPush(c, dst, args[0], args[1], 0, false)
	}
	kernels["array_prepend"] = func(c *fctx, dst []byte, args [][]byte) ([]byte, error) {
		return arrayPush(c, dst, args[1], args[0], 1, true)
	}
	kernels["array_cat"] = arrayCat
}

// equalElements compares without an order where the type has none known.
func (k *arrayContext) in(c *fctx, set [][]byte, v []byte) (bool, error) {
	for _, s := range set {
		if s == nil {
			continue
		}
		n, err := k.cmp(c, s, v)
		if n == 0 || err != nil {
			return err == nil, err
		}
	}
	return false, nil
}

// arrayContains is @>: each element of one is in the other; NULLs are in none.
func arrayContains(swap bool) rowFunc {
	return func(c *fctx, dst []byte, args [][]byte) ([]byte, error) {
		k, err := c.arrays()
		if err != nil {
			return nil, err
		}
		if _, _, err := k.both(args); err != nil {
			return nil, err
		}
		outer, inner := k.l, k.r
		if swap {
			outer, inner = inner, outer
		}
		for _, v := range inner {
			if v == nil {
				return appendBoolByte(dst, false), nil
			}
			if ok, err := k.in(c, outer, v); !ok || err != nil {
				return appendBoolByte(dst, false), err
			}
		}
		return appendBoolByte(dst, true), nil
	}
}

func arrayOverlap(c *fctx, dst []byte, args [][]byte) ([]byte, error) {
	k, err := c.arrays()
	if err != nil {
		return nil, err
	}
	if _, _, err := k.both(args); err != nil {
		return nil, err
	}
	for _, v := range k.l {
		if v == nil {
			continue
		}
		if ok, err := k.in(c, k.r, v); ok || err != nil {
			return appendBoolByte(dst, true), err
		}
	}
	return appendBoolByte(dst, false), nil
}

// arrayPush adds an element at an end of a one-dimensional array. which is the
// array's argument.
func arrayPush(c *fctx, dst, array, elem []byte, which int, front bool) ([]byte, error) {
	t := c.a.elemType(c.a.elemOf(c.a.base(c.x.args[which].typ)))
	var h arrayValue
	var elems [][]byte
	if array != nil {
		var err error
		if h, err = readArray(array); err != nil {
			return nil, err
		}
		if h.ndim > 1 {
			return nil, sqlErrorf("22000", "argument must be empty or one-dimensional array")
		}
		if elems, err = h.elements(t, nil); err != nil {
			return nil, err
		}
	}
	lower := int32(1)
	if h.ndim == 1 {
		lower = h.lower[0]
	}
	if front {
		elems = slices.Insert(elems, 0, elem)
	} else {
		elems = append(elems, elem)
	}
	return appendArray(dst, t, []int32{int32(len(elems))}, []int32{lower}, elems)
}

// arrayCat is array || array.
func arrayCat(c *fctx, dst []byte, args [][]byte) ([]byte, error) {
	switch {
	case args[0] == nil && args[1] == nil:
		return nil, nil
	case args[0] == nil:
		return append(dst, args[1]...), nil
	case args[1] == nil:
		return append(dst, args[0]...), nil
	}
	t := c.a.elemType(c.a.elemOf(c.a.base(c.x.args[0].typ)))
	x, err := readArray(args[0])
	if err != nil {
		return nil, err
	}
	y, err := readArray(args[1])
	switch {
	case err != nil:
		return nil, err
	case x.ndim == 0 && y.ndim > 0:
		return append(dst, args[1]...), nil
	case y.ndim == 0:
		return append(dst, args[0]...), nil
	}
	elems, err := x.elements(t, nil)
	if err != nil {
		return nil, err
	}
	if elems, err = y.elements(t, elems); err != nil {
		return nil, err
	}
	dims, lower, err := catDims(&x, &y)
	if err != nil {
		return nil, err
	}
	return appendArray(dst, t, dims, lower, elems)
}

// catDims is the shape of a concatenation: of arrays of equal shape but for the
// first dimension, or of an array and one of its items.
func catDims(x, y *arrayValue) (dims, lower []int32, err error) {
	mismatch := sqlErrorf("2202E", "cannot concatenate incompatible arrays")
	switch {
	case x.ndim == y.ndim:
		dims, lower = slices.Clone(x.dims[:x.ndim]), slices.Clone(x.lower[:x.ndim])
		dims[0] += y.dims[0]
		for i := 1; i < x.ndim; i++ {
			if x.dims[i] != y.dims[i] || x.lower[i] != y.lower[i] {
				return nil, nil, mismatch
			}
		}
	case x.ndim == y.ndim-1:
		dims, lower = slices.Clone(y.dims[:y.ndim]), slices.Clone(y.lower[:y.ndim])
		dims[0]++
		for i := range x.ndim {
			if x.dims[i] != y.dims[i+1] || x.lower[i] != y.lower[i+1] {
				return nil, nil, mismatch
			}
		}
	case x.ndim == y.ndim+1:
		dims, lower = slices.Clone(x.dims[:x.ndim]), slices.Clone(x.lower[:x.ndim])
		dims[0]++
		for i := range y.ndim {
			if y.dims[i] != x.dims[i+1] || y.lower[i] != x.lower[i+1] {
				return nil, nil, mismatch
			}
		}
	default:
		return nil, nil, mismatch
	}
	return dims, lower, nil
}
