package datum

import (
	"fmt"

	"github.com/pipescan/pipescan/catalog"
	"github.com/pipescan/pipescan/pgfile"
)

// This file and the others called input_* are the way back: the text of a
// value becomes the payload that PostgreSQL would store.
//
//	text ──Parser──→ payload ──(package table: header, alignment)──→ tuple
//
// A payload is what Codec takes: no varlena header, exactly typlen bytes of a
// fixed-width type. Settings are those of Env; DateStyle is ISO, MDY.

// SQLSTATEs of input functions (errcodes.txt).
const (
	StateInvalidText        = "22P02" // invalid_text_representation
	StateNumericOutOfRange  = "22003" // numeric_value_out_of_range
	StateStringTooLong      = "22001" // string_data_right_truncation
	StateLengthMismatch     = "22026" // string_data_length_mismatch
	StateInvalidDatetime    = "22007" // invalid_datetime_format
	StateDatetimeOverflow   = "22008" // datetime_field_overflow
	StateZoneDisplacement   = "22009" // invalid_time_zone_displacement_value
	StateIntervalOverflow   = "22015" // interval_field_overflow
	StateInvalidParameter   = "22023" // invalid_parameter_value
	StateBadEncoding        = "22021" // character_not_in_repertoire
	StateUntranslatable     = "22P05" // untranslatable_character
	StateProgramLimit       = "54000" // program_limit_exceeded
	StateArrayError         = "2202E" // array_subscript_error
	StateFeatureUnsupported = "0A000" // feature_not_supported
)

// InputError is a text that is no value of its type: what the type's input
// function in PostgreSQL raises, with its SQLSTATE and message.
type InputError struct {
	State   string // SQLSTATE
	Message string // the server's primary message
	Detail  string // "" when there is none
	Hint    string // "" when there is none
}

// Error is the message, with the detail behind it.
func (e *InputError) Error() string {
	if e.Detail == "" {
		return e.Message
	}
	return e.Message + " (" + e.Detail + ")"
}

// SQLState returns the SQLSTATE.
func (e *InputError) SQLState() string { return e.State }

// inputErrorf makes an InputError.
func inputErrorf(state, format string, args ...any) *InputError {
	return &InputError{State: state, Message: fmt.Sprintf(format, args...)}
}

// badSyntax is the error that most input functions raise first. typ is the
// type as SQL spells it.
func badSyntax(typ string, text []byte) *InputError {
	return inputErrorf(StateInvalidText, `invalid input syntax for type %s: "%s"`, typ, text)
}

// Parser appends the payload of the value that text spells to dst. It keeps no
// reference to text and may be used by several goroutines. Errors are
// *InputError, or pgfile.ErrUnsupported for texts that only a server can
// judge; dst is then returned as it was given, or longer.
type Parser func(dst, text []byte) ([]byte, error)

// inputFunc is the input function of a built-in type.
type inputFunc func(dst, text []byte, typmod int32, e *Env) ([]byte, error)

// ParseText is the input function of a type: the payload of the value that
// text spells, under the type modifier of its column (-1: none). e.Major says
// which version's syntax is read. A caller with many texts keeps ParserOf's
// result instead. Errors: those of ParserOf and of Parser.
func ParseText(typeOID catalog.OID, typmod int32, text []byte, e *Env) ([]byte, error) {
	p, err := ParserOf(typeOID, typmod, e)
	if err != nil {
		return nil, err
	}
	out, err := p([]byte{}, text)
	if err != nil {
		return nil, err
	}
	return out, nil
}

// ParserOf returns the input function of a type under a type modifier (-1:
// none). Scalar built-in types need no catalogs; arrays, domains, enums and
// ranges are looked up with e.Lookup. A type without one is an
// *UnsupportedTypeError.
func ParserOf(typeOID catalog.OID, typmod int32, e *Env) (Parser, error) {
	return parserOf(typeOID, typmod, e, 0)
}

func parserOf(typeOID catalog.OID, typmod int32, e *Env, hops int) (Parser, error) {
	if f, ok := scalarInputs[typeOID]; ok {
		return func(dst, text []byte) ([]byte, error) { return f(dst, text, typmod, e) }, nil
	}
	t, err := e.typeRow(typeOID)
	if err != nil {
		return nil, err
	}
	if hops == maxDomainChain {
		return nil, pgfile.Corruptf(-1, "type %q is over itself", t.Name)
	}
	isVector := t.Storage == 'p' // oidvector and int2vector, whose text is another
	if t.Kind == 'b' && t.IsTrueArray() && !isVector {
		return arrayParser(t, typmod, e, hops+1)
	}
	name, err := catalog.FormatType(e.Lookup, e.Major, t.OID)
	if err != nil {
		return nil, err
	}
	return nil, &UnsupportedTypeError{OID: t.OID, Type: name}
}

// scalarInputs are the input functions of the types of scalarTypes.
var scalarInputs = map[catalog.OID]inputFunc{
	catalog.BoolOID:  inputBool,
	catalog.Int2OID:  inputInt2,
	catalog.Int4OID:  inputInt4,
	catalog.Int8OID:  inputInt8,
	catalog.OidOID:   inputOID,
	catalog.XidOID:   inputXID,
	catalog.CidOID:   inputXID,
	catalog.Xid8OID:  inputXID8,
	catalog.TidOID:   inputTID,
	catalog.PgLSNOID: inputLSN,

	catalog.Float4OID:  inputFloat4,
	catalog.Float8OID:  inputFloat8,
	catalog.NumericOID: inputNumeric,
	catalog.MoneyOID:   inputMoney,

	catalog.TextOID:    inputText,
	catalog.VarcharOID: inputVarchar,
	catalog.BpcharOID:  inputBpchar,
	catalog.NameOID:    inputName,
	catalog.CharOID:    inputChar,
	catalog.ByteaOID:   inputBytea,
	catalog.UUIDOID:    inputUUID,
	refcursorOID:       inputText,
	catalog.BitOID:     inputBit,
	catalog.VarbitOID:  inputVarbit,
	catalog.JSONOID:    inputJSON,
	catalog.JSONBOID:   inputJSONB,

	catalog.DateOID:        inputDate,
	catalog.TimeOID:        inputTime,
	catalog.TimetzOID:      inputTimeTZ,
	catalog.TimestampOID:   inputTimestamp,
	catalog.TimestamptzOID: inputTimestampTZ,
	catalog.IntervalOID:    inputInterval,

	catalog.InetOID:     inputInet,
	catalog.CidrOID:     inputCIDR,
	catalog.MacaddrOID:  inputMacaddr,
	catalog.Macaddr8OID: inputMacaddr8,

	pointOID: inputPoint,
}

// trimSpace takes white space off both ends.
func trimSpace(b []byte) []byte {
	for len(b) > 0 && isSpace(b[0]) {
		b = b[1:]
	}
	for len(b) > 0 && isSpace(b[len(b)-1]) {
		b = b[:len(b)-1]
	}
	return b
}

// lower is tolower of the C locale.
func lower(c byte) byte {
	if c >= 'A' && c <= 'Z' {
		return c + ('a' - 'A')
	}
	return c
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

func isAlpha(c byte) bool { c |= 0x20; return c >= 'a' && c <= 'z' }
