package stages

import "sync/atomic"

// Counters count what a scan's lanes did. They are safe for concurrent use
// and may be read while the scan runs.
type Counters struct {
	Pages   atomic.Int64 // pages given to the extractor
	Reads   atomic.Int64 // read calls
	Bytes   atomic.Int64 // bytes those reads brought
	Windows atomic.Int64 // mapped windows
	Waits   atomic.Int64 // batches whose read had to be waited for
	Tuples  atomic.Int64 // LP_NORMAL tuples
	Visible atomic.Int64 // of them, those the scan's row set holds
	Rows    atomic.Int64 // decoded rows
	Lost    atomic.Int64 // losses reported
}
