package sqlfront

import (
	"encoding/binary"

	"github.com/pipescan/pipescan/catalog"
	"github.com/pipescan/pipescan/qual"
)

// limits evaluates LIMIT and OFFSET.
func (b *binder) limits() {
	if n, ok := b.constant(b.q.limit, "LIMIT", "2201W"); ok {
		b.r.Limit = &n
	}
	b.r.Offset, _ = b.constant(b.q.offset, "OFFSET", "2201X")
}

// constant is the value of a clause; there is none where it is absent or NULL,
// as in LIMIT ALL.
func (b *binder) constant(e qual.Expr, clause, negative string) (int64, bool) {
	if e == nil || b.err != nil {
		return 0, false
	}
	variable := 0
	e.Walk(func(n qual.Expr) bool {
		if n.Kind == qual.KCol && variable == 0 {
			variable = max(n.Pos, 1)
		}
		return true
	})
	if variable > 0 {
		b.fail(sqlErrorf("42P10", variable, "argument of %s must not contain variables", clause))
		return 0, false
	}
	value, null, err := b.int8Of(e, clause)
	switch {
	case err != nil:
		b.fail(err)
	case null:
		return 0, false
	case value < 0:
		b.fail(sqlErrorf(negative, 0, "%s must not be negative", clause))
	}
	return value, err == nil
}

// int8Of evaluates an expression without columns and turns it into a bigint.
func (b *binder) int8Of(e qual.Expr, clause string) (value int64, null bool, err error) {
	scope := &qual.Scope{Env: b.rel.env}
	typed, err := qual.Analyze(e, scope)
	if err != nil {
		return 0, false, err
	}
	if e.Kind != qual.KUnknown && !isNull(e) && !isNumber(typed.Type()) {
		return 0, false, sqlErrorf("42804", e.Pos, "argument of %s must be type bigint", clause)
	}
	bound, err := qual.Bind(qual.Cast(e, qual.TypeOID(catalog.Int8OID)), scope)
	if err != nil {
		return 0, false, err
	}
	payload, null, ok := bound.Constant()
	if !ok || !null && len(payload) != 8 {
		return 0, false, &UnsupportedError{What: "an expression in " + clause, Instead: "write a number", Pos: e.Pos}
	}
	if null {
		return 0, true, nil
	}
	return int64(binary.LittleEndian.Uint64(payload)), false, nil
}

func isNull(e qual.Expr) bool { return e.Kind == qual.KLit && e.Value == nil }

// isNumber says whether a type becomes a bigint by itself in an assignment.
func isNumber(t catalog.OID) bool {
	switch t {
	case catalog.Int2OID, catalog.Int4OID, catalog.Int8OID, catalog.NumericOID, catalog.Float4OID, catalog.Float8OID:
		return true
	}
	return false
}
