package fileio

import (
	"errors"
	"fmt"
	"io/fs"
	"syscall"

	"github.com/pipescan/pipescan/pgfile"
)

// ErrChanged is what a *ChangedError, and a *FaultError of a file that
// shrank, is for errors.Is.
var ErrChanged = errors.New("changed under the scan")

// ChangedError names a file that is no longer what it was when it was opened.
type ChangedError struct {
	File   string // path inside the data directory
	Reason string // what differs
}

// Error names the file, what differs, and what to do.
func (e *ChangedError) Error() string {
	return fmt.Sprintf("%s: changed under the scan: %s (stop whatever writes to the directory, or scan a copy)", e.File, e.Reason)
}

// Is makes errors.Is(err, ErrChanged) true.
func (e *ChangedError) Is(target error) bool { return target == ErrChanged }

// ReadError is a failed read: the device or the file system reported Err.
type ReadError struct {
	File   string
	Block  uint32 // block number in the fork, pgfile.NoBlock when the file has none
	Offset int64  // byte offset in File
	Err    error
}

// Error names file, block, offset, and what to do.
func (e *ReadError) Error() string {
	block := ""
	if e.Block != pgfile.NoBlock {
		block = fmt.Sprintf("block %d: ", e.Block)
	}
	return fmt.Sprintf("%s: %soffset %d: read failed: %v (check the device; copy what can be read elsewhere)", e.File, block, e.Offset, e.Err)
}

// Unwrap returns what the system reported.
func (e *ReadError) Unwrap() error { return e.Err }

// FaultError is a memory fault in a mapped window: the file was truncated
// under the map (errors.Is ErrChanged) or the device failed (errors.Is EIO).
type FaultError struct {
	File    string
	Block   uint32 // block number in the fork
	Offset  int64  // byte offset in File
	Changed bool   // the file is no longer what it was at opening
}

// Error names file, block and cause.
func (e *FaultError) Error() string {
	if e.Changed {
		return fmt.Sprintf("%s: block %d: offset %d: changed under the scan: the mapped file was truncated or replaced (stop whatever writes to the directory, or scan a copy)",
			e.File, e.Block, e.Offset)
	}
	return fmt.Sprintf("%s: block %d: offset %d: read of the mapped file failed (check the device; copy what can be read elsewhere)", e.File, e.Block, e.Offset)
}

// Is makes errors.Is true for ErrChanged or syscall.EIO, by the cause.
func (e *FaultError) Is(target error) bool {
	if e.Changed {
		return target == ErrChanged
	}
	return target == syscall.EIO
}

// missingFile is a corrupt relation whose file is not there: both
// errors.Is(err, fs.ErrNotExist) and errors.As(err, **pgfile.CorruptError).
type missingFile struct{ *pgfile.CorruptError }

func (e *missingFile) Unwrap() []error { return []error{e.CorruptError, fs.ErrNotExist} }

// deniedError is a file that the program may not read: errors.Is(err,
// fs.ErrPermission).
type deniedError struct{ *fs.PathError }

// Error names the file and what to do.
func (e *deniedError) Error() string {
	return e.PathError.Error() + " (read it as the user who owns the data directory)"
}

func (e *deniedError) Unwrap() error { return e.PathError }

// misplacedError is a name that leads nowhere because something else, such as
// a file in a directory's place, lies on the way: corruption, and the system's
// error.
type misplacedError struct {
	*pgfile.CorruptError
	path *fs.PathError
}

func (e *misplacedError) Unwrap() []error { return []error{e.CorruptError, e.path} }

// corruptFile makes the CorruptError of a file as a whole.
func corruptFile(name, reason, remedy string) *pgfile.CorruptError {
	return &pgfile.CorruptError{File: name, Block: pgfile.NoBlock, Offset: -1, Reason: reason, Remedy: remedy}
}
