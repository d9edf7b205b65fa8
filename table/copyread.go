package table

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/pipescan/pipescan/catalog"
	"github.com/pipescan/pipescan/datum"
)

// maxLine bounds one line of input: nothing longer fits a page.
const maxLine = 64 << 20

// badCopy is SQLSTATE bad_copy_file_format.
const badCopy = "22P04"

func copyError(format string, args ...any) error {
	return &datum.InputError{State: badCopy, Message: fmt.Sprintf(format, args...)}
}

// lineEnd is how the lines of an input end: as the first one does.
type lineEnd uint8

const (
	endUnknown lineEnd = iota
	endLF
	endCRLF
	endCR
)

// copySource reads rows in COPY's formats.
type copySource struct {
	rel     *catalog.Relation
	parsers []datum.Parser
	in      *bufio.Reader
	csv     bool
	delim   byte
	quote   byte
	escape  byte
	null    []byte
	skip    bool // the next line is a header

	end    lineEnd
	lines  int64
	isLast bool   // the input ended, or its end mark was read
	long   []byte // a record of several pieces
	fields []byte // the texts of a line's fields, one after another
	spans  []fieldSpan
}

// newCopySource checks the options.
func newCopySource(rel *catalog.Relation, o LoadOptions, parsers []datum.Parser, r io.Reader) (*copySource, error) {
	c := &copySource{rel: rel, parsers: parsers, in: bufio.NewReaderSize(r, 256<<10), skip: o.Header}
	c.delim, c.null = '\t', []byte(`\N`)
	switch o.Format {
	case FormatText:
	case FormatCSV:
		c.csv, c.delim, c.null, c.quote = true, ',', nil, '"'
		if o.Quote != 0 {
			c.quote = o.Quote
		}
		c.escape = c.quote
		if o.Escape != 0 {
			c.escape = o.Escape
		}
	default:
		return nil, fmt.Errorf("format %d is not known", o.Format)
	}
	if o.Delimiter != 0 {
		c.delim = o.Delimiter
	}
	if o.Null != nil {
		c.null = []byte(*o.Null)
	}
	switch {
	case c.delim == '\n' || c.delim == '\r', bytes.ContainsAny(c.null, "\r\n"):
		return nil, errors.New("a delimiter or NULL with a line end in it")
	case c.csv && c.delim == c.quote:
		return nil, errors.New("the delimiter and the quote must differ")
	case bytes.IndexByte(c.null, c.delim) >= 0:
		return nil, errors.New("the delimiter must not be part of how NULL is written")
	case !c.csv && bytes.IndexByte([]byte(`\.abcdefghijklmnopqrstuvwxyz0123456789`), c.delim) >= 0:
		return nil, fmt.Errorf("the delimiter cannot be %q", c.delim)
	}
	return c, nil
}

func (c *copySource) line() int64 { return c.lines }

func (c *copySource) fail(column string, err error) error {
	return &LoadError{Line: c.lines, Column: column, Err: err}
}

// next reads a line and parses its fields.
func (c *copySource) next(row *rowBuffer) error {
	line, err := c.nextLine()
	if err != nil {
		return err
	}
	if c.skip {
		c.skip = false
		if line, err = c.nextLine(); err != nil {
			return err
		}
	}
	if err := datum.ValidText(line, catalog.UTF8); err != nil {
		return c.fail("", err)
	}
	if c.csv {
		return c.csvRow(line, row)
	}
	return c.textRow(line, row)
}

// nextLine is the next record without its line end, valid until the next call;
// io.EOF at the end.
func (c *copySource) nextLine() ([]byte, error) {
	if c.isLast {
		return nil, io.EOF
	}
	c.lines++
	line, err := c.record()
	switch {
	case errors.Is(err, io.EOF):
		c.isLast = true
		if len(line) == 0 {
			return nil, io.EOF
		}
		if !c.csv && string(line) == `\.` { // an end mark wants a line end of its own
			return nil, c.fail("", copyError("end-of-copy marker is not alone on its line"))
		}
	case err != nil:
		return nil, err
	}
	if !c.csv && string(line) == `\.` {
		c.isLast = true
		return nil, io.EOF
	}
	return line, nil
}
