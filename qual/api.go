package qual

import (
	"github.com/pipescan/pipescan/batch"
	"github.com/pipescan/pipescan/catalog"
)

// Analyzed is an expression whose names, operators and casts are resolved, but
// that is not planned yet: constants are not folded.
type Analyzed struct {
	scope *Scope
	root  *texpr
}

// Analyze resolves an expression as PostgreSQL's parser does: names, types of
// literals, implicit casts, operators and functions. Errors are *SQLError (the
// server would refuse it too), *UnsupportedError, or a catalog that could not
// be read.
func Analyze(e Expr, s *Scope) (*Analyzed, error) { return analyze(e, s) }

// AnalyzeCondition is Analyze for WHERE: the expression has to be a boolean.
func AnalyzeCondition(e Expr, s *Scope) (*Analyzed, error) { return analyzeCondition(e, s) }

// Type is the type of the values; UnknownOID never appears: a literal without
// a context is text.
func (t *Analyzed) Type() catalog.OID { return t.root.typ }

// Typmod is the type modifier of the values, -1 when there is none.
func (t *Analyzed) Typmod() int32 { return t.root.typmod }

// Collation is the collation of the values, 0 for types without.
func (t *Analyzed) Collation() catalog.OID { return t.root.coll }

// Columns are the indexes of the columns read, ascending.
func (t *Analyzed) Columns() []int { return t.root.columns() }

// Bind is Analyze and Plan.
func Bind(e Expr, s *Scope) (*Bound, error) {
	t, err := Analyze(e, s)
	if err != nil {
		return nil, err
	}
	return t.Plan()
}

// BindCondition is AnalyzeCondition and PlanCondition.
func BindCondition(e Expr, s *Scope) (*Bound, error) {
	t, err := AnalyzeCondition(e, s)
	if err != nil {
		return nil, err
	}
	return t.PlanCondition()
}

// Bound is an expression ready to be evaluated. It holds scratch memory, so it
// belongs to one goroutine at a time; Clone makes another for another lane.
type Bound struct {
	typed *Analyzed
	root  *texpr   // simplified
	quals []*texpr // of a condition: the parts of the outermost AND, in order of evaluation
	ev    evaluator
}

// Plan folds constants and makes the expression ready. As in PostgreSQL, a
// constant part that fails does so here, even if no row would ever need it,
// unless it lies in a branch that folding removes (CASE WHEN false, x AND
// false).
func (t *Analyzed) Plan() (*Bound, error) { return t.plan(false) }

// PlanCondition is Plan for WHERE. The parts of the outermost AND are ordered
// by cost, as the server's planner orders them.
func (t *Analyzed) PlanCondition() (*Bound, error) { return t.plan(true) }

// Clone is the same expression for another goroutine.
func (b *Bound) Clone() *Bound { return b.clone() }

// Type is the type of the values.
func (b *Bound) Type() catalog.OID { return b.root.typ }

// Typmod is the type modifier of the values, -1 when there is none.
func (b *Bound) Typmod() int32 { return b.root.typmod }

// Columns are the indexes of the columns read, ascending.
func (b *Bound) Columns() []int { return b.columns() }

// Width is the vector width of the values, 0 for variable width.
func (b *Bound) Width() int { return b.ev.width }

// Eval evaluates the expression for each row of b still wanted. out is reset
// and has then one value a wanted row, in their order. On an error out holds
// the values of the wanted rows before the failing one.
func (b *Bound) Eval(in *batch.Batch, out *batch.Vector) error { return b.evalBatch(in, out) }

// Filter narrows the wanted rows of b to those where the condition is true. On
// an error they are narrowed to those before the failing row; its number is in
// SQLError.Row.
func (b *Bound) Filter(in *batch.Batch) error { return b.filterBatch(in) }

// CanError says whether evaluating the expression can fail for some row.
func (b *Bound) CanError() bool { return b.canError() }

// Leakproof says whether all functions used are leakproof in pg_proc.
func (b *Bound) Leakproof() bool { return b.leakproof() }

// Comparison is a condition of the form column operator constant over a type
// of fixed width.
type Comparison struct {
	Column   int    // index into Batch.Cols
	Operator string // = <> < <= > >=
	// Type of the column; Constant has the payload of a value of ConstType.
	Type, ConstType catalog.OID
	Constant        []byte
}

// Comparisons are those parts of the condition's outermost AND that are
// comparisons of a fixed-width column with a constant; rest says whether there
// are other parts. A condition without conjunctions has at most one.
func (b *Bound) Comparisons() (simple []Comparison, rest bool) { return b.comparisons() }

// Constant says whether the expression is a constant, with its payload; null
// is true for NULL.
func (b *Bound) Constant() (value []byte, null, ok bool) {
	if b.root.kind != tConst {
		return nil, false, false
	}
	return b.root.val, b.root.null, true
}

// String is the simplified expression as SQL.
func (b *Bound) String() string { return b.root.String() }
