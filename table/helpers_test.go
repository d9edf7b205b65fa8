package table

import (
	"bytes"
	"context"
	"testing"

	"github.com/panjf2000/ants/v2"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/pipescan/pipescan/catalog"
	"github.com/pipescan/pipescan/datum"
	"github.com/pipescan/pipescan/pipeline"
)

var ctx = context.Background()

// newStore makes a store in a directory of the test's own.
func newStore(t testing.TB) *Store {
	t.Helper()
	s, err := Create(t.TempDir())
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	return s
}

// newTable makes a table in a new store.
func newTable(t testing.TB, columns string) (*Store, *catalog.Relation) {
	t.Helper()
	s := newStore(t)
	rel, err := s.CreateTable(ctx, "public", "t", columns)
	require.NoError(t, err)
	return s, rel
}

// copyOut scans a table and returns what COPY TO would print.
func copyOut(t testing.TB, s *Store, rel *catalog.Relation) string {
	t.Helper()
	hs, file, err := s.HeapScan(ctx, rel)
	require.NoError(t, err)
	defer func() { require.NoError(t, file.Close()) }()
	codecs := make([]datum.Codec, len(rel.Columns))
	for i, c := range rel.Columns {
		codecs[i], err = datum.For(c.Type, c.Typmod, s.Env())
		require.NoError(t, err)
	}
	lanes, window, err := hs.Lanes(1, true)
	require.NoError(t, err)
	var out, field []byte
	for b, err := range pipeline.Run(ctx, pipeline.Options{Ordered: true, Window: window}, lanes) {
		require.NoError(t, err)
		for row := range b.Rows() {
			for i := range codecs {
				if i > 0 {
					out = append(out, '\t')
				}
				v, ok := b.Cols[i].Value(row)
				if !ok {
					out = append(out, `\N`...)
					continue
				}
				field, err = codecs[i].AppendText(field[:0], v)
				require.NoError(t, err)
				out = appendCopy(out, field)
			}
			out = append(out, '\n')
		}
	}
	return string(out)
}

// appendCopy escapes as COPY's text format does.
func appendCopy(dst, text []byte) []byte {
	for _, c := range text {
		if i := bytes.IndexByte([]byte("\b\f\n\r\t\v\\"), c); i >= 0 {
			dst = append(dst, '\\', `bfnrtv\`[i])
			continue
		}
		dst = append(dst, c)
	}
	return dst
}

// count counts what a scan sees, decoding nothing.
func count(t testing.TB, s *Store, rel *catalog.Relation) (n int) {
	t.Helper()
	hs, file, err := s.HeapScan(ctx, rel)
	require.NoError(t, err)
	defer func() { require.NoError(t, file.Close()) }()
	hs.CountOnly = true
	lanes, _, err := hs.Lanes(1, false)
	require.NoError(t, err)
	for b, err := range pipeline.Run(ctx, pipeline.Options{}, lanes) {
		require.NoError(t, err)
		n += b.Rows()
	}
	return n
}

// start is what every run of the tests begins with.
func start() { ants.Release() } // its default pool keeps two goroutines

func TestMain(m *testing.M) {
	start()
	if loadUntilKilled() {
		return
	}
	goleak.VerifyTestMain(m, goleak.IgnoreCurrent())
}
