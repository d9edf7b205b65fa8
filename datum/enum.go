package datum

import (
	"encoding/binary"

	"github.com/pipescan/pipescan/pgfile"
)

// enumNode is an enum type: a value is the OID of its label's row in pg_enum.
type enumNode struct{ e *Env }

func (n enumNode) label(v []byte) (string, error) {
	if len(v) != 4 {
		return "", wrongLength("enum", 4, v)
	}
	oid := binary.LittleEndian.Uint32(v)
	label, ok, err := n.e.Lookup.EnumLabel(oid)
	if err == nil && !ok {
		err = pgfile.Corruptf(0, "enum value %d is not in pg_enum", oid)
	}
	return label, err
}

// text is enum_out.
func (n enumNode) text(dst, v []byte, _ int) ([]byte, error) {
	label, err := n.label(v)
	return append(dst, label...), err
}

// value returns the label.
func (n enumNode) value(v []byte, _ int) (any, error) {
	label, err := n.label(v)
	if err != nil {
		return nil, err
	}
	return label, nil
}
