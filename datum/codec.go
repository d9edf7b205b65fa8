package datum

import (
	"errors"
	"fmt"

	"github.com/pipescan/pipescan/catalog"
	"github.com/pipescan/pipescan/pgfile"
)

// maxDepth bounds how deep values may lie in one another. PostgreSQL has no
// such number, but every level doubles the backslashes of the levels inside it,
// so that the text of a value this deep is longer than maxTextLen.
const maxDepth = 40

// maxTextLen is the longest text a value may have, the server's own limit
// (MaxAllocSize). Some types have texts of many times their bytes.
const maxTextLen = 0x3fffffff

// maxDomainChain bounds domains over domains; a longer chain is a loop.
const maxDomainChain = 100

// UnsupportedTypeError says that values of a type cannot be read. It is
// pgfile.ErrUnsupported to errors.Is.
type UnsupportedTypeError struct {
	OID  catalog.OID
	Type string // as format_type spells it
}

// Error names the type.
func (e *UnsupportedTypeError) Error() string {
	return fmt.Sprintf("type %s (oid %d) is not supported: leave the column out of the column list to read the rest", e.Type, e.OID)
}

// Is makes errors.Is(err, pgfile.ErrUnsupported) true.
func (e *UnsupportedTypeError) Is(target error) bool { return target == pgfile.ErrUnsupported }

// For returns the codec of a type. Built-in scalar types need no catalogs;
// everything else is looked up with e.Lookup: a domain is its base type, an
// enum needs its labels, a composite type the columns of its relation, an array
// or range its element, any other type the name of its output function. These are resolved when the first value asks for them,
// since types may contain each other.
//
// A type that cannot be read still has a codec: it returns
// *UnsupportedTypeError at its first value, so that a column of nulls can be
// read. Errors of For itself are a catalog that could not be read, or that has
// no such type (*pgfile.CorruptError).
//
// No output function depends on the type modifier; it is asked for so that one
// may.
func For(typeOID catalog.OID, _ int32, e *Env) (Codec, error) {
	if n := builtinNode(typeOID, e); n != nil {
		return codec{n}, nil
	}
	info, err := e.resolve(typeOID)
	if err != nil {
		return nil, err
	}
	return codec{info.node}, nil
}

// codec is a node at the outermost level.
type codec struct{ node node }

// AppendText implements Codec.
func (c codec) AppendText(dst, value []byte) ([]byte, error) { return c.node.text(dst, value, 0) }

// Value implements Codec.
func (c codec) Value(value []byte) (any, error) { return c.node.value(value, 0) }

// node is a codec that knows how deep in other values its value lies.
type node interface {
	text(dst, value []byte, depth int) ([]byte, error)
	value(value []byte, depth int) (any, error)
	json(dst, value []byte, depth int) ([]byte, error)
}

// scalarNode is a built-in type whose values hold no others.
type scalarNode struct {
	builtin builtin
	e       *Env
	form    jsonForm
}

func (n scalarNode) text(dst, value []byte, _ int) ([]byte, error) {
	return n.builtin.text(dst, value, n.e)
}

func (n scalarNode) value(value []byte, _ int) (any, error) { return n.builtin.value(value, n.e) }

// unsupportedNode stands for a type that cannot be read.
type unsupportedNode struct{ err *UnsupportedTypeError }

func (n unsupportedNode) text(dst, _ []byte, _ int) ([]byte, error) { return dst, n.err }
func (n unsupportedNode) value([]byte, int) (any, error)            { return nil, n.err }

// builtinNode returns the node of a type known by its OID alone, or nil.
func builtinNode(oid catalog.OID, e *Env) node {
	if b, ok := containerTypes[oid]; ok {
		return scalarNode{b, e, jsonFormOf(oid)}
	}
	if b, ok := scalarTypes[oid]; ok {
		return scalarNode{b, e, jsonFormOf(oid)}
	}
	switch oid {
	case catalog.AnyArrayOID:
		return &arrayNode{e: e}
	case catalog.RecordOID:
		return &recordNode{e: e}
	}
	return nil
}

// typeInfo is a type as containers need it: how its values lie, and their node.
type typeInfo struct {
	typ   *catalog.Type
	align int
	node  node
}

var errNoCatalogs = errors.New("the type is not built in, and there are no catalogs to look it up in")

// resolve returns what is known of a type, from memory after the first time.
func (e *Env) resolve(oid catalog.OID) (*typeInfo, error) {
	if info, ok := e.types.Load(oid); ok {
		return info.(*typeInfo), nil
	}
	t, err := e.typeRow(oid)
	if err != nil {
		return nil, err
	}
	info := &typeInfo{typ: t}
	if info.align, err = alignOf(t); err != nil {
		return nil, err
	}
	if info.node, err = e.nodeOf(t); err != nil {
		return nil, err
	}
	known, _ := e.types.LoadOrStore(oid, info)
	return known.(*typeInfo), nil
}

// typeRow is the type's row of pg_type, which has to exist.
func (e *Env) typeRow(oid catalog.OID) (*catalog.Type, error) {
	if e.Lookup == nil {
		return nil, fmt.Errorf("type %d: %w", oid, errNoCatalogs)
	}
	t, ok, err := e.Lookup.Type(oid)
	if err != nil {
		return nil, err
	}
	if !ok {
		return nil, pgfile.Corruptf(-1, "type %d is not in pg_type", oid)
	}
	return t, nil
}

// alignOf is typalign in bytes; it checks typlen too.
func alignOf(t *catalog.Type) (int, error) {
	if t.Len == 0 || t.Len < -2 {
		return 0, pgfile.Corruptf(-1, "type %q has length %d", t.Name, t.Len)
	}
	switch t.Align {
	case 'c':
		return 1, nil
	case 's':
		return 2, nil
	case 'i':
		return 4, nil
	case 'd':
		return 8, nil
	}
	return 0, pgfile.Corruptf(-1, "type %q has alignment %q", t.Name, t.Align)
}

// nodeOf picks the node for a type, following domains to their base.
func (e *Env) nodeOf(t *catalog.Type) (node, error) {
	for hops := 0; ; hops++ {
		if n := builtinNode(t.OID, e); n != nil {
			return n, nil
		}
		if t.Kind != 'd' {
			break
		}
		if hops == maxDomainChain {
			return nil, pgfile.Corruptf(-1, "domain %q is over itself", t.Name)
		}
		base, err := e.typeRow(t.BaseType)
		if err != nil {
			return nil, err
		}
		t = base
	}
	switch {
	case t.Kind == 'e':
		return enumNode{e}, nil
	case t.Kind == 'c':
		return &recordNode{e: e, typ: t}, nil
	case t.Kind == 'r':
		return &rangeNode{rangeType{e: e, typ: t}}, nil
	case t.Kind == 'm':
		return &multirangeNode{rangeType{e: e, typ: t}}, nil
	case t.Kind == 'b' && t.IsTrueArray() && t.Output == arrayOut:
		return &arrayNode{e: e, elem: t.Elem}, nil
	}
	if n, err := e.printedAs(t); n != nil || err != nil {
		return n, err
	}
	name, err := catalog.FormatType(e.Lookup, e.Major, t.OID)
	if err != nil {
		return nil, err
	}
	return unsupportedNode{&UnsupportedTypeError{OID: t.OID, Type: name}}, nil
}

// errDepth says that values lie deeper in one another than maxDepth.
func errDepth() error {
	return pgfile.Corruptf(-1, "values lie more than %d levels deep in one another", maxDepth)
}

// checkTextLen errs when the text of a value, from start of dst on, is too
// long. Containers ask after each of their parts.
func checkTextLen(dst []byte, start int) error {
	if len(dst)-start > maxTextLen {
		return pgfile.Corruptf(-1, "the text of a value is longer than %d bytes", maxTextLen)
	}
	return nil
}
