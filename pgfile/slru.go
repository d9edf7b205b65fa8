package pgfile

// SLRUPagesPerSegment is the number of pages in a file of pg_xact,
// pg_multixact or pg_subtrans. Their pages have no header.
const SLRUPagesPerSegment = 32

// SLRUSegmentSize is the size of a full such file.
const SLRUSegmentSize = SLRUPagesPerSegment * PageSize

// SLRUSegmentName is the name of segment n: at least four hexadecimal digits.
func SLRUSegmentName(n uint32) string {
	const digits = "0123456789ABCDEF"
	var buf [8]byte
	i := len(buf)
	for n > 0 || i > len(buf)-4 {
		i--
		buf[i] = digits[n&15]
		n >>= 4
	}
	return string(buf[i:])
}

// XactStatus is the two-bit state of a transaction in pg_xact.
type XactStatus uint8

// States in pg_xact.
const (
	XactInProgress   XactStatus = 0
	XactCommitted    XactStatus = 1
	XactAborted      XactStatus = 2
	XactSubCommitted XactStatus = 3
)

// String names the state.
func (s XactStatus) String() string {
	switch s {
	case XactInProgress:
		return "in progress"
	case XactCommitted:
		return "committed"
	case XactAborted:
		return "aborted"
	case XactSubCommitted:
		return "sub-committed"
	}
	return "unknown"
}

// Transaction ids in a page and in a segment of pg_xact and pg_subtrans.
const (
	XactsPerPage        = PageSize * 4
	XactsPerSegment     = XactsPerPage * SLRUPagesPerSegment // 1,048,576: a segment is 256 KB
	subtransPerPage     = PageSize / 4
	multiOffsetsPerPage = PageSize / 4
)

// Transaction ids with a meaning of their own.
const (
	InvalidXID     = 0
	BootstrapXID   = 1 // always committed
	FrozenXID      = 2 // always committed
	FirstNormalXID = 3
)

// XactLocation says in which pg_xact segment (name "%04X"), at which byte of it
// and at which shift the status of xid lies.
//
//	byte        0                  1
//	xid         3   2   1   0      7 …
//	           +---+---+---+---+  +---
//	bits       |s s|s s|s s|s s|  |s s     00 in progress, 01 committed, 10 aborted, 11 sub-committed
//	           +---+---+---+---+  +---
func XactLocation(xid uint32) (segment string, byteOff int64, shift uint) {
	return SLRUSegmentName(xid / XactsPerSegment), int64(xid % XactsPerSegment / 4), uint(xid%4) * 2
}

// SubtransLocation says where in pg_subtrans the parent (u4) of xid lies. No
// reader may decide by it: a starting server overwrites it with zeros.
func SubtransLocation(xid uint32) (segment string, byteOff int64) {
	return fourByteLocation(xid, subtransPerPage)
}

// fourByteLocation is the place of entry n in files of 4-byte entries.
func fourByteLocation(n, perPage uint32) (segment string, byteOff int64) {
	perSegment := perPage * SLRUPagesPerSegment
	return SLRUSegmentName(n / perSegment), int64(n%perSegment) * 4
}
