package export

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/pipescan/pipescan/batch"
	"github.com/pipescan/pipescan/catalog"
)

// textCodec renders a value as its own bytes, and fails on "bad".
type textCodec struct{}

var errBad = errors.New("bad value")

func (textCodec) AppendText(dst, value []byte) ([]byte, error) {
	if string(value) == "bad" {
		return append(dst, "half"...), errBad
	}
	return append(dst, value...), nil
}

func (textCodec) Value(value []byte) (any, error) { return string(value), nil }

// rows makes a decoded batch of text columns; nil is NULL.
func rows(pool *batch.Pool, values ...[]*string) *batch.Batch {
	b := pool.Get()
	b.SetWidths(make([]int, len(values[0])))
	b.Decoded = true
	for _, r := range values {
		for c, v := range r {
			if v == nil {
				b.Cols[c].AppendNull()
				continue
			}
			if err := b.Cols[c].AppendVar([]byte(*v)); err != nil {
				panic(err)
			}
		}
		b.N++
	}
	return b
}

func str(s string) *string { return &s }

// format runs a batch through a Lines stage and returns what is written.
func format(t *testing.T, f Format, in *batch.Batch, fail FailFunc) (string, error) {
	t.Helper()
	cols := make([]Column, len(in.Cols))
	for i := range cols {
		cols[i] = Column{Name: string(rune('a' + i)), Codec: textCodec{}}
	}
	var out bytes.Buffer
	err := NewLines(f, cols, catalog.UTF8, fail).Process(context.Background(), in, func(b *batch.Batch) error {
		defer b.Release()
		_, err := WriteLines(&out, b)
		return err
	})
	return out.String(), err
}

func TestFormats(t *testing.T) {
	pool := batch.NewPool(2)
	in := func() *batch.Batch {
		return rows(pool,
			[]*string{str("plain"), nil},
			[]*string{str("tab\tnl\ncr\rbs\\vt\vff\fbb\b"), str("")},
			[]*string{str(`quote " comma , `), str("\x01é")},
			[]*string{str(`\.`), str(`\N`)})
	}
	for _, c := range []struct {
		format Format
		want   string
	}{
		{CopyText, "plain\t\\N\n" + `tab\tnl\ncr\rbs\\vt\vff\fbb\b` + "\t\n" + "quote \" comma , \t\x01é\n" + `\\.` + "\t" + `\\N` + "\n"},
		{CSV, "plain,\n" + "\"tab\tnl\ncr\rbs\\vt\vff\fbb\b\",\"\"\n" + "\"quote \"\" comma , \",\x01é\n" + `\.,\N` + "\n"},
		{
			JSONLines,
			`{"a":"plain","b":null}` + "\n" + `{"a":"tab\tnl\ncr\rbs\\vt\u000bff\fbb\b","b":""}` + "\n" +
				`{"a":"quote \" comma , ","b":"\u0001é"}` + "\n" + `{"a":"\\.","b":"\\N"}` + "\n",
		},
	} {
		got, err := format(t, c.format, in(), nil)
		require.NoError(t, err)
		require.Equal(t, c.want, got, c.format)
	}
}

func TestCSVSingleColumn(t *testing.T) {
	got, err := format(t, CSV, rows(batch.NewPool(1), []*string{str(`\.`)}, []*string{nil}), nil)
	require.NoError(t, err)
	require.Equal(t, "\"\\.\"\n\n", got)
	require.Equal(t, "\"a,\"\n", string(Header(CSV, []Column{{Name: "a,"}}, Options{Header: true})))
	require.Nil(t, Header(CopyText, []Column{{Name: "a"}}, Options{Header: true}))
}

func TestFailingValue(t *testing.T) {
	pool := batch.NewPool(1)
	in := func() *batch.Batch { return rows(pool, []*string{str("x"), str("bad")}, []*string{str("y"), str("z")}) }
	for _, f := range []Format{CopyText, CSV, JSONLines} {
		_, err := format(t, f, in(), nil)
		require.ErrorIs(t, err, errBad)
		var row, column int
		got, err := format(t, f, in(), func(_ *batch.Batch, r, c int, _ error) error {
			row, column = r, c
			return nil
		})
		require.NoError(t, err)
		require.Equal(t, [2]int{0, 1}, [2]int{row, column})
		require.Equal(t, map[Format]string{CopyText: "x\t\\N\ny\tz\n", CSV: "x,\ny,z\n", JSONLines: "{\"a\":\"x\",\"b\":null}\n{\"a\":\"y\",\"b\":\"z\"}\n"}[f], got)
	}
}

func TestSelection(t *testing.T) {
	pool := batch.NewPool(2)
	in := rows(pool, []*string{str("0")}, []*string{str("1")}, []*string{str("2")}, []*string{str("3")})
	in.Select(func(row int) bool { return row != 1 })
	got, err := format(t, CopyText, in, nil)
	require.NoError(t, err)
	require.Equal(t, "0\n2\n3\n", got)

	lines := rows(pool, []*string{str("0\n")}, []*string{str("1\n")}, []*string{str("2\n")}, []*string{str("3\n")})
	lines.Select(func(row int) bool { return row%2 == 0 })
	var out bytes.Buffer
	n, err := WriteLines(&out, lines)
	require.NoError(t, err)
	require.Equal(t, int64(4), n)
	require.Equal(t, "0\n2\n", out.String())
}

func TestLongRowsSplit(t *testing.T) {
	long := str(strings.Repeat("x", maxLines/2))
	in := rows(batch.NewPool(1), []*string{long}, []*string{long}, []*string{long}, []*string{long})
	batches, total := 0, 0
	err := NewLines(CopyText, []Column{{Name: "a", Codec: textCodec{}}}, catalog.UTF8, nil).Process(context.Background(), in, func(b *batch.Batch) error {
		batches++
		total += b.Rows()
		b.Release()
		return nil
	})
	require.NoError(t, err)
	require.Equal(t, 2, batches)
	require.Equal(t, 4, total)
}

// FuzzEscapeCopy reads the escaped text back.
func FuzzEscapeCopy(f *testing.F) {
	f.Add([]byte("a\tb"), []byte("pre\t"))
	f.Add([]byte("\\N\b\f\n\r\v"), []byte{})
	f.Fuzz(func(t *testing.T, value, prefix []byte) {
		dst := append(append([]byte(nil), prefix...), value...)
		got := escapeCopy(dst, len(prefix))
		require.Equal(t, string(prefix), string(got[:len(prefix)]))
		back := map[byte]byte{'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t', 'v': '\v', '\\': '\\'}
		var plain []byte
		for rest := got[len(prefix):]; len(rest) > 0; rest = rest[1:] {
			c := rest[0]
			require.NotContains(t, "\b\f\n\r\t\v", string(c))
			if c == '\\' {
				rest = rest[1:]
				c = back[rest[0]]
			}
			plain = append(plain, c)
		}
		require.Equal(t, string(value), string(plain))
	})
}

// TestEncodings: JSON is UTF-8 whatever the database's encoding; the other
// formats keep the bytes.
func TestEncodings(t *testing.T) {
	const latin1 = 8
	pool := batch.NewPool(1)
	text := func(f Format, encoding int32, value string) (string, error) {
		var out bytes.Buffer
		err := NewLines(f, []Column{{Name: "n\xe4", Codec: textCodec{}}}, encoding, nil).Process(context.Background(),
			rows(pool, []*string{str(value)}), func(b *batch.Batch) error {
				defer b.Release()
				_, err := WriteLines(&out, b)
				return err
			})
		return out.String(), err
	}
	got, err := text(JSONLines, latin1, "\xe4\x01")
	require.NoError(t, err)
	require.Equal(t, "{\"nä\":\"ä\\u0001\"}\n", got)
	got, err = text(CopyText, latin1, "\xe4")
	require.NoError(t, err)
	require.Equal(t, "\xe4\n", got)
	_, err = text(JSONLines, catalog.UTF8, "\xe4")
	require.ErrorContains(t, err, "not UTF-8")
}

func BenchmarkCopyText(b *testing.B) {
	pool := batch.NewPool(2)
	many := make([][]*string, 2000)
	for i := range many {
		many[i] = []*string{str("some text"), str("tab\there"), nil}
	}
	in := rows(pool, many...)
	cols := []Column{{"a", textCodec{}}, {"b", textCodec{}}, {"c", textCodec{}}}
	l := NewLines(CopyText, cols, catalog.UTF8, nil)
	emit := func(out *batch.Batch) error { out.Release(); return nil }
	b.ReportAllocs()
	for b.Loop() {
		in.Retain()
		if err := l.Process(context.Background(), in, emit); err != nil {
			b.Fatal(err)
		}
	}
}

// TestJSONSize: what is reserved for a large string is what it takes.
func TestJSONSize(t *testing.T) {
	var all []byte
	for c := range 256 {
		all = append(all, byte(c))
	}
	require.Len(t, appendJSONString(nil, all), jsonSize(all)+2)
	large := bytes.Repeat(all, largeValue/len(all))
	got := appendJSONString(nil, large)
	require.Len(t, got, jsonSize(large)+2)
	require.Less(t, cap(got), len(got)+len(got)/8, "grown once")
}
