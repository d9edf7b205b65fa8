package table

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"

	"github.com/pipescan/pipescan/catalog"
	"github.com/pipescan/pipescan/datum"
)

// SpecError is what is wrong with the specification of a generated load.
type SpecError struct {
	Spec   string // as given
	Offset int    // byte of Spec at which reading stopped
	Reason string
}

// Error names the reason and the place.
func (e *SpecError) Error() string {
	if e.Offset >= len(e.Spec) {
		return fmt.Sprintf("generator: %s, at the end of %q", e.Reason, clip(e.Spec, 200))
	}
	return fmt.Sprintf("generator: %s, at %q (byte %d)", e.Reason, clip(e.Spec[e.Offset:], 20), e.Offset)
}

// maxRows bounds a generated load: more rows than a table has room for.
const maxRows = 1 << 41

// specParser reads a specification with the lexer of column definitions.
type specParser struct {
	defParser
	rel     *catalog.Relation
	parsers []datum.Parser
	source  *genSource
	seed    uint64
	randoms []func() // give the generators their seed, once it is known
}

func newGenSource(rel *catalog.Relation, spec string) (*genSource, error) {
	parsers, err := parsersOf(rel)
	if err != nil {
		return nil, err
	}
	p := &specParser{defParser: defParser{text: spec}, rel: rel, parsers: parsers}
	p.source = &genSource{rel: rel, columns: make([]generator, len(rel.Columns)), rows: -1}
	if err := p.read(); err != nil {
		if d, ok := err.(*DefinitionError); ok {
			err = &SpecError{Spec: d.Text, Offset: d.Offset, Reason: d.Reason}
		}
		return nil, err
	}
	return p.source, nil
}

// read reads the whole list.
func (p *specParser) read() error {
	series := int64(-1)
	for {
		n, err := p.item()
		if err != nil {
			return err
		}
		if series < 0 {
			series = n
		}
		if p.skip(); p.pos == len(p.text) {
			break
		}
		if !p.symbol(',') {
			return p.fail("a comma is missing")
		}
	}
	if p.source.rows < 0 {
		p.source.rows = series
	}
	if p.source.rows < 0 {
		return p.fail("how many rows is not said: add rows=N or a series")
	}
	for _, f := range p.randoms {
		f()
	}
	return nil
}

// item reads one entry; series is the length of the series it is, or -1.
func (p *specParser) item() (series int64, err error) {
	at := p.skip()
	quoted := at < len(p.text) && p.text[at] == '"'
	name, err := p.name("a column's name")
	if err != nil {
		return -1, err
	}
	if !p.symbol('=') {
		return -1, p.fail("= is missing")
	}
	if !quoted && (name == "rows" || name == "seed") {
		n, err := p.integer()
		if err != nil {
			return -1, err
		}
		if name == "seed" {
			p.seed = uint64(n)
			return -1, nil
		}
		if n < 0 || n > maxRows {
			return -1, p.failAt(at, "rows is a number from 0 to %d", int64(maxRows))
		}
		p.source.rows = n
		return -1, nil
	}
	for i, c := range p.rel.Columns {
		if c.Name != name {
			continue
		}
		if p.source.columns[i] != nil {
			return -1, p.failAt(at, "column %q has two generators", name)
		}
		p.source.columns[i], series, err = p.generator(i, 0)
		return series, err
	}
	return -1, p.failAt(at, "column %q does not exist", clip(name, 80))
}

// integer reads a number.
func (p *specParser) integer() (int64, error) {
	at := p.skip()
	n, err := strconv.ParseInt(p.numeral(), 10, 64)
	if err != nil {
		return 0, p.failAt(at, "a whole number is missing, or too large")
	}
	return n, nil
}

// numeral takes the characters of a number.
func (p *specParser) numeral() string {
	start := p.skip()
	for p.pos < len(p.text) && strings.IndexByte("+-.0123456789eE", p.text[p.pos]) >= 0 {
		p.pos++
	}
	return p.text[start:p.pos]
}

// list reads count numbers (at least least of them) in parentheses.
func (p *specParser) list(least, count int) ([]string, error) {
	if !p.symbol('(') {
		return nil, p.fail("( is missing")
	}
	var out []string
	for {
		at := p.skip()
		n := p.numeral()
		if f, err := strconv.ParseFloat(n, 64); err != nil || math.IsInf(f, 0) || math.IsNaN(f) {
			return nil, p.failAt(at, "a number is missing, or too large")
		}
		out = append(out, n)
		if p.symbol(')') {
			break
		}
		if !p.symbol(',') || len(out) == count {
			return nil, p.fail(") is missing")
		}
	}
	if len(out) < least {
		return nil, p.fail("%d numbers are wanted", least)
	}
	return out, nil
}

// integers reads count whole numbers in parentheses.
func (p *specParser) integers(least, count int) ([]int64, error) {
	at := p.skip()
	texts, err := p.list(least, count)
	if err != nil {
		return nil, err
	}
	out := make([]int64, len(texts))
	for i, t := range texts {
		if out[i], err = strconv.ParseInt(t, 10, 64); err != nil {
			return nil, p.failAt(at, "%s is not a whole number", clip(t, 40))
		}
	}
	return out, nil
}

// rng makes a random generator of a column's own, seeded when all is read.
func (p *specParser) rng() *rand.PCG {
	rng, stream := rand.NewPCG(0, 0), uint64(len(p.randoms))
	p.randoms = append(p.randoms, func() { rng.Seed(p.seed, stream) })
	return rng
}

// generator reads a generator of column i.
func (p *specParser) generator(i, depth int) (g generator, count int64, err error) {
	at := p.skip()
	w := p.peekWord()
	p.pos += len(w)
	switch w {
	case "series":
		return p.series(i)
	case "random":
		g, err = p.random(i)
	case "text":
		g, err = p.letters(i)
	case "const":
		g, err = p.constant(i)
	case "null":
		if depth > 0 {
			return nil, -1, p.failAt(at, "null of null")
		}
		return p.null(i)
	default:
		return nil, -1, p.failAt(at, "a generator is series, random, text, const or null")
	}
	return g, -1, err
}

func (p *specParser) series(i int) (generator, int64, error) {
	at := p.pos
	n, err := p.integers(2, 3)
	if err != nil {
		return nil, -1, err
	}
	s := &series{from: n[0], step: 1, encode: p.encoder(i)}
	if len(n) == 3 {
		s.step = n[2]
	}
	from, to, step := n[0], n[1], s.step
	if step < 0 && step != math.MinInt64 {
		from, to, step = to, from, -step
	}
	switch {
	case step <= 0:
		return nil, -1, p.failAt(at, "a series in steps of %d", s.step)
	case from > to:
		return nil, -1, p.failAt(at, "the series is empty")
	case uint64(to-from)/uint64(step) >= maxRows:
		return nil, -1, p.failAt(at, "the series is longer than %d", int64(maxRows))
	}
	s.count = int64(uint64(to-from)/uint64(step)) + 1
	return s, s.count, nil
}

func (p *specParser) encoder(i int) encoder {
	return encoderOf(p.rel.Columns[i].Type, p.parsers[i])
}

func (p *specParser) random(i int) (generator, error) {
	at := p.pos
	typ := p.rel.Columns[i].Type
	if typ == catalog.Float4OID || typ == catalog.Float8OID {
		n, err := p.list(2, 2)
		if err != nil {
			return nil, err
		}
		if strings.ContainsAny(n[0]+n[1], ".eE") {
			return p.fraction(typ, n)
		}
		p.pos = at
	}
	n, err := p.integers(2, 2)
	if err != nil {
		return nil, err
	}
	if n[0] > n[1] {
		return nil, p.failAt(at, "the range is empty")
	}
	return &uniform{rng: p.rng(), from: n[0], span: uint64(n[1]) - uint64(n[0]) + 1, encode: p.encoder(i)}, nil
}

// fraction is random for floating point; list has seen that the numbers are.
func (p *specParser) fraction(typ catalog.OID, n []string) (generator, error) {
	from, err := strconv.ParseFloat(n[0], 64)
	if err != nil {
		return nil, err
	}
	to, err := strconv.ParseFloat(n[1], 64)
	if err != nil {
		return nil, err
	}
	f := &fraction{rng: p.rng(), from: from, to: to}
	f.encode = func(dst []byte, v float64) []byte { return binary.LittleEndian.AppendUint64(dst, math.Float64bits(v)) }
	if typ == catalog.Float4OID {
		f.encode = func(dst []byte, v float64) []byte {
			return binary.LittleEndian.AppendUint32(dst, math.Float32bits(float32(v)))
		}
	}
	return f, nil
}

func (p *specParser) letters(i int) (generator, error) {
	at := p.pos
	n, err := p.integers(2, 2)
	if err != nil {
		return nil, err
	}
	if n[0] < 0 || n[0] > n[1] || n[1] > maxLine {
		return nil, p.failAt(at, "the lengths of a text are from 0 to %d, the smaller first", maxLine)
	}
	return &letters{rng: p.rng(), min: int(n[0]), span: uint64(n[1]-n[0]) + 1, parse: p.parsers[i]}, nil
}

// constant reads a value in quotes, and its payload at once.
func (p *specParser) constant(i int) (generator, error) {
	if !p.symbol('(') || !p.symbol('\'') {
		return nil, p.fail("a value in single quotes and parentheses is missing")
	}
	at := p.pos
	var text strings.Builder
	for ; ; p.pos++ {
		if p.pos == len(p.text) {
			return nil, p.fail("a single quote is not closed")
		}
		if p.text[p.pos] == '\'' {
			if p.pos++; p.pos == len(p.text) || p.text[p.pos] != '\'' {
				break
			}
		}
		text.WriteByte(p.text[p.pos])
	}
	if !p.symbol(')') {
		return nil, p.fail(") is missing")
	}
	if err := datum.ValidText([]byte(text.String()), catalog.UTF8); err != nil {
		return nil, p.failAt(at, "%v", err)
	}
	payload, err := p.parsers[i]([]byte{}, []byte(text.String()))
	if err != nil {
		return nil, p.failAt(at, "%v", err)
	}
	return &constant{payload: payload}, nil
}

func (p *specParser) null(i int) (generator, int64, error) {
	if !p.symbol('(') {
		return nil, -1, p.fail("( is missing")
	}
	at := p.skip()
	probability, err := strconv.ParseFloat(p.numeral(), 64)
	if err != nil || !(probability >= 0 && probability <= 1) {
		return nil, -1, p.failAt(at, "a probability from 0 to 1 is missing")
	}
	if !p.symbol(',') {
		return nil, -1, p.fail("a comma is missing")
	}
	inner, count, err := p.generator(i, 1)
	if err != nil {
		return nil, -1, err
	}
	if !p.symbol(')') {
		return nil, -1, p.fail(") is missing")
	}
	return &sometimes{rng: p.rng(), null: probability, inner: inner}, count, nil
}
