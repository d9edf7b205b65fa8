package qual

import (
	"cmp"

	"github.com/pipescan/pipescan/catalog"
	"github.com/pipescan/pipescan/datum"
	"github.com/pipescan/pipescan/pgfile"
)

// jsonb containers as package datum draws them: a header, entries, their data.
const (
	jsonCount  = 0x0fffffff
	jsonScalar = 0x10000000
	jsonObject = 0x20000000
	jsonArray  = 0x40000000

	entryEnd    = 0x80000000
	entryLength = 0x0fffffff
	entryKind   = 0x70000000

	maxJSONDepth = 10000
)

// jsonKind is the type of a value, in the order that values sort in.
type jsonKind uint8

const (
	jsonNull jsonKind = iota
	jsonString
	jsonNumber
	jsonBool
	jsonArrayKind
	jsonObjectKind
)

// jsonValue is a value inside a jsonb.
type jsonValue struct {
	kind jsonKind
	data []byte // string, numeric's varlena, or container
	bool bool
}

// jsonContainer is an array or object; a scalar at the top is an array of one.
type jsonContainer struct {
	raw    []byte
	object bool
	scalar bool
	count  int
	values []jsonValue
	keys   [][]byte
}

func errJSON() error { return sqlErrorf("XX001", "a jsonb value is damaged") }

// parseJSON reads a container's entries.
func parseJSON(v []byte) (*jsonContainer, error) {
	if len(v) < 4 {
		return nil, errJSON()
	}
	h := getUint32(v)
	c := &jsonContainer{raw: v, object: h&jsonObject != 0, scalar: h&jsonScalar != 0, count: int(h & jsonCount)}
	n := c.count
	if c.object {
		n *= 2
	}
	if h&(jsonObject|jsonArray) == 0 || n > (len(v)-4)/4 || c.scalar && (c.object || n != 1) {
		return nil, errJSON()
	}
	all := make([]jsonValue, n)
	data := v[4+4*n:]
	off := 0
	for i := range n {
		e := getUint32(v[4+4*i:])
		end := int(e & entryLength)
		if e&entryEnd == 0 {
			end += off
		}
		if end < off || end > len(data) {
			return nil, errJSON()
		}
		x, err := jsonEntry(e&entryKind, data, off, end)
		if err != nil {
			return nil, err
		}
		all[i] = x
		off = end
	}
	c.values = all
	if c.object {
		for _, k := range all[:c.count] {
			if k.kind != jsonString {
				return nil, errJSON()
			}
			c.keys = append(c.keys, k.data)
		}
		c.values = all[c.count:]
	}
	return c, nil
}

func jsonEntry(kind uint32, data []byte, off, end int) (jsonValue, error) {
	aligned := min((off+3)&^3, end)
	switch kind {
	case 0x00000000:
		return jsonValue{kind: jsonString, data: data[off:end:end]}, nil
	case 0x10000000:
		return jsonValue{kind: jsonNumber, data: data[aligned:end:end]}, nil
	case 0x20000000, 0x30000000:
		return jsonValue{kind: jsonBool, bool: kind == 0x30000000}, nil
	case 0x40000000:
		return jsonValue{kind: jsonNull}, nil
	case 0x50000000:
		d := data[aligned:end:end]
		if len(d) < 4 {
			return jsonValue{}, errJSON()
		}
		if getUint32(d)&jsonObject != 0 {
			return jsonValue{kind: jsonObjectKind, data: d}, nil
		}
		return jsonValue{kind: jsonArrayKind, data: d}, nil
	}
	return jsonValue{}, errJSON()
}

// numeric is the payload of a number.
func (v jsonValue) numeric() ([]byte, error) {
	n, err := pgfile.ParseVarlena(v.data)
	if err != nil || n.Kind != pgfile.VarlenaPlain {
		return nil, errJSON()
	}
	return n.Data, nil
}

// appendJSONB appends a value as a jsonb of its own.
func (v jsonValue) appendJSONB(dst []byte) []byte {
	if v.kind >= jsonArrayKind {
		return append(dst, v.data...)
	}
	entry := uint32(len(v.data))
	switch v.kind {
	case jsonNull:
		entry = 0x40000000
	case jsonNumber:
		entry |= 0x10000000
	case jsonBool:
		entry = 0x20000000
		if v.bool {
			entry = 0x30000000
		}
	}
	dst = appendInt(dst, int32(jsonArray|jsonScalar|1))
	return append(appendInt(dst, int32(entry)), v.data...)
}

// appendText appends a value as ->> gives it; ok is false for null.
func (v jsonValue) appendText(dst []byte, env *datum.Env) (_ []byte, ok bool, err error) {
	oid, payload := catalog.JSONBOID, v.data
	switch v.kind {
	case jsonNull:
		return dst, false, nil
	case jsonString:
		return append(dst, v.data...), true, nil
	case jsonBool:
		if v.bool {
			return append(dst, "true"...), true, nil
		}
		return append(dst, "false"...), true, nil
	case jsonNumber:
		oid = catalog.NumericOID
		if payload, err = v.numeric(); err != nil {
			return nil, false, err
		}
	}
	codec, err := datum.For(oid, -1, env)
	if err != nil {
		return nil, false, err
	}
	dst, err = codec.AppendText(dst, payload)
	return dst, true, err
}

// field is the value of a key.
func (c *jsonContainer) field(key []byte) (jsonValue, bool) {
	if !c.object {
		return jsonValue{}, false
	}
	for i, k := range c.keys {
		if string(k) == string(key) {
			return c.values[i], true
		}
	}
	return jsonValue{}, false
}

// element is the i-th element of an array, from the end when negative. A scalar
// is an array of one, as it is stored.
func (c *jsonContainer) element(i int) (jsonValue, bool) {
	if c.object {
		return jsonValue{}, false
	}
	if i < 0 {
		i += c.count
	}
	if i < 0 || i >= c.count {
		return jsonValue{}, false
	}
	return c.values[i], true
}

// compareJSON is compareJsonbContainers. order compares strings; where only
// equality is asked it may be any total order.
func compareJSON(a, b []byte, order func(a, b []byte) (int, error), depth int) (int, error) {
	if depth > maxJSONDepth {
		return 0, errJSON()
	}
	x, err := parseJSON(a)
	if err != nil {
		return 0, err
	}
	y, err := parseJSON(b)
	if err != nil {
		return 0, err
	}
	switch {
	case x.object != y.object:
		if x.object {
			return 1, nil
		}
		return -1, nil
	case x.count != y.count:
		return cmp.Compare(x.count, y.count), nil
	case x.scalar != y.scalar:
		if x.scalar {
			return -1, nil
		}
		return 1, nil
	}
	for i := range x.values {
		if x.object {
			if n, err := order(x.keys[i], y.keys[i]); n != 0 || err != nil {
				return n, err
			}
		}
		if n, err := compareJSONValues(x.values[i], y.values[i], order, depth); n != 0 || err != nil {
			return n, err
		}
	}
	return 0, nil
}

func compareJSONValues(x, y jsonValue, order func(a, b []byte) (int, error), depth int) (int, error) {
	if x.kind != y.kind {
		return cmp.Compare(x.kind, y.kind), nil
	}
	switch x.kind {
	case jsonString:
		return order(x.data, y.data)
	case jsonNumber:
		p, err := x.numeric()
		if err != nil {
			return 0, err
		}
		q, err := y.numeric()
		if err != nil {
			return 0, err
		}
		return compareNumerics(nil, p, q)
	case jsonBool:
		switch {
		case x.bool == y.bool:
			return 0, nil
		case x.bool:
			return 1, nil
		}
		return -1, nil
	case jsonArrayKind, jsonObjectKind:
		return compareJSON(x.data, y.data, order, depth+1)
	}
	return 0, nil
}
