package pgtest

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// packed makes an npm archive of names and contents.
func packed(t *testing.T, files map[string]string) []byte {
	t.Helper()
	var b bytes.Buffer
	zw := gzip.NewWriter(&b)
	tw := tar.NewWriter(zw)
	for name, content := range files {
		require.NoError(t, tw.WriteHeader(&tar.Header{Name: name, Typeflag: tar.TypeReg, Mode: 0o600, Size: int64(len(content))}))
		_, err := tw.Write([]byte(content))
		require.NoError(t, err)
	}
	require.NoError(t, tw.Close())
	require.NoError(t, zw.Close())
	return b.Bytes()
}

func TestUnpack(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "tree")
	require.NoError(t, unpack(packed(t, map[string]string{
		"package/package.json":            "{}",
		"package/native/bin/postgres":     "program",
		"package/native/lib/libx.so.1.2":  "library",
		"package/native/pg-symlinks.json": `[{"source":"native/lib/libx.so.1.2","target":"native/lib/libx.so"}]`,
	}), dir))
	fi, err := os.Stat(filepath.Join(dir, "bin", "postgres"))
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o755), fi.Mode())
	target, err := os.Readlink(filepath.Join(dir, "lib", "libx.so"))
	require.NoError(t, err)
	require.Equal(t, "libx.so.1.2", target)
	require.NoFileExists(t, filepath.Join(dir, "package.json"))
}

func TestUnpackStaysInside(t *testing.T) {
	for name, files := range map[string]map[string]string{
		"member": {"package/native/../../x": "out"},
		"link":   {"package/native/pg-symlinks.json": `[{"source":"native/a","target":"../../b"}]`},
	} {
		require.Error(t, unpack(packed(t, files), filepath.Join(t.TempDir(), "tree")), name)
	}
	require.Error(t, unpack([]byte("no archive"), t.TempDir()))
}

func TestMayEnterNamesTheClosedDirectory(t *testing.T) {
	closed := filepath.Join(t.TempDir(), "closed")
	require.NoError(t, os.MkdirAll(filepath.Join(closed, "in"), 0o755))
	require.NoError(t, os.Chmod(closed, 0o700))
	err := owner{uid: 4711, gid: 4711}.mayEnter(filepath.Join(closed, "in"))
	if os.Geteuid() == 0 {
		require.ErrorContains(t, err, closed)
	} else {
		require.NoError(t, err) // this process starts servers as itself
	}
}

func TestIntegrity(t *testing.T) {
	require.Equal(t, "sha512-z4PhNX7vuL3xVChQ1m2AB9Yg5AULVxXcg/SpIdNs6c5H0NE8XYXysP+DGNKHfuwvY7kxvUdBeoGlODJ6+SfaPg==", integrity(nil))
}
