package dump

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestFileName(t *testing.T) {
	require.Equal(t, "public.orders.copy", FileName("public", "orders", 1, "copy"))
	require.Equal(t, "a%2Eb.c%20d%22%C3%A9.csv", FileName("a.b", `c d"é`, 1, "csv"))
	long := strings.Repeat("é", 31)
	name := FileName(long, long, 123456, "copy")
	require.LessOrEqual(t, len(name), 255)
	require.True(t, strings.HasSuffix(name, "~123456.copy"), name)
	require.NotEqual(t, name, FileName(long, long, 123457, "copy"))
	// No %XX is cut through, wherever the cut falls.
	for n := range 6 {
		name := FileName(strings.Repeat("x", n), strings.Repeat("é", 63), 7, "copy")
		stem := strings.TrimSuffix(name, "~7.copy")
		require.Regexp(t, `^(x*\.)?(%[0-9A-F]{2})*$`, stem)
	}
	require.Equal(t, "%", dirName(""))
	require.Equal(t, "%2E%2E", dirName(".."))
}

func TestManifestResume(t *testing.T) {
	dir := t.TempDir()
	m, err := openManifest(dir)
	require.NoError(t, err)
	e := Entry{OID: 1, Schema: "public", Name: "a", File: "public.a.copy", Bytes: 3, Database: "d", Source: "s"}
	require.NoError(t, os.WriteFile(filepath.Join(dir, e.File), []byte("1\n2"), 0o600))
	require.NoError(t, m.add(e))
	bad := Entry{OID: 2, Name: "b", File: "public.b.copy", Database: "d", Source: "s", Error: "no"}
	require.NoError(t, m.add(bad))
	require.NoError(t, m.close())
	// A line that was cut off by a crash is dropped, and written over.
	path := filepath.Join(dir, ManifestName)
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	require.NoError(t, err)
	_, err = f.WriteString(`{"oid":3,"na`)
	require.NoError(t, err)
	require.NoError(t, f.Close())

	m, err = openManifest(dir)
	require.NoError(t, err)
	_, ok := m.finished(dir, e)
	require.True(t, ok)
	_, ok = m.finished(dir, bad)
	require.False(t, ok, "a failed table is done again")
	other := e
	other.Source = "a later state"
	_, ok = m.finished(dir, other)
	require.False(t, ok, "another state of the cluster")
	require.NoError(t, os.WriteFile(filepath.Join(dir, e.File), []byte("1"), 0o600))
	_, ok = m.finished(dir, e)
	require.False(t, ok, "a file of another size")
	require.NoError(t, m.add(Entry{OID: 4}))
	require.NoError(t, m.close())
	m, err = openManifest(dir)
	require.NoError(t, err)
	require.Len(t, m.done, 3)
	require.NoError(t, m.close())
}

func TestManifestForeignFile(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, ManifestName), []byte("hello\n"), 0o600))
	_, err := openManifest(dir)
	require.ErrorContains(t, err, "not a line of a manifest")
}

// FuzzManifest reads arbitrary bytes as a manifest.
func FuzzManifest(f *testing.F) {
	f.Add([]byte("{\"oid\":1}\n{\"oid\""))
	f.Fuzz(func(t *testing.T, b []byte) {
		dir := t.TempDir()
		require.NoError(t, os.WriteFile(filepath.Join(dir, ManifestName), b, 0o600))
		if m, err := openManifest(dir); err == nil {
			require.NoError(t, m.close())
		}
	})
}
