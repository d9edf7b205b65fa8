package qual

import (
	"slices"

	"github.com/pipescan/pipescan/catalog"
)

// tkind says what a texpr is.
type tkind uint8

const (
	tConst tkind = iota
	tVar
	tCall       // a function or operator: fn over args
	tAnd        // args
	tOr         // args
	tNot        // args[0]
	tNullTest   // args[0]; not
	tBoolTest   // args[0]; name; not
	tCase       // args: [condition, result]..., else (always)
	tCoalesce   // args
	tMinMax     // args; name: GREATEST or LEAST; fn: the comparison
	tDistinct   // fn (=) over args; not: IS NOT DISTINCT
	tNullIf     // fn (=) over args
	tArrayOp    // fn over args[0] and each element of args[1]; not: ALL
	tRelabel    // args[0] with another type, same bytes
	tViaIO      // args[0] through its text
	tArrayCast  // args[0], each element through elem, whose tElement is the element
	tElement    // the element that tArrayCast is at
	tArray      // args as an array
	tSubscript  // args[0], indexes
	tUnknownArg // a literal whose type is not decided yet; only during analysis
)

// texpr is a typed expression. It is not changed once it is built; rewriting
// makes new ones. Several may share parts.
type texpr struct {
	kind   tkind
	typ    catalog.OID
	typmod int32
	coll   catalog.OID // of the value
	// collFrom says where coll comes from.
	collFrom collSource
	fn       *proc
	inColl   catalog.OID // the collation that fn compares under
	args     []*texpr
	elem     *texpr // of tArrayCast
	tested   *texpr // of tCase, for its cost: what each condition compares
	name     string
	not      bool
	null     bool   // of tConst
	val      []byte // of tConst
	col      int    // of tVar: index into Batch.Cols
	notNull  bool   // of tVar
	text     string // of tUnknownArg
	explicit bool   // of casts: written as a cast
	shown    string // of tCall: the operator's name, "" for functions
	pos      int
}

// collSource is how strong a collation is.
type collSource uint8

const (
	collNone collSource = iota
	collImplicit
	collConflict // implicit ones that differ
	collExplicit
)

// each calls f for x and all under it.
func (x *texpr) each(f func(*texpr)) {
	f(x)
	for _, a := range x.args {
		a.each(f)
	}
	if x.elem != nil {
		x.elem.each(f)
	}
}

func (x *texpr) columns() []int {
	var cols []int
	x.each(func(x *texpr) {
		if x.kind == tVar && !slices.Contains(cols, x.col) {
			cols = append(cols, x.col)
		}
	})
	slices.Sort(cols)
	return cols
}

// with is x with other arguments.
func (x *texpr) with(args []*texpr) *texpr {
	y := *x
	y.args = args
	return &y
}
