package tests

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// treeHash is a checksum over names, sizes, modification times and contents of a directory, followed through tablespace links.
func treeHash(t testing.TB, dir string) string {
	t.Helper()
	h := sha256.New()
	hashInto(t, h, dir)
	links, _ := filepath.Glob(filepath.Join(dir, "pg_tblspc", "*"))
	for _, l := range links {
		if target, err := os.Readlink(l); err == nil {
			hashInto(t, h, target)
		}
	}
	return hex.EncodeToString(h.Sum(nil))
}

func hashInto(t testing.TB, w io.Writer, dir string) {
	t.Helper()
	require.NoError(t, filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		fi, err := d.Info()
		if err != nil {
			return err
		}
		fmt.Fprintln(w, path, fi.Size(), fi.ModTime().UnixNano(), fi.Mode())
		if !fi.Mode().IsRegular() {
			return nil
		}
		f, err := os.Open(path)
		if err != nil {
			return err
		}
		defer f.Close()
		_, err = io.Copy(w, f)
		return err
	}))
}

// tail returns the last lines of a message.
func tail(b []byte) []byte {
	const enough = 3000
	if len(b) <= enough {
		return b
	}
	return bytes.Join([][]byte{[]byte("..."), b[len(b)-enough:]}, nil)
}
