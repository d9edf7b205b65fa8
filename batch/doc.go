// Package batch holds what travels between stages: Pages (a run of blocks),
// Batch (the tuples of those pages, later their decoded columns), Vector and
// the pools they come from.
//
//	Pages   | page | page | page | ... up to 32        one reference a holder
//	          |      |
//	Batch   Tuples: {page, item, off, len} ...          reader order
//	        Sel:    indexes of tuples still wanted      nil: all of them
//	        Cols:   Vector, Vector ...                  after decoding; Pages is nil then
package batch
