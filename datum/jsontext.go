package datum

import (
	"bytes"
	"slices"

	"github.com/pipescan/pipescan/catalog"
)

// jsonForm is how row_to_json and array_to_json render a scalar type.
type jsonForm uint8

const (
	jsonString      jsonForm = iota // the text as a JSON string
	jsonBool                        // true, false
	jsonNumber                      // the text as it is, but NaN and infinities as strings
	jsonRaw                         // the text as it is
	jsonTimestamp                   // a string with T between date and time
	jsonTimestampTZ                 // and with the zone's minutes
	jsonNumbers                     // an array of numbers, from their text with blanks between
	jsonStrings                     // the same, of strings
)

// jsonFormOf is the form of a built-in scalar type.
func jsonFormOf(oid catalog.OID) jsonForm {
	switch oid {
	case catalog.BoolOID:
		return jsonBool
	case catalog.Int2OID, catalog.Int4OID, catalog.Int8OID, catalog.Float4OID, catalog.Float8OID, catalog.NumericOID:
		return jsonNumber
	case catalog.JSONOID, catalog.JSONBOID:
		return jsonRaw
	case catalog.TimestampOID:
		return jsonTimestamp
	case catalog.TimestamptzOID:
		return jsonTimestampTZ
	case catalog.Int2VectorOID:
		return jsonNumbers
	case catalog.OidVectorOID: // an oid is no number to JSON's functions
		return jsonStrings
	}
	return jsonString
}

var _ JSONCodec = codec{}

// AppendJSON implements JSONCodec. Types without a form of their own become
// strings that hold their text.
func (c codec) AppendJSON(dst, value []byte) ([]byte, error) { return c.node.json(dst, value, 0) }

// textAsJSON appends the text of n as a JSON string.
func textAsJSON(n node, dst, value []byte, depth int) ([]byte, error) {
	start := len(dst)
	dst, err := n.text(dst, value, depth)
	if err != nil {
		return dst, err
	}
	return jsonQuoteTail(dst, start), nil
}

// jsonQuoteTail makes a JSON string of dst[start:].
func jsonQuoteTail(dst []byte, start int) []byte {
	for _, c := range dst[start:] {
		if c < ' ' || c == '"' || c == '\\' {
			return appendJSONString(dst[:start], bytes.Clone(dst[start:]))
		}
	}
	dst = append(slices.Insert(dst, start, '"'), '"')
	return dst
}

func (n scalarNode) json(dst, value []byte, depth int) ([]byte, error) {
	start := len(dst)
	if n.form == jsonString {
		return textAsJSON(n, dst, value, depth)
	}
	dst, err := n.builtin.text(dst, value, n.e)
	if err != nil {
		return dst, err
	}
	text := dst[start:]
	switch n.form {
	case jsonBool:
		if text[0] == 't' {
			return append(dst[:start], "true"...), nil
		}
		return append(dst[:start], "false"...), nil
	case jsonNumber:
		// The texts of these types are JSON numbers, or words.
		if last := text[len(text)-1]; last < '0' || last > '9' {
			return jsonQuoteTail(dst, start), nil
		}
	case jsonTimestamp, jsonTimestampTZ:
		if i := bytes.IndexByte(text, ' '); i >= 0 {
			text[i] = 'T'
		}
		if i := bytes.LastIndexByte(text, '+'); n.form == jsonTimestampTZ && i >= 0 {
			dst = slices.Insert(dst, start+i+3, ':', '0', '0') // +00, perhaps before BC
		}
		return jsonQuoteTail(dst, start), nil
	case jsonNumbers:
		return appendJSONList(dst[:start], bytes.Fields(bytes.Clone(text)), ""), nil
	case jsonStrings:
		return appendJSONList(dst[:start], bytes.Fields(bytes.Clone(text)), `"`), nil
	}
	return dst, nil
}

// appendJSONList appends an array of items, which need no escapes.
func appendJSONList(dst []byte, items [][]byte, quote string) []byte {
	dst = append(dst, '[')
	for i, item := range items {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(append(append(dst, quote...), item...), quote...)
	}
	return append(dst, ']')
}

func (n unsupportedNode) json(dst, _ []byte, _ int) ([]byte, error) { return dst, n.err }

func (n enumNode) json(dst, v []byte, depth int) ([]byte, error) {
	return textAsJSON(n, dst, v, depth)
}

func (n *rangeNode) json(dst, v []byte, depth int) ([]byte, error) {
	return textAsJSON(n, dst, v, depth)
}

func (n *multirangeNode) json(dst, v []byte, depth int) ([]byte, error) {
	return textAsJSON(n, dst, v, depth)
}

// json is array_to_json: nested arrays, without bounds.
func (n *arrayNode) json(dst, v []byte, depth int) ([]byte, error) {
	return n.render(dst, v, depth, jsonArrayStyle)
}

// json is row_to_json: an object in the order of the columns.
func (n *recordNode) json(dst, v []byte, depth int) ([]byte, error) {
	start := len(dst)
	dst = append(dst, '{')
	err := n.each(v, depth, func(name string, field node, payload []byte) (err error) {
		if len(dst) > start+1 {
			dst = append(dst, ',')
		}
		dst = append(appendJSONString(dst, []byte(name)), ':')
		if field == nil {
			dst = append(dst, "null"...)
			return nil
		}
		dst, err = field.json(dst, payload, depth+1)
		if err == nil {
			err = checkTextLen(dst, start)
		}
		return err
	})
	return append(dst, '}'), err
}
