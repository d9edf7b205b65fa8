package qual

import "github.com/pipescan/pipescan/batch"

// CASE and COALESCE evaluate each branch only for the rows that come to it, and
// gather the results in the rows' order at the end.

// branching is what both have in common: for each row of s, which branch has
// its value, and where among the branch's rows.
type branching struct {
	width  int
	branch []int32 // -1: none, the value is NULL
	place  []int32
	vals   []val
	rows   []int32 // rows still open, and their places in s
	open   []int32
	out    batch.Vector
}

func (b *branching) start(s sel, branches int) {
	b.branch, b.place, b.rows, b.open = b.branch[:0], b.place[:0], b.rows[:0], b.open[:0]
	for k := range s.n {
		b.branch, b.place = append(b.branch, -1), append(b.place, 0)
		b.rows, b.open = append(b.rows, s.row(k)), append(b.open, int32(k))
	}
	if len(b.vals) < branches {
		b.vals = make([]val, branches)
	}
}

// gather makes the result.
func (b *branching) gather() (val, error) {
	b.out.Reset(b.width)
	for k, br := range b.branch {
		var v []byte
		ok := false
		if br >= 0 {
			v, ok = b.vals[br].get(int(b.place[k]))
		}
		if err := appendValue(&b.out, v, ok); err != nil {
			return val{}, err
		}
	}
	return val{v: &b.out}, nil
}

// caseNode is CASE.
type caseNode struct {
	branching
	args  []node    // condition, result, ..., else
	taken [][]int32 // for each branch, the rows that came to it
}

func newCaseNode(width int, args []node) *caseNode {
	return &caseNode{branching: branching{width: width}, args: args, taken: make([][]int32, (len(args)+1)/2)}
}

func (n *caseNode) eval(fr *frame, s sel) (val, error) {
	branches := len(n.taken)
	n.start(s, branches)
	for br := range branches {
		if len(n.rows) == 0 {
			break
		}
		n.taken[br] = n.taken[br][:0]
		if br == branches-1 {
			for i, row := range n.rows {
				n.take(br, row, n.open[i])
			}
		} else {
			cond, err := n.args[2*br].eval(fr, sel{idx: n.rows, n: len(n.rows)})
			if err != nil {
				return val{}, err
			}
			n.split(br, cond)
		}
		if len(n.taken[br]) == 0 {
			continue
		}
		result := n.args[min(2*br+1, len(n.args)-1)]
		v, err := result.eval(fr, sel{idx: n.taken[br], n: len(n.taken[br])})
		if err != nil {
			return val{}, err
		}
		n.vals[br] = v
	}
	return n.gather()
}

// split takes the rows where the condition is true out of the open ones.
func (n *caseNode) split(br int, cond val) {
	left := 0
	for i, row := range n.rows {
		if cond.isTrue(i) {
			n.take(br, row, n.open[i])
			continue
		}
		n.rows[left], n.open[left] = row, n.open[i]
		left++
	}
	n.rows, n.open = n.rows[:left], n.open[:left]
}

func (n *caseNode) take(br int, row, k int32) {
	n.branch[k], n.place[k] = int32(br), int32(len(n.taken[br]))
	n.taken[br] = append(n.taken[br], row)
}

// coalesceNode is COALESCE.
type coalesceNode struct {
	branching
	args []node
	came [][]int32
}

func newCoalesceNode(width int, args []node) *coalesceNode {
	return &coalesceNode{branching: branching{width: width}, args: args, came: make([][]int32, len(args))}
}

func (n *coalesceNode) eval(fr *frame, s sel) (val, error) {
	n.start(s, len(n.args))
	for br, a := range n.args {
		if len(n.rows) == 0 {
			break
		}
		// The rows are the branch's own copy: its values may refer to them.
		n.came[br] = append(n.came[br][:0], n.rows...)
		v, err := a.eval(fr, sel{idx: n.came[br], n: len(n.came[br])})
		if err != nil {
			return val{}, err
		}
		n.vals[br] = v
		left := 0
		for i, row := range n.rows {
			k := n.open[i]
			if !v.v.IsNull(v.at(i)) {
				n.branch[k], n.place[k] = int32(br), int32(i)
				continue
			}
			n.rows[left], n.open[left] = row, k
			left++
		}
		n.rows, n.open = n.rows[:left], n.open[:left]
	}
	return n.gather()
}

// distinctBy is IS DISTINCT FROM by an equality function; not: IS NOT.
func distinctBy(equal rowFunc, not bool) rowFunc {
	return func(c *fctx, dst []byte, args [][]byte) ([]byte, error) {
		distinct := (args[0] == nil) != (args[1] == nil)
		if args[0] != nil && args[1] != nil {
			r, err := equal(c, dst, args)
			if err != nil {
				return nil, err
			}
			distinct = r[len(dst)] == 0
		}
		return appendBoolByte(dst, distinct != not), nil
	}
}

// nullIfBy is NULLIF by an equality function.
func nullIfBy(equal rowFunc) rowFunc {
	return func(c *fctx, dst []byte, args [][]byte) ([]byte, error) {
		if args[0] == nil {
			return nil, nil
		}
		if args[1] != nil {
			r, err := equal(c, dst, args)
			if err != nil {
				return nil, err
			}
			if r != nil && r[len(dst)] != 0 {
				return nil, nil
			}
		}
		return append(dst, args[0]...), nil
	}
}

func appendBoolByte(dst []byte, b bool) []byte {
	if b {
		return append(dst, 1)
	}
	return append(dst, 0)
}

// minMax is GREATEST and LEAST: the comparison's ties go to the earlier one.
func minMax(c *fctx, dst []byte, args [][]byte) ([]byte, error) {
	var best []byte
	for _, a := range args {
		if a == nil {
			continue
		}
		if best != nil {
			n, err := c.cmp(c, a, best)
			if err != nil {
				return nil, err
			}
			if n == 0 || (n > 0) != (c.x.name == "GREATEST") {
				continue
			}
		}
		best = a
	}
	if best == nil {
		return nil, nil
	}
	return append(dst, best...), nil
}
