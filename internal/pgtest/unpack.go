package pgtest

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// packageRoot is what the archive's useful paths begin with: npm's own folder and the package's.
const packageRoot = "package/native/"

// unpack writes the server in a packed npm package to the new directory dst (bin, lib and share in it).
//
// npm archives carry no symbolic links, which shared libraries need, so the package lists them in pg-symlinks.json.
func unpack(archive []byte, dst string) error {
	zr, err := gzip.NewReader(bytes.NewReader(archive))
	if err != nil {
		return err
	}
	for tr := tar.NewReader(zr); ; {
		h, err := tr.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
		name, ours := strings.CutPrefix(h.Name, packageRoot)
		if !ours || h.Typeflag != tar.TypeReg {
			continue
		}
		if !filepath.IsLocal(name) {
			return fmt.Errorf("archive member %q lies outside of the package", h.Name)
		}
		if err := unpackFile(tr, filepath.Join(dst, name), modeOf(name)); err != nil {
			return err
		}
	}
	return makeSymlinks(dst)
}

// modeOf gives programs their execute bit: not every npm version keeps it.
func modeOf(name string) os.FileMode {
	if strings.HasPrefix(name, "bin/") || strings.Contains(name, ".so") {
		return 0o755
	}
	return 0o644
}

func unpackFile(r io.Reader, path string, mode os.FileMode) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, mode)
	if err != nil {
		return err
	}
	if _, err := io.Copy(f, r); err != nil {
		_ = f.Close()
		return err
	}
	return f.Close()
}

// makeSymlinks makes the links that dst/pg-symlinks.json lists as pairs of paths below "native/": source is the file, target the link.
func makeSymlinks(dst string) error {
	list, err := os.ReadFile(filepath.Join(dst, "pg-symlinks.json"))
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	var links []struct{ Source, Target string }
	if err := json.Unmarshal(list, &links); err != nil {
		return fmt.Errorf("pg-symlinks.json: %w", err)
	}
	for _, l := range links {
		file, link := strings.TrimPrefix(l.Source, "native/"), strings.TrimPrefix(l.Target, "native/")
		if !filepath.IsLocal(file) || !filepath.IsLocal(link) {
			return fmt.Errorf("pg-symlinks.json: %q to %q leaves the package", l.Target, l.Source)
		}
		rel, err := filepath.Rel(filepath.Dir(link), file)
		if err != nil {
			return err
		}
		err = os.Symlink(rel, filepath.Join(dst, link))
		if err != nil && !errors.Is(err, os.ErrExist) {
			return err
		}
	}
	return nil
}
