package pgtest

import (
	"context"
	"os"
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
