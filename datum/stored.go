package datum

import (
	"bytes"

	"github.com/pipescan/pipescan/pgfile"
)

// varlenaHeader is the header that a payload lacks but that alignment inside
// it counts from: containers lay out their parts from the start of the varlena.
const varlenaHeader = 4

// alignUp rounds an offset in a payload up so that, counted from the start of
// the varlena, it is a multiple of align.
func alignUp(off, align int) int {
	return (off+varlenaHeader+align-1)&^(align-1) - varlenaHeader
}

// cut returns the payload of the value of type t that starts at off of the
// container's payload b, detoasted, and where the value ends. The payload
// aliases b unless it had to be detoasted.
func (t *typeInfo) cut(e *Env, b []byte, off int) (payload []byte, end int, err error) {
	if off >= len(b) || off < 0 {
		return nil, 0, pgfile.Corruptf(off, "a value of type %q starts past the end of its container's %d bytes", t.typ.Name, len(b))
	}
	rest := b[off:]
	switch t.typ.Len {
	case -1:
		size, err := pgfile.VarlenaSize(rest)
		if err != nil {
			return nil, 0, pgfile.Corruptf(off, "a value of type %q in a container: %v", t.typ.Name, err)
		}
		payload, err := e.plain(rest[:size])
		return payload, off + size, err
	case -2:
		n := bytes.IndexByte(rest, 0)
		if n < 0 {
			return nil, 0, pgfile.Corruptf(off, "a value of type %q has no end", t.typ.Name)
		}
		return rest[:n], off + n + 1, nil
	}
	n := int(t.typ.Len)
	if n > len(rest) {
		return nil, 0, pgfile.Corruptf(off, "a value of type %q reaches past the end of its container's %d bytes", t.typ.Name, len(b))
	}
	return rest[:n], off + n, nil
}

// plain returns the payload of a varlena that lies in a container.
func (e *Env) plain(varlena []byte) ([]byte, error) {
	v, err := pgfile.ParseVarlena(varlena)
	if err != nil {
		return nil, err
	}
	if v.Kind == pgfile.VarlenaPlain {
		return v.Data, nil
	}
	if e.Detoast == nil {
		return nil, pgfile.Corruptf(-1, "a value inside another is compressed or out of line, and there is no TOAST reader")
	}
	return e.Detoast(nil, varlena)
}
