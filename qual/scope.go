package qual

import (
	"github.com/pipescan/pipescan/catalog"
	"github.com/pipescan/pipescan/datum"
)

// Column is a column that expressions may name.
type Column struct {
	Name      string
	Index     int // into Batch.Cols
	Type      catalog.OID
	Typmod    int32
	Collation catalog.OID // 0: none
	NotNull   bool
}

// Scope is what names in an expression mean. It is only read.
type Scope struct {
	// Columns that may be named, system columns included where wanted.
	Columns []Column
	// Env has the version, the encoding and the catalogs of the data. Its
	// Lookup may be nil when all types are built in.
	Env *datum.Env
	// Database tells the default collation (Collate, CType, Locale, Provider);
	// nil is the C locale.
	Database *catalog.Database
	// Collation looks up a collation that is not built in; nil: there are none.
	Collation func(catalog.OID) (*catalog.Collation, bool, error)
	// CollationNamed finds a collation that is not built in by its name.
	CollationNamed func(schema, name string) (*catalog.Collation, bool, error)
	// TypeNamed finds a type that is not built in by its name; nil: there are
	// none.
	TypeNamed func(schema, name string) (catalog.OID, bool, error)
	// EnumLabels are the labels of an enum type in order; nil: there are no
	// enums.
	EnumLabels func(catalog.OID) ([]catalog.EnumLabel, error)
	// Params are the values of $1, $2, ...
	Params []Expr
	// Relation is the name of the relation for messages; may be empty.
	Relation string
}
