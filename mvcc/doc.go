// Package mvcc decides which tuples a snapshot sees, without a server: no
// transaction runs, so "in progress" means prepared, and whatever the
// transaction log does not call committed is gone.
//
//	Batch.Tuples ──> hint bits, one pass ──────────────> verdicts ──> Batch.Sel
//	                     │ what the hints leave open        ▲
//	                     └> xids, multixacts: sorted, ──────┘
//	                        distinct, looked up once
//
// Snapshot holds what the rules need; Resolver applies them to a batch and is
// what a scan uses; Snapshot.Visible applies them to one tuple, plainly, and is
// what the Resolver is tested against.
//
// The rules, for a snapshot taken by a server just started:
//
//	xmin hinted invalid                          not visible
//	xmin hinted frozen (both hint bits)          go on with xmax
//	xmin hinted committed                        go on unless xmin is in progress
//	moved by an ancient VACUUM FULL              its xvac decides, not its xmin
//	xmin in progress, or not committed           not visible
//	xmax hinted invalid, or a lock only          visible
//	xmax a multixact                             its updating member decides
//	xmax in progress, or not committed           visible
//	xmax committed                               not visible
//
// In progress is tested before the transaction log is asked. Sub-committed (3)
// is not committed: the parent's record never reached the log.
package mvcc
