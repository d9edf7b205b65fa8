package datum

import (
	"encoding/binary"
	"strconv"

	"github.com/pipescan/pipescan/pgfile"
)

// Text search types (tsearch/ts_type.h).
//
// A tsvector is a count, that many words of 32 bits, and their lexemes:
//
//	count | entry 0 | entry 1 | ... | lexemes and positions
//	        bit 0: has positions; 1 to 11: length; 12 to 31: offset in the lexemes
//
// The positions of a lexeme follow it at the next even offset: a 16-bit count
// and 16-bit words of a weight (2 bits, 3 is A, 0 is D) and a position (14).
//
// A tsquery is a count, that many nodes of 12 bytes in prefix order with the
// right operand before the left, and the operands' texts, each ended by a NUL:
//
//	operand    1 | weights | prefix | - | crc (4) | length (12 bits), offset (20)
//	operator   2 | kind | distance (2)  | how many nodes on the left operand starts (4)

func textTSVector(dst, v []byte, _ *Env) ([]byte, error) {
	if len(v) < 4 {
		return dst, pgfile.Corruptf(-1, "a tsvector has %d bytes, too few for its count", len(v))
	}
	le := binary.LittleEndian
	n, words := uint64(le.Uint32(v)), v[4:]
	if 4*n > uint64(len(words)) {
		return dst, pgfile.Corruptf(-1, "a tsvector of %d lexemes has %d bytes", n, len(v))
	}
	lexemes := words[4*n:]
	unused := len(lexemes) // lexemes do not share bytes: else a small value could print as a huge one
	for i := range int(n) {
		word := le.Uint32(words[4*i:])
		start := int(word >> 12)
		end := start + int(word>>1&0x7ff)
		unused -= end - start
		if end > len(lexemes) || unused < 0 {
			return dst, pgfile.Corruptf(-1, "lexeme %d of a tsvector ends at byte %d of %d, or overlaps others", i, end, len(lexemes))
		}
		if i > 0 {
			dst = append(dst, ' ')
		}
		dst = appendLexeme(dst, lexemes[start:end])
		if word&1 == 0 {
			continue
		}
		positions, err := positionsAt(lexemes, (end+1)&^1)
		if unused -= 2 + len(positions); err == nil && unused < 0 {
			err = pgfile.Corruptf(-1, "positions of lexeme %d of a tsvector overlap others", i)
		}
		if err != nil {
			return dst, err
		}
		dst = appendPositions(dst, positions)
	}
	return dst, nil
}

// appendLexeme appends a lexeme in quotes, with quotes and backslashes doubled.
func appendLexeme(dst, lexeme []byte) []byte {
	dst = append(dst, '\'')
	for _, c := range lexeme {
		if c == '\'' || c == '\\' {
			dst = append(dst, c)
		}
		dst = append(dst, c)
	}
	return append(dst, '\'')
}

// positionsAt returns the positions whose count is stored at an offset of the
// lexemes, two bytes each.
func positionsAt(lexemes []byte, at int) ([]byte, error) {
	if at+2 > len(lexemes) {
		return nil, pgfile.Corruptf(-1, "positions of a tsvector start at byte %d of %d", at, len(lexemes))
	}
	n := int(binary.LittleEndian.Uint16(lexemes[at:]))
	if at+2+2*n > len(lexemes) {
		return nil, pgfile.Corruptf(-1, "%d positions of a tsvector start at byte %d of %d", n, at, len(lexemes))
	}
	return lexemes[at+2:][:2*n], nil
}

// appendPositions appends positions and their weights; D is not written.
func appendPositions(dst, positions []byte) []byte {
	sep := byte(':')
	for ; len(positions) > 0; positions = positions[2:] {
		p := binary.LittleEndian.Uint16(positions)
		dst = strconv.AppendUint(append(dst, sep), uint64(p&0x3fff), 10)
		if w := p >> 14; w > 0 {
			dst = append(dst, "DCBA"[w])
		}
		sep = ','
	}
	return dst
}

// Node types and operators of a tsquery.
const (
	queryNodeSize = 12
	queryOperand  = 1
	queryOperator = 2

	queryNot, queryAnd, queryOr, queryPhrase = 1, 2, 3, 4

	// maxQueryDepth keeps a hostile tsquery from exhausting the stack; the
	// server has a limit too, at a depth that depends on max_stack_depth.
	maxQueryDepth = 20000
)

// queryPriority is how strongly an operator binds.
var queryPriority = [...]int{queryNot: 4, queryAnd: 2, queryOr: 1, queryPhrase: 3}

// tsquery is a tsquery taken apart; nodes and texts alias the payload.
type tsquery struct {
	nodes  []byte
	texts  []byte
	unused int // bytes of texts not yet claimed: operands do not share any
}

func textTSQuery(dst, v []byte, _ *Env) ([]byte, error) {
	if len(v) < 4 {
		return dst, pgfile.Corruptf(-1, "a tsquery has %d bytes, too few for its count", len(v))
	}
	n, rest := uint64(binary.LittleEndian.Uint32(v)), v[4:]
	if queryNodeSize*n > uint64(len(rest)) {
		return dst, pgfile.Corruptf(-1, "a tsquery of %d nodes has %d bytes", n, len(v))
	}
	if n == 0 {
		return dst, nil
	}
	q := tsquery{nodes: rest[:queryNodeSize*n], texts: rest[queryNodeSize*n:]}
	q.unused = len(q.texts)
	return q.write(dst, 0, int(n), queryPlace{})
}

// queryPlace is where in the tree a node is written.
type queryPlace struct {
	priority    int  // of the operator above
	rightPhrase bool // the right operand of a phrase operator
	depth       int
}

// write appends the subtree that fills the nodes from i to end. As every node
// belongs to one call only, the work is bounded whatever the nodes say.
func (q *tsquery) write(dst []byte, i, end int, at queryPlace) (_ []byte, err error) {
	if i >= end || at.depth > maxQueryDepth {
		return dst, pgfile.Corruptf(-1, "node %d of a tsquery has no operand, or more than %d operators above it", i, maxQueryDepth)
	}
	node := q.nodes[queryNodeSize*i:][:queryNodeSize]
	switch {
	case node[0] == queryOperand && i+1 == end:
		return q.writeOperand(dst, node)
	case node[0] != queryOperator || node[1] < queryNot || node[1] > queryPhrase:
		return dst, pgfile.Corruptf(-1, "node %d of a tsquery has type %d, operator %d and %d nodes below", i, node[0], node[1], end-i-1)
	}
	op := node[1]
	inner := queryPlace{priority: queryPriority[op], depth: at.depth + 1}
	parens := inner.priority < at.priority || op == queryPhrase && at.rightPhrase
	if parens {
		dst = append(dst, "( "...)
	}
	if op == queryNot {
		dst, err = q.write(append(dst, '!'), i+1, end, inner)
	} else {
		dst, err = q.writeBinary(dst, i, end, inner)
	}
	if parens {
		dst = append(dst, " )"...)
	}
	return dst, err
}

// writeBinary appends the operands of the binary operator at node i: the right
// one is stored first and printed last.
func (q *tsquery) writeBinary(dst []byte, i, end int, inner queryPlace) ([]byte, error) {
	op := q.nodes[queryNodeSize*i:][:queryNodeSize]
	skip := binary.LittleEndian.Uint32(op[4:])
	if uint64(skip) >= uint64(end-i) {
		return dst, pgfile.Corruptf(-1, "node %d of a tsquery has its left operand at %d, past its end at %d", i, uint64(i)+uint64(skip), end)
	}
	left := i + int(skip)
	dst, err := q.write(dst, left, end, inner)
	if err != nil {
		return dst, err
	}
	switch distance := int16(binary.LittleEndian.Uint16(op[2:])); {
	case op[1] == queryOr:
		dst = append(dst, " | "...)
	case op[1] == queryAnd:
		dst = append(dst, " & "...)
	case distance == 1:
		dst = append(dst, " <-> "...)
	default:
		dst = strconv.AppendInt(append(dst, " <"...), int64(distance), 10)
		dst = append(dst, "> "...)
	}
	inner.rightPhrase = op[1] == queryPhrase
	return q.write(dst, i+1, left, inner)
}

// writeOperand appends a lexeme with its prefix mark and weights.
func (q *tsquery) writeOperand(dst, node []byte) ([]byte, error) {
	where := binary.LittleEndian.Uint32(node[8:])
	start := int(where >> 12)
	end := start + int(where&0xfff)
	q.unused -= end - start
	if end > len(q.texts) || q.unused < 0 {
		return dst, pgfile.Corruptf(-1, "a lexeme of a tsquery ends at byte %d of %d, or overlaps others", end, len(q.texts))
	}
	dst = appendLexeme(dst, q.texts[start:end])
	weights, prefix := node[1], node[2] != 0
	if weights == 0 && !prefix {
		return dst, nil
	}
	dst = append(dst, ':')
	if prefix {
		dst = append(dst, '*')
	}
	for i, w := range []byte("ABCD") {
		if weights&(8>>i) != 0 {
			dst = append(dst, w)
		}
	}
	return dst, nil
}

// textValue makes the text of a value its Go value.
func textValue(text func(dst, v []byte, e *Env) ([]byte, error), v []byte, e *Env) (any, error) {
	b, err := text(nil, v, e)
	if err != nil {
		return nil, err
	}
	return string(b), nil
}

func valueTSVector(v []byte, e *Env) (any, error) { return textValue(textTSVector, v, e) }
func valueTSQuery(v []byte, e *Env) (any, error)  { return textValue(textTSQuery, v, e) }
