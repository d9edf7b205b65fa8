package qual

import (
	"bytes"
	"strconv"
	"strings"

	"github.com/pipescan/pipescan/catalog"
	"github.com/pipescan/pipescan/datum"
)

func init() {
	family("jsonb_", phNone, phNone, orderJSON)
	comparisons["jsonb_eq"].cmp = equalJSON
	comparisons["jsonb_ne"].cmp = equalJSON
	get := func(find func(c *jsonContainer, arg []byte) (jsonValue, bool), text bool) rowFunc {
		return func(c *fctx, dst []byte, args [][]byte) ([]byte, error) {
			j, err := parseJSON(args[0])
			if err != nil {
				return nil, err
			}
			v, ok := find(j, args[1])
			return c.jsonResult(dst, v, ok, text)
		}
	}
	element := func(c *jsonContainer, arg []byte) (jsonValue, bool) { return c.element(int(getInt32(arg))) }
	kernels["jsonb_object_field"], kernels["jsonb_object_field_text"] = get((*jsonContainer).field, false), get((*jsonContainer).field, true)
	kernels["jsonb_array_element"], kernels["jsonb_array_element_text"] = get(element, false), get(element, true)
	kernels["jsonb_extract_path"], kernels["jsonb_extract_path_text"] = jsonPath(false), jsonPath(true)
	kernels["jsonb_exists"] = func(_ *fctx, dst []byte, args [][]byte) ([]byte, error) {
		j, err := parseJSON(args[0])
		if err != nil {
			return nil, err
		}
		return appendBoolByte(dst, j.has(args[1])), nil
	}
	kernels["jsonb_exists_any"], kernels["jsonb_exists_all"] = jsonExists(false), jsonExists(true)
	kernels["jsonb_contains"] = func(_ *fctx, dst []byte, args [][]byte) ([]byte, error) {
		return jsonContains(dst, args[0], args[1])
	}
	kernels["jsonb_contained"] = func(_ *fctx, dst []byte, args [][]byte) ([]byte, error) {
		return jsonContains(dst, args[1], args[0])
	}
	kernels["jsonb_typeof"] = jsonTypeof
	kernels["jsonb_array_length"] = jsonArrayLength
	kernels["jsonb_concat"] = jsonConcat
	jsonCasts()
}

// jsonResult appends a found value, as jsonb or as text.
func (c *fctx) jsonResult(dst []byte, v jsonValue, ok, text bool) ([]byte, error) {
	if !ok {
		return nil, nil
	}
	if !text {
		return v.appendJSONB(dst), nil
	}
	dst, ok, err := v.appendText(dst, c.env)
	if !ok || err != nil {
		return nil, err
	}
	return dst, nil
}

func equalJSON(_ *fctx, a, b []byte) (int, error) {
	return compareJSON(a, b, func(a, b []byte) (int, error) { return bytes.Compare(a, b), nil }, 0)
}

// orderJSON orders strings by the database's collation.
func orderJSON(c *fctx, a, b []byte) (int, error) {
	return compareJSON(a, b, func(a, b []byte) (int, error) {
		if bytes.Equal(a, b) {
			return 0, nil
		}
		if !c.a.defaultColl().bytewise {
			return 0, unsupportedf("order of jsonb strings under collation %s", c.a.defaultColl().name)
		}
		return bytes.Compare(a, b), nil
	}, 0)
}

// has says whether a string is a key, or an element of an array, at the top.
func (c *jsonContainer) has(key []byte) bool {
	if c.object {
		_, ok := c.field(key)
		return ok
	}
	for _, v := range c.values {
		if v.kind == jsonString && bytes.Equal(v.data, key) {
			return true
		}
	}
	return false
}

// jsonExists is ?| and ?&; NULLs among the keys do not count.
func jsonExists(all bool) rowFunc {
	return func(c *fctx, dst []byte, args [][]byte) ([]byte, error) {
		j, err := parseJSON(args[0])
		if err != nil {
			return nil, err
		}
		keys, err := c.texts(args[1])
		if err != nil {
			return nil, err
		}
		for _, k := range keys {
			if k != nil && j.has(k) != all {
				return appendBoolByte(dst, !all), nil
			}
		}
		return appendBoolByte(dst, all), nil
	}
}

// texts are the elements of a text array.
func (c *fctx) texts(v []byte) ([][]byte, error) {
	h, err := readArray(v)
	if err != nil {
		return nil, err
	}
	return h.elements(c.a.elemType(catalog.TextOID), nil)
}

// jsonPath is #> and #>>.
func jsonPath(text bool) rowFunc {
	return func(c *fctx, dst []byte, args [][]byte) ([]byte, error) {
		path, err := c.texts(args[1])
		if err != nil {
			return nil, err
		}
		for _, p := range path {
			if p == nil {
				return nil, nil
			}
		}
		j, err := parseJSON(args[0])
		if err != nil {
			return nil, err
		}
		if len(path) == 0 {
			return c.jsonResult(dst, j.whole(), true, text)
		}
		for i, p := range path {
			v, ok := j.step(p)
			if !ok || i == len(path)-1 {
				return c.jsonResult(dst, v, ok, text)
			}
			if v.kind < jsonArrayKind {
				return nil, nil
			}
			if j, err = parseJSON(v.data); err != nil {
				return nil, err
			}
		}
		return nil, nil
	}
}

// whole is the container as a value.
func (c *jsonContainer) whole() jsonValue {
	switch {
	case c.scalar:
		return c.values[0]
	case c.object:
		return jsonValue{kind: jsonObjectKind, data: c.raw}
	}
	return jsonValue{kind: jsonArrayKind, data: c.raw}
}

// step follows one part of a path: a key, or a number in an array.
func (c *jsonContainer) step(p []byte) (jsonValue, bool) {
	switch {
	case c.object:
		return c.field(p)
	case c.scalar:
		return jsonValue{}, false
	}
	n, err := strconv.ParseInt(strings.TrimLeft(string(p), " \t\n\v\f\r"), 10, 32)
	if err != nil {
		return jsonValue{}, false
	}
	return c.element(int(n))
}

func jsonContains(dst, outer, inner []byte) ([]byte, error) {
	ok, err := deepContains(outer, inner, 0)
	if err != nil {
		return nil, err
	}
	return appendBoolByte(dst, ok), nil
}

// deepContains is JsonbDeepContains.
func deepContains(outer, inner []byte, depth int) (bool, error) {
	if depth > maxJSONDepth {
		return false, errJSON()
	}
	x, err := parseJSON(outer)
	if err != nil {
		return false, err
	}
	y, err := parseJSON(inner)
	if err != nil {
		return false, err
	}
	if x.object != y.object || x.scalar && !y.scalar {
		return false, nil
	}
	for i, v := range y.values {
		var ok bool
		if y.object {
			w, found := x.field(y.keys[i])
			if !found {
				return false, nil
			}
			ok, err = containsValue(w, v, depth)
		} else {
			ok, err = x.containsElement(v, depth)
		}
		if !ok || err != nil {
			return false, err
		}
	}
	return true, nil
}

func (c *jsonContainer) containsElement(v jsonValue, depth int) (bool, error) {
	for _, w := range c.values {
		if ok, err := containsValue(w, v, depth); ok || err != nil {
			return ok, err
		}
	}
	return false, nil
}

// containsValue: scalars by equality, containers by containment.
func containsValue(x, y jsonValue, depth int) (bool, error) {
	if x.kind != y.kind {
		return false, nil
	}
	if x.kind >= jsonArrayKind {
		return deepContains(x.data, y.data, depth+1)
	}
	n, err := compareJSONValues(x, y, func(a, b []byte) (int, error) { return bytes.Compare(a, b), nil }, depth)
	return n == 0 && err == nil, err
}

var jsonTypeNames = [...]string{"null", "string", "number", "boolean", "array", "object"}

func jsonTypeof(_ *fctx, dst []byte, args [][]byte) ([]byte, error) {
	j, err := parseJSON(args[0])
	if err != nil {
		return nil, err
	}
	return append(dst, jsonTypeNames[j.whole().kind]...), nil
}

func jsonArrayLength(_ *fctx, dst []byte, args [][]byte) ([]byte, error) {
	j, err := parseJSON(args[0])
	switch {
	case err != nil:
		return nil, err
	case j.scalar:
		return nil, sqlErrorf("22023", "cannot get array length of a scalar")
	case j.object:
		return nil, sqlErrorf("22023", "cannot get array length of a non-array")
	}
	return appendInt(dst, int32(j.count)), nil
}

// jsonConcat is ||: objects are merged, all else becomes one array.
func jsonConcat(c *fctx, dst []byte, args [][]byte) ([]byte, error) {
	x, err := parseJSON(args[0])
	if err != nil {
		return nil, err
	}
	y, err := parseJSON(args[1])
	if err != nil {
		return nil, err
	}
	if x.object == y.object {
		switch {
		case x.count == 0 && !y.scalar:
			return append(dst, args[1]...), nil
		case y.count == 0 && !x.scalar:
			return append(dst, args[0]...), nil
		}
	}
	// The text of the result makes the jsonb; of equal keys the last counts.
	var text []byte
	both := x.object && y.object
	for _, j := range []*jsonContainer{x, y} {
		part, err := c.appendOutput(nil, catalog.JSONBOID, j.raw)
		if err != nil {
			return nil, err
		}
		if j.object == both && !j.scalar {
			part = part[1 : len(part)-1]
		}
		if len(text) > 0 && len(part) > 0 {
			text = append(text, ',')
		}
		text = append(text, part...)
	}
	open, closed := "[", "]"
	if both {
		open, closed = "{", "}"
	}
	v, err := datum.ParseText(catalog.JSONBOID, -1, []byte(open+string(text)+closed), c.env)
	return append(dst, v...), inputError(err)
}

// jsonCasts registers the casts from jsonb; null becomes NULL from 18 on.
func jsonCasts() {
	scalar := func(typ string, kind jsonKind, then rowFunc) rowFunc {
		return func(c *fctx, dst []byte, args [][]byte) ([]byte, error) {
			j, err := parseJSON(args[0])
			if err != nil {
				return nil, err
			}
			v := j.whole()
			switch {
			case v.kind == jsonNull && c.env.Major >= 18:
				return nil, nil
			case v.kind != kind:
				return nil, sqlErrorf("22023", "cannot cast jsonb %s to type %s", jsonTypeNames[v.kind], typ)
			case kind == jsonBool:
				return appendBoolByte(dst, v.bool), nil
			}
			n, err := v.numeric()
			if err != nil {
				return nil, err
			}
			return then(c, dst, [][]byte{n})
		}
	}
	kernels["jsonb_bool"] = scalar("boolean", jsonBool, nil)
	kernels["jsonb_numeric"] = scalar("numeric", jsonNumber, func(_ *fctx, dst []byte, args [][]byte) ([]byte, error) {
		return append(dst, args[0]...), nil
	})
	for name, cast := range map[string][2]string{
		"jsonb_int2": {"smallint", "numeric_int2"}, "jsonb_int4": {"integer", "numeric_int4"}, "jsonb_int8": {"bigint", "numeric_int8"},
		"jsonb_float4": {"real", "numeric_float4"}, "jsonb_float8": {"double precision", "numeric_float8"},
	} {
		kernels[name] = scalar(cast[0], jsonNumber, func(c *fctx, dst []byte, args [][]byte) ([]byte, error) {
			return kernels[cast[1]](c, dst, args)
		})
	}
}
