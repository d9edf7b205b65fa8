package datum

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"

	"github.com/pipescan/pipescan/catalog"
	"github.com/pipescan/pipescan/pgfile"
)

// Input of arrays (array_in): {1,2,NULL}, {{a,"b c"},{d,e}}, [0:1]={1,2}. The
// payload is drawn in array.go.

// majorNewArrays is the version whose array_in was written anew: it takes empty
// arrays inside arrays.
const majorNewArrays = 17

// arrayParser parses the arrays of an array type.
func arrayParser(t *catalog.Type, typmod int32, e *Env, hops int) (Parser, error) {
	elem, err := e.typeRow(t.Elem)
	if err != nil {
		return nil, err
	}
	p, err := parserOf(t.Elem, typmod, e, hops)
	if err != nil {
		return nil, err
	}
	align, err := alignOf(elem)
	if err != nil {
		return nil, err
	}
	if elem.Len == -2 {
		return nil, fmt.Errorf("arrays of %s: %w", elem.Name, pgfile.ErrUnsupported)
	}
	return func(dst, text []byte) ([]byte, error) {
		a := arrayText{text: text, rest: text, delim: elem.Delim, parse: p, major: e.Major}
		if err := a.read(); err != nil {
			return dst, err
		}
		return a.appendPayload(dst, elem, align)
	}, nil
}

// arrayText is an array literal on its way in.
type arrayText struct {
	text, rest []byte
	delim      byte
	parse      Parser
	major      int

	given  bool // dimensions were given before the braces
	lower  []int32
	upper  []int32
	dims   []int // as the braces have them; -1: not known yet
	data   []byte
	ends   []int // where each element ends in data
	nulls  []bool
	anyNul bool
	buf    []byte
}

func (a *arrayText) malformed(detail string, args ...any) error {
	err := inputErrorf(StateInvalidText, `malformed array literal: "%s"`, a.text)
	err.Detail = formatDetail(detail, args...)
	return err
}

// read reads the whole literal.
func (a *arrayText) read() error {
	if err := a.readBounds(); err != nil {
		return err
	}
	if len(a.rest) == 0 || a.rest[0] != '{' {
		if a.given {
			return a.malformed("Array contents must start with \"{\".")
		}
		return a.malformed(`Array value must start with "{" or dimension information.`)
	}
	if _, err := a.braces(0); err != nil {
		return err
	}
	if a.rest = trimSpace(a.rest); len(a.rest) != 0 {
		return a.malformed("Junk after closing right brace.")
	}
	if len(a.nulls) == 0 {
		a.dims = nil
	}
	if a.given {
		return a.checkBounds()
	}
	return nil
}

// readBounds reads [1:2][3]= before the braces.
func (a *arrayText) readBounds() error {
	for {
		a.rest = trimLeft(a.rest)
		if len(a.rest) == 0 || a.rest[0] != '[' {
			break
		}
		end := bytes.IndexByte(a.rest, ']')
		if end < 0 {
			return a.malformed(`Missing "%s" after array dimensions.`, "]")
		}
		lo, hi, both := bytes.Cut(a.rest[1:end], []byte{':'})
		if !both {
			lo, hi = []byte("1"), lo
		}
		if len(a.lower) == maxArrayDims {
			return inputErrorf(StateProgramLimit, "number of array dimensions exceeds the maximum allowed (%d)", maxArrayDims)
		}
		l, ok := boundOf(lo)
		u, ok2 := boundOf(hi)
		if !ok || !ok2 {
			return a.malformed(`"[" must introduce explicitly-specified array dimensions.`)
		}
		if u < l {
			return inputErrorf(StateArrayError, "upper bound cannot be less than lower bound")
		}
		a.lower, a.upper = append(a.lower, l), append(a.upper, u)
		a.rest = a.rest[end+1:]
		a.given = true
	}
	if !a.given {
		return nil
	}
	if len(a.rest) == 0 || a.rest[0] != '=' {
		return a.malformed(`Missing "%s" after array dimensions.`, "=")
	}
	a.rest = trimLeft(a.rest[1:])
	return nil
}

func boundOf(b []byte) (int32, bool) {
	neg := len(b) > 0 && b[0] == '-'
	if len(b) > 0 && (b[0] == '-' || b[0] == '+') {
		b = b[1:]
	}
	n, ok := atoi(b)
	if neg {
		n = -n
	}
	return int32(n), ok && n < 1<<30
}

func trimLeft(b []byte) []byte {
	for len(b) > 0 && isSpace(b[0]) {
		b = b[1:]
	}
	return b
}

// checkBounds holds the given dimensions against the braces'.
func (a *arrayText) checkBounds() error {
	bad := len(a.dims) != len(a.lower)
	for i := 0; !bad && i < len(a.dims); i++ {
		bad = int(a.upper[i])-int(a.lower[i])+1 != a.dims[i]
	}
	if bad {
		return a.malformed("Specified array dimensions do not match array contents.")
	}
	return nil
}

// braces reads {...} at a depth and returns how many items it has.
func (a *arrayText) braces(depth int) (int, error) {
	if depth == maxArrayDims {
		count := ""
		if a.major < majorNewArrays {
			count = formatDetail(" (%d)", depth+1)
		}
		return 0, inputErrorf(StateProgramLimit, "number of array dimensions%s exceeds the maximum allowed (%d)", count, maxArrayDims)
	}
	if depth == len(a.dims) {
		a.dims = append(a.dims, -1)
	}
	a.rest = trimLeft(a.rest[1:])
	n := 0
	if len(a.rest) > 0 && a.rest[0] == '}' {
		if depth > 0 && a.major < majorNewArrays {
			return n, a.malformed("Unexpected \"}\" character.")
		}
		a.rest = a.rest[1:]
		return n, a.setDim(depth, n)
	}
	for {
		if err := a.item(depth); err != nil {
			return n, err
		}
		n++
		a.rest = trimLeft(a.rest)
		switch {
		case len(a.rest) == 0:
			return n, a.malformed("Unexpected end of input.")
		case a.rest[0] == '}':
			a.rest = a.rest[1:]
			return n, a.setDim(depth, n)
		case a.rest[0] != a.delim:
			return n, a.malformed("Unexpected array element.")
		}
		a.rest = trimLeft(a.rest[1:])
	}
}

// setDim fixes a dimension's length, or holds it against the siblings'.
func (a *arrayText) setDim(depth, n int) error {
	if a.dims[depth] >= 0 && a.dims[depth] != n {
		return a.malformed("Multidimensional arrays must have sub-arrays with matching dimensions.")
	}
	a.dims[depth] = n
	return nil
}

// item reads a sub-array or an element.
func (a *arrayText) item(depth int) error {
	if len(a.rest) == 0 {
		return a.malformed("Unexpected end of input.")
	}
	leaf := depth == len(a.dims)-1
	if a.rest[0] == '{' {
		if leaf && len(a.nulls) > 0 {
			return a.malformed("Multidimensional arrays must have sub-arrays with matching dimensions.")
		}
		_, err := a.braces(depth + 1)
		return err
	}
	if !leaf {
		return a.malformed("Multidimensional arrays must have sub-arrays with matching dimensions.")
	}
	return a.element()
}

// element reads one element and parses it.
func (a *arrayText) element() error {
	a.buf = a.buf[:0]
	quoted, keep, i := false, 0, 0 // keep: bytes that trailing blanks are not cut from
scan:
	for ; i < len(a.rest); i++ {
		switch c := a.rest[i]; {
		case c == '\\':
			if i++; i == len(a.rest) {
				return a.malformed("Unexpected end of input.")
			}
			a.buf = append(a.buf, a.rest[i])
			keep, quoted = len(a.buf), true
		case c == '"':
			if len(a.buf) > 0 || quoted {
				return a.malformed("Incorrectly quoted array element.")
			}
			n, ok := a.quoted(i + 1)
			if !ok {
				return a.malformed("Unexpected end of input.")
			}
			i = n
			keep, quoted = len(a.buf), true
			rest := trimLeft(a.rest[i+1:])
			if len(rest) > 0 && rest[0] != a.delim && rest[0] != '}' {
				return a.malformed("Incorrectly quoted array element.")
			}
			i++
			break scan
		case c == a.delim, c == '}':
			break scan
		case c == '{':
			return a.malformed(`Unexpected "%c" character.`, '{')
		default:
			a.buf = append(a.buf, c)
		}
	}
	a.rest = a.rest[i:]
	for len(a.buf) > keep && isSpace(a.buf[len(a.buf)-1]) {
		a.buf = a.buf[:len(a.buf)-1]
	}
	if len(a.buf) == 0 && !quoted {
		return a.malformed(`Unexpected "%c" character.`, first(a.rest, '}'))
	}
	return a.add(!quoted && bytes.EqualFold(a.buf, []byte("null")))
}

func first(b []byte, otherwise byte) byte {
	if len(b) == 0 {
		return otherwise
	}
	return b[0]
}

// quoted reads up to the closing quote and returns where it stands.
func (a *arrayText) quoted(i int) (int, bool) {
	for ; i < len(a.rest); i++ {
		switch a.rest[i] {
		case '"':
			return i, true
		case '\\':
			if i++; i == len(a.rest) {
				return i, false
			}
		}
		a.buf = append(a.buf, a.rest[i])
	}
	return i, false
}

// add parses the element in buf.
func (a *arrayText) add(null bool) error {
	if len(a.nulls) == maxArrayItems {
		return inputErrorf(StateProgramLimit, "array size exceeds the maximum allowed (%d)", maxArrayItems)
	}
	if !null {
		var err error
		if a.data, err = a.parse(a.data, a.buf); err != nil {
			return err
		}
	}
	a.nulls, a.ends = append(a.nulls, null), append(a.ends, len(a.data))
	a.anyNul = a.anyNul || null
	return nil
}

// appendPayload lays the array out; alignment counts from four bytes before
// the payload, where the varlena header stands.
func (a *arrayText) appendPayload(dst []byte, elem *catalog.Type, align int) ([]byte, error) {
	le, start := binary.LittleEndian, len(dst)
	dst = le.AppendUint32(dst, uint32(len(a.dims)))
	dst = le.AppendUint32(dst, 0)
	dst = le.AppendUint32(dst, elem.OID)
	for _, n := range a.dims {
		dst = le.AppendUint32(dst, uint32(n))
	}
	for i := range a.dims {
		lo := int32(1)
		if a.given {
			lo = a.lower[i]
		}
		dst = le.AppendUint32(dst, uint32(lo))
	}
	if a.anyNul {
		dst = appendNotNullBits(dst, a.nulls)
	}
	if len(a.dims) == 0 {
		return dst, nil
	}
	dst = padTo(dst, start, 8)
	if a.anyNul {
		le.PutUint32(dst[start+4:], uint32(len(dst)-start+varlenaHeader))
	}
	from := 0
	for i, end := range a.ends {
		if !a.nulls[i] {
			if elem.Len == -1 {
				dst = le.AppendUint32(dst, uint32(end-from+varlenaHeader)<<2)
			}
			dst = padTo(append(dst, a.data[from:end]...), start, align)
		}
		from = end
	}
	if len(dst)-start > math.MaxInt32/4 {
		return dst[:start], inputErrorf(StateProgramLimit, "array size exceeds the maximum allowed (%d)", maxArrayItems)
	}
	return dst, nil
}

// appendNotNullBits appends a bitmap, lowest bit first, of what is not null.
func appendNotNullBits(dst []byte, nulls []bool) []byte {
	for i, null := range nulls {
		if i%8 == 0 {
			dst = append(dst, 0)
		}
		if !null {
			dst[len(dst)-1] |= 1 << (i % 8)
		}
	}
	return dst
}

// padTo appends zeros until the offset from start, counted from the start of
// the varlena, is a multiple of align.
func padTo(dst []byte, start, align int) []byte {
	for n := alignUp(len(dst)-start, align) - (len(dst) - start); n > 0; n-- {
		dst = append(dst, 0)
	}
	return dst
}
