package sqlfront

import "strings"

// maxText bounds the text given to the parser, and with it memory: the tree of
// one byte of text takes up to some 300 bytes.
const maxText = 1 << 20

// depthOf bounds the depth of the parse tree of a text from above, without
// parsing it. Trees grow deep in three ways: brackets (and CASE ... END), long
// chains of operators, which lean to the left, and prefixes (NOT NOT NOT). So a
// text is as deep as the number of words in it, counted anew in each bracket,
// and counted anew after each comma, AND, OR and WHEN, because these make lists
// and not levels. Set operations, joins and the like are counted over the whole
// text, lest an AND between them hide them.
//
//	a IN (1, 2, 3) AND b = f(c + d)
//	              |               |
//	     2 words + 1 level        3 words + 3 words in brackets
func depthOf(text string) int {
	d := depthCounter{}
	l := lexer{text: text}
	for l.next() {
		d.count(l.kind, l.word)
	}
	for len(d.open) > 0 {
		d.close()
	}
	d.end()
	return d.deepest + d.sticky
}

// depthCounter holds what depthOf knows of the brackets that are open.
type depthCounter struct {
	segment int     // words since the last comma, AND, OR or bracket opened
	inner   int     // of the deepest bracket closed in this segment
	deepest int     // of the segments that ended in this bracket
	open    []level // the brackets around this one
	sticky  int
}

// A level is what was known of a bracket when another was opened in it.
type level struct{ segment, inner, deepest int }

// end ends a segment.
func (d *depthCounter) end() {
	d.deepest = max(d.deepest, d.segment+d.inner)
	d.segment, d.inner = 0, 0
}

func (d *depthCounter) push() {
	d.open = append(d.open, level{d.segment + 1, d.inner, d.deepest})
	d.segment, d.inner, d.deepest = 0, 0, 0
}

// close ends the innermost bracket; one that was never opened is a syntax error
// that the parser will report.
func (d *depthCounter) close() {
	if len(d.open) == 0 {
		d.segment++
		return
	}
	d.end()
	depth := d.deepest
	outer := d.open[len(d.open)-1]
	d.open = d.open[:len(d.open)-1]
	d.segment, d.inner, d.deepest = outer.segment, max(outer.inner, depth), outer.deepest
}

func (d *depthCounter) count(kind tokenKind, word string) {
	switch {
	case kind == tokenOpen:
		d.push()
	case kind == tokenClose:
		d.close()
	case kind == tokenComma:
		d.end()
	case kind != tokenWord:
		d.segment++
	default:
		d.countWord(strings.ToLower(word))
	}
}

func (d *depthCounter) countWord(word string) {
	switch word {
	case "case":
		d.push()
	case "end":
		d.close()
	case "and", "or", "when", "then", "else":
		d.end()
	case "union", "intersect", "except", "join", "with":
		d.sticky++
	case "select": // three nodes: the subquery, the statement, an entry of its list
		d.sticky += 3
	default:
		d.segment++
	}
}
