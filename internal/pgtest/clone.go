package pgtest

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// Clone copies a stopped cluster and returns the copy, stopped. Tablespaces under TablespaceDir are copied too and the copy's links
// point at its own, so a server on the copy changes nothing in the original. File times are kept.
func (s *Server) Clone(tb testing.TB) *Server {
	tb.Helper()
	if s.cmd != nil {
		tb.Fatal("pgtest: Clone of a cluster whose server runs: stop it first")
	}
	c := blank(tb, s.major, s.opts)
	ctx := context.Background()
	c.check(copyTree(ctx, s.Dir(), c.Dir()))
	c.check(os.Remove(filepath.Join(c.base, "ts")))
	c.check(copyTree(ctx, filepath.Join(s.base, "ts"), filepath.Join(c.base, "ts")))
	c.relink(s.base)
	return c
}

// relink points the copy's tablespace links that lead below the old base below the new one.
func (s *Server) relink(oldBase string) {
	s.tb.Helper()
	links, err := os.ReadDir(filepath.Join(s.Dir(), "pg_tblspc"))
	s.check(err)
	for _, l := range links {
		path := filepath.Join(s.Dir(), "pg_tblspc", l.Name())
		target, err := os.Readlink(path)
		if err != nil {
			continue // a tablespace in place, copied with the rest
		}
		rest, below := strings.CutPrefix(target, oldBase+"/")
		if !below {
			s.tb.Fatalf("pgtest: tablespace %s lies in %s, which Clone does not copy: use TablespaceDir", l.Name(), target)
		}
		s.check(os.Remove(path))
		s.check(os.Symlink(filepath.Join(s.base, rest), path))
		s.check(s.own.give(path))
	}
}

// restoreTree makes dst like src, writing into files that exist.
func restoreTree(src, dst string) error {
	err := filepath.WalkDir(dst, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		rel, err := filepath.Rel(dst, path)
		if err != nil {
			return err
		}
		if _, err := os.Lstat(filepath.Join(src, rel)); errors.Is(err, fs.ErrNotExist) {
			return os.Remove(path)
		}
		return nil
	})
	if err != nil {
		return err
	}
	// Without --remove-destination cp opens and truncates the files that are there.
	out, err := exec.Command("cp", "-a", "-T", src, dst).CombinedOutput()
	if err != nil {
		return fmt.Errorf("restore %s: %w: %s", dst, err, out)
	}
	return nil
}
