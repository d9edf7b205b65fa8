package table

import (
	"bufio"
	"bytes"
	"errors"
	"io"
)

// quoteState is how far a reader is inside quotes.
type quoteState struct{ inQuote, escaped bool }

// feed goes over more of a record.
func (c *copySource) feed(q quoteState, piece []byte) quoteState {
	if c.quote == c.escape {
		if bytes.Count(piece, []byte{c.quote})%2 == 1 {
			q.inQuote = !q.inQuote
		}
		return q
	}
	for _, b := range piece {
		if q.inQuote && b == c.escape {
			q.escaped = !q.escaped
		}
		if b == c.quote && !q.escaped {
			q.inQuote = !q.inQuote
		}
		if b != c.escape {
			q.escaped = false
		}
	}
	return q
}

// oddBackslashes says that line ends in a backslash that escapes what follows.
func oddBackslashes(line []byte) bool {
	n := 0
	for n < len(line) && line[len(line)-1-n] == '\\' {
		n++
	}
	return n%2 == 1
}

// terminator is the last byte of a line end.
func (c *copySource) terminator() byte {
	if c.end == endCR {
		return '\r'
	}
	return '\n'
}

// record is input up to a line end that is neither escaped nor inside quotes,
// without it. io.EOF comes with the last record, when no line end does.
func (c *copySource) record() ([]byte, error) {
	if c.end == endUnknown {
		if err := c.detect(); err != nil {
			return nil, err
		}
	}
	piece, err := c.in.ReadSlice(c.terminator())
	if err == nil {
		line := piece[:len(piece)-1]
		if c.csv && !c.feed(quoteState{}, line).inQuote || !c.csv && !oddBackslashes(line) {
			return c.trimEnd(line)
		}
	}
	return c.longRecord(piece, err)
}

// longRecord is a record of several pieces, the first of which was read.
func (c *copySource) longRecord(piece []byte, err error) ([]byte, error) {
	var q quoteState
	c.long = c.long[:0]
	for {
		c.long = append(c.long, piece...)
		if c.csv {
			q = c.feed(q, piece)
		}
		line := c.long[:max(len(c.long)-1, 0)]
		switch {
		case err == nil && (c.csv && !q.inQuote || !c.csv && !oddBackslashes(line)):
			return c.trimEnd(line)
		case errors.Is(err, io.EOF) && q.inQuote:
			return nil, c.fail("", copyError("unterminated CSV quoted field"))
		case errors.Is(err, io.EOF):
			if stray := c.checkStray(c.long); stray != nil {
				return nil, stray
			}
			return c.long, err
		case err != nil && !errors.Is(err, bufio.ErrBufferFull):
			return nil, err
		case len(c.long) > maxLine:
			return nil, c.fail("", copyError("a line is longer than %d bytes", maxLine))
		}
		piece, err = c.in.ReadSlice(c.terminator())
	}
}

// detect finds out how lines end, by the first one.
func (c *copySource) detect() error {
	c.end = endLF
	for want := 1; want <= c.in.Size(); want = c.in.Buffered() + 1 {
		_, err := c.in.Peek(want)
		seen, _ := c.in.Peek(c.in.Buffered())
		if end, ok := c.endIn(seen, err != nil); ok {
			c.end = end
			return nil
		}
		if err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		if err != nil {
			return nil
		}
	}
	return nil
}

// endIn looks for the first line end; isAll says that no more input comes.
func (c *copySource) endIn(b []byte, isAll bool) (lineEnd, bool) {
	var q quoteState
	for i := 0; i < len(b); i++ {
		switch {
		case c.csv:
			q = c.feed(q, b[i:i+1])
		case b[i] == '\\':
			i++
			continue
		}
		if q.inQuote {
			continue
		}
		switch {
		case b[i] == '\n':
			return endLF, true
		case b[i] != '\r':
		case i+1 < len(b) && b[i+1] == '\n':
			return endCRLF, true
		case i+1 < len(b) || isAll:
			return endCR, true
		}
	}
	return endUnknown, false
}

// trimEnd takes the CR of CRLF off, and refuses line ends of another kind.
func (c *copySource) trimEnd(line []byte) ([]byte, error) {
	if c.end == endCRLF {
		if len(line) == 0 || line[len(line)-1] != '\r' {
			return nil, c.fail("", c.strayEnd("newline"))
		}
		line = line[:len(line)-1]
	}
	if bytes.IndexByte(line, '\r') >= 0 || c.end != endLF && bytes.IndexByte(line, '\n') >= 0 {
		if err := c.checkStray(line); err != nil {
			return nil, err
		}
	}
	return line, nil
}

// checkStray refuses line ends that are neither escaped nor inside quotes.
func (c *copySource) checkStray(line []byte) error {
	var q quoteState
	for i := 0; i < len(line); i++ {
		switch {
		case c.csv:
			q = c.feed(q, line[i:i+1])
		case line[i] == '\\':
			i++
			continue
		}
		switch {
		case q.inQuote:
		case line[i] == '\n':
			return c.fail("", c.strayEnd("newline"))
		case line[i] == '\r':
			return c.fail("", c.strayEnd("carriage return"))
		}
	}
	return nil
}

func (c *copySource) strayEnd(what string) error {
	if c.csv {
		return copyError("unquoted %s found in data", what)
	}
	return copyError("literal %s found in data", what)
}
