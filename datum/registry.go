package datum

// builtin is how one built-in type is rendered. Both functions get the
// payload (see Codec) and never keep it.
type builtin struct {
	text  func(dst, value []byte, e *Env) ([]byte, error)
	value func(value []byte, e *Env) (any, error)
}
