package qual

import (
	"encoding/binary"

	"github.com/pipescan/pipescan/catalog"
	"github.com/pipescan/pipescan/datum"
)

// viaIO is a cast through the text of the value.
func viaIO(a *analyzer, x *texpr) (rowFunc, error) {
	from, to := x.args[0].typ, x.typ
	// Domains are their base types.
	out, err := outputOf(a, a.base(from))
	if err != nil {
		return nil, err
	}
	in, err := inputOf(a, a.base(to))
	if err != nil {
		return nil, err
	}
	var text []byte
	return func(_ *fctx, dst []byte, args [][]byte) ([]byte, error) {
		var err error
		if text, err = out(text[:0], args[0]); err != nil {
			return nil, err
		}
		return in(dst, text)
	}, nil
}

// outputOf is a type's output function.
func outputOf(a *analyzer, oid catalog.OID) (func(dst, v []byte) ([]byte, error), error) {
	codec, err := datum.For(oid, -1, a.Env)
	if err != nil {
		return nil, err
	}
	if err := datum.Supported(codec); err != nil {
		return nil, inputError(err)
	}
	return codec.AppendText, nil
}

// inputOf is a type's input function.
func inputOf(a *analyzer, oid catalog.OID) (func(dst, text []byte) ([]byte, error), error) {
	if a.typ(oid).kind == 'e' {
		return func(dst, text []byte) ([]byte, error) {
			v, err := a.parseEnum(oid, string(text))
			return append(dst, v...), err
		}, nil
	}
	p, err := datum.ParserOf(oid, -1, a.Env)
	if err != nil {
		return nil, inputError(err)
	}
	return func(dst, text []byte) ([]byte, error) {
		v, err := p(dst, text)
		if err != nil {
			return nil, inputError(err)
		}
		return v, nil
	}, nil
}

// appendInterval appends an interval's payload.
func appendInterval(dst []byte, i datum.Interval) []byte {
	le := binary.LittleEndian
	dst = le.AppendUint64(dst, uint64(i.Micros))
	return le.AppendUint32(le.AppendUint32(dst, uint32(i.Days)), uint32(i.Months))
}
