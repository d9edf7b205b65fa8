package pgfile

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"os"
	"sort"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// majors are the versions that have a golden archive; testdata/golden/make.sh
// makes them from real servers.
var majors = []int{13, 14, 15, 16, 17, 18}

var golden = struct {
	sync.Mutex
	archives map[int]map[string][]byte
}{archives: map[int]map[string][]byte{}}

// goldenFiles reads a version's archive once.
func goldenFiles(t testing.TB, major int) map[string][]byte {
	t.Helper()
	golden.Lock()
	defer golden.Unlock()
	if files, ok := golden.archives[major]; ok {
		return files
	}
	f, err := os.Open(fmt.Sprintf("testdata/golden/%d.tar.gz", major))
	require.NoError(t, err)
	defer f.Close()
	z, err := gzip.NewReader(f)
	require.NoError(t, err)
	files := map[string][]byte{}
	for r := tar.NewReader(z); ; {
		h, err := r.Next()
		if err == io.EOF {
			break
		}
		require.NoError(t, err)
		if h.Typeflag != tar.TypeReg {
			continue
		}
		b, err := io.ReadAll(r)
		require.NoError(t, err)
		files[strings.TrimPrefix(h.Name, "./")] = b
	}
	golden.archives[major] = files
	return files
}

// goldenFile returns a copy of one file, which must be there and not empty.
func goldenFile(t testing.TB, major int, name string) []byte {
	t.Helper()
	b := goldenFiles(t, major)[name]
	require.NotEmpty(t, b, "%s of version %d", name, major)
	return bytes.Clone(b)
}

// goldenLines splits a text file into lines.
func goldenLines(t testing.TB, major int, name string) []string {
	t.Helper()
	return strings.Split(strings.TrimRight(string(goldenFile(t, major, name)), "\n"), "\n")
}

// goldenPages cuts a relation's file into pages.
func goldenPages(t testing.TB, major int, name string) []Page {
	t.Helper()
	b := goldenFile(t, major, name)
	require.Zero(t, len(b)%PageSize)
	var pages []Page
	for ; len(b) > 0; b = b[PageSize:] {
		pages = append(pages, Page(b[:PageSize:PageSize]))
	}
	return pages
}

// goldenRelations names every relation file of an archive.
func goldenRelations(t testing.TB, major int) []string {
	t.Helper()
	var names []string
	for name, b := range goldenFiles(t, major) {
		switch {
		case len(b) == 0 || len(b)%PageSize != 0 || strings.HasSuffix(name, ".txt"):
		case name == "pg_control" || name == "xact" || name == "mxoff" || name == "mxmem":
		default:
			names = append(names, name)
		}
	}
	sort.Strings(names)
	require.Greater(t, len(names), 8)
	return names
}

// eachMajor runs a subtest for each version.
func eachMajor(t *testing.T, f func(t *testing.T, major int)) {
	for _, major := range majors {
		t.Run(fmt.Sprint(major), func(t *testing.T) { f(t, major) })
	}
}

// requireCorrupt wants a *CorruptError with a reason.
func requireCorrupt(t testing.TB, err error) {
	t.Helper()
	require.ErrorIs(t, err, ErrCorrupt)
	var c *CorruptError
	require.ErrorAs(t, err, &c)
	require.NotEmpty(t, c.Reason)
}
