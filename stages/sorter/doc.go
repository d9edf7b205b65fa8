// Package sorter sorts the rows of a scan: all of them in memory, or the first
// n of the order.
//
// A Sorter copies each batch's wanted rows into columns of its own, keys
// included, and sorts row numbers:
//
//	columns   a | b | key 1 | key 2         rows 0, 1, 2, ... as they came
//	order     2 0 1 ...                      row numbers, sorted by the keys
//
// Rows with equal keys stay in the order they came in. For the first n rows
// ("top-n"), it keeps up to twice as many, throws out the worse half when that
// is full, and from then on passes over rows that cannot be among the first n.
//
// Memory is bounded: past the limit adding fails with an error that names the
// ways out.
package sorter
