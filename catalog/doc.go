// Package catalog holds what PostgreSQL's system catalogs say, as plain
// values: Type, Column, Relation, Index, Database. It reads no files. Package
// cluster fills it from a data directory, package table from an own store;
// everything above asks through the Lookup interface.
package catalog
