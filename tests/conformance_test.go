package tests

import (
	"path/filepath"
	"testing"

	"github.com/pipescan/pipescan/internal/pgtest"
)

// TestConformance is the product's word of honour: every table of every database of a cleanly stopped cluster, catalogs and template0
// included, is what the server's own COPY gives.
func TestConformance(t *testing.T) {
	eachVersion(t, func(t *testing.T, major int) {
		s := pgtest.New(t, major, pgtest.Options{Checksums: true})
		s.Start()
		fillEverything(t, s)
		s.Stop()
		before := treeHash(t, s.Dir())
		out, cache := t.TempDir(), t.TempDir()
		r := run(t, "dump", "-D", s.Dir(), "--cache", cache, "--catalogs", "--all-databases", "-o", out)
		if r.code != 0 {
			t.Errorf("dump: exit %d\n%s", r.code, tail(r.stderr))
		}
		judge := s.Clone(t)
		judge.Start()
		compareDump(t, out, judge)
		if after := treeHash(t, s.Dir()); after != before {
			t.Error("the dump changed the data directory")
		}
		// Once more with a warm cache, fewer helpers and the other way of reading.
		again := filepath.Join(t.TempDir(), "again")
		runOK(t, "dump", "-D", s.Dir(), "--cache", cache, "--catalogs", "--all-databases", "--workers", "1", "-j", "1", "-o", again)
		compareDump(t, again, judge)
	})
}
