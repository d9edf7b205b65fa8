package qual

import (
	"github.com/pipescan/pipescan/catalog"
	"github.com/pipescan/pipescan/datum"
)

// nameLen is the bytes of a name, padded with zeros.
const nameLen = 64

// appendName cuts at a character's end and pads.
func (c *fctx) appendName(dst, b []byte) ([]byte, error) {
	v, err := datum.ParseText(catalog.NameOID, -1, b, c.env)
	if err != nil {
		// The input function refuses nothing that a text can hold; what is
		// too long it cuts.
		return nil, inputError(err)
	}
	return append(dst, v...), nil
}

func textCasts() {
	text1("booltext", func(_ *fctx, b []byte) ([]byte, error) {
		if b[0] != 0 {
			return []byte("true"), nil
		}
		return []byte("false"), nil
	})
	text1("name_text", func(_ *fctx, b []byte) ([]byte, error) { return nameText(b), nil })
	text1("name_bpchar", func(_ *fctx, b []byte) ([]byte, error) { return nameText(b), nil })
	kernels["text_name"] = func(c *fctx, dst []byte, args [][]byte) ([]byte, error) { return c.cutName(dst, args[0]) }
	kernels["bpchar_name"] = func(c *fctx, dst []byte, args [][]byte) ([]byte, error) {
		return c.cutName(dst, trimBlanks(args[0]))
	}
	kernels["char_text"] = charText
	// The server makes a text with a zero byte of the empty "char"; nothing can
	// print it, and here it is empty.
	kernels["char_bpchar"] = func(_ *fctx, dst []byte, args [][]byte) ([]byte, error) {
		return append(dst, nameText(args[0])...), nil
	}
	kernels["text_char"] = func(c *fctx, dst []byte, args [][]byte) ([]byte, error) {
		v, err := datum.ParseText(catalog.CharOID, -1, args[0], c.env)
		return append(dst, v...), inputError(err)
	}
	kernels["chartoi4"] = func(_ *fctx, dst []byte, args [][]byte) ([]byte, error) {
		return appendInt(dst, int32(int8(args[0][0]))), nil
	}
	kernels["i4tochar"] = func(_ *fctx, dst []byte, args [][]byte) ([]byte, error) {
		n := getInt32(args[0])
		if int64(int8(n)) != n {
			return nil, sqlErrorf("22003", `"char" out of range`)
		}
		return append(dst, byte(n)), nil
	}
	kernels["varchar"] = cutTo(false)
	kernels["bpchar"] = cutTo(true)
	kernels["network_show"] = networkShow
}

// cutName makes a name of a text: cut where a character ends.
func (c *fctx) cutName(dst, b []byte) ([]byte, error) {
	if len(b) >= nameLen {
		end := nameLen - 1
		for c.env.Encoding == catalog.UTF8 && end > 0 && b[end]&0xc0 == 0x80 {
			end--
		}
		b = b[:end]
	}
	return c.appendName(dst, b)
}

// charText is "char" as text: nothing for zero, an octal escape beyond ASCII
// from 15 on.
func charText(c *fctx, dst []byte, args [][]byte) ([]byte, error) {
	switch x := args[0][0]; {
	case x == 0:
		return dst, nil
	case x >= 0x80 && c.env.Major >= 15:
		return append(dst, '\\', '0'+x>>6, '0'+x>>3&7, '0'+x&7), nil
	default:
		return append(dst, x), nil
	}
}

// cutTo is varchar(n) and character(n): explicit casts cut what is too long,
// others only blanks. character is filled up with blanks.
func cutTo(fill bool) rowFunc {
	return func(c *fctx, dst []byte, args [][]byte) ([]byte, error) {
		b, most, explicit := args[0], int(getInt32(args[1]))-varlenaHeader, args[2][0] != 0
		if most < 1 {
			return append(dst, b...), nil
		}
		have, err := c.countChars(b)
		if err != nil {
			return nil, err
		}
		if have <= most {
			dst = append(dst, b...)
			for ; fill && have < most; have++ {
				dst = append(dst, ' ')
			}
			return dst, nil
		}
		off, err := c.skipChars(b, most)
		if err != nil {
			return nil, err
		}
		if !explicit && len(trimBlanks(b[off:])) > 0 {
			name := "character varying"
			if fill {
				name = "character"
			}
			return nil, sqlErrorf("22001", "value too long for type %s(%d)", name, most)
		}
		return append(dst, b[:off]...), nil
	}
}

// networkShow is an address with its mask, always.
func networkShow(c *fctx, dst []byte, args [][]byte) ([]byte, error) {
	start := len(dst)
	dst, err := c.appendOutput(dst, catalog.InetOID, args[0])
	if err != nil {
		return nil, err
	}
	for _, x := range dst[start:] {
		if x == '/' {
			return dst, nil
		}
	}
	if args[0][0] == 2 {
		return append(dst, "/32"...), nil
	}
	return append(dst, "/128"...), nil
}
