package qual

import (
	"github.com/pipescan/pipescan/batch"
	"github.com/pipescan/pipescan/datum"
)

// compiler makes the nodes of an expression.
type compiler struct {
	a       *analyzer
	element *elementNode // inside an array cast: its element
}

// fctx is what a function may ask about its call. It is of one lane.
type fctx struct {
	env   *datum.Env
	a     *analyzer
	x     *texpr
	coll  collInfo
	cmp   cmpFunc // of functions that compare values of some type
	cache any     // what the function keeps between calls, such as a compiled pattern
	buf   []byte
	buf2  []byte
}

// rowFunc is a function over values that are not NULL unless it is not strict:
// it appends its result to dst, or returns nil for NULL. It must not keep or
// change its arguments.
type rowFunc func(c *fctx, dst []byte, args [][]byte) ([]byte, error)

func (c *compiler) compile(x *texpr) (node, error) {
	switch x.kind {
	case tConst:
		return newConstNode(c.a, x)
	case tVar:
		return columnNode{x.col}, nil
	case tElement:
		return c.element, nil
	case tRelabel:
		return c.compile(x.args[0])
	case tCall:
		return c.call(x)
	case tUnknownArg:
		return nil, unsupportedf("a literal without a type")
	}
	args, err := c.compileAll(x.args)
	if err != nil {
		return nil, err
	}
	switch x.kind {
	case tAnd, tOr:
		return newLogicNode(x.kind == tOr, args), nil
	case tNot:
		return &notNode{arg: args[0]}, nil
	case tNullTest:
		return &nullTestNode{arg: args[0], not: x.not}, nil
	case tBoolTest:
		return &boolTestNode{arg: args[0], what: x.name, not: x.not}, nil
	case tCase:
		return newCaseNode(c.a.width(x.typ), args), nil
	case tCoalesce:
		return newCoalesceNode(c.a.width(x.typ), args), nil
	}
	return c.compileRow(x, args)
}

func (c *compiler) compileAll(xs []*texpr) ([]node, error) {
	out := make([]node, len(xs))
	for i, x := range xs {
		n, err := c.compile(x)
		if err != nil {
			return nil, at(err, x.pos)
		}
		out[i] = n
	}
	return out, nil
}

// compileRow makes the nodes that work row by row on all of their arguments.
func (c *compiler) compileRow(x *texpr, args []node) (node, error) {
	n := newCallNode(c.a, x, args)
	var err error
	switch x.kind {
	case tMinMax:
		n.strict, n.fn = false, minMax
		if x.fn == nil {
			return nil, sqlErrorf("42883", "could not identify a comparison function for type %s", c.a.typeName(x.typ))
		}
		if n.ctx.cmp, err = compareOf(x.fn, c.a); err == nil {
			err = c.collate(x, n.ctx)
		}
	case tDistinct, tNullIf:
		n.strict = false
		var equal rowFunc
		if equal, err = c.kernel(x, n.ctx); err == nil {
			n.fn = distinctBy(equal, x.not)
			if x.kind == tNullIf {
				n.fn = nullIfBy(equal)
			}
		}
	case tArrayOp:
		n.strict = false
		var f rowFunc
		if f, err = c.kernel(x, n.ctx); err == nil {
			n.fn, err = arrayOpBy(c.a, x, f)
		}
	case tViaIO:
		n.strict = true
		n.fn, err = viaIO(c.a, x)
	case tArrayCast:
		n.strict = true
		n.fn, err = c.arrayCast(x)
	case tArray:
		n.strict = false
		n.fn, err = arrayConstructor(c.a, x)
	case tSubscript:
		n.strict = true
		n.fn, err = subscriptOf(c.a, x)
	default:
		err = unsupportedf("an expression of kind %d", x.kind)
	}
	return n, err
}

// call makes the node of a function or operator.
func (c *compiler) call(x *texpr) (node, error) {
	args, err := c.compileAll(x.args)
	if err != nil {
		return nil, err
	}
	if spec, ok := comparisons[x.fn.src]; ok && spec.left != 0 {
		return newCompareNode(spec, args), nil
	}
	if spec, ok := arithmetic[x.fn.src]; ok {
		return newArithNode(spec, x, args), nil
	}
	n := newCallNode(c.a, x, args)
	n.strict = x.fn.strict
	n.fn, err = c.kernel(x, n.ctx)
	return n, err
}

// kernel is the code of x's function. It sets up the context for it.
func (c *compiler) kernel(x *texpr, ctx *fctx) (rowFunc, error) {
	f := kernels[x.fn.src]
	spec, isCompare := comparisons[x.fn.src]
	if f == nil && isCompare {
		f = spec.row()
	}
	if f == nil {
		what := "function " + c.a.callText(x.fn.name, x.fn.args)
		if x.shown != "" {
			what = "operator " + c.a.operatorText(x.shown, x.fn.args)
		}
		return nil, unsupportedf("%s", what)
	}
	return f, c.collate(x, ctx)
}

// collate looks the collation of a call up, if its function asks for it.
func (c *compiler) collate(x *texpr, ctx *fctx) (err error) {
	if collationSensitive[x.fn.src] {
		ctx.coll, err = c.a.collInfoOf(x.inColl)
	}
	return err
}

// columnNode is a column of the batch.
type columnNode struct{ col int }

func (n columnNode) eval(fr *frame, s sel) (val, error) {
	return val{v: &fr.b.Cols[n.col], idx: s.idx}, nil
}

func (n columnNode) filter(fr *frame, s sel, dst []int32) ([]int32, error) {
	v := &fr.b.Cols[n.col]
	for k := range s.n {
		if row := s.row(k); v.Data[row] != 0 && !v.IsNull(int(row)) {
			dst = append(dst, row)
		}
	}
	return dst, nil
}

// constNode is a constant.
type constNode struct{ v batch.Vector }

func newConstNode(a *analyzer, x *texpr) (node, error) {
	n := &constNode{}
	n.v.Reset(a.width(x.typ))
	return n, appendValue(&n.v, x.val, !x.null)
}

func (n *constNode) eval(*frame, sel) (val, error) { return val{v: &n.v, constant: true}, nil }

// elementNode is the element that an array cast is at.
type elementNode struct{ v batch.Vector }

func (n *elementNode) eval(*frame, sel) (val, error) { return val{v: &n.v, constant: true}, nil }

// callNode evaluates a function row by row.
type callNode struct {
	fn     rowFunc
	strict bool
	args   []node
	ctx    *fctx
	vals   []val
	argv   [][]byte
	out    batch.Vector
	width  int
}

func newCallNode(a *analyzer, x *texpr, args []node) *callNode {
	return &callNode{
		args: args, ctx: &fctx{env: a.Env, a: a, x: x, buf: make([]byte, 0, 64)}, width: a.width(x.typ),
		vals: make([]val, len(args)), argv: make([][]byte, len(args)),
	}
}

func (n *callNode) eval(fr *frame, s sel) (val, error) {
	if err := n.evalArgs(fr, s); err != nil {
		return val{}, err
	}
	n.out.Reset(n.width)
	if n.out.Data == nil {
		n.out.Data = make([]byte, 0, 64)
	}
	for k := range s.n {
		dst := n.out.Data
		if n.width > 0 {
			dst = n.ctx.buf[:0]
		}
		b, err := n.row(k, dst)
		switch {
		case err != nil:
			return val{}, at(err, n.ctx.x.pos)
		case b == nil:
			n.out.AppendNull()
		case n.width > 0:
			n.ctx.buf = b[:0]
			n.out.AppendFixed(b)
		default:
			if err := n.out.FinishVar(b); err != nil {
				return val{}, err
			}
		}
	}
	return val{v: &n.out}, nil
}

// filter narrows without making a vector of booleans.
func (n *callNode) filter(fr *frame, s sel, dst []int32) ([]int32, error) {
	if err := n.evalArgs(fr, s); err != nil {
		return dst, err
	}
	for k := range s.n {
		row := s.row(k)
		b, err := n.row(k, n.ctx.buf[:0])
		if err != nil {
			return dst, at(err, n.ctx.x.pos)
		}
		if b != nil && b[0] != 0 {
			dst = append(dst, row)
		}
	}
	return dst, nil
}

func (n *callNode) evalArgs(fr *frame, s sel) error {
	for i, a := range n.args {
		v, err := a.eval(fr, s)
		if err != nil {
			return err
		}
		n.vals[i] = v
	}
	return nil
}

// row appends the value of the k-th row to dst; nil is NULL.
func (n *callNode) row(k int, dst []byte) ([]byte, error) {
	for i := range n.vals {
		b, ok := n.vals[i].get(k)
		if !ok {
			if n.strict {
				return nil, nil
			}
			b = nil
		}
		n.argv[i] = b
	}
	return n.fn(n.ctx, dst, n.argv)
}
