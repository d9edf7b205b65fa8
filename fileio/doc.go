// Package fileio brings bytes of a data directory into memory, and never
// writes one.
//
// # Dir
//
// A [Dir] holds the directory open, so that everything is read from the
// directory that was opened even when its path is given to another one
// meanwhile. Names are relative and must not leave it ("..", absolute paths);
// symbolic links are followed, because tablespaces and pg_wal are links that
// lead outside. Only regular files are opened: a FIFO or a device in the place
// of a file is an error, never a hang. Access times are left alone where the
// system permits that.
//
// # Relation
//
// A fork of a relation is cut into segments of 1 GB (131,072 blocks):
//
//	base/5/16384         base/5/16384.1       base/5/16384.2
//	+--------------+     +--------------+     +--------+
//	| 0 .. 131071  |     | 131072 ..    |     | 262144.|  NBlocks
//	+--------------+     +--------------+     +--------+
//	      full                full              the last one may be short
//
// A server counts segments until one is short or missing and silently stops
// there. [Dir.OpenRelation] looks at the directory's listing too, so that a
// lost or truncated segment in the middle is an error; [Dir.OpenRelationLoose]
// goes on and [Relation.Gaps] tells what cannot be read. Segments of no bytes
// after the last one are what a truncation leaves: they are no gap.
//
// A Relation remembers the [Identity] of each segment as it was at opening.
// Each time a segment is opened again the identity is compared, and
// [Relation.Changed] compares all of them once more at the end of a scan. File
// descriptors are opened late and closed early: a Dir keeps at most
// [DefaultMaxFiles] of them, whatever the number of relations.
//
// # Windows and faults
//
// [Relation.Map] maps a range of blocks. Touching a mapped page can fail: the
// file was truncated since, or the device reports an error. The system then
// sends SIGBUS, which ends a Go program unless it asked for a panic. [Guard]
// asks, runs a function, and turns a fault inside a live window, and no other
// panic, into a [*FaultError] that names file and block:
//
//	err := fileio.Guard(func() error { return sum(w.Bytes()) })
//
// So touch [Window.Bytes] under Guard only, on the goroutine that called it,
// and let no slice of them outlive Unmap. System calls that read from a window
// (write(2) of a page to a pipe) report EFAULT instead.
//
// # Errors
//
//	fs.ErrNotExist          a file or a first segment is missing (also pgfile.ErrCorrupt for relations)
//	pgfile.ErrCorrupt       gap, partial page, block past the end, no regular file, file too long
//	ErrChanged              the file is not the one that was opened (*ChangedError, *FaultError)
//	*ReadError, *FaultError the device failed: file, block, offset
package fileio
