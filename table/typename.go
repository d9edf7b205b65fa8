package table

import (
	"strings"

	"github.com/pipescan/pipescan/catalog"
)

// sqlTypes are the names of types that SQL has and pg_type has not.
var sqlTypes = map[string]string{
	"int": "int4", "integer": "int4", "smallint": "int2", "bigint": "int8", "real": "float4", "boolean": "bool",
	"decimal": "numeric", "dec": "numeric", "float": "float8",
	"char": "bpchar", "character": "bpchar", "nchar": "bpchar",
}

// typeSpec is a type's name on its way in.
type typeSpec struct {
	at      int    // where it starts
	name    string // of pg_type
	word    string // as written: char and bpchar differ in what no modifier means
	isFloat bool   // float(n)
	sql     bool   // neither quoted nor qualified: SQL's grammar applies
	mods    []int  // nil: none were given
}

// typeName reads the name of a type, its modifier and array bounds.
func (p *defParser) typeName() (t *catalog.Type, typmod, ndims int32, err error) {
	s := typeSpec{at: p.skip()}
	if err := p.baseName(&s); err != nil {
		return nil, 0, 0, err
	}
	if err := p.modifiers(&s); err != nil {
		return nil, 0, 0, err
	}
	p.zone(&s)
	t = builtinTypes().byName[s.name]
	if t == nil || strings.HasPrefix(s.name, "_") {
		return nil, 0, 0, p.failAt(s.at, "type %q does not exist", clip(s.name, 80))
	}
	if typmod, err = p.typmod(&s); err != nil {
		return nil, 0, 0, err
	}
	if s.isFloat && s.mods != nil && s.mods[0] <= 24 {
		t = builtinTypes().byOID[catalog.Float4OID]
	}
	if ndims, err = p.bounds(); err != nil || ndims == 0 {
		return t, typmod, 0, err
	}
	array := builtinTypes().byOID[t.Array]
	if array == nil {
		return nil, 0, 0, p.failAt(s.at, "type %q has no arrays", t.Name)
	}
	return array, typmod, ndims, nil
}

// baseName reads the words of a name, perhaps after pg_catalog.
func (p *defParser) baseName(s *typeSpec) (err error) {
	quoted := s.at < len(p.text) && p.text[s.at] == '"'
	if s.name, err = p.name("a column's type"); err != nil {
		return err
	}
	if p.symbol('.') {
		if s.name != "pg_catalog" {
			return p.failAt(s.at, "types of schema %q are not known", clip(s.name, 80))
		}
		s.name, err = p.name("a column's type")
		return err
	}
	if quoted {
		return nil
	}
	s.sql = true
	switch s.name {
	case "double":
		if !p.word("precision") {
			return p.fail("PRECISION is missing after DOUBLE")
		}
		s.name = "float8"
	case "national":
		if !p.word("character") && !p.word("char") {
			return p.fail("CHARACTER is missing after NATIONAL")
		}
		s.name = "character"
	}
	s.word, s.isFloat = s.name, s.name == "float"
	if full := sqlTypes[s.name]; full != "" {
		s.name = full
	}
	switch {
	case s.word == "bit" && p.word("varying"):
		s.name, s.word = "varbit", ""
	case s.name == "bpchar" && s.word != "bpchar" && p.word("varying"):
		s.name, s.word = "varchar", ""
	}
	return nil
}

// modifiers reads numbers in parentheses.
func (p *defParser) modifiers(s *typeSpec) error {
	if !p.symbol('(') {
		return nil
	}
	for {
		start := p.skip()
		neg := p.symbol('-')
		digits := p.peekWord()
		n := 0
		for _, c := range []byte(digits) {
			if c < '0' || c > '9' || len(digits) > 9 {
				return p.fail("a type's modifier is no number")
			}
			n = n*10 + int(c-'0')
		}
		if digits == "" {
			return p.failAt(start, "a type's modifier is missing")
		}
		p.pos += len(digits)
		if neg {
			n = -n
		}
		if s.mods = append(s.mods, n); len(s.mods) > 2 {
			return p.failAt(start, "a type has at most two modifiers")
		}
		if p.symbol(')') {
			return nil
		}
		if !p.symbol(',') {
			return p.fail("a closing parenthesis is missing")
		}
	}
}

// zone reads WITH or WITHOUT TIME ZONE after time and timestamp.
func (p *defParser) zone(s *typeSpec) {
	if !s.sql || s.name != "time" && s.name != "timestamp" {
		return
	}
	before := p.pos
	with := p.word("with")
	if (with || p.word("without")) && p.word("time") && p.word("zone") {
		if with {
			s.name += "tz"
		}
		return
	}
	p.pos = before
}

// typmod turns modifiers into the number that pg_attribute keeps.
func (p *defParser) typmod(s *typeSpec) (int32, error) {
	one := func(lo, hi, add int) (int32, error) {
		switch {
		case s.mods == nil:
			return -1, nil
		case len(s.mods) != 1 || s.mods[0] < lo || s.mods[0] > hi:
			return 0, p.failAt(s.at, "the modifier of type %s is one number from %d to %d", s.name, lo, hi)
		}
		return int32(s.mods[0] + add), nil
	}
	const header = 4
	switch s.name {
	case "bpchar":
		if s.mods == nil && s.sql && s.word != "bpchar" {
			return 1 + header, nil // CHAR alone is char(1)
		}
		return one(1, 10485760, header)
	case "varchar":
		return one(1, 10485760, header)
	case "bit":
		if s.mods == nil && s.sql {
			return 1, nil
		}
		return one(1, 83886080, 0)
	case "varbit":
		return one(1, 83886080, 0)
	case "time", "timetz", "timestamp", "timestamptz":
		return one(0, 6, 0)
	case "interval":
		n, err := one(0, 6, 0)
		if n >= 0 {
			n |= 0x7fff << 16 // all fields
		}
		return n, err
	case "numeric":
		return p.numericTypmod(s)
	case "float8":
		if s.isFloat {
			_, err := one(1, 53, 0)
			return -1, err
		}
	}
	if s.mods != nil {
		return 0, p.failAt(s.at, "type %s has no modifiers", s.name)
	}
	return -1, nil
}

func (p *defParser) numericTypmod(s *typeSpec) (int32, error) {
	if s.mods == nil {
		return -1, nil
	}
	scale := 0
	if len(s.mods) == 2 {
		scale = s.mods[1]
	}
	if s.mods[0] < 1 || s.mods[0] > 1000 || scale < -1000 || scale > 1000 {
		return 0, p.failAt(s.at, "numeric has a precision from 1 to 1000 and a scale from -1000 to 1000")
	}
	return int32(s.mods[0]<<16|scale&0x7ff) + 4, nil
}

// bounds reads [] or [n], once or more, or ARRAY; the numbers mean nothing, as
// in PostgreSQL.
func (p *defParser) bounds() (n int32, err error) {
	if p.word("array") {
		n = 1
		if p.skip() == len(p.text) || p.text[p.pos] != '[' {
			return n, nil
		}
		n = 0
	}
	for p.symbol('[') {
		digits := p.peekWord()
		if strings.Trim(digits, "0123456789") != "" || len(digits) > 9 {
			return 0, p.fail("an array's bound is no number")
		}
		p.pos += len(digits)
		if !p.symbol(']') {
			return 0, p.fail("a closing bracket is missing")
		}
		n = min(n+1, 6) // attndims says more than PostgreSQL allows to nobody
	}
	return n, nil
}
