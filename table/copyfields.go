package table

import (
	"bytes"

	"github.com/pipescan/pipescan/catalog"
	"github.com/pipescan/pipescan/datum"
)

// textRow splits a line of COPY's text format at the delimiter, takes escapes
// off, and parses the fields.
func (c *copySource) textRow(line []byte, row *rowBuffer) error {
	if len(c.parsers) == 0 && len(line) == 0 {
		return nil
	}
	escapes := bytes.IndexByte(line, '\\') >= 0
	for column := range c.parsers {
		if line == nil {
			return c.fail("", copyError(`missing data for column "%s"`, c.rel.Columns[column].Name))
		}
		raw, rest := c.cutField(line, escapes)
		line = rest
		if err := c.textField(column, raw, escapes, row); err != nil {
			return err
		}
	}
	if line != nil {
		return c.fail("", copyError("extra data after last expected column"))
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

// textField parses one field; raw still has its escapes.
func (c *copySource) textField(column int, raw []byte, escapes bool, row *rowBuffer) error {
	if bytes.Equal(raw, c.null) {
		row.done(true)
		return nil
	}
	text := raw
	if escapes && bytes.IndexByte(raw, '\\') >= 0 {
		c.field = c.field[:0]
		wasBinary, ok := c.unescape(raw)
		if !ok {
			return c.fail("", copyError("end-of-copy marker is not alone on its line"))
		}
		text = c.field
		if wasBinary {
			if err := datum.ValidText(text, catalog.UTF8); err != nil {
				return c.fail("", err)
			}
		}
	}
	return c.parse(column, text, row)
}

// unescape appends raw without its escapes to field. binary says that an
// escape wrote a byte that is not ASCII, or zero, so that the encoding must be
// checked again; ok is false at the end mark.
func (c *copySource) unescape(raw []byte) (binary, ok bool) {
	for i := 0; i < len(raw); i++ {
		b := raw[i]
		if b != '\\' || i+1 == len(raw) {
			c.field = append(c.field, b)
			continue
		}
		i++
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
		c.field = append(c.field, b)
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

// parse appends a field's payload to the row.
func (c *copySource) parse(column int, text []byte, row *rowBuffer) error {
	var err error
	if row.arena, err = c.parsers[column](row.arena, text); err != nil {
		return c.fail(c.rel.Columns[column].Name, err)
	}
	row.done(false)
	return nil
}

// csvRow splits a record of CSV and parses the fields. A field may be quoted in
// part, as COPY reads it; NULL is never quoted.
func (c *copySource) csvRow(line []byte, row *rowBuffer) error {
	for column := range c.parsers {
		if line == nil {
			return c.fail("", copyError(`missing data for column "%s"`, c.rel.Columns[column].Name))
		}
		field, quoted, rest, ok := c.csvField(line)
		if !ok {
			return c.fail("", copyError("unterminated CSV quoted field"))
		}
		line = rest
		if !quoted && bytes.Equal(field, c.null) {
			row.done(true)
			continue
		}
		if err := c.parse(column, field, row); err != nil {
			return err
		}
	}
	if line != nil {
		return c.fail("", copyError("extra data after last expected column"))
	}
	return nil
}

// csvField takes a field off a record; rest is nil when it was the last one.
// The field is valid until the next call.
func (c *copySource) csvField(line []byte) (field []byte, quoted bool, rest []byte, ok bool) {
	i := bytes.IndexByte(line, c.delim)
	if q := bytes.IndexByte(line, c.quote); q < 0 || i >= 0 && i < q {
		if i < 0 {
			return line, false, nil, true
		}
		return line[:i], false, line[i+1 : len(line) : len(line)], true
	}
	c.field = c.field[:0]
	inQuote := false
	for i := 0; i < len(line); i++ {
		b := line[i]
		switch {
		case !inQuote && b == c.delim:
			return c.field, quoted, line[i+1 : len(line) : len(line)], true
		case !inQuote && b == c.quote:
			inQuote, quoted = true, true
		case inQuote && b == c.escape && i+1 < len(line) && (line[i+1] == c.escape || line[i+1] == c.quote):
			i++
			c.field = append(c.field, line[i])
		case inQuote && b == c.quote:
			inQuote = false
		default:
			c.field = append(c.field, b)
		}
	}
	return c.field, quoted, nil, !inQuote
}
