package qual

import (
	"cmp"

	"github.com/pipescan/pipescan/batch"
	"github.com/pipescan/pipescan/catalog"
)

// arrayOpBy is x op ANY/ALL (array) by a function: NULLs make it unknown
// unless another element decides.
func arrayOpBy(a *analyzer, x *texpr, f rowFunc) (rowFunc, error) {
	elem := a.elemType(a.elemOf(a.base(x.args[1].typ)))
	all, strict := x.not, x.fn.strict
	var argv [2][]byte
	if array := x.args[1]; array.kind == tConst && !array.null {
		return constArrayOp(elem, array.val, x, f)
	}
	var elems [][]byte
	return func(c *fctx, dst []byte, args [][]byte) ([]byte, error) {
		if args[1] == nil {
			return nil, nil
		}
		h, err := readArray(args[1])
		if err != nil {
			return nil, err
		}
		if h.items == 0 {
			return appendBoolByte(dst, all), nil
		}
		if args[0] == nil && strict {
			return nil, nil
		}
		if elems, err = h.elements(elem, elems[:0]); err != nil {
			return nil, err
		}
		return arrayOpOver(c, dst, args[0], elems, &argv, all, strict, f)
	}, nil
}

// arrayOpOver applies the operator to each element until one decides.
func arrayOpOver(c *fctx, dst, x []byte, elems [][]byte, argv *[2][]byte, all, strict bool, f rowFunc) ([]byte, error) {
	null := false
	for _, e := range elems {
		if e == nil && strict {
			null = true
			continue
		}
		argv[0], argv[1] = x, e
		r, err := f(c, dst, argv[:])
		if err != nil {
			return nil, err
		}
		if r == nil {
			null = true
			continue
		}
		if (r[len(dst)] != 0) != all {
			return appendBoolByte(dst, !all), nil
		}
	}
	if null {
		return nil, nil
	}
	return appendBoolByte(dst, all), nil
}

// hashable are the equality functions that equal bytes decide.
var hashable = map[string]bool{
	"int2eq": true, "int4eq": true, "int8eq": true, "oideq": true, "date_eq": true, "timestamp_eq": true, "time_eq": true, "uuid_eq": true,
	"byteaeq": true, "booleq": true, "chareq": true, "texteq": true,
}

// constArrayOp is the operator over a constant array, read once. Many values
// of a simple type are looked up in a table.
func constArrayOp(elem elemType, array []byte, x *texpr, f rowFunc) (rowFunc, error) {
	h, err := readArray(array)
	if err != nil {
		return nil, err
	}
	elems, err := h.elements(elem, nil)
	if err != nil {
		return nil, err
	}
	all, strict := x.not, x.fn.strict
	var argv [2][]byte
	scan := func(c *fctx, dst []byte, args [][]byte) ([]byte, error) {
		if len(elems) == 0 {
			return appendBoolByte(dst, all), nil
		}
		if args[0] == nil && strict {
			return nil, nil
		}
		return arrayOpOver(c, dst, args[0], elems, &argv, all, strict, f)
	}
	if len(elems) < minHashedArray || all || !hashable[x.fn.src] {
		return scan, nil
	}
	set, null := make(map[string]bool, len(elems)), false
	for _, e := range elems {
		if e == nil {
			null = true
			continue
		}
		set[string(e)] = true
	}
	return func(c *fctx, dst []byte, args [][]byte) ([]byte, error) {
		if x.fn.src == "texteq" && (c.coll.indeterminate || !c.coll.deterministic) {
			return scan(c, dst, args)
		}
		switch {
		case args[0] == nil, null && !set[string(args[0])]:
			return nil, nil
		}
		return appendBoolByte(dst, set[string(args[0])]), nil
	}, nil
}

// arrayCast casts each element.
func (c *compiler) arrayCast(x *texpr) (rowFunc, error) {
	from, to := c.a.elemType(x.elemSource(c.a)), c.a.elemType(c.a.elemOf(c.a.base(x.typ)))
	item := &elementNode{}
	width := max(from.len, 0)
	inner := compiler{a: c.a, element: item}
	n, err := inner.compile(x.elem)
	if err != nil {
		return nil, err
	}
	return func(_ *fctx, dst []byte, args [][]byte) ([]byte, error) {
		h, err := readArray(args[0])
		if err != nil {
			return nil, err
		}
		in, err := h.elements(from, nil)
		if err != nil {
			return nil, err
		}
		out := make([][]byte, len(in))
		for i, e := range in {
			item.v.Reset(width)
			if err := appendValue(&item.v, e, e != nil); err != nil {
				return nil, err
			}
			v, err := n.eval(&frame{b: &batch.Batch{Decoded: true, N: 1}}, sel{n: 1})
			if err != nil {
				return nil, err
			}
			if r, ok := v.get(0); ok {
				out[i] = append([]byte{}, r...)
			}
		}
		return appendArray(dst, to, h.dims[:h.ndim], h.lower[:h.ndim], out)
	}, nil
}

// elemSource is the element type that an array cast starts from.
func (x *texpr) elemSource(a *analyzer) catalog.OID { return a.elemOf(a.base(x.args[0].typ)) }

// arrayConstructor is ARRAY[...].
func arrayConstructor(a *analyzer, x *texpr) (rowFunc, error) {
	elem := a.elemType(a.elemOf(x.typ))
	if x.name == "multi" {
		return nestedArray(elem), nil
	}
	return func(_ *fctx, dst []byte, args [][]byte) ([]byte, error) {
		return appendArray(dst, elem, []int32{int32(len(args))}, []int32{1}, args)
	}, nil
}

// nestedArray makes an array of arrays of equal dimensions.
func nestedArray(elem elemType) rowFunc {
	return func(_ *fctx, dst []byte, args [][]byte) ([]byte, error) {
		var first arrayValue
		var elems [][]byte
		count := 0
		for _, arg := range args {
			if arg == nil {
				return nil, unsupportedf("a NULL array inside an ARRAY[] of arrays")
			}
			h, err := readArray(arg)
			if err != nil {
				return nil, err
			}
			if h.ndim == 0 {
				return nil, unsupportedf("an empty array inside an ARRAY[] of arrays")
			}
			if count == 0 {
				first = h
			} else if h.ndim != first.ndim || h.dims != first.dims || h.lower != first.lower {
				return nil, sqlErrorf("2202E", "multidimensional arrays must have array expressions with matching dimensions")
			}
			count++
			if elems, err = h.elements(elem, elems); err != nil {
				return nil, err
			}
		}
		if first.ndim == maxArrayDims {
			return nil, sqlErrorf("54000", "number of array dimensions (%d) exceeds the maximum allowed (%d)", maxArrayDims+1, maxArrayDims)
		}
		dims := append([]int32{int32(count)}, first.dims[:first.ndim]...)
		lower := append([]int32{1}, first.lower[:first.ndim]...)
		return appendArray(dst, elem, dims, lower, elems)
	}
}

// subscriptOf is x[i][j]: NULL outside of the array, or when the number of
// subscripts is not that of the dimensions.
func subscriptOf(a *analyzer, x *texpr) (rowFunc, error) {
	elem := a.elemType(x.typ)
	return func(_ *fctx, dst []byte, args [][]byte) ([]byte, error) {
		h, err := readArray(args[0])
		if err != nil {
			return nil, err
		}
		if len(args)-1 != h.ndim {
			return nil, nil
		}
		place := 0
		for i, arg := range args[1:] {
			n := getInt32(arg) - int64(h.lower[i])
			if n < 0 || n >= int64(h.dims[i]) {
				return nil, nil
			}
			place = place*int(h.dims[i]) + int(n)
		}
		var found []byte
		err = h.each(elem, func(i int, v []byte) bool {
			found = v
			return i < place
		})
		if err != nil || found == nil {
			return nil, err
		}
		return append(dst, found...), nil
	}, nil
}

// arrayContext is what functions over arrays keep: how the elements lie and
// compare.
type arrayContext struct {
	elem elemType
	cmp  cmpFunc
	l, r [][]byte
}

func (c *fctx) arrays() (*arrayContext, error) {
	if k, ok := c.cache.(*arrayContext); ok {
		return k, nil
	}
	typ := c.a.base(c.x.args[0].typ)
	elem := c.a.elemOf(typ)
	if elem == 0 {
		elem = c.a.elemOf(c.a.base(c.x.args[1].typ))
	}
	k := &arrayContext{elem: c.a.elemType(elem)}
	var err error
	if k.cmp, err = c.a.compareFor(elem); err != nil {
		return nil, err
	}
	if c.a.typ(elem).collation != 0 {
		if c.coll, err = c.a.collInfoOf(c.x.inColl); err != nil {
			return nil, err
		}
	}
	c.cache = k
	return k, nil
}

// both reads two arrays' elements.
func (k *arrayContext) both(args [][]byte) (x, y arrayValue, err error) {
	if x, err = readArray(args[0]); err != nil {
		return x, y, err
	}
	if y, err = readArray(args[1]); err != nil {
		return x, y, err
	}
	if k.l, err = x.elements(k.elem, k.l[:0]); err != nil {
		return x, y, err
	}
	k.r, err = y.elements(k.elem, k.r[:0])
	return x, y, err
}

// compareArrays is array_cmp: element by element, NULL last, then the shorter,
// then dimensions.
func compareArrays(c *fctx, a, b []byte) (int, error) {
	k, err := c.arrays()
	if err != nil {
		return 0, err
	}
	x, y, err := k.both([][]byte{a, b})
	if err != nil {
		return 0, err
	}
	for i := range min(len(k.l), len(k.r)) {
		l, r := k.l[i], k.r[i]
		if l == nil || r == nil {
			if (l == nil) != (r == nil) {
				if l == nil {
					return 1, nil
				}
				return -1, nil
			}
			continue
		}
		if n, err := k.cmp(c, l, r); n != 0 || err != nil {
			return n, err
		}
	}
	if n := cmp.Compare(x.items, y.items); n != 0 {
		return n, nil
	}
	if n := cmp.Compare(x.ndim, y.ndim); n != 0 {
		return n, nil
	}
	for i := range x.ndim {
		if n := cmp.Compare(x.dims[i], y.dims[i]); n != 0 {
			return n, nil
		}
	}
	for i := range x.ndim {
		if n := cmp.Compare(x.lower[i], y.lower[i]); n != 0 {
			return n, nil
		}
	}
	return 0, nil
}

// equalArrays is array_eq: dimensions first, so that it errs less than the
// order would; elements need equality only.
func equalArrays(c *fctx, a, b []byte) (int, error) {
	x, err := readArray(a)
	if err != nil {
		return 0, err
	}
	y, err := readArray(b)
	if err != nil {
		return 0, err
	}
	if x.ndim != y.ndim || x.dims != y.dims || x.lower != y.lower {
		return 1, nil
	}
	k, err := c.arrays()
	if err != nil {
		return 0, err
	}
	if _, _, err := k.both([][]byte{a, b}); err != nil {
		return 0, err
	}
	for i := range k.l {
		if (k.l[i] == nil) != (k.r[i] == nil) {
			return 1, nil
		}
		if k.l[i] == nil {
			continue
		}
		if n, err := k.cmp(c, k.l[i], k.r[i]); n != 0 || err != nil {
			return n, err
		}
	}
	return 0, nil
}
