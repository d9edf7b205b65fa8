package datum

import (
	"encoding/binary"

	"github.com/pipescan/pipescan/pgfile"
)

// jsonpath (utils/jsonpath.h). A 32-bit header holds the version, 1, and in
// its top bit whether the path is lax. Items follow:
//
//	type (1 byte) | to a multiple of 4 | next (4 bytes) | what the type asks for
//
// A path is a chain of items linked by next, 0 at its end. Places of other
// items are counted from the item's own first byte, and lie behind it.

const (
	jsonpathVersion = 1
	jsonpathLax     = 1 << 31

	// maxPathDepth keeps a hostile jsonpath from exhausting the stack.
	maxPathDepth = 20000

	// maxPathText is what the server, too, does not exceed in printing a value.
	// Numbers need it: five bytes can print as 131,072 digits.
	maxPathText = 1<<30 - 1
)

// Item types. The first four are those of jsonb scalars.
const (
	pathNull, pathString, pathNumeric, pathBool            = 0, 1, 2, 3
	pathAnd, pathOr, pathNot, pathIsUnknown                = 4, 5, 6, 7
	pathEqual, pathGreaterOrEqual, pathAdd, pathSub        = 8, 13, 14, 15
	pathMul, pathMod, pathPlus, pathMinus                  = 16, 18, 19, 20
	pathAnyArray, pathAnyKey, pathIndexArray, pathAny      = 21, 22, 23, 24
	pathKey, pathCurrent, pathRoot, pathVariable           = 25, 26, 27, 28
	pathFilter, pathExists, pathDatetime, pathLast         = 29, 30, 37, 40
	pathStartsWith, pathLikeRegex, pathDecimal             = 41, 42, 46
	pathTime, pathTimeTZ, pathTimestamp, pathTimestampTZ   = 50, 51, 52, 53
	pathPriorityOfOr, pathPriorityOfSign, pathPriorityRest = 0, 5, 6
)

// pathWords are how items print that have a word of their own: binary
// operators, methods, and what opens a method with an argument. Those from
// .bigint() on came with version 17.
var pathWords = [...]string{
	pathAnd: "&&", pathOr: "||",
	pathEqual: "==", 9: "!=", 10: "<", 11: ">", 12: "<=", pathGreaterOrEqual: ">=",
	pathAdd: "+", pathSub: "-", pathMul: "*", 17: "/", pathMod: "%", pathStartsWith: "starts with",
	pathPlus: "+", pathMinus: "-", pathNull: "null", pathAnyArray: "[*]",
	pathCurrent: "@", pathRoot: "$", pathLast: "last",
	pathNot: "!(", pathIsUnknown: "(", pathFilter: "?(", pathExists: "exists (",
	31: ".type()", 32: ".size()", 33: ".abs()", 34: ".floor()", 35: ".ceiling()", 36: ".double()",
	pathDatetime: ".datetime(", 38: ".keyvalue()",
	43: ".bigint()", 44: ".boolean()", 45: ".date()", pathDecimal: ".decimal(",
	47: ".integer()", 48: ".number()", 49: ".string()",
	pathTime: ".time(", pathTimeTZ: ".time_tz(", pathTimestamp: ".timestamp(", pathTimestampTZ: ".timestamp_tz(",
}

// pathPriority is how strongly an item binds.
func pathPriority(typ byte) int {
	switch {
	case typ == pathOr:
		return pathPriorityOfOr
	case typ == pathAnd:
		return 1
	case typ >= pathEqual && typ <= pathGreaterOrEqual, typ == pathStartsWith:
		return 2
	case typ == pathAdd, typ == pathSub:
		return 3
	case typ >= pathMul && typ <= pathMod:
		return 4
	case typ == pathPlus, typ == pathMinus:
		return pathPriorityOfSign
	}
	return pathPriorityRest
}

// pathPrinter prints a jsonpath.
type pathPrinter struct {
	data  []byte // the items
	dst   []byte
	start int // of the text in dst
	e     *Env
	depth int
	// left and unused count down the items that may still be visited and the
	// bytes that strings may still claim. In a sound path each item is visited
	// once and no bytes are shared; in a bad one, a few bytes must not print as
	// gigabytes.
	left, unused int
}

// pathItem is one item.
type pathItem struct {
	typ  byte
	at   int    // its first byte in data
	next int    // place of the next item, 0: none
	body []byte // from behind next to the end of data
}

func textJSONPath(dst, v []byte, e *Env) ([]byte, error) {
	if len(v) < 4 {
		return dst, pgfile.Corruptf(-1, "a jsonpath has %d bytes, too few for its header", len(v))
	}
	header := binary.LittleEndian.Uint32(v)
	if header&^jsonpathLax != jsonpathVersion {
		return dst, pgfile.Corruptf(-1, "a jsonpath has version %d, not %d", header&^jsonpathLax, jsonpathVersion)
	}
	if header&jsonpathLax == 0 {
		dst = append(dst, "strict "...)
	}
	p := &pathPrinter{data: v[4:], dst: dst, start: len(dst), e: e, left: len(v)/5 + 1, unused: len(v)}
	root, err := p.item(0)
	if err == nil {
		err = p.chain(root, false, true)
	}
	return p.dst, err
}

func valueJSONPath(v []byte, e *Env) (any, error) { return textValue(textJSONPath, v, e) }

// item reads the item at a place.
func (p *pathPrinter) item(at int) (pathItem, error) {
	start := (at + 1 + 3) &^ 3
	if p.left--; p.left < 0 {
		return pathItem{}, pgfile.Corruptf(-1, "the items of a jsonpath refer to each other in a mesh")
	}
	if start+4 > len(p.data) {
		return pathItem{}, pgfile.Corruptf(-1, "an item of a jsonpath starts at byte %d of %d", at, len(p.data))
	}
	i := pathItem{typ: p.data[at], at: at, body: p.data[start+4:]}
	if offset := p.data[start:]; binary.LittleEndian.Uint32(offset) != 0 {
		next, err := p.follow(i, offset)
		if err != nil {
			return i, err
		}
		i.next = next
	}
	return i, nil
}

// follow turns an offset stored in an item into a place.
func (p *pathPrinter) follow(i pathItem, offset []byte) (int, error) {
	n := int32(binary.LittleEndian.Uint32(offset))
	if n <= 0 || int(n) >= len(p.data)-i.at {
		return 0, pgfile.Corruptf(-1, "the item at byte %d of a jsonpath refers to one %d bytes away", i.at, n)
	}
	return i.at + int(n), nil
}

// word returns the n-th 32-bit word of an item's body.
func (i pathItem) word(n int) ([]byte, error) {
	if 4*n+4 > len(i.body) {
		return nil, pgfile.Corruptf(-1, "the item at byte %d of a jsonpath is cut off", i.at)
	}
	return i.body[4*n : 4*n+4], nil
}

// operand reads the item that the n-th word of i refers to; ok is false if the
// word is 0.
func (p *pathPrinter) operand(i pathItem, n int) (arg pathItem, ok bool, err error) {
	w, err := i.word(n)
	if err != nil || binary.LittleEndian.Uint32(w) == 0 {
		return arg, false, err
	}
	at, err := p.follow(i, w)
	if err != nil {
		return arg, false, err
	}
	arg, err = p.item(at)
	return arg, err == nil, err
}

// chain prints an item and those linked behind it. inKey says that something
// stands before it, which a key is separated from by a point; parens says that
// an operator is put in parentheses.
func (p *pathPrinter) chain(i pathItem, inKey, parens bool) error {
	if p.depth++; p.depth > maxPathDepth {
		return pgfile.Corruptf(-1, "a jsonpath is nested more than %d deep", maxPathDepth)
	}
	defer func() { p.depth-- }()
	for {
		if err := p.print(i, inKey, parens); err != nil || i.next == 0 {
			return err
		}
		if len(p.dst)-p.start > maxPathText {
			return pgfile.Corruptf(-1, "a jsonpath of %d bytes prints as more than %d", len(p.data), maxPathText)
		}
		next, err := p.item(i.next)
		if err != nil {
			return err
		}
		i, inKey, parens = next, true, true
	}
}

// claim takes n bytes from the start of b, the rest of the item i.
func (p *pathPrinter) claim(i pathItem, b []byte, n uint64) ([]byte, error) {
	if n > uint64(len(b)) || n > uint64(p.unused) {
		return nil, pgfile.Corruptf(-1, "the item at byte %d of a jsonpath claims %d bytes of %d, or shares them with others", i.at, n, len(b))
	}
	p.unused -= int(n)
	return b[:n], nil
}

func (p *pathPrinter) text(s string) { p.dst = append(p.dst, s...) }
