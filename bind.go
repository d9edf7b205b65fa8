package pipescan

import (
	"context"
	"errors"

	"github.com/pipescan/pipescan/catalog"
	"github.com/pipescan/pipescan/datum"
	"github.com/pipescan/pipescan/qual"
	"github.com/pipescan/pipescan/stages"
	"github.com/pipescan/pipescan/stages/ordering"
)

// namedCatalog is a Catalog that finds things by name which expressions may
// mention. Built-in ones are known without it.
type namedCatalog interface {
	Collation(catalog.OID) (*catalog.Collation, bool, error)
	CollationNamed(schema, name string) (*catalog.Collation, bool, error)
	TypeNamed(schema, name string) (catalog.OID, bool, error)
	EnumLabels(catalog.OID) ([]catalog.EnumLabel, error)
}

// binder resolves expressions over the columns of a batch.
type binder struct {
	ctx    context.Context
	db     *DB
	scope  *qual.Scope
	fields []Field // of the batch, by column
}

// newBinder makes the binder of expressions over fields. Where several fields
// have one name, it means the first.
func (db *DB) newBinder(ctx context.Context, fields []Field, relation string) *binder {
	s := &qual.Scope{Env: db.env, Relation: relation}
	info := db.database.Info()
	s.Database = &info
	if n, ok := db.database.(namedCatalog); ok {
		s.Collation, s.CollationNamed, s.TypeNamed, s.EnumLabels = n.Collation, n.CollationNamed, n.TypeNamed, n.EnumLabels
	}
	seen := map[string]bool{}
	for i := range fields {
		f := &fields[i]
		if !seen[f.Name] {
			seen[f.Name] = true
			s.Columns = append(s.Columns, qual.Column{Name: f.Name, Index: i, Type: f.Type, Typmod: f.Typmod, Collation: f.Collation, NotNull: f.NotNull})
		}
	}
	return &binder{ctx: ctx, db: db, scope: s, fields: fields}
}

// bound is an expression that is resolved and, later, planned. A mere column
// needs neither.
type bound struct {
	expr   qual.Expr
	typed  *qual.Analyzed
	ready  *qual.Bound
	column int   // into the batch; -1: typed
	field  Field // of the values
}

// analyze resolves an expression. Constants are not folded yet: as in the
// server, all expressions of a query are resolved first.
func (b *binder) analyze(name string, e qual.Expr) (*bound, error) {
	if e == nil {
		return nil, errors.New("an expression is missing from the request")
	}
	if e.Kind == qual.KCol {
		for _, c := range b.scope.Columns {
			if c.Name == e.Name {
				x := &bound{expr: e, column: c.Index, field: b.fields[c.Index]}
				x.field.Name = name
				return x, nil
			}
		}
	}
	typed, err := qual.Analyze(e, b.scope)
	if err != nil {
		return nil, err
	}
	x := &bound{expr: e, typed: typed, column: -1}
	x.field, err = b.db.exprField(name, typed.Type(), typed.Typmod(), typed.Collation())
	return x, err
}

// condition resolves a boolean expression; nil stays nil.
func (b *binder) condition(e qual.Expr) (*bound, error) {
	if e == nil {
		return nil, nil
	}
	typed, err := qual.AnalyzeCondition(e, b.scope)
	return &bound{expr: e, typed: typed, column: -1}, err
}

// plan folds constants.
func (x *bound) plan() (err error) {
	if x == nil || x.typed == nil {
		return nil
	}
	x.ready, err = x.typed.Plan()
	return err
}

// planCondition is plan for a condition.
func (x *bound) planCondition() (err error) {
	if x == nil {
		return nil
	}
	x.ready, err = x.typed.PlanCondition()
	return err
}

// always says whether a condition is constant, and its answer.
func (x *bound) always() (answer, constant bool) {
	v, null, ok := x.ready.Constant()
	return ok && !null && len(v) == 1 && v[0] == 1, ok
}

// lane is the expression for one lane.
func (x *bound) lane() stages.Expr {
	if x.typed == nil {
		return stages.ColumnExpr{Index: x.column, Size: x.field.Width}
	}
	return x.ready.Clone()
}

// lanes is the expressions for one lane.
func lanes(list []*bound) []stages.Expr {
	out := make([]stages.Expr, len(list))
	for i, x := range list {
		out[i] = x.lane()
	}
	return out
}

// String is the expression as SQL.
func (x *bound) String() string {
	if x.ready != nil {
		return x.ready.String()
	}
	return x.expr.String()
}

// exprField makes the field of computed values.
func (db *DB) exprField(name string, typ catalog.OID, typmod int32, collation catalog.OID) (Field, error) {
	codec, err := datum.For(typ, typmod, db.env)
	if err != nil {
		return Field{}, err
	}
	text, err := catalog.FormatTypeMod(db.database, db.env.Major, typ, typmod)
	if err != nil {
		return Field{}, err
	}
	t, ok, err := db.database.Type(typ)
	if err != nil {
		return Field{}, err
	}
	width := 0
	if ok {
		width = int(max(t.Len, 0))
	}
	return Field{Name: name, Type: typ, Typmod: typmod, TypeName: text, Width: width, Codec: codec, Collation: collation}, nil
}

// types is what package ordering asks for.
func (b *binder) types() ordering.Types {
	return ordering.Types{Lookup: b.db.database.Type, EnumLabels: b.scope.EnumLabels, Major: b.db.env.Major}
}

// base is the type under a domain.
func (b *binder) base(typ catalog.OID) (catalog.OID, error) {
	for range 100 { // a hostile catalog may go round in circles
		t, ok, err := b.db.database.Type(typ)
		if err != nil || !ok || t.Kind != 'd' {
			return typ, err
		}
		typ = t.BaseType
	}
	return typ, nil
}

// text is what the collation of an expression's values does to text; nothing
// for types without a collation.
func (b *binder) text(f *Field) (ordering.Text, error) {
	t, ok, err := b.db.database.Type(f.Type)
	if err != nil || !ok || t.Collation == 0 {
		return ordering.Text{}, err
	}
	r, err := b.scope.CollationRules(f.Collation)
	return ordering.Text{Name: r.Name, Bytewise: r.Bytewise, Deterministic: r.Deterministic}, err
}
