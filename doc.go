// Package pipescan scans tables of PostgreSQL data directories without a
// server: versions 13 to 18, read-only, exactly the rows that a server started
// on the directory would give.
//
//	db, err := pipescan.Open(ctx, "/var/lib/postgresql/15/main", pipescan.Options{})
//	table, err := db.Table(ctx, "public.orders")
//	scan, err := table.Scan(ctx, pipescan.Request{Columns: []string{"id", "total"}})
//	for row, err := range scan.Rows() {
//		...
//	}
//
// A scan is a chain of stages over batches of rows:
//
//	block reader -> tuple extractor -> visibility resolver -> decoder -> your stages -> iterator
//	|<------------------------- one lane; W of them run side by side ------------->|
//
// A Request may also filter (Where), compute (Project), group (GroupBy,
// Aggregates, Having), sort and limit, with expressions of package qual; package
// sqlfront makes such requests of SQL text. Filters and computed columns run in
// the lanes, aggregates too, each lane filling a part of its own:
//
//	... decoder -> where -> outputs -> merge -> sort -> limit -> iterator
//	... decoder -> where -> aggregates -> merge -> having -> outputs -> sort -> limit -> iterator
//	|<------------ one lane ------------>|
//
// The results, errors included, are the server's. Plan.Explain shows what runs
// where, Scan.Tree what it did.
//
// Open attaches a directory; Table finds a table by its SQL name; Scan plans
// and returns an iterator over batches (Batches) or rows (Rows). Breaking out
// of the iterator ends the scan: it cancels and joins every goroutine, so there
// is nothing to close but the DB. Everything is safe for concurrent use except
// that a Scan is iterated once.
package pipescan
