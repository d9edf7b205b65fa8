package pgfile

import (
	"errors"
	"fmt"
	"strings"
)

// ErrCorrupt is what every *CorruptError is, for errors.Is.
var ErrCorrupt = errors.New("corrupt data")

// ErrUnsupported marks a thing that is well formed but that pipescan does not
// read: an unknown version, type, method.
var ErrUnsupported = errors.New("unsupported")

// NoBlock is the Block of a CorruptError that is not about a block.
const NoBlock = ^uint32(0)

// CorruptError tells where bytes on disk are not what their format allows.
// Parsers of this package know only Offset and Reason; the reader of the file
// fills in File and Block with At.
type CorruptError struct {
	File   string // path inside the data directory, "" when not known yet
	Block  uint32 // block number in the fork, NoBlock when it has none
	Item   uint16 // line pointer number, 0 when it has none
	Offset int    // byte offset in the page, or in the file when Block is NoBlock; -1 when not known
	Column string // column name, "" when it has none
	Reason string // what is wrong
	Remedy string // what the user can do
}

// Corruptf makes a CorruptError at a byte offset (-1: not known).
func Corruptf(offset int, format string, args ...any) *CorruptError {
	return &CorruptError{Block: NoBlock, Offset: offset, Reason: fmt.Sprintf(format, args...)}
}

// At returns err with the file and block filled in where err is, or wraps, a
// CorruptError that lacks them; other errors are returned as they are.
func At(err error, file string, block uint32) error {
	var c *CorruptError
	if !errors.As(err, &c) {
		return err
	}
	d := *c
	if d.File == "" {
		d.File = file
	}
	if d.Block == NoBlock {
		d.Block = block
	}
	return &d
}

// Error names file, block, line pointer, column, offset, reason and remedy.
func (e *CorruptError) Error() string {
	var b strings.Builder
	if e.File != "" {
		fmt.Fprintf(&b, "%s: ", e.File)
	}
	if e.Block != NoBlock {
		fmt.Fprintf(&b, "block %d: ", e.Block)
	}
	if e.Item != 0 {
		fmt.Fprintf(&b, "line pointer %d: ", e.Item)
	}
	if e.Column != "" {
		fmt.Fprintf(&b, "column %q: ", e.Column)
	}
	if e.Offset >= 0 {
		fmt.Fprintf(&b, "offset %d: ", e.Offset)
	}
	b.WriteString(e.Reason)
	if e.Remedy != "" {
		fmt.Fprintf(&b, " (%s)", e.Remedy)
	}
	return b.String()
}

// Is makes errors.Is(err, ErrCorrupt) true.
func (e *CorruptError) Is(target error) bool { return target == ErrCorrupt }
