package datum

import (
	"encoding/binary"
	"math"
	"strconv"

	"github.com/pipescan/pipescan/pgfile"
)

// print prints one item of a jsonpath.
func (p *pathPrinter) print(i pathItem, inKey, parens bool) error {
	switch i.typ {
	case pathString, pathKey, pathVariable:
		return p.printString(i, inKey)
	case pathNumeric:
		return p.printNumeric(i)
	case pathBool:
		if len(i.body) == 0 {
			return pgfile.Corruptf(-1, "the item at byte %d of a jsonpath is cut off", i.at)
		}
		p.text(strconv.FormatBool(i.body[0] != 0))
		return nil
	case pathPlus, pathMinus:
		return p.printSign(i, parens)
	case pathNot, pathFilter, pathExists, pathIsUnknown, pathDatetime, pathTime, pathTimeTZ, pathTimestamp, pathTimestampTZ:
		return p.printWrapped(i)
	case pathDecimal:
		return p.printDecimal(i)
	case pathIndexArray:
		return p.printSubscripts(i)
	case pathAny:
		return p.printAny(i, inKey)
	case pathLikeRegex:
		return p.printLikeRegex(i, parens)
	case pathAnyKey:
		if inKey {
			p.text(".")
		}
		p.text("*")
		return nil
	}
	if int(i.typ) >= len(pathWords) || pathWords[i.typ] == "" {
		return pgfile.Corruptf(-1, "the item at byte %d of a jsonpath has the unknown type %d", i.at, i.typ)
	}
	if pathPriority(i.typ) < pathPriorityOfSign {
		return p.printBinary(i, parens)
	}
	p.text(pathWords[i.typ])
	return nil
}

// printOperand prints the operand of an operator: in parentheses where it does
// not bind more strongly.
func (p *pathPrinter) printOperand(i pathItem, n int) error {
	arg, ok, err := p.operand(i, n)
	if err != nil {
		return err
	}
	if !ok {
		return pgfile.Corruptf(-1, "the operator at byte %d of a jsonpath lacks an operand", i.at)
	}
	return p.chain(arg, false, pathPriority(arg.typ) <= pathPriority(i.typ))
}

func (p *pathPrinter) printBinary(i pathItem, parens bool) error {
	if parens {
		p.text("(")
	}
	if err := p.printOperand(i, 0); err != nil {
		return err
	}
	p.text(" " + pathWords[i.typ] + " ")
	if err := p.printOperand(i, 1); err != nil {
		return err
	}
	if parens {
		p.text(")")
	}
	return nil
}

func (p *pathPrinter) printSign(i pathItem, parens bool) error {
	if parens {
		p.text("(")
	}
	p.text(pathWords[i.typ])
	if err := p.printOperand(i, 0); err != nil {
		return err
	}
	if parens {
		p.text(")")
	}
	return nil
}

// printWrapped prints what encloses its argument; only methods may lack it.
func (p *pathPrinter) printWrapped(i pathItem) error {
	p.text(pathWords[i.typ])
	arg, ok, err := p.operand(i, 0)
	if err != nil {
		return err
	}
	if ok {
		if err := p.chain(arg, false, false); err != nil {
			return err
		}
	} else if i.typ < pathDatetime {
		return pgfile.Corruptf(-1, "the item at byte %d of a jsonpath lacks its argument", i.at)
	}
	p.text(")")
	if i.typ == pathIsUnknown {
		p.text(" is unknown")
	}
	return nil
}

// printDecimal prints .decimal with its optional precision and scale.
func (p *pathPrinter) printDecimal(i pathItem) error {
	p.text(pathWords[pathDecimal])
	for n, before := range []string{"", ","} {
		arg, ok, err := p.operand(i, n)
		if err != nil {
			return err
		}
		if !ok {
			continue
		}
		p.text(before)
		if err := p.chain(arg, false, false); err != nil {
			return err
		}
	}
	p.text(")")
	return nil
}

// printSubscripts prints [a, b to c]: a count and pairs of references, of
// which the second is 0 for a single subscript.
func (p *pathPrinter) printSubscripts(i pathItem) error {
	w, err := i.word(0)
	if err != nil {
		return err
	}
	n := binary.LittleEndian.Uint32(w)
	if uint64(n) > uint64(len(i.body))/8 {
		return pgfile.Corruptf(-1, "the item at byte %d of a jsonpath claims %d subscripts", i.at, n)
	}
	p.text("[")
	for k := range int(n) {
		if k > 0 {
			p.text(",")
		}
		for side, before := range []string{"", " to "} {
			arg, ok, err := p.operand(i, 1+2*k+side)
			if err != nil {
				return err
			}
			if !ok {
				continue
			}
			p.text(before)
			if err := p.chain(arg, false, false); err != nil {
				return err
			}
		}
	}
	p.text("]")
	return nil
}

// printAny prints .** with its bounds, where the largest number is "last".
func (p *pathPrinter) printAny(i pathItem, inKey bool) error {
	to, err := i.word(1)
	if err != nil {
		return err
	}
	first, last := binary.LittleEndian.Uint32(i.body), binary.LittleEndian.Uint32(to)
	if inKey {
		p.text(".")
	}
	p.text("**")
	if first == 0 && last == math.MaxUint32 {
		return nil
	}
	bound := func(n uint32) string {
		if n == math.MaxUint32 {
			return "last"
		}
		return strconv.FormatUint(uint64(n), 10)
	}
	p.text("{" + bound(first))
	if first != last {
		p.text(" to " + bound(last))
	}
	p.text("}")
	return nil
}

// printLikeRegex prints a match: flags, the place of what is matched, and the
// pattern's length and bytes.
func (p *pathPrinter) printLikeRegex(i pathItem, parens bool) error {
	w, err := i.word(2)
	if err != nil {
		return err
	}
	pattern, err := p.claim(i, i.body[12:], uint64(binary.LittleEndian.Uint32(w)))
	if err != nil {
		return err
	}
	if parens {
		p.text("(")
	}
	if err := p.printOperand(i, 1); err != nil {
		return err
	}
	p.text(" like_regex ")
	p.dst = appendJSONString(p.dst, pattern)
	if flags := binary.LittleEndian.Uint32(i.body); flags != 0 {
		p.text(` flag "`)
		for bit, name := range []byte("ismxq") {
			if flags>>bit&1 != 0 {
				p.dst = append(p.dst, name)
			}
		}
		p.text(`"`)
	}
	if parens {
		p.text(")")
	}
	return nil
}

// printString prints a string, a key or a variable: a length and its bytes.
func (p *pathPrinter) printString(i pathItem, inKey bool) error {
	w, err := i.word(0)
	if err != nil {
		return err
	}
	s, err := p.claim(i, i.body[4:], uint64(binary.LittleEndian.Uint32(w)))
	if err != nil {
		return err
	}
	switch {
	case i.typ == pathVariable:
		p.text("$")
	case i.typ == pathKey && inKey:
		p.text(".")
	}
	p.dst = appendJSONString(p.dst, s)
	return nil
}

// printNumeric prints a number, from 15 on in parentheses if something follows
// it.
func (p *pathPrinter) printNumeric(i pathItem) error {
	size, err := pgfile.VarlenaSize(i.body)
	if err != nil {
		return err
	}
	b, err := p.claim(i, i.body, uint64(size))
	if err != nil {
		return err
	}
	number, err := pgfile.ParseVarlena(b)
	if err != nil {
		return err
	}
	if number.Kind != pgfile.VarlenaPlain {
		return pgfile.Corruptf(-1, "the number at byte %d of a jsonpath is compressed or stored elsewhere", i.at)
	}
	parens := i.next != 0 && p.e.Major >= 15
	if parens {
		p.text("(")
	}
	p.dst, err = textNumeric(p.dst, number.Data, p.e)
	if parens {
		p.text(")")
	}
	return err
}
