package qual

import (
	"github.com/pipescan/pipescan/batch"
)

// number is what fixed-width values are read as.
type number interface {
	~int16 | ~int32 | ~int64 | ~uint32 | ~float32 | ~float64
}

// compareNode compares two values of fixed width. Its loops have the types and
// the operator outside.
type compareNode struct {
	spec *comparison
	args []node
	loop compareLoop
	out  batch.Vector
	mask []bool
}

// compareLoop writes, for n rows, whether the comparison holds, NULLs aside.
type compareLoop func(op cmpOp, l, r val, n int, out []bool)

func newCompareNode(spec *comparison, args []node) *compareNode {
	return &compareNode{spec: spec, args: args, loop: loopFor(spec.left, spec.right)}
}

// loopFor picks the loop for two kinds of numbers.
func loopFor(l, r physical) compareLoop {
	switch l {
	case phInt16:
		return loopFor2((*batch.Vector).Int16s, r)
	case phInt32:
		return loopFor2((*batch.Vector).Int32s, r)
	case phInt64:
		return loopFor2((*batch.Vector).Int64s, r)
	case phUint32:
		return intLoop((*batch.Vector).Uint32s, (*batch.Vector).Uint32s)
	case phFloat32:
		if r == phFloat32 {
			return floatLoop((*batch.Vector).Float32s, (*batch.Vector).Float32s)
		}
		return floatLoop((*batch.Vector).Float32s, (*batch.Vector).Float64s)
	}
	if r == phFloat32 {
		return floatLoop((*batch.Vector).Float64s, (*batch.Vector).Float32s)
	}
	return floatLoop((*batch.Vector).Float64s, (*batch.Vector).Float64s)
}

func loopFor2[L int16 | int32 | int64](l func(*batch.Vector) []L, r physical) compareLoop {
	switch r {
	case phInt16:
		return intLoop(l, (*batch.Vector).Int16s)
	case phInt32:
		return intLoop(l, (*batch.Vector).Int32s)
	}
	return intLoop(l, (*batch.Vector).Int64s)
}

// intLoop compares integers as int64.
func intLoop[L, R int16 | int32 | int64 | uint32](lf func(*batch.Vector) []L, rf func(*batch.Vector) []R) compareLoop {
	return func(op cmpOp, l, r val, n int, out []bool) {
		if n == 0 {
			return
		}
		ls, rs := lf(l.v), rf(r.v)
		if r.constant && !l.constant {
			intConst(op, ls, l.idx, int64(rs[0]), out[:n])
			return
		}
		for k := range out[:n] {
			x, y := int64(ls[l.at(k)]), int64(rs[r.at(k)])
			c := 0
			if x < y {
				c = -1
			} else if x > y {
				c = 1
			}
			out[k] = op.holds(c)
		}
	}
}

// intConst compares with a constant, which is brought to the values' type when
// it fits; when it does not, all values are on one side of it.
func intConst[L int16 | int32 | int64 | uint32](op cmpOp, ls []L, idx []int32, c int64, out []bool) {
	y := L(c)
	if int64(y) != c {
		side := -1 // every value is below c
		if c < 0 {
			side = 1
		}
		holds := op.holds(side)
		for k := range out {
			out[k] = holds
		}
		return
	}
	constLoop(op, ls, idx, y, out)
}

// constLoop is the innermost loop: values against a constant of their type.
func constLoop[T number](op cmpOp, ls []T, idx []int32, c T, out []bool) {
	if idx == nil {
		ls = ls[:len(out)]
		switch op {
		case opEq:
			for k, x := range ls {
				out[k] = x == c
			}
		case opNe:
			for k, x := range ls {
				out[k] = x != c
			}
		case opLt:
			for k, x := range ls {
				out[k] = x < c
			}
		case opLe:
			for k, x := range ls {
				out[k] = x <= c
			}
		case opGt:
			for k, x := range ls {
				out[k] = !(x <= c) // NaN is greater than everything
			}
		case opGe:
			for k, x := range ls {
				out[k] = !(x < c)
			}
		}
		return
	}
	idx = idx[:len(out)]
	switch op {
	case opEq:
		for k, i := range idx {
			out[k] = ls[i] == c
		}
	case opNe:
		for k, i := range idx {
			out[k] = ls[i] != c
		}
	case opLt:
		for k, i := range idx {
			out[k] = ls[i] < c
		}
	case opLe:
		for k, i := range idx {
			out[k] = ls[i] <= c
		}
	case opGt:
		for k, i := range idx {
			out[k] = !(ls[i] <= c)
		}
	case opGe:
		for k, i := range idx {
			out[k] = !(ls[i] < c)
		}
	}
}

// floatLoop compares floats as float64.
func floatLoop[L, R float32 | float64](lf func(*batch.Vector) []L, rf func(*batch.Vector) []R) compareLoop {
	return func(op cmpOp, l, r val, n int, out []bool) {
		if n == 0 {
			return
		}
		ls, rs := lf(l.v), rf(r.v)
		if r.constant && !l.constant {
			c := float64(rs[0])
			if y := L(c); float64(y) == c { // not NaN, and of the values' type
				constLoop(op, ls, l.idx, y, out[:n])
				return
			}
		}
		for k := range out[:n] {
			out[k] = op.holds(compareFloats(float64(ls[l.at(k)]), float64(rs[r.at(k)])))
		}
	}
}

// evalMask evaluates both sides and compares them.
func (n *compareNode) evalMask(fr *frame, s sel) (l, r val, err error) {
	if l, err = n.args[0].eval(fr, s); err != nil {
		return l, r, err
	}
	if r, err = n.args[1].eval(fr, s); err != nil {
		return l, r, err
	}
	if cap(n.mask) < s.n {
		n.mask = make([]bool, s.n)
	}
	n.mask = n.mask[:s.n]
	n.loop(n.spec.op, l, r, s.n, n.mask)
	return l, r, nil
}

func (n *compareNode) eval(fr *frame, s sel) (val, error) {
	l, r, err := n.evalMask(fr, s)
	if err != nil {
		return val{}, err
	}
	n.out.Reset(1)
	nulls := l.v.Nulls > 0 || r.v.Nulls > 0
	for k, yes := range n.mask {
		if nulls && (l.v.IsNull(l.at(k)) || r.v.IsNull(r.at(k))) {
			n.out.AppendNull()
			continue
		}
		b := boolBytes[0]
		if yes {
			b = boolBytes[1]
		}
		n.out.AppendFixed(b)
	}
	return val{v: &n.out}, nil
}

func (n *compareNode) filter(fr *frame, s sel, dst []int32) ([]int32, error) {
	l, r, err := n.evalMask(fr, s)
	if err != nil {
		return dst, err
	}
	if l.v.Nulls > 0 || r.v.Nulls > 0 {
		for k := range n.mask {
			n.mask[k] = n.mask[k] && !l.v.IsNull(l.at(k)) && !r.v.IsNull(r.at(k))
		}
	}
	return appendTrue(dst, s, n.mask), nil
}

// appendTrue appends the rows whose mask is set, without a branch a row.
func appendTrue(dst []int32, s sel, mask []bool) []int32 {
	from := len(dst)
	need := from + len(mask)
	if cap(dst) < need {
		grown := make([]int32, from, max(need, 2*cap(dst)))
		copy(grown, dst)
		dst = grown
	}
	out := dst[from:need]
	n := 0
	if s.idx == nil {
		for k, yes := range mask {
			out[n] = int32(k)
			if yes {
				n++
			}
		}
		return dst[:from+n]
	}
	for k, yes := range mask {
		out[n] = s.idx[k]
		if yes {
			n++
		}
	}
	return dst[:from+n]
}
