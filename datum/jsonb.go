package datum

import (
	"encoding/binary"
	"encoding/json"

	"github.com/pipescan/pipescan/pgfile"
)

// maxJSONDepth bounds how deep jsonb containers nest. The server's parser is
// bounded by its stack, at some thousand levels; this is beyond the largest
// stack it may be given.
const maxJSONDepth = 100_000

// jsonb (utils/jsonb.h) is a tree of containers:
//
//	0        4                          4+4m
//	+--------+--------------------------+----------------------------------+
//	| header | m entries, u4            | data of the entries, in order;   |
//	| u4     |                          | numerics and containers 4-aligned|
//	+--------+--------------------------+----------------------------------+
//
//	header  bits 0-27 count; 28 scalar, 29 object, 30 array
//	entry   bits 0-27 length, or (bit 31) where the data end; 28-30 type
//
// An array has count entries; an object has 2·count, its keys and then its
// values. A scalar at the top is an array of one entry with the scalar bit.
const (
	jsonCount   = 0x0fffffff
	jsonScalar  = 0x10000000
	jsonObject  = 0x20000000
	jsonArray   = 0x40000000
	entryEnd    = 0x80000000 // the number is an end offset, not a length
	entryNumber = 0x0fffffff
	entryKind   = 0x70000000

	entryString    = 0x00000000
	entryNumeric   = 0x10000000
	entryFalse     = 0x20000000
	entryTrue      = 0x30000000
	entryNull      = 0x40000000
	entryContainer = 0x50000000
)

// jsonContainer is a container's parts.
type jsonContainer struct {
	header  uint32
	count   int
	entries []byte
	data    []byte
}

func parseJSONContainer(v []byte) (c jsonContainer, err error) {
	if len(v) < 4 {
		return c, pgfile.Corruptf(0, "jsonb container of %d bytes is shorter than its header", len(v))
	}
	c.header = binary.LittleEndian.Uint32(v)
	c.count = int(c.header & jsonCount)
	entries := c.count
	switch c.header & (jsonObject | jsonArray) {
	case jsonObject:
		entries *= 2
	case jsonArray:
	default:
		return c, pgfile.Corruptf(0, "jsonb container is neither an object nor an array: %08x", c.header)
	}
	if c.header&jsonScalar != 0 && (c.count != 1 || c.header&jsonArray == 0) {
		return c, pgfile.Corruptf(0, "jsonb scalar is not an array of one: %08x", c.header)
	}
	if entries > (len(v)-4)/4 {
		return c, pgfile.Corruptf(0, "jsonb container of %d bytes says it has %d entries", len(v), entries)
	}
	c.entries, c.data = v[4:4+4*entries], v[4+4*entries:]
	return c, nil
}

// jsonCursor walks entries in order; off is where the next one's data start.
type jsonCursor struct{ index, off int }

// next returns the kind and data of the entry at the cursor.
func (c *jsonContainer) next(at *jsonCursor) (kind uint32, data []byte, err error) {
	entry := binary.LittleEndian.Uint32(c.entries[4*at.index:])
	start, end := at.off, int(entry&entryNumber)
	if entry&entryEnd == 0 {
		end += start
	}
	if end < start || end > len(c.data) {
		return 0, nil, pgfile.Corruptf(-1, "jsonb entry %d lies at %d to %d of %d bytes", at.index, start, end, len(c.data))
	}
	at.index++
	at.off = end
	kind = entry & entryKind
	if kind == entryNumeric || kind == entryContainer {
		if start = (start + 3) &^ 3; start > end {
			return 0, nil, pgfile.Corruptf(-1, "jsonb entry %d has no room for its alignment", at.index-1)
		}
	}
	return kind, c.data[start:end], nil
}

// values is the cursor at an object's values: past its keys.
func (c *jsonContainer) values() (at jsonCursor, err error) {
	for at.index < c.count {
		kind, _, err := c.next(&at)
		if err != nil {
			return at, err
		}
		if kind != entryString {
			return at, pgfile.Corruptf(-1, "jsonb key %d is no string", at.index-1)
		}
	}
	return at, nil
}

// textJSONB is jsonb_out.
func textJSONB(dst, v []byte, e *Env) ([]byte, error) { return appendJSONContainer(dst, v, e, 0) }

func appendJSONContainer(dst, v []byte, e *Env, depth int) ([]byte, error) {
	c, err := parseJSONContainer(v)
	if err != nil {
		return dst, err
	}
	if depth >= maxJSONDepth {
		return dst, pgfile.Corruptf(0, "jsonb nests deeper than %d levels", maxJSONDepth)
	}
	if c.header&jsonObject != 0 {
		return c.appendObject(dst, e, depth)
	}
	begin := len(dst)
	if c.header&jsonScalar == 0 {
		dst = append(dst, '[')
	} else if depth > 0 {
		return dst, errNestedScalar()
	}
	for at := (jsonCursor{}); at.index < c.count; {
		if at.index > 0 {
			dst = append(dst, ", "...)
		}
		if dst, err = c.appendNext(dst, &at, e, depth); err != nil {
			return dst, err
		}
		if err := checkTextLen(dst, begin); err != nil {
			return dst, err
		}
	}
	if c.header&jsonScalar == 0 {
		dst = append(dst, ']')
	}
	return dst, nil
}

func (c *jsonContainer) appendObject(dst []byte, e *Env, depth int) ([]byte, error) {
	values, err := c.values()
	if err != nil {
		return dst, err
	}
	begin := len(dst)
	dst = append(dst, '{')
	for keys := (jsonCursor{}); keys.index < c.count; {
		if keys.index > 0 {
			dst = append(dst, ", "...)
		}
		if dst, err = c.appendNext(dst, &keys, e, depth); err != nil {
			return dst, err
		}
		dst = append(dst, ": "...)
		if dst, err = c.appendNext(dst, &values, e, depth); err != nil {
			return dst, err
		}
		if err := checkTextLen(dst, begin); err != nil {
			return dst, err
		}
	}
	return append(dst, '}'), nil
}

// appendNext appends the entry at the cursor.
func (c *jsonContainer) appendNext(dst []byte, at *jsonCursor, e *Env, depth int) ([]byte, error) {
	kind, data, err := c.next(at)
	if err != nil {
		return dst, err
	}
	switch kind {
	case entryString:
		return appendJSONString(dst, data), nil
	case entryNumeric:
		payload, err := e.plain(data)
		if err != nil {
			return dst, err
		}
		return textNumeric(dst, payload, e)
	case entryFalse:
		return append(dst, "false"...), nil
	case entryTrue:
		return append(dst, "true"...), nil
	case entryNull:
		return append(dst, "null"...), nil
	case entryContainer:
		return appendJSONContainer(dst, data, e, depth+1)
	}
	return dst, pgfile.Corruptf(-1, "jsonb entry of unknown kind %08x", kind)
}

// appendJSONString is escape_json: only what JSON asks to be escaped is, and
// other control characters as \u00xx.
func appendJSONString(dst, s []byte) []byte {
	const digits = "0123456789abcdef"
	dst = append(dst, '"')
	for _, c := range s {
		switch c {
		case '\b':
			dst = append(dst, `\b`...)
		case '\f':
			dst = append(dst, `\f`...)
		case '\n':
			dst = append(dst, `\n`...)
		case '\r':
			dst = append(dst, `\r`...)
		case '\t':
			dst = append(dst, `\t`...)
		case '"', '\\':
			dst = append(dst, '\\', c)
		default:
			if c < ' ' {
				dst = append(dst, `\u00`...)
				dst = append(dst, digits[c>>4], digits[c&15])
			} else {
				dst = append(dst, c)
			}
		}
	}
	return append(dst, '"')
}

// valueJSONB returns what encoding/json would with UseNumber: map[string]any,
// []any, string, json.Number, bool, and nil for JSON's null. Strings of
// databases in other encodings than UTF-8 keep their bytes.
func valueJSONB(v []byte, e *Env) (any, error) { return jsonContainerValue(v, e, 0) }

func jsonContainerValue(v []byte, e *Env, depth int) (any, error) {
	c, err := parseJSONContainer(v)
	if err != nil {
		return nil, err
	}
	if depth >= maxJSONDepth {
		return nil, pgfile.Corruptf(0, "jsonb nests deeper than %d levels", maxJSONDepth)
	}
	if c.header&jsonObject != 0 {
		return c.objectValue(e, depth)
	}
	at := jsonCursor{}
	if c.header&jsonScalar != 0 {
		if depth > 0 {
			return nil, errNestedScalar()
		}
		return c.nextValue(&at, e, depth)
	}
	list := make([]any, 0, c.count)
	for at.index < c.count {
		item, err := c.nextValue(&at, e, depth)
		if err != nil {
			return nil, err
		}
		list = append(list, item)
	}
	return list, nil
}

func (c *jsonContainer) objectValue(e *Env, depth int) (any, error) {
	values, err := c.values()
	if err != nil {
		return nil, err
	}
	object := make(map[string]any, c.count)
	for keys := (jsonCursor{}); keys.index < c.count; {
		_, key, err := c.next(&keys)
		if err != nil {
			return nil, err
		}
		if object[string(key)], err = c.nextValue(&values, e, depth); err != nil {
			return nil, err
		}
	}
	return object, nil
}

// nextValue returns the Go value of the entry at the cursor.
func (c *jsonContainer) nextValue(at *jsonCursor, e *Env, depth int) (any, error) {
	kind, data, err := c.next(at)
	if err != nil {
		return nil, err
	}
	switch kind {
	case entryString:
		return string(data), nil
	case entryNumeric:
		payload, err := e.plain(data)
		if err != nil {
			return nil, err
		}
		text, err := textNumeric(nil, payload, e)
		return json.Number(text), err
	case entryFalse, entryTrue:
		return kind == entryTrue, nil
	case entryNull:
		return nil, nil
	case entryContainer:
		return jsonContainerValue(data, e, depth+1)
	}
	return nil, pgfile.Corruptf(-1, "jsonb entry of unknown kind %08x", kind)
}

func errNestedScalar() error { return pgfile.Corruptf(0, "jsonb scalar inside a container") }
