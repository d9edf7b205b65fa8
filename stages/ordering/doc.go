// Package ordering says which of two values comes first, and which are equal,
// by the default operators of their type (its btree or hash operator class).
// ORDER BY, GROUP BY, min, max and DISTINCT ask it.
//
// Values are payloads, as in batch.Vector. Compare is the type's comparison.
// Key writes bytes that are the same for equal values and differ for others,
// for hash tables: numeric 1.0 and 1.00 have one key, 0 and -0 of floats too.
//
// Text has an order only where it is that of the bytes (the collations C,
// POSIX and those of the builtin provider); equality is that of the bytes
// under every deterministic collation. Values are hostile: those that no
// server would write compare somehow, but never panic.
package ordering
