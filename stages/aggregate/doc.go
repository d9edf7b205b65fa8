// Package aggregate computes count, sum, avg, min and max, over all rows or a
// group at a time, as PostgreSQL does: the same result types, scales, overflow
// errors and treatment of NULL, NaN and infinities.
//
// A Partial is what one lane has aggregated so far. Lanes fill theirs side by
// side, and the partials are merged at the end:
//
//	batch ─keys──────→ table of groups ─→ group numbers  0 1 0 2 …
//	      ─argument──→ vector of values                  │ │ │ │
//	                                     Accumulator     v v v v
//	                                     state by group  [0] [1] [2]
//
// An Accumulator holds the states of one aggregate for all groups, so that
// adding a batch is one loop. How PostgreSQL would add each value is said at
// the accumulator: sumint.go, sumnumeric.go, sumfloat.go, interval.go,
// minmax.go, count.go, distinct.go. funcs.go says which function a name and a
// type of argument mean.
//
// # Order
//
// The order in which a server puts out the groups of a hash aggregate is not
// defined; ours is that in which the groups first appear in the scan. Sums and
// averages of floats depend on the order of adding, so they are folded in the
// scan's order (Function.Ordered); everything else may be added by lanes in
// any order, because each row carries its place: among equal keys of different
// bytes (numeric 1.0 and 1.00) the first in the scan is shown, and among equal
// least or greatest values the one that a serial server keeps.
package aggregate
