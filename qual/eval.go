package qual

import (
	"errors"

	"github.com/pipescan/pipescan/batch"
	"github.com/pipescan/pipescan/catalog"
)

// frame is one evaluation: the batch that columns are taken from.
type frame struct{ b *batch.Batch }

// sel is the rows to evaluate for, by their index into the batch's columns:
// idx in ascending order, or the first n when idx is nil.
type sel struct {
	idx []int32
	n   int
}

func (s sel) row(k int) int32 {
	if s.idx == nil {
		return int32(k)
	}
	return s.idx[k]
}

// val is the values of an expression for the rows of a sel. They lie in a
// vector: at k for the k-th row (idx nil), at idx[k], or all at 0.
type val struct {
	v        *batch.Vector
	idx      []int32
	constant bool
}

func (x val) at(k int) int {
	switch {
	case x.constant:
		return 0
	case x.idx != nil:
		return int(x.idx[k])
	}
	return k
}

var noBytes = []byte{}

// get is the value of the k-th row; ok is false for NULL. A value is never a
// nil slice.
func (x val) get(k int) (b []byte, ok bool) {
	b, ok = x.v.Value(x.at(k))
	if ok && b == nil {
		b = noBytes
	}
	return b, ok
}

// isTrue says whether the boolean of the k-th row is true.
func (x val) isTrue(k int) bool {
	i := x.at(k)
	return x.v.Data[i] != 0 && !x.v.IsNull(i)
}

// node evaluates an expression. The values it returns are valid until its next
// evaluation, as long as the batch is.
type node interface {
	eval(fr *frame, s sel) (val, error)
}

// filterer is a node that can narrow rows to those where it is true without
// making booleans first. It appends to dst, which may be s.idx[:0].
type filterer interface {
	filter(fr *frame, s sel, dst []int32) ([]int32, error)
}

// evaluator is a compiled expression.
type evaluator struct {
	width  int
	root   node
	quals  []node // of a condition
	parts  []node // what Filter goes through: quals, or root
	fr     frame
	buf    []int32
	one    [1]int32
	broken error
}

// newEvaluator compiles an expression.
func newEvaluator(a *analyzer, x *texpr) (evaluator, error) {
	c := compiler{a: a}
	n, err := c.compile(x)
	if err != nil {
		return evaluator{}, at(err, x.pos)
	}
	return evaluator{width: a.width(x.typ), root: n, parts: []node{n}}, nil
}

// width is the vector width of a type's values.
func (a *analyzer) width(oid catalog.OID) int {
	if n := a.typ(a.base(oid)).len; n > 0 {
		return int(n)
	}
	return 0
}

func rowsOf(b *batch.Batch) sel {
	if b.HasSel {
		return sel{idx: b.Sel, n: len(b.Sel)}
	}
	return sel{n: b.N}
}

func (b *Bound) evalBatch(in *batch.Batch, out *batch.Vector) error {
	out.Reset(b.ev.width)
	if b.ev.broken != nil {
		return b.ev.broken
	}
	fr, s := b.frame(in), rowsOf(in)
	if s.n == 0 {
		return nil
	}
	if b.ev.root == nil {
		return b.evalCondition(fr, s, out)
	}
	v, err := b.ev.root.eval(fr, s)
	if err == nil {
		return copyValues(out, v, s.n)
	}
	// The server goes row by row: find the first row that fails, in its order
	// of evaluation.
	for k := range s.n {
		b.ev.one[0] = s.row(k)
		v, err := b.ev.root.eval(fr, sel{idx: b.ev.one[:], n: 1})
		if err != nil {
			return atRow(err, int(b.ev.one[0]))
		}
		if err := copyValues(out, v, 1); err != nil {
			return err
		}
	}
	return err
}

// frame is the evaluation of a batch.
func (b *Bound) frame(in *batch.Batch) *frame {
	b.ev.fr.b = in
	return &b.ev.fr
}

// evalCondition makes booleans of a condition's parts: true where all are.
func (b *Bound) evalCondition(fr *frame, s sel, out *batch.Vector) error {
	kept, err := b.narrow(fr, s, b.ev.buf[:0])
	b.ev.buf = kept
	i := 0
	for k := range s.n {
		var yes [1]byte
		if i < len(kept) && kept[i] == s.row(k) {
			yes[0] = 1
			i++
		}
		out.AppendFixed(yes[:])
	}
	return err
}

func (b *Bound) filterBatch(in *batch.Batch) error {
	if b.ev.broken != nil {
		return b.ev.broken
	}
	fr, s := b.frame(in), rowsOf(in)
	if s.n == 0 {
		return nil
	}
	kept, err := b.narrow(fr, s, b.ev.buf[:0])
	if err != nil {
		kept, err = b.narrowByRow(fr, s, kept[:0])
	}
	b.ev.buf = kept
	in.Sel = append(in.Sel[:0], kept...)
	in.HasSel = true
	return err
}

// narrow appends the rows where all parts are true.
func (b *Bound) narrow(fr *frame, s sel, dst []int32) ([]int32, error) {
	for _, q := range b.ev.parts {
		kept, err := filterTrue(q, fr, s, dst[:0])
		if err != nil {
			return dst[:0], err
		}
		dst = kept
		s = sel{idx: dst, n: len(dst)}
		if s.n == 0 {
			break
		}
	}
	return dst, nil
}

func (b *Bound) narrowByRow(fr *frame, s sel, dst []int32) ([]int32, error) {
	room := make([]int32, 0, 1)
	for k := range s.n {
		b.ev.one[0] = s.row(k)
		kept, err := b.narrow(fr, sel{idx: b.ev.one[:], n: 1}, room)
		if err != nil {
			return dst, atRow(err, int(s.row(k)))
		}
		if len(kept) > 0 {
			dst = append(dst, s.row(k))
		}
	}
	return dst, nil
}

// filterTrue appends the rows where n is true.
func filterTrue(n node, fr *frame, s sel, dst []int32) ([]int32, error) {
	if f, ok := n.(filterer); ok {
		return f.filter(fr, s, dst)
	}
	v, err := n.eval(fr, s)
	if err != nil {
		return dst, err
	}
	for k := range s.n {
		row := s.row(k)
		if v.isTrue(k) {
			dst = append(dst, row)
		}
	}
	return dst, nil
}

// atRow gives an error its row.
func atRow(err error, row int) error {
	var e *SQLError
	if errors.As(err, &e) {
		c := *e
		c.Row = row
		return &c
	}
	return err
}

// copyValues appends n values to out.
func copyValues(out *batch.Vector, x val, n int) error {
	if x.idx == nil && !x.constant && out.N == 0 && n == x.v.N {
		out.Data = append(out.Data[:0], x.v.Data...)
		out.Valid = append(out.Valid[:0], x.v.Valid...)
		out.Offsets = append(out.Offsets[:0], x.v.Offsets...)
		out.N, out.Nulls = n, x.v.Nulls
		return nil
	}
	for k := range n {
		b, ok := x.get(k)
		if err := appendValue(out, b, ok); err != nil {
			return err
		}
	}
	return nil
}

// appendValue appends one value or NULL.
func appendValue(out *batch.Vector, b []byte, ok bool) error {
	switch {
	case !ok:
		out.AppendNull()
	case out.Width > 0:
		out.AppendFixed(b)
	default:
		return out.AppendVar(b)
	}
	return nil
}
