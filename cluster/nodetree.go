package cluster

import (
	"strconv"
	"strings"

	"github.com/pipescan/pipescan/pgfile"
)

// node is a node of a pg_node_tree, the text in which PostgreSQL stores parse
// trees:
//
//	{TYPE :field value :field value ...}
//
// where a value is a node, a list in parentheses, <> for nothing, or bare
// words up to the next field.
type node struct {
	typ    string
	fields map[string]nodeValue
}

// nodeValue is a field: one of the three is set, none for <>.
type nodeValue struct {
	node  *node
	list  []nodeValue
	words []string
}

// word is the field's only word, "" when it is something else.
func (n *node) word(field string) string {
	if v := n.fields[field]; len(v.words) == 1 {
		return v.words[0]
	}
	return ""
}

// int is a field that is a number.
func (n *node) int(field string) (int64, error) {
	v, err := strconv.ParseInt(n.word(field), 10, 64)
	if err != nil {
		return 0, pgfile.Corruptf(-1, "node tree: field %s of %s is %q, not a number", field, n.typ, n.word(field))
	}
	return v, nil
}

// maxNodeDepth is deeper than any bound is nested.
const maxNodeDepth = 100

// parseNode parses one node tree.
func parseNode(text string) (*node, error) {
	p := &nodeParser{rest: text}
	v, err := p.value(0)
	if err != nil {
		return nil, err
	}
	if v.node == nil || p.token() != "" {
		return nil, errNodeTree
	}
	return v.node, nil
}

var errNodeTree error = pgfile.Corruptf(-1, "malformed node tree")

type nodeParser struct{ rest string }

// token takes the next word, parenthesis, brace or bracket; "" at the end. A
// backslash takes the next character literally.
func (p *nodeParser) token() string {
	p.rest = strings.TrimLeft(p.rest, " \n\t")
	if p.rest == "" {
		return ""
	}
	if strings.IndexByte("(){}[]", p.rest[0]) >= 0 {
		t := p.rest[:1]
		p.rest = p.rest[1:]
		return t
	}
	i := 0
	for i < len(p.rest) && strings.IndexByte(" \n\t(){}[]", p.rest[i]) < 0 {
		if p.rest[i] == '\\' && i+1 < len(p.rest) {
			i++
		}
		i++
	}
	t := p.rest[:i]
	p.rest = p.rest[i:]
	return t
}

// peek is token without taking it.
func (p *nodeParser) peek() string {
	rest := p.rest
	t := p.token()
	p.rest = rest
	return t
}

// value parses a node, a list, <>, or words.
func (p *nodeParser) value(depth int) (nodeValue, error) {
	if depth > maxNodeDepth {
		return nodeValue{}, errNodeTree
	}
	switch t := p.peek(); t {
	case "{":
		p.token()
		n, err := p.node(depth)
		return nodeValue{node: n}, err
	case "(":
		p.token()
		return p.list(depth)
	case "<>":
		p.token()
		return nodeValue{}, nil
	case "", ")", "}":
		return nodeValue{}, errNodeTree
	}
	return nodeValue{words: p.words()}, nil
}

// node parses what follows the opening brace.
func (p *nodeParser) node(depth int) (*node, error) {
	n := &node{typ: p.token(), fields: map[string]nodeValue{}}
	for {
		field := p.token()
		if field == "}" {
			return n, nil
		}
		name, ok := strings.CutPrefix(field, ":")
		if !ok {
			return nil, errNodeTree
		}
		if next := p.peek(); next == "}" || strings.HasPrefix(next, ":") {
			continue // an empty field
		}
		v, err := p.value(depth + 1)
		if err != nil {
			return nil, err
		}
		n.fields[name] = v
	}
}

// list parses what follows the opening parenthesis.
func (p *nodeParser) list(depth int) (nodeValue, error) {
	v := nodeValue{list: []nodeValue{}}
	for p.peek() != ")" {
		if t := p.peek(); t != "{" && t != "(" && t != "<>" {
			if t == "" || t == "}" {
				return v, errNodeTree
			}
			v.list = append(v.list, nodeValue{words: []string{p.token()}})
			continue
		}
		e, err := p.value(depth + 1)
		if err != nil {
			return v, err
		}
		v.list = append(v.list, e)
	}
	p.token()
	return v, nil
}

// words takes bare words up to the next field or the end of the node.
func (p *nodeParser) words() []string {
	var out []string
	for {
		switch t := p.peek(); {
		case t == "" || t == "}" || t == ")" || t == "{" || strings.HasPrefix(t, ":"):
			return out
		}
		out = append(out, p.token())
	}
}
