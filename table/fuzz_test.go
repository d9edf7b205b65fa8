package table

import (
	"bytes"
	"errors"
	"io"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"

	"github.com/pipescan/pipescan/catalog"
	"github.com/pipescan/pipescan/pgfile"
)

// FuzzParseColumns: columns that parse print as columns that parse to the same.
func FuzzParseColumns(f *testing.F) {
	f.Add(serverColumns)
	for _, c := range goodColumns {
		f.Add(c.text)
	}
	for _, text := range badColumns {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		cols, err := ParseColumns(text)
		if err != nil {
			var bad *DefinitionError
			require.ErrorAs(t, err, &bad)
			require.NotEmpty(t, bad.Error())
			return
		}
		require.NotEmpty(t, cols)
		again, err := ParseColumns(printColumns(t, cols))
		require.NoError(t, err)
		require.Equal(t, len(cols), len(again))
		for i := range cols {
			cols[i].Ndims, again[i].Ndims = 0, 0 // format_type prints one pair of brackets
		}
		require.Equal(t, cols, again)
	})
}

// FuzzCopyReader: every input gives rows or an error, in whatever pieces it
// comes; the rows make sound tuples.
func FuzzCopyReader(f *testing.F) {
	for _, in := range copyInputs {
		f.Add([]byte(in[1:]), in[0] == 'c', byte(0), byte(0))
	}
	f.Add([]byte("1|'a\\'b'\n"), true, byte('|'), byte('\\'))
	rel := &catalog.Relation{Name: "t"}
	var err error
	rel.Columns, err = ParseColumns("a text, b varchar(3), c bytea")
	require.NoError(f, err)
	parsers, err := parsersOf(rel)
	require.NoError(f, err)
	former, err := pgfile.NewTupleFormer(attrsOf(rel.Columns), []byte("xxx"))
	require.NoError(f, err)
	f.Fuzz(func(t *testing.T, in []byte, csv bool, delim, escape byte) {
		o := LoadOptions{Delimiter: delim}
		if csv {
			o.Format, o.Escape = FormatCSV, escape
		}
		read := func(r io.Reader) (rows [][]byte, err error) {
			c, err := newCopySource(rel, o, parsers, r)
			if err != nil {
				return nil, nil
			}
			row := newRowBuffer(len(rel.Columns))
			for {
				row.reset()
				if err := c.next(row); err != nil {
					return rows, err
				}
				tuple, err := former.Form(nil, row.datums(), pgfile.TupleHeader{})
				require.NoError(t, err)
				require.NoError(t, pgfile.ValidateHeapTuple(tuple))
				rows = append(rows, tuple)
			}
		}
		whole, err := read(bytes.NewReader(in))
		pieces, err2 := read(iotest.OneByteReader(bytes.NewReader(in)))
		require.Equal(t, whole, pieces)
		if err != nil {
			require.EqualError(t, err2, err.Error())
			var bad *LoadError
			require.True(t, errors.Is(err, io.EOF) || errors.As(err, &bad))
		}
	})
}

// FuzzSpec: every specification gives rows or an error.
func FuzzSpec(f *testing.F) {
	for _, c := range goodSpecs {
		f.Add(c.spec)
	}
	for _, spec := range badSpecs {
		f.Add(spec)
	}
	rel := &catalog.Relation{Name: "t"}
	var err error
	rel.Columns, err = ParseColumns(specColumns)
	require.NoError(f, err)
	f.Fuzz(func(t *testing.T, spec string) {
		g, err := newGenSource(rel, spec)
		if err != nil {
			var bad *SpecError
			require.ErrorAs(t, err, &bad)
			require.NotEmpty(t, bad.Error())
			return
		}
		for _, c := range g.columns {
			if l, ok := c.(*letters); ok && uint64(l.min)+l.span > 1<<12 {
				return // long texts take long
			}
		}
		row := newRowBuffer(len(rel.Columns))
		for range 20 {
			row.reset()
			if err := g.next(row); err != nil {
				var bad *LoadError
				require.True(t, errors.Is(err, io.EOF) || errors.As(err, &bad), "%v", err)
				return
			}
			require.Len(t, row.datums(), len(rel.Columns))
		}
	})
}
