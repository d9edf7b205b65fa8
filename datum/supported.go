package datum

// Supported says whether the values of a codec's type can be read:
// *UnsupportedTypeError, which the first value would give, or nil.
func Supported(c Codec) error {
	if c, ok := c.(codec); ok {
		if u, ok := c.node.(unsupportedNode); ok {
			return u.err
		}
	}
	return nil
}
