// Package catalog holds what PostgreSQL's system catalogs say, as plain
// values: Type, Column, Relation, Index, Database and the like, each a row of
// the catalog its comment names. It reads no files. Package cluster fills
// these values from a data directory, package table from an own store, and
// everything above asks for them through the Lookup interface:
//
//	cluster, table ──fill──> Lookup ──Type, Relation, EnumLabel, ...──> datum, export, describe
//
// The rest is names, which must come out as a server of the data's version
// writes them and be read as it reads them: QuoteIdent (the key words differ
// by version), FormatType and FormatTypeMod (SQL's spelling of a type),
// ParseName (SQL's quoting and folding).
package catalog
