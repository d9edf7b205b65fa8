package tests

import (
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/pipescan/pipescan/internal/pgtest"
)

// smallCluster is a stopped cluster with a table t, and what COPY says of it.
func smallCluster(t *testing.T) (*pgtest.Server, string) {
	t.Helper()
	versions := pgtest.Versions()
	s := pgtest.New(t, versions[len(versions)-1], pgtest.Options{})
	s.Start()
	s.SQL("postgres", "CREATE TABLE t AS SELECT i AS a, 'row ' || i AS b FROM generate_series(1, 20000) i; DELETE FROM t WHERE a % 10 = 0")
	want := string(s.OracleCopy("postgres", "t"))
	s.Stop()
	return s, want
}

// TestReadOnlyDirectory reads a cluster that cannot be written, as a user that is not root, and from a file system mounted read-only
// where this machine lets us mount one.
func TestReadOnlyDirectory(t *testing.T) {
	s, want := smallCluster(t)
	before := treeHash(t, s.Dir())
	path, err := program()
	require.NoError(t, err)
	mounted := "mount --bind " + s.Dir() + " " + s.Dir() + " && mount -o remount,bind,ro " + s.Dir() + " && ! touch " + s.Dir() + "/probe 2>/dev/null && "
	scan := path + " scan -D " + s.Dir() + " --cache none t"
	unshare := []string{"--mount"}
	if os.Geteuid() != 0 {
		unshare = append(unshare, "--map-root-user") // a namespace in which any user may mount, if the machine allows it
	}
	if exec.Command("unshare", append(unshare, "true")...).Run() == nil {
		out, err := exec.Command("unshare", append(unshare, "sh", "-c", mounted+scan)...).Output()
		require.NoError(t, err)
		require.Equal(t, want, string(out))
	}
	require.Equal(t, before, treeHash(t, s.Dir()))

	c := s.Clone(t)
	require.NoError(t, exec.Command("chmod", "-R", "a-w", c.Dir()).Run())
	require.NoError(t, os.Chmod(scratch, 0o755))
	cmd := exec.Command(path, "scan", "-D", c.Dir(), "--cache", filepath.Join(c.Dir(), "cache"), "t")
	cmd.SysProcAttr = c.UserAttr()
	out, err := cmd.Output()
	require.NoError(t, err)
	require.Equal(t, want, string(out))
	require.NoDirExists(t, filepath.Join(c.Dir(), "cache"))
}

// TestNoHome: without a place for a cache the answer is the same.
func TestNoHome(t *testing.T) {
	s, want := smallCluster(t)
	path, err := program()
	require.NoError(t, err)
	for _, env := range [][]string{{"PATH=/usr/bin"}, {"HOME=/nonexistent"}, {"HOME=", "XDG_CACHE_HOME="}, {"HOME=/dev/null"}} {
		cmd := exec.Command(path, "scan", "-D", s.Dir(), "t")
		cmd.Env = env
		out, err := cmd.Output()
		require.NoError(t, err, "%v", env)
		require.Equal(t, want, string(out), "%v", env)
	}
}

// TestTwoProcessesOneCache: only one process can hold a cache; the others answer all the same.
func TestTwoProcessesOneCache(t *testing.T) {
	s, want := smallCluster(t)
	cache := t.TempDir()
	var wg sync.WaitGroup
	results := make([]result, 5)
	for i := range results {
		wg.Add(1)
		go func() {
			defer wg.Done()
			results[i] = run(t, "scan", "-D", s.Dir(), "--cache", cache, "t")
		}()
	}
	wg.Wait()
	for _, r := range results {
		require.Zero(t, r.code, "%s", r.stderr)
		require.Equal(t, want, string(r.stdout))
	}
}

// TestResume: a dump that is started again does only what is missing.
func TestResume(t *testing.T) {
	s, want := smallCluster(t)
	out := t.TempDir()
	args := []string{"dump", "-D", s.Dir(), "--cache", "none", "--catalogs", "-o", out}
	runOK(t, args...)
	first := readManifest(t, out)["postgres"]
	require.Equal(t, want, string(first["public.t"].raw))
	kept, err := os.Stat(filepath.Join(out, first["pg_catalog.pg_class"].File))
	require.NoError(t, err)
	require.NoError(t, os.Remove(filepath.Join(out, first["public.t"].File)))
	runOK(t, args...)
	again := readManifest(t, out)["postgres"]
	require.Equal(t, want, string(again["public.t"].raw))
	now, err := os.Stat(filepath.Join(out, first["pg_catalog.pg_class"].File))
	require.NoError(t, err)
	require.Equal(t, kept.ModTime(), now.ModTime(), "a finished table was done again")
}

// TestDumpPatterns: -t, -n and -T choose.
func TestDumpPatterns(t *testing.T) {
	s := pgtest.New(t, pgtest.Versions()[0], pgtest.Options{})
	s.Start()
	s.SQL("postgres", "CREATE SCHEMA s; CREATE TABLE s.a (x int); CREATE TABLE s.b (x int); CREATE TABLE a (x int); CREATE TABLE c (x int)")
	s.Stop()
	for _, c := range []struct{ args, want []string }{
		{nil, []string{"public.a", "public.c", "s.a", "s.b"}},
		{[]string{"-t", "a"}, []string{"public.a", "s.a"}},
		{[]string{"-t", "s.a", "-t", "c"}, []string{"public.c", "s.a"}},
		{[]string{"-n", "s"}, []string{"s.a", "s.b"}},
		{[]string{"-T", "a"}, []string{"public.c", "s.b"}},
		{[]string{"-n", "s", "-T", "s.b"}, []string{"s.a"}},
		{[]string{"-t", "[ac]", "-n", "public"}, []string{"public.a", "public.c"}},
	} {
		out := t.TempDir()
		runOK(t, append([]string{"dump", "-D", s.Dir(), "--cache", "none", "-o", out}, c.args...)...)
		var got []string
		for name := range readManifest(t, out)["postgres"] {
			got = append(got, name)
		}
		require.ElementsMatch(t, c.want, got, "%v", c.args)
	}
}
