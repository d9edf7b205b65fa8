package qual

import (
	"slices"

	"github.com/pipescan/pipescan/batch"
)

// Boolean logic. AND and OR evaluate each argument only for the rows that the
// arguments before it left open, as the server does row by row, so that an
// error behind a decided row is not raised.

// The states of a row in a logicNode.
const (
	isFalse byte = iota
	isTrueByte
	isNull
)

// logicNode is AND, or OR.
type logicNode struct {
	args    []node
	decides byte // the value that ends a row: false for AND, true for OR
	state   []byte
	rows    []int32 // rows still open
	place   []int32 // and where they are in s
	taken   []int32 // of filter: rows that are true
	out     batch.Vector
}

func newLogicNode(or bool, args []node) *logicNode {
	n := &logicNode{args: args}
	if or {
		n.decides = isTrueByte
	}
	return n
}

func (n *logicNode) eval(fr *frame, s sel) (val, error) {
	n.state = n.state[:0]
	n.rows, n.place = n.rows[:0], n.place[:0]
	for k := range s.n {
		n.state = append(n.state, 1-n.decides)
		n.rows = append(n.rows, s.row(k))
		n.place = append(n.place, int32(k))
	}
	for _, a := range n.args {
		if len(n.rows) == 0 {
			break
		}
		v, err := a.eval(fr, sel{idx: n.rows, n: len(n.rows)})
		if err != nil {
			return val{}, err
		}
		n.narrow(v)
	}
	n.out.Reset(1)
	for _, st := range n.state {
		appendBool(&n.out, st)
	}
	return val{v: &n.out}, nil
}

// filter of OR takes the rows where an argument is true out of those that the
// next one is evaluated for. AND goes on behind a NULL, which eval knows of.
func (n *logicNode) filter(fr *frame, s sel, dst []int32) ([]int32, error) {
	if n.decides == isFalse {
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
	n.rows, n.taken = n.rows[:0], n.taken[:0]
	for k := range s.n {
		n.rows = append(n.rows, s.row(k))
	}
	for _, a := range n.args {
		if len(n.rows) == 0 {
			break
		}
		var err error
		if n.place, err = filterTrue(a, fr, sel{idx: n.rows, n: len(n.rows)}, n.place[:0]); err != nil {
			return dst, err
		}
		n.rows = without(n.rows, n.place)
		n.taken = append(n.taken, n.place...)
	}
	slices.Sort(n.taken)
	return append(dst, n.taken...), nil
}

// without takes ascending rows out of ascending rows.
func without(rows, gone []int32) []int32 {
	left, i := 0, 0
	for _, r := range rows {
		if i < len(gone) && gone[i] == r {
			i++
			continue
		}
		rows[left] = r
		left++
	}
	return rows[:left]
}

// narrow closes the rows that v decides, and notes NULLs of the others.
func (n *logicNode) narrow(v val) {
	open := 0
	for i, row := range n.rows {
		k := n.place[i]
		at := v.at(i)
		switch {
		case v.v.IsNull(at):
			n.state[k] = isNull
		case v.v.Data[at] == n.decides:
			n.state[k] = n.decides
			continue
		}
		n.rows[open], n.place[open] = row, k
		open++
	}
	n.rows, n.place = n.rows[:open], n.place[:open]
}

// appendBool appends a state as a boolean.
func appendBool(out *batch.Vector, state byte) {
	if state == isNull {
		out.AppendNull()
		return
	}
	out.AppendFixed(boolBytes[state])
}

var boolBytes = [2][]byte{{0}, {1}}

// notNode is NOT.
type notNode struct {
	arg node
	out batch.Vector
}

func (n *notNode) eval(fr *frame, s sel) (val, error) {
	v, err := n.arg.eval(fr, s)
	if err != nil {
		return val{}, err
	}
	n.out.Reset(1)
	for k := range s.n {
		at := v.at(k)
		if v.v.IsNull(at) {
			n.out.AppendNull()
			continue
		}
		n.out.AppendFixed(boolBytes[1-v.v.Data[at]&1])
	}
	return val{v: &n.out}, nil
}

// nullTestNode is IS [NOT] NULL.
type nullTestNode struct {
	arg node
	not bool
	out batch.Vector
}

func (n *nullTestNode) eval(fr *frame, s sel) (val, error) {
	v, err := n.arg.eval(fr, s)
	if err != nil {
		return val{}, err
	}
	n.out.Reset(1)
	for k := range s.n {
		st := 0
		if v.v.IsNull(v.at(k)) != n.not {
			st = 1
		}
		n.out.AppendFixed(boolBytes[st])
	}
	return val{v: &n.out}, nil
}

func (n *nullTestNode) filter(fr *frame, s sel, dst []int32) ([]int32, error) {
	v, err := n.arg.eval(fr, s)
	if err != nil {
		return dst, err
	}
	for k := range s.n {
		row := s.row(k)
		if v.v.IsNull(v.at(k)) != n.not {
			dst = append(dst, row)
		}
	}
	return dst, nil
}

// boolTestNode is IS [NOT] TRUE, FALSE or UNKNOWN.
type boolTestNode struct {
	arg  node
	what string
	not  bool
	out  batch.Vector
}

func (n *boolTestNode) eval(fr *frame, s sel) (val, error) {
	v, err := n.arg.eval(fr, s)
	if err != nil {
		return val{}, err
	}
	want := isNull
	switch n.what {
	case "TRUE":
		want = isTrueByte
	case "FALSE":
		want = isFalse
	}
	n.out.Reset(1)
	for k := range s.n {
		at, have := v.at(k), isNull
		if !v.v.IsNull(at) {
			have = v.v.Data[at] & 1
		}
		st := 0
		if (have == want) != n.not {
			st = 1
		}
		n.out.AppendFixed(boolBytes[st])
	}
	return val{v: &n.out}, nil
}
