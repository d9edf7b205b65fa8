package fileio

import (
	"bytes"
	"encoding/binary"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/pipescan/pipescan/pgfile"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// small is a layout of four blocks a segment.
var small = Layout{Major: 15, CatVersion: 202209061, SegmentBlocks: 4}

// table is where the tests' relation lies.
var table = RelLocator{Database: 5, Node: 100}

// block makes a block that tells its number.
func block(n uint32) []byte {
	b := bytes.Repeat([]byte{byte(n)}, pgfile.PageSize)
	binary.LittleEndian.PutUint32(b, n)
	return b
}

// write writes a file of dir, making directories.
func write(t testing.TB, dir, name string, b []byte) {
	t.Helper()
	full := filepath.Join(dir, name)
	require.NoError(t, os.MkdirAll(filepath.Dir(full), 0o700))
	require.NoError(t, os.WriteFile(full, b, 0o600))
}

// writeSegment writes a segment of so many blocks whose first one is first.
func writeSegment(t testing.TB, dir, name string, first uint32, n int, tail ...byte) {
	t.Helper()
	var b []byte
	for i := range n {
		b = append(b, block(first+uint32(i))...)
	}
	write(t, dir, name, append(b, tail...))
}

// openDir opens dir for the test's duration.
func openDir(t testing.TB, dir string) *Dir {
	t.Helper()
	d, err := OpenDir(dir)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, d.Close()) })
	return d
}

// openFDs counts this process's descriptors of files under dir.
func openFDs(t testing.TB, dir string) int {
	t.Helper()
	names, err := os.ReadDir("/proc/self/fd")
	require.NoError(t, err)
	n := 0
	for _, name := range names {
		target, err := os.Readlink("/proc/self/fd/" + name.Name())
		if err == nil && len(target) > len(dir) && target[:len(dir)] == dir {
			n++
		}
	}
	return n
}
