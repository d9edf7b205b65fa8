package qual

import (
	"unsafe"

	"github.com/pipescan/pipescan/batch"
)

// arithNode is + - * of integers in loops over vectors.
type arithNode struct {
	loop arithLoop
	args []node
	pos  int
	out  batch.Vector
}

// arithLoop appends the results for n rows to out, NULLs included.
type arithLoop func(l, r val, n int, out *batch.Vector) error

// arithmetic are the functions that have loops, by their C names.
var arithmetic = map[string]arithLoop{}

func newArithNode(loop arithLoop, x *texpr, args []node) *arithNode {
	return &arithNode{loop: loop, args: args, pos: x.pos}
}

func (n *arithNode) eval(fr *frame, s sel) (val, error) {
	l, err := n.args[0].eval(fr, s)
	if err != nil {
		return val{}, err
	}
	r, err := n.args[1].eval(fr, s)
	if err != nil {
		return val{}, err
	}
	if err := n.loop(l, r, s.n, &n.out); err != nil {
		return val{}, at(err, n.pos)
	}
	return val{v: &n.out}, nil
}

// loopOf makes the loop of an operator; T is the type of the result.
func loopOf[L, R, T integer](f func(a, b int64) (int64, bool), lf func(*batch.Vector) []L, rf func(*batch.Vector) []R) arithLoop {
	var zero T
	width := int(unsafe.Sizeof(zero))
	return func(l, r val, n int, out *batch.Vector) error {
		out.Reset(width)
		if n == 0 {
			return nil
		}
		ls, rs := lf(l.v), rf(r.v)
		nulls := l.v.Nulls > 0 || r.v.Nulls > 0
		if need := n * width; cap(out.Data) < need {
			out.Data = make([]byte, 0, need+need/2)
		}
		for k := range n {
			i, j := l.at(k), r.at(k)
			if nulls && (l.v.IsNull(i) || r.v.IsNull(j)) {
				out.AppendNull()
				continue
			}
			v, ok := f(int64(ls[i]), int64(rs[j]))
			if !ok || int64(T(v)) != v {
				return outOfRange[T]()
			}
			if nulls {
				var room [8]byte
				out.AppendFixed(appendInt(room[:0], T(v)))
				continue
			}
			out.Data = appendInt(out.Data, T(v))
			out.N++
		}
		return nil
	}
}

// arithLoops registers the loops of two integer types.
func arithLoops[L, R, T integer](name string, lf func(*batch.Vector) []L, rf func(*batch.Vector) []R) {
	arithmetic[name+"pl"] = loopOf[L, R, T](addInt64, lf, rf)
	arithmetic[name+"mi"] = loopOf[L, R, T](subInt64, lf, rf)
	arithmetic[name+"mul"] = loopOf[L, R, T](mulInt64, lf, rf)
}

func init() {
	i2, i4, i8 := (*batch.Vector).Int16s, (*batch.Vector).Int32s, (*batch.Vector).Int64s
	arithLoops[int16, int16, int16]("int2", i2, i2)
	arithLoops[int32, int32, int32]("int4", i4, i4)
	arithLoops[int64, int64, int64]("int8", i8, i8)
	arithLoops[int16, int32, int32]("int24", i2, i4)
	arithLoops[int32, int16, int32]("int42", i4, i2)
	arithLoops[int16, int64, int64]("int28", i2, i8)
	arithLoops[int64, int16, int64]("int82", i8, i2)
	arithLoops[int32, int64, int64]("int48", i4, i8)
	arithLoops[int64, int32, int64]("int84", i8, i4)
}
