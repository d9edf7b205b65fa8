package table

import (
	"bytes"

	"github.com/pipescan/pipescan/catalog"
	"github.com/pipescan/pipescan/datum"
)

// fieldSpan is a field on its way in: where its text ends in fields, from where
// the one before ended.
type fieldSpan struct {
	end  int
	null bool
}

// textRow splits a line of COPY's text format at the delimiter and takes
// escapes off; then it parses the fields. The order is the server's, whose
// errors about a line come before those about values.
func (c *copySource) textRow(line []byte, row *rowBuffer) error {
	escapes := bytes.IndexByte(line, '\\') >= 0
	c.spans, c.fields = c.spans[:0], c.fields[:0]
	for line != nil {
		raw, rest := c.cutField(line, escapes)
		line = rest
		null := bytes.Equal(raw, c.null)
		if !escapes || bytes.IndexByte(raw, '\\') < 0 || null {
			c.fields = append(c.fields, raw...)
		} else if err := c.escaped(raw); err != nil {
			return err
		}
		if err := c.endField(null); err != nil {
			return err
		}
	}
	return c.parse(row)
}

// endField ends a field whose text was appended to fields.
func (c *copySource) endField(null bool) error {
	if len(c.spans) == len(c.parsers) {
		return c.fail("", copyError("extra data after last expected column"))
	}
	c.spans = append(c.spans, fieldSpan{len(c.fields), null})
	return nil
}

// escaped appends a field that has escapes.
func (c *copySource) escaped(raw []byte) error {
	start := len(c.fields)
	binary, ok := c.unescape(raw)
	if !ok {
		return c.fail("", copyError("end-of-copy marker is not alone on its line"))
	}
	if !binary {
		return nil
	}
	if err := datum.ValidText(c.fields[start:], catalog.UTF8); err != nil {
		return c.fail("", err)
	}
	return nil
}

// parse appends the fields' payloads to the row.
func (c *copySource) parse(row *rowBuffer) error {
	from := 0
	for column, p := range c.parsers {
		if column == len(c.spans) {
			return c.fail("", copyError(`missing data for column "%s"`, c.rel.Columns[column].Name))
		}
		f := c.spans[column]
		if !f.null {
			var err error
			if row.arena, err = p(row.arena, c.fields[from:f.end]); err != nil {
				return c.fail(c.rel.Columns[column].Name, err)
			}
		}
		row.done(f.null)
		from = f.end
	}
	return nil
}

// cutField takes a field off a line; rest is nil when it was the last one.
func (c *copySource) cutField(line []byte, escapes bool) (raw, rest []byte) {
	i := bytes.IndexByte(line, c.delim)
	for escapes && i > 0 && oddBackslashes(line[:i]) {
		next := bytes.IndexByte(line[i+1:], c.delim)
		if next < 0 {
			i = -1
			break
		}
		i += 1 + next
	}
	if i < 0 {
		return line, nil
	}
	return line[:i], line[i+1 : len(line) : len(line)]
}

// unescape appends raw without its escapes to fields. binary says that an
// escape wrote a byte that is not ASCII, or zero, so that the encoding must be
// checked again; ok is false at the end mark.
func (c *copySource) unescape(raw []byte) (binary, ok bool) {
	for i := 0; i < len(raw); i++ {
		b := raw[i]
		if b != '\\' {
			c.fields = append(c.fields, b)
			continue
		}
		if i++; i == len(raw) {
			break // the input ends behind a backslash, which is nothing
		}
		b = raw[i]
		switch {
		case b == '.':
			return false, false
		case b >= '0' && b <= '7':
			n := uint(b - '0')
			for k := 0; k < 2 && i+1 < len(raw) && raw[i+1] >= '0' && raw[i+1] <= '7'; k++ {
				i++
				n = n<<3 | uint(raw[i]-'0')
			}
			b = byte(n)
			binary = binary || b == 0 || b >= 0x80
		case b == 'x' && i+1 < len(raw) && hexValue(raw[i+1]) < 16:
			n := byte(0)
			for k := 0; k < 2 && i+1 < len(raw) && hexValue(raw[i+1]) < 16; k++ {
				i++
				n = n<<4 | hexValue(raw[i])
			}
			b = n
			binary = binary || b == 0 || b >= 0x80
		default:
			if at := bytes.IndexByte([]byte("bfnrtv"), b); at >= 0 {
				b = "\b\f\n\r\t\v"[at]
			}
		}
		c.fields = append(c.fields, b)
	}
	return binary, true
}

// hexValue is the value of a hexadecimal digit, or 255.
func hexValue(c byte) byte {
	switch {
	case c >= '0' && c <= '9':
		return c - '0'
	case c|0x20 >= 'a' && c|0x20 <= 'f':
		return c | 0x20 - 'a' + 10
	}
	return 255
}

// csvRow splits a record of CSV, and parses the fields. A field may be quoted
// in part, as COPY reads it; NULL is never quoted.
func (c *copySource) csvRow(line []byte, row *rowBuffer) error {
	c.spans, c.fields = c.spans[:0], c.fields[:0]
	for line != nil {
		start := len(c.fields)
		quoted, rest, ok := c.csvField(line)
		if !ok {
			return c.fail("", copyError("unterminated CSV quoted field"))
		}
		line = rest
		if err := c.endField(!quoted && bytes.Equal(c.fields[start:], c.null)); err != nil {
			return err
		}
	}
	return c.parse(row)
}

// csvField takes a field off a record and appends its text to fields; rest is
// nil when it was the last one.
func (c *copySource) csvField(line []byte) (quoted bool, rest []byte, ok bool) {
	plain := line
	if i := bytes.IndexByte(line, c.delim); i >= 0 {
		plain, rest = line[:i], line[i+1:len(line):len(line)]
	}
	if bytes.IndexByte(plain, c.quote) < 0 {
		c.fields = append(c.fields, plain...)
		return false, rest, true
	}
	inQuote := false
	for i := 0; i < len(line); i++ {
		b := line[i]
		switch {
		case !inQuote && b == c.delim:
			return quoted, line[i+1 : len(line) : len(line)], true
		case !inQuote && b == c.quote:
			inQuote, quoted = true, true
		case inQuote && b == c.escape && i+1 < len(line) && (line[i+1] == c.escape || line[i+1] == c.quote):
			i++
			c.fields = append(c.fields, line[i])
		case inQuote && b == c.quote:
			inQuote = false
		default:
			c.fields = append(c.fields, b)
		}
	}
	return quoted, nil, !inQuote
}
