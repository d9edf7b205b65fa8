package sqlfront

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// decodeTree reads the parser's JSON, which encoding/json would read ten times
// slower: objects become slices, and names and texts stay where they are in the
// JSON text unless they are escaped. The depth of the text was bounded before
// (see depthOf).
func decodeTree(text string) (tree, error) {
	d := &decoder{text: text}
	v, err := d.value()
	if err == nil && d.next() != 0 {
		err = errJSON
	}
	if err != nil {
		return nil, fmt.Errorf("parse tree: byte %d: %w", d.at, err)
	}
	t, ok := v.(tree)
	if !ok {
		return nil, fmt.Errorf("parse tree: %T at the top", v)
	}
	return t, nil
}

var errJSON = errors.New("not the JSON of a parse tree")

// A decoder reads one JSON text; its numbers are integers.
type decoder struct {
	text string
	at   int
}

// next passes over white space and returns the byte after it, which it does not
// take; 0 at the end.
func (d *decoder) next() byte {
	for d.at < len(d.text) {
		switch c := d.text[d.at]; c {
		case ' ', '\t', '\n', '\r':
			d.at++
		default:
			return c
		}
	}
	return 0
}

// take takes one byte, which has to be c.
func (d *decoder) take(c byte) error {
	if d.next() != c {
		return errJSON
	}
	d.at++
	return nil
}

func (d *decoder) value() (any, error) {
	switch c := d.next(); {
	case c == '{':
		return d.object()
	case c == '[':
		return d.list()
	case c == '"':
		return d.string()
	case c == '-' || isDigit(c):
		return d.number()
	}
	for _, word := range words {
		if strings.HasPrefix(d.text[d.at:], word.text) {
			d.at += len(word.text)
			return word.value, nil
		}
	}
	return nil, errJSON
}

var words = []struct {
	text  string
	value any
}{{"true", true}, {"false", false}, {"null", nil}}

func (d *decoder) object() (any, error) {
	d.at++
	t := tree{}
	for d.next() != '}' {
		if len(t) > 0 {
			if err := d.take(','); err != nil {
				return nil, err
			}
		}
		if d.next() != '"' {
			return nil, errJSON
		}
		name, err := d.string()
		if err == nil {
			err = d.take(':')
		}
		if err != nil {
			return nil, err
		}
		value, err := d.value()
		if err != nil {
			return nil, err
		}
		t = append(t, field{name: name, value: value})
	}
	d.at++
	return t, nil
}

func (d *decoder) list() (any, error) {
	d.at++
	list := []any{}
	for d.next() != ']' {
		if len(list) > 0 {
			if err := d.take(','); err != nil {
				return nil, err
			}
		}
		value, err := d.value()
		if err != nil {
			return nil, err
		}
		list = append(list, value)
	}
	d.at++
	return list, nil
}

// string takes a string; its quote is next.
func (d *decoder) string() (string, error) {
	start := d.at + 1
	for i := start; i < len(d.text); i++ {
		switch d.text[i] {
		case '"':
			d.at = i + 1
			return d.text[start:i], nil
		case '\\':
			return d.escaped(start)
		}
	}
	return "", errJSON
}

// escaped is string for one with escapes.
func (d *decoder) escaped(start int) (string, error) {
	end := start
	for end < len(d.text) && d.text[end] != '"' {
		if d.text[end] == '\\' {
			end++
		}
		end++
	}
	if end >= len(d.text) {
		return "", errJSON
	}
	var s string
	err := json.Unmarshal([]byte(d.text[start-1:end+1]), &s)
	d.at = end + 1
	return s, err
}

func (d *decoder) number() (any, error) {
	end := d.at + 1
	for end < len(d.text) && isDigit(d.text[end]) {
		end++
	}
	n, err := strconv.Atoi(d.text[d.at:end])
	d.at = end
	return n, err
}
