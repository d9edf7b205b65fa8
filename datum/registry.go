package datum

import "github.com/pipescan/pipescan/catalog"

// builtin is how one built-in type is rendered. Both functions get the
// payload (see Codec) and never keep it.
type builtin struct {
	text  func(dst, value []byte, e *Env) ([]byte, error)
	value func(value []byte, e *Env) (any, error)
}

// scalars are the types whose values stand for themselves, by type OID; each
// family's file adds its own in an init-free table of its own.
var scalars = map[catalog.OID]builtin{}
