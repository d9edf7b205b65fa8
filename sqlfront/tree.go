package sqlfront

// A tree is an object of the parser's JSON: a node's fields in their order. The
// parser leaves out fields that are zero, so an absent field is its zero value.
// Objects are slices, not maps, because a list of a hundred thousand constants
// is as many objects of two fields.
type tree []field

type field struct {
	name  string
	value any // string, int, bool, nil, tree or []any
}

// get is the value of a field, nil if absent.
func (t tree) get(name string) any {
	for i := range t {
		if t[i].name == name {
			return t[i].value
		}
	}
	return nil
}

// str is a string field, "" if absent.
func (t tree) str(name string) string {
	s, _ := t.get(name).(string)
	return s
}

// flag is a boolean field, false if absent.
func (t tree) flag(name string) bool {
	b, _ := t.get(name).(bool)
	return b
}

// num is a number field, 0 if absent. The parser's numbers are 32 bits wide.
func (t tree) num(name string) int {
	n, _ := t.get(name).(int)
	return n
}

// sub is an object field that is not a node, such as RangeVar's alias; nil if
// absent.
func (t tree) sub(name string) tree {
	s, _ := t.get(name).(tree)
	return s
}

// node is a field that holds a node, the zero node if absent.
func (t tree) node(name string) node { return asNode(t.get(name)) }

// nodes is a field that holds a list of nodes, nil if absent.
func (t tree) nodes(name string) []node {
	items, _ := t.get(name).([]any)
	list := make([]node, len(items))
	for i := range items {
		list[i] = asNode(items[i])
	}
	return list
}

// trees is a field that holds a list of objects that are not nodes.
func (t tree) trees(name string) []tree {
	items, _ := t.get(name).([]any)
	list := make([]tree, len(items))
	for i := range items {
		list[i], _ = items[i].(tree)
	}
	return list
}

// names is a field that holds a list of String nodes, as qualified names are.
func (t tree) names(name string) []string { return stringsOf(t.nodes(name)) }

// A node is one node of the parse tree: in JSON {"Kind": {fields}}. The zero
// node is none.
type node struct {
	kind string
	tree
}

func asNode(v any) node {
	t, ok := v.(tree)
	if !ok || len(t) != 1 {
		return node{}
	}
	fields, _ := t[0].value.(tree)
	return node{kind: t[0].name, tree: fields}
}

// none says whether there is no node.
func (n node) none() bool { return n.kind == "" }

// stringsOf are the texts of String nodes; other nodes (a star) give "".
func stringsOf(list []node) []string {
	names := make([]string, len(list))
	for i, n := range list {
		names[i] = n.str("sval")
	}
	return names
}
