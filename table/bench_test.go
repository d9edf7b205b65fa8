package table

import (
	"bytes"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
)

// benchLoad loads a million rows an iteration and tells the rows a second.
func benchLoad(b *testing.B, columns string, load func(s *Store, name string) error) {
	s := newStore(b)
	b.ReportAllocs()
	n := 0
	for b.Loop() {
		n++
		name := "t" + strconv.Itoa(n)
		_, err := s.CreateTable(ctx, "public", name, columns)
		require.NoError(b, err)
		require.NoError(b, load(s, name))
		b.StopTimer()
		rel, err := s.RelationByName(ctx, "public", name)
		require.NoError(b, err)
		require.NoError(b, s.Drop(ctx, rel))
		b.StartTimer()
	}
	b.ReportMetric(float64(n)*1e6/b.Elapsed().Seconds(), "rows/s")
}

func BenchmarkGenerate(b *testing.B) {
	for _, c := range []struct{ name, columns, spec string }{
		{"int4", "a int", "a = series(1, 1000000)"},
		{"three", "a int, b text, c float8", "a = series(1, 1000000), b = text(5, 15), c = random(0.0, 1.0)"},
	} {
		b.Run(c.name, func(b *testing.B) {
			benchLoad(b, c.columns, func(s *Store, name string) error {
				rel, err := s.RelationByName(ctx, "public", name)
				require.NoError(b, err)
				_, err = s.LoadGenerated(ctx, rel, c.spec, GenerateOptions{})
				return err
			})
		})
	}
}

func BenchmarkCopy(b *testing.B) {
	for _, c := range []struct {
		name  string
		delim byte
		f     Format
	}{{"text", '\t', FormatText}, {"csv", ',', FormatCSV}} {
		var input []byte
		for i := range 1000000 {
			input = append(strconv.AppendInt(input, int64(i), 10), c.delim)
			input = append(append(input, "some text of no great length"...), c.delim)
			input = append(strconv.AppendFloat(input, float64(i)/7, 'g', -1, 64), '\n')
		}
		b.Run(c.name, func(b *testing.B) {
			b.SetBytes(int64(len(input)))
			benchLoad(b, "a int, b text, c float8", func(s *Store, name string) error {
				rel, err := s.RelationByName(ctx, "public", name)
				require.NoError(b, err)
				_, err = s.Load(ctx, rel, LoadOptions{Format: c.f}, bytes.NewReader(input))
				return err
			})
		})
	}
}
