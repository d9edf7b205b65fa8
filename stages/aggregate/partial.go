package aggregate

import (
	"errors"
	"slices"

	"github.com/pipescan/pipescan/batch"
	"github.com/pipescan/pipescan/qual"
	"github.com/pipescan/pipescan/stages"
)

// Partial is what one lane has aggregated so far. A batch is first computed,
// all keys and arguments, and then added, so that a row that fails is known
// before anything of its batch is added.
type Partial struct {
	spec   Spec
	member uint64
	groups *groups // nil without keys
	accs   []Accumulator
	booked int64
	placed bool // rows' places are asked for

	// Of the batch being added:
	places []uint64
	keys   []operand
	args   []argument
}

// operand is a computed expression: values is a column of the batch, or own.
type operand struct {
	values *batch.Vector
	own    batch.Vector
}

// argument is what one aggregate adds of a batch.
type argument struct {
	operand
	n        int
	filtered bool
	rows     []int32 // filtered: which of the batch's wanted rows passed the aggregate's filter
	in       Input
	saved    []int32
	places   []uint64 // of rows
	groups   []int32
}

// New makes an empty partial.
func New(spec Spec) *Partial {
	p := &Partial{spec: spec, keys: make([]operand, len(spec.Keys)), args: make([]argument, len(spec.Aggregates))}
	if len(spec.Keys) > 0 {
		p.groups, p.placed = newGroups(spec.Keys), true
	}
	for _, a := range spec.Aggregates {
		width := 0
		if a.Arg != nil {
			width = a.Arg.Width()
		}
		acc := a.Function.New(width)
		p.placed = p.placed || a.Function.places
		if p.groups == nil {
			acc.Grow(1)
		}
		p.accs = append(p.accs, acc)
	}
	return p
}

// SetMember says which of several tables the next batches come from: the rows
// of later ones come after those before.
func (p *Partial) SetMember(i int) { p.member = uint64(i) << 48 }

// Add adds a batch's wanted rows. When an expression fails for a row, the rows
// before it are added first, since adding one of them may fail too, and a
// server would see that error. The batch stays the caller's.
func (p *Partial) Add(in *batch.Batch) error {
	good, failed := p.compute(in)
	if failed != nil {
		if good == 0 {
			return failed
		}
		in.Slice(0, good)
		if _, err := p.compute(in); err != nil {
			return err
		}
	}
	if err := p.add(in); err != nil {
		return err
	}
	return failed
}

// compute evaluates all expressions. When one fails, good is how many wanted
// rows come before the first that fails.
func (p *Partial) compute(in *batch.Batch) (good int, failed error) {
	good = in.Rows()
	note := func(n int, err error) {
		if err != nil && (failed == nil || n < good) {
			good, failed = n, err
		}
	}
	for i := range p.keys {
		err := p.keys[i].eval(p.spec.Keys[i].Expr, in)
		note(p.keys[i].n(), err)
	}
	for i := range p.args {
		note(p.args[i].compute(&p.spec.Aggregates[i], in))
	}
	return good, failed
}

// eval computes an expression for a batch's wanted rows.
func (o *operand) eval(e stages.Expr, in *batch.Batch) error {
	if c, ok := e.(stages.ColumnExpr); ok && !in.HasSel {
		o.values = &in.Cols[c.Index]
		return nil
	}
	o.values = &o.own
	return e.Eval(in, &o.own)
}

func (o *operand) n() int { return o.values.N }

// compute evaluates an aggregate's filter and argument. When one fails, n is
// how many wanted rows come before that one.
func (a *argument) compute(spec *Aggregate, in *batch.Batch) (n int, err error) {
	a.n, a.filtered, a.values = in.Rows(), spec.Filter != nil, nil
	if !a.filtered {
		if spec.Arg == nil {
			return 0, nil
		}
		err := a.eval(spec.Arg, in)
		return a.operand.n(), err
	}
	hadSel := in.HasSel
	a.saved = append(a.saved[:0], in.Sel...)
	defer func() {
		in.HasSel, in.Sel = hadSel, append(in.Sel[:0], a.saved...)
	}()
	if err := spec.Filter.Filter(in); err != nil {
		return a.before(failedRow(err), hadSel), err
	}
	a.n = in.Rows()
	a.rows = a.rows[:0]
	for k := range a.n {
		a.rows = append(a.rows, int32(a.before(in.Row(k), hadSel)))
	}
	if spec.Arg == nil {
		return 0, nil
	}
	if err := a.eval(spec.Arg, in); err != nil {
		return int(a.rows[min(a.operand.n(), a.n-1)]), err
	}
	return 0, nil
}

// before is how many wanted rows come before a row of the batch.
func (a *argument) before(row int, hadSel bool) int {
	if !hadSel {
		return row
	}
	n, _ := slices.BinarySearch(a.saved, int32(row))
	return n
}

// failedRow is the row that an error is about, 0 when it does not say.
func failedRow(err error) int {
	var e *qual.SQLError
	if errors.As(err, &e) && e.Row > 0 {
		return e.Row
	}
	return 0
}

// add adds what was computed.
func (p *Partial) add(in *batch.Batch) error {
	if in.Rows() == 0 {
		return nil
	}
	if p.placed {
		p.place(in)
	}
	var numbers []int32
	if p.groups != nil {
		keys := make([]*batch.Vector, len(p.keys))
		for i := range p.keys {
			keys[i] = p.keys[i].values
		}
		var err error
		if numbers, err = p.groups.number(keys, p.places); err != nil {
			return err
		}
	}
	for i, acc := range p.accs {
		if p.groups != nil {
			acc.Grow(p.groups.len())
		}
		if err := acc.Add(p.args[i].input(numbers, p.places)); err != nil {
			return err
		}
	}
	return p.book()
}

// input is what an accumulator gets of the batch.
func (a *argument) input(numbers []int32, places []uint64) *Input {
	in := &a.in
	in.N, in.Values = a.n, a.values
	if !a.filtered {
		in.Groups, in.Places = numbers, places
		return in
	}
	a.places, a.groups, in.Groups = a.places[:0], a.groups[:0], nil
	for _, r := range a.rows {
		if places != nil {
			a.places = append(a.places, places[r])
		}
		if numbers != nil {
			a.groups = append(a.groups, numbers[r])
			in.Groups = a.groups
		}
	}
	in.Places = a.places
	return in
}

// place tells each wanted row's place in the scan: member, block, line
// pointer.
func (p *Partial) place(in *batch.Batch) {
	p.places = p.places[:0]
	for k := range in.Rows() {
		place := uint64(0)
		if row := in.Row(k); row < len(in.TIDs) {
			place = uint64(in.TIDs[row].Block)<<16 | uint64(in.TIDs[row].Offset)
		}
		if p.spec.Backward {
			place ^= 1<<48 - 1
		}
		p.places = append(p.places, p.member|place)
	}
}

// book tells the budget how much memory the partial takes.
func (p *Partial) book() error {
	n := int64(0)
	if p.groups != nil {
		n = p.groups.memory()
	}
	for _, a := range p.accs {
		n += a.Bytes()
	}
	grown := n - p.booked
	p.booked = n
	if grown == 0 {
		return nil
	}
	return p.spec.Memory.take(grown)
}

// Merge adds another lane's partial, which is not used any more.
func (p *Partial) Merge(other *Partial) error {
	to := []int32{0}
	if p.groups != nil {
		var err error
		if to, err = p.groups.merge(other.groups); err != nil {
			return err
		}
	}
	for i, a := range p.accs {
		if p.groups != nil {
			a.Grow(p.groups.len())
		}
		if err := a.Merge(other.accs[i], to); err != nil {
			return err
		}
	}
	p.spec.Memory.used.Add(-other.booked)
	return p.book()
}

// Groups is how many rows Result gives.
func (p *Partial) Groups() int {
	if p.groups == nil {
		return 1
	}
	return p.groups.len()
}

// resultRows is how many rows a batch of results has at most.
const resultRows = 4096

// Result emits the groups, keys first, then aggregates, in the order in which
// the groups first appeared. Without keys there is one row, even of no input.
func (p *Partial) Result(pool *batch.Pool, emit func(*batch.Batch) error) error {
	order := []int32{0}
	if p.groups != nil {
		order = p.groups.order()
	}
	var widths []int
	for _, k := range p.spec.Keys {
		widths = append(widths, k.Expr.Width())
	}
	for _, a := range p.spec.Aggregates {
		widths = append(widths, a.Width)
	}
	for part := range slices.Chunk(order, resultRows) {
		out := pool.Get()
		out.SetWidths(widths)
		out.Decoded = true
		if err := p.rows(part, out); err != nil {
			out.Release()
			return err
		}
		if err := emit(out); err != nil {
			return err
		}
	}
	return nil
}

// rows appends the results of some groups.
func (p *Partial) rows(part []int32, out *batch.Batch) error {
	for _, g := range part {
		for c := range p.spec.Keys {
			if err := out.Cols[c].AppendFrom(&p.groups.values[c], int(p.groups.row[g])); err != nil {
				return err
			}
		}
		for i, a := range p.accs {
			if err := a.Append(int(g), &out.Cols[len(p.spec.Keys)+i]); err != nil {
				return err
			}
		}
		out.N++
	}
	return nil
}
