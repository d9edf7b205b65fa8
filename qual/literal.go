package qual

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/big"
	"strconv"
	"time"

	"github.com/pipescan/pipescan/catalog"
	"github.com/pipescan/pipescan/datum"
)

// literal makes a quoted literal a constant of a type: the type's input
// function. NULL is a NULL of that type.
func (a *analyzer) literal(x *texpr, target catalog.OID, typmod int32) (*texpr, error) {
	base := a.base(target)
	c := &texpr{kind: tConst, typ: base, typmod: -1, null: x.null, pos: x.pos}
	a.collateConst(c)
	if !x.null {
		inMod := int32(-1)
		if base == catalog.IntervalOID {
			inMod = typmod
		}
		v, err := a.parse(base, inMod, x.text)
		if err != nil {
			return nil, at(err, x.pos)
		}
		c.val = v
	}
	if base != target {
		return nil, at(unsupportedf("a cast to the domain %s", a.typeName(target)), x.pos)
	}
	return c, nil
}

// parse is a type's input function.
func (a *analyzer) parse(oid catalog.OID, typmod int32, text string) ([]byte, error) {
	if a.typ(oid).kind == 'e' {
		return a.parseEnum(oid, text)
	}
	v, err := datum.ParseText(oid, typmod, []byte(text), a.Env)
	return v, inputError(err)
}

// parseEnum finds an enum's label.
func (a *analyzer) parseEnum(oid catalog.OID, text string) ([]byte, error) {
	if a.EnumLabels == nil {
		return nil, unsupportedf("a literal of type %s", a.typeName(oid))
	}
	labels, err := a.EnumLabels(oid)
	if err != nil {
		return nil, err
	}
	for i := range labels {
		if labels[i].Label == text {
			return binary.LittleEndian.AppendUint32(nil, labels[i].OID), nil
		}
	}
	return nil, sqlErrorf("22P02", "invalid input value for enum %s: %q", a.typeName(oid), text)
}

// inputError turns what an input function says into this package's errors.
func inputError(err error) error {
	var in *datum.InputError
	if errors.As(err, &in) {
		return &SQLError{Code: in.State, Message: in.Message, Detail: in.Detail, Hint: in.Hint, Row: -1, input: true}
	}
	var typ *datum.UnsupportedTypeError
	if errors.As(err, &typ) {
		return unsupportedf("text of type %s", typ.Type)
	}
	return err
}

func constInt4(n int32) *texpr {
	return &texpr{kind: tConst, typ: catalog.Int4OID, typmod: -1, val: binary.LittleEndian.AppendUint32(nil, uint32(n))}
}

func constBool(b bool) *texpr {
	c := &texpr{kind: tConst, typ: catalog.BoolOID, typmod: -1, val: []byte{0}}
	if b {
		c.val = []byte{1}
	}
	return c
}

func constNull(typ catalog.OID) *texpr {
	return &texpr{kind: tConst, typ: typ, typmod: -1, null: true}
}

// goLiteral makes a Go value a constant.
func (a *analyzer) goLiteral(v any) (*texpr, error) {
	if v == nil {
		return &texpr{kind: tUnknownArg, typ: unknownOID, typmod: -1, null: true}, nil
	}
	typ, val, err := a.goValue(v)
	if err != nil {
		return nil, err
	}
	c := &texpr{kind: tConst, typ: typ, typmod: -1, val: val}
	a.collateConst(c)
	return c, nil
}

func (a *analyzer) goValue(v any) (catalog.OID, []byte, error) {
	le := binary.LittleEndian
	switch v := v.(type) {
	case bool:
		return catalog.BoolOID, constBool(v).val, nil
	case int16:
		return catalog.Int2OID, le.AppendUint16(nil, uint16(v)), nil
	case int32:
		return catalog.Int4OID, le.AppendUint32(nil, uint32(v)), nil
	case int64:
		return catalog.Int8OID, le.AppendUint64(nil, uint64(v)), nil
	case int, int8, uint8, uint16, uint32, uint64, uint:
		return a.number(fmt.Sprint(v))
	case numberText:
		return a.number(string(v))
	case *big.Int:
		return a.textValue(catalog.NumericOID, v.String())
	case float32:
		return catalog.Float4OID, le.AppendUint32(nil, math.Float32bits(v)), nil
	case float64:
		return catalog.Float8OID, le.AppendUint64(nil, math.Float64bits(v)), nil
	case []byte:
		return catalog.ByteaOID, append([]byte{}, v...), nil
	case time.Time:
		return a.textValue(catalog.TimestamptzOID, v.UTC().Format("2006-01-02 15:04:05.999999+00"))
	case datum.UUID:
		return catalog.UUIDOID, append([]byte{}, v[:]...), nil
	case datum.Date:
		return catalog.DateOID, le.AppendUint32(nil, uint32(v.Days)), nil
	case datum.TimeOfDay:
		return catalog.TimeOID, le.AppendUint64(nil, uint64(v.Micros)), nil
	case datum.Timestamp:
		return catalog.TimestampOID, le.AppendUint64(nil, uint64(v.Micros)), nil
	case datum.TimestampTZ:
		return catalog.TimestamptzOID, le.AppendUint64(nil, uint64(v.Micros)), nil
	case datum.Interval:
		return catalog.IntervalOID, appendInterval(nil, v), nil
	}
	return 0, nil, unsupportedf("a literal of Go type %T", v)
}

// number is the type and value of a numeric constant (make_const).
func (a *analyzer) number(s string) (catalog.OID, []byte, error) {
	if n, err := strconv.ParseInt(s, 10, 32); err == nil {
		return catalog.Int4OID, binary.LittleEndian.AppendUint32(nil, uint32(n)), nil
	}
	if n, err := strconv.ParseInt(s, 10, 64); err == nil {
		return catalog.Int8OID, binary.LittleEndian.AppendUint64(nil, uint64(n)), nil
	}
	return a.textValue(catalog.NumericOID, s)
}

func (a *analyzer) textValue(oid catalog.OID, s string) (catalog.OID, []byte, error) {
	v, err := datum.ParseText(oid, -1, []byte(s), a.Env)
	return oid, v, inputError(err)
}
