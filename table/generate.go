package table

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"

	"github.com/pipescan/pipescan/catalog"
	"github.com/pipescan/pipescan/datum"
)

// GenerateOptions say how generated rows are loaded.
type GenerateOptions struct {
	Frozen bool // as LoadOptions.Frozen
}

// LoadGenerated appends rows made to a specification. The same specification
// gives the same rows, always. It is a list, by commas, of
//
//	column = generator    one for a column; columns without one are NULL
//	rows = N              how many rows; else as many as the first series has
//	seed = N              another seed for the random generators; else 0
//
// (a column called rows or seed is written in double quotes) with generators
//
//	series(from, to)         from, from+1, ... to, and from the start again
//	series(from, to, step)   in steps, which may be negative
//	random(from, to)         integers, both ends included; for columns of floating
//	                         point, fractions too when an end has a decimal point
//	text(min, max)           min to max random lower-case letters
//	const('value')           the same value in each row; 'it''s' for a quote
//	null(p, generator)       NULL with probability p, else the generator's value
//
// Numbers become a value of the column's type: dates count days, and
// timestamps seconds, from 2000-01-01; 0 is false; other types read the
// number's decimal text. Errors: *SpecError, *LoadError.
//
//	a = series(1, 10000000), b = null(0.1, random(0, 99)), c = text(10, 20)
func (s *Store) LoadGenerated(ctx context.Context, rel *catalog.Relation, spec string, o GenerateOptions) (rows int64, err error) {
	source, err := newGenSource(rel, spec)
	if err != nil {
		return 0, err
	}
	return s.load(ctx, rel, o.Frozen, source)
}

// genSource makes rows.
type genSource struct {
	rel     *catalog.Relation
	columns []generator // nil: NULL
	rows    int64
	row     int64 // that next gives
}

func (g *genSource) line() int64 { return g.row }

func (g *genSource) next(row *rowBuffer) error {
	if g.row == g.rows {
		return io.EOF
	}
	n := g.row
	g.row++
	for i, c := range g.columns {
		if c == nil {
			row.done(true)
			continue
		}
		arena, ok, err := c.append(row.arena, n)
		if err != nil {
			return &LoadError{Line: g.row, Column: g.rel.Columns[i].Name, Err: err}
		}
		row.arena = arena
		row.done(!ok)
	}
	return nil
}

// generator appends the payload of a row's value; ok is false for NULL. Rows
// are asked for in order, each once.
type generator interface {
	append(dst []byte, row int64) (out []byte, ok bool, err error)
}

// series is from, from+step, ...
type series struct {
	from, step, count int64
	encode            encoder
}

func (s *series) append(dst []byte, row int64) ([]byte, bool, error) {
	if row >= s.count {
		row %= s.count
	}
	out, err := s.encode(dst, s.from+row*s.step)
	return out, true, err
}

// uniform is an integer from a range; span 0 means all 64 bits.
type uniform struct {
	rng    *rand.PCG
	from   int64
	span   uint64
	encode encoder
}

func (u *uniform) append(dst []byte, _ int64) ([]byte, bool, error) {
	n := u.rng.Uint64()
	if u.span != 0 {
		n %= u.span // the bias is 2^-32 for spans of 32 bits
	}
	out, err := u.encode(dst, u.from+int64(n))
	return out, true, err
}

// fraction is a floating-point number from a range.
type fraction struct {
	rng      *rand.PCG
	from, to float64
	encode   func([]byte, float64) []byte
}

func (f *fraction) append(dst []byte, _ int64) ([]byte, bool, error) {
	return f.encode(dst, f.from+(f.to-f.from)*unit(f.rng)), true, nil
}

// unit is a number from 0 to 1, without 1.
func unit(rng *rand.PCG) float64 { return float64(rng.Uint64()>>11) / (1 << 53) }

// letters is a text of random length.
type letters struct {
	rng   *rand.PCG
	min   int
	span  uint64
	parse datum.Parser
	text  []byte
}

func (l *letters) append(dst []byte, _ int64) ([]byte, bool, error) {
	n := l.min + int(l.rng.Uint64()%l.span)
	l.text = l.text[:0]
	for len(l.text) < n {
		bits := l.rng.Uint64()
		for k := 0; k < 12 && len(l.text) < n; k++ { // 26^12 fits 64 bits
			l.text = append(l.text, 'a'+byte(bits%26))
			bits /= 26
		}
	}
	out, err := l.parse(dst, l.text)
	return out, true, err
}

// constant is always the same payload.
type constant struct{ payload []byte }

func (c *constant) append(dst []byte, _ int64) ([]byte, bool, error) {
	return append(dst, c.payload...), true, nil
}

// sometimes is NULL with a probability. The inner generator makes a value for
// each row, so that a series goes on behind a NULL.
type sometimes struct {
	rng   *rand.PCG
	null  float64
	inner generator
}

func (s *sometimes) append(dst []byte, row int64) ([]byte, bool, error) {
	out, ok, err := s.inner.append(dst, row)
	if unit(s.rng) < s.null {
		return dst, false, err
	}
	return out, ok, err
}

// outOfRange is a number that the column's type does not have.
func outOfRange(n int64, typ string) error {
	return &datum.InputError{State: datum.StateNumericOutOfRange, Message: fmt.Sprintf(`value "%d" is out of range for type %s`, n, typ)}
}
