// Package dump writes tables to files: one table to one writer (Copy), or all
// the tables of a database or a cluster to a directory (Run).
//
//	OUTDIR/manifest.jsonl                  a line a table, appended as each is done
//	OUTDIR/<schema>.<table>.copy           one database
//	OUTDIR/<database>/<schema>.<table>.copy   all databases
//
// Each table goes to a file of its own beside its final name and is renamed
// when it is whole, so a file under its final name is always complete. A dump
// that is started again over the same directory passes over the tables that the
// manifest says are done from the same state of the cluster.
package dump
