package qual

import "github.com/pipescan/pipescan/catalog"

// CollationRules is what sorting and grouping must know of a collation.
type CollationRules struct {
	Name          string
	Bytewise      bool // the order of text is that of its bytes
	Deterministic bool // only equal bytes are equal
}

// CollationRules looks a collation up. 0 stands for several that contradict
// one another, which is PostgreSQL's error 42P22.
func (s *Scope) CollationRules(oid catalog.OID) (CollationRules, error) {
	c, err := s.collInfoOf(oid)
	if err != nil {
		return CollationRules{}, err
	}
	if c.indeterminate {
		return CollationRules{}, &SQLError{
			Code: "42P22", Row: -1, Message: "could not determine which collation to use for string comparison",
			Hint: "Use the COLLATE clause to set the collation explicitly.",
		}
	}
	return CollationRules{Name: c.name, Bytewise: c.bytewise, Deterministic: c.deterministic}, nil
}
