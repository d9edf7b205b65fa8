package sqlfront

import (
	"reflect"

	"github.com/pipescan/pipescan/qual"
)

// same says whether two expressions are written alike, places apart. PostgreSQL
// compares them after it has found their types and operators, which differs for
// few: a + 1 and a + 1::int4 are one to it.
func same(a, b qual.Expr) bool {
	if a == b {
		return true
	}
	if a == nil || b == nil {
		return false
	}
	return a.Kind == b.Kind && a.Name == b.Name && a.Text == b.Text && a.Index == b.Index &&
		a.Not == b.Not && a.Symmetric == b.Symmetric && a.All == b.All && a.Operand == b.Operand && a.Else == b.Else &&
		sameType(a.To, b.To) && reflect.DeepEqual(a.Value, b.Value) && sameAll(a.Args, b.Args)
}

func sameAll(a, b []qual.Expr) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if !same(a[i], b[i]) {
			return false
		}
	}
	return true
}

func sameType(a, b qual.Type) bool {
	return a.Schema == b.Schema && a.Name == b.Name && a.Array == b.Array && reflect.DeepEqual(a.Mods, b.Mods)
}
