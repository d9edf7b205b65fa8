package pipescan

import (
	"errors"
	"fmt"

	"github.com/pipescan/pipescan/qual"
	"github.com/pipescan/pipescan/stages/ordering"
	"github.com/pipescan/pipescan/stages/sorter"
)

// outputPlan is the columns of the result and what they are sorted by.
type outputPlan struct {
	exprs   []*bound // what is returned, then what is only sorted by
	visible int      // how many of them are returned
	// computed says that exprs are computed into new batches; otherwise those
	// returned are the input's first columns.
	computed bool
	sort     []sorter.Key
	orderBy  []SortKey
}

// schema is the fields returned.
func (o *outputPlan) schema() *Schema {
	s := &Schema{}
	for _, x := range o.exprs[:o.visible] {
		s.Fields = append(s.Fields, x.field)
	}
	return s
}

// planOutputs resolves outputs and sort keys.
func (b *binder) planOutputs(outs []Output, r *Request) (*outputPlan, error) {
	o := &outputPlan{visible: len(outs), orderBy: r.OrderBy}
	for _, out := range outs {
		x, err := b.analyze(out.Name, out.Expr)
		if err != nil {
			return nil, err
		}
		o.exprs = append(o.exprs, x)
	}
	for _, k := range r.OrderBy {
		at, err := b.sortColumn(o, k.Expr)
		if err != nil {
			return nil, err
		}
		order, err := b.comparison(&o.exprs[at].field)
		if err != nil {
			return nil, place(err, k.Expr)
		}
		o.sort = append(o.sort, sorter.Key{Column: at, Compare: order.Compare, Rank: order.Rank, Desc: k.Desc, NullsFirst: k.NullsFirst})
	}
	for i, x := range o.exprs {
		if x.column < 0 || i < o.visible && x.column != i {
			o.computed = true
		}
	}
	if !o.computed { // sort by the input's own columns
		for i := range o.sort {
			o.sort[i].Column = o.exprs[o.sort[i].Column].column
		}
	}
	return o, nil
}

// sortColumn is the output that a key is, or a hidden one more.
func (b *binder) sortColumn(o *outputPlan, e qual.Expr) (int, error) {
	if e == nil {
		return 0, errors.New("a sort key has no expression")
	}
	for i, x := range o.exprs {
		if x.expr == e || x.expr.Kind == qual.KCol && e.Kind == qual.KCol && x.expr.Name == e.Name {
			return i, nil
		}
	}
	x, err := b.analyze("", e)
	if err != nil {
		return 0, err
	}
	o.exprs = append(o.exprs, x)
	return len(o.exprs) - 1, nil
}

// comparison is the default order of a field's type.
func (b *binder) comparison(f *Field) (*ordering.Ordering, error) {
	text, err := b.text(f)
	if err != nil {
		return nil, err
	}
	o, err := ordering.For(f.Type, text, b.types())
	var missing *ordering.MissingError
	switch {
	case errors.As(err, &missing) || err == nil && o.Compare == nil && text.Name == "":
		return nil, &qual.SQLError{
			Code: "42883", Row: -1, Message: "could not identify an ordering operator for type " + f.TypeName,
			Hint: "Use an explicit ordering operator or modify the query.",
		}
	case err != nil:
		return nil, err
	case o.Compare == nil:
		return nil, fmt.Errorf("%w: sorting text under the collation %s; COLLATE \"C\" sorts by bytes", ErrUnsupported, text.Name)
	}
	return o, nil
}

// place gives an error the place of an expression in SQL text.
func place(err error, e qual.Expr) error {
	var sql *qual.SQLError
	if errors.As(err, &sql) && sql.Pos == 0 {
		sql.Pos = e.Pos
	}
	return err
}
