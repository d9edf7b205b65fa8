package cluster

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/pipescan/pipescan/fileio"
	"github.com/pipescan/pipescan/internal/pgtest"
	"github.com/pipescan/pipescan/mvcc"
	"github.com/pipescan/pipescan/pgfile"
)

// attachErr attaches a directory that must be refused.
func attachErr(t *testing.T, dir string, o Options) error {
	t.Helper()
	o.CacheDir = "none"
	c, err := Attach(context.Background(), dir, o)
	if err == nil {
		require.NoError(t, c.Close())
	}
	require.Error(t, err)
	return err
}

// newest is the newest version there is a server of.
func newest() int {
	v := pgtest.Versions()
	return v[len(v)-1]
}

func TestAttachRefuses(t *testing.T) {
	s := pgtest.New(t, newest(), pgtest.Options{})
	dir := s.Dir()
	control, err := os.ReadFile(filepath.Join(dir, "global/pg_control"))
	require.NoError(t, err)
	write := func(name string, b []byte) { require.NoError(t, os.WriteFile(filepath.Join(dir, name), b, 0o600)) }
	restore := func() {
		write("PG_VERSION", []byte(fmt.Sprintln(newest())))
		write("global/pg_control", control)
		for _, f := range []string{"postmaster.pid", "standby.signal", "recovery.signal", "backup_label"} {
			_ = os.Remove(filepath.Join(dir, f))
		}
	}
	crcBroken := append([]byte(nil), control...)
	crcBroken[40]++
	for _, tc := range []struct {
		name   string
		damage func()
		is     error
		says   string
	}{
		{"no directory", func() { dir += "/none" }, ErrNoCluster, "-D or PGDATA"},
		{"no PG_VERSION", func() { require.NoError(t, os.Remove(filepath.Join(dir, "PG_VERSION"))) }, ErrNoCluster, "no PG_VERSION"},
		{"no pg_control", func() { require.NoError(t, os.Remove(filepath.Join(dir, "global/pg_control"))) }, ErrNoCluster, "no global/pg_control"},
		{"old version", func() { write("PG_VERSION", []byte("9.6\n")) }, ErrVersion, "9.6"},
		{"new version", func() { write("PG_VERSION", []byte("23\n")) }, pgfile.ErrUnsupported, "23"},
		{"no version", func() { write("PG_VERSION", []byte("x")) }, pgfile.ErrCorrupt, "PG_VERSION"},
		{"two versions", func() { write("PG_VERSION", []byte("13\n")) }, ErrVersion, "of 13"},
		{"damaged control", func() { write("global/pg_control", crcBroken) }, pgfile.ErrCorrupt, "global/pg_control"},
		{"short control", func() { write("global/pg_control", control[:100]) }, pgfile.ErrCorrupt, "global/pg_control"},
		{"standby", func() { write("standby.signal", nil) }, ErrUnclean, "standby.signal"},
		{"recovery", func() { write("recovery.signal", nil) }, ErrUnclean, "--allow-unclean"},
		{"base backup", func() { write("backup_label", []byte("START WAL LOCATION")) }, ErrUnclean, "backup_label"},
		{"empty pid file", func() { write("postmaster.pid", nil) }, ErrRunning, "remove the file"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			restore()
			defer func() { dir = s.Dir(); restore() }()
			tc.damage()
			err := attachErr(t, dir, Options{})
			require.ErrorIs(t, err, tc.is)
			require.Contains(t, err.Error(), tc.says)
		})
	}
	require.ErrorIs(t, attachErr(t, filepath.Join(dir, "PG_VERSION"), Options{}), ErrNoCluster)
	var warned string
	write("backup_label", nil)
	c := attachTest(t, dir, Options{AllowUnclean: true, Warn: func(m string) { warned = m }})
	require.False(t, c.Clean())
	require.Contains(t, warned, "backup_label is there")
	require.Contains(t, warned, "redo from 0/")
	require.False(t, attachTest(t, dir, Options{AllowUnclean: true, Checksums: ChecksumsOn, Warn: func(m string) { warned = m }}).Checksums())
	require.Contains(t, warned, "without page checksums")
	restore()
}

func TestRunning(t *testing.T) {
	s := pgtest.New(t, newest(), pgtest.Options{})
	c := attachTest(t, s.Dir(), Options{})
	require.NoError(t, c.CheckUnchanged())
	s.Start()
	err := attachErr(t, s.Dir(), Options{AllowUnclean: true})
	require.ErrorIs(t, err, ErrRunning)
	require.Contains(t, err.Error(), "pg_ctl stop")
	pid, readErr := os.ReadFile(filepath.Join(s.Dir(), "postmaster.pid"))
	require.NoError(t, readErr)
	err = c.CheckUnchanged()
	require.True(t, errors.Is(err, fileio.ErrChanged) || errors.Is(err, ErrRunning), "%v", err)
	s.Kill()
	require.ErrorIs(t, attachErr(t, s.Dir(), Options{}), ErrUnclean)
	s.WriteFile("postmaster.pid", pid) // left behind by a killed server
	require.ErrorIs(t, attachErr(t, s.Dir(), Options{}), ErrUnclean)
}

// TestLookAt meets processes that are no server of the directory.
func TestLookAt(t *testing.T) {
	dir := t.TempDir()
	sleep := exec.Command("sleep", "60")
	sleep.Dir = dir
	require.NoError(t, sleep.Start())
	pm := pgfile.PostmasterPID{PID: sleep.Process.Pid}
	state, _ := lookAt("/proc", pm, dir)
	require.Equal(t, processServer, state, "it works in the directory")
	state, _ = lookAt("/proc", pm, t.TempDir())
	require.Equal(t, processGone, state, "it works elsewhere")
	state, why := lookAt(t.TempDir(), pm, dir)
	require.Equal(t, processUnknown, state, "nothing is known")
	require.Contains(t, why, "cannot be told")
	proc := t.TempDir()
	mine := filepath.Join(proc, fmt.Sprint(pm.PID))
	require.NoError(t, os.Mkdir(mine, 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(mine, "comm"), []byte("postgres\n"), 0o600))
	state, _ = lookAt(proc, pm, dir)
	require.Equal(t, processServer, state, "by its name")
	require.NoError(t, os.WriteFile(filepath.Join(mine, "comm"), []byte("bash\n"), 0o600))
	state, _ = lookAt(proc, pm, dir)
	require.Equal(t, processGone, state, "by its name")
	require.NoError(t, os.WriteFile(filepath.Join(mine, "stat"), []byte("1 (a) b) Z 1"), 0o600))
	state, _ = lookAt(proc, pm, dir)
	require.Equal(t, processGone, state, "a zombie")
	require.NoError(t, sleep.Process.Kill())
	_ = sleep.Wait() // killed
	state, _ = lookAt("/proc", pm, dir)
	require.Equal(t, processGone, state)
	state, _ = lookAt("/proc", pgfile.PostmasterPID{PID: os.Getpid()}, dir)
	require.Equal(t, processGone, state, "a container's pid")
}

func TestMissingFiles(t *testing.T) {
	s := pgtest.New(t, newest(), pgtest.Options{})
	s.Start()
	s.SQL("postgres", "CREATE TABLE a(x int); INSERT INTO a VALUES (1); CREATE TABLE b(x int); INSERT INTO b VALUES (1); CREATE VIEW v AS SELECT 1")
	file := s.QueryValue("postgres", "SELECT pg_relation_filepath('a')")
	s.Stop()
	ctx := context.Background()
	require.NoError(t, os.Remove(filepath.Join(s.Dir(), file)))
	d := openTest(t, attachTest(t, s.Dir(), Options{}), "postgres")
	a, err := d.RelationByName(ctx, "public", "a")
	require.NoError(t, err)
	_, _, err = d.HeapScan(ctx, a)
	require.ErrorIs(t, err, pgfile.ErrCorrupt)
	require.Contains(t, err.Error(), file)
	b, err := d.RelationByName(ctx, "public", "b")
	require.NoError(t, err)
	_, f, err := d.HeapScan(ctx, b)
	require.NoError(t, err)
	require.NoError(t, f.Close())
	v, err := d.RelationByName(ctx, "public", "v")
	require.NoError(t, err)
	_, _, err = d.HeapScan(ctx, v)
	require.ErrorIs(t, err, ErrNoStorage)

	_, err = d.RelationByName(ctx, "publik", "a")
	require.ErrorIs(t, err, ErrNotFound)
	require.Contains(t, err.Error(), `did you mean "public"`)
	_, err = d.RelationByName(ctx, "public", "aa")
	var nf *NotFoundError
	require.ErrorAs(t, err, &nf)
	require.Contains(t, nf.Nearest, "public.a")
	_, err = d.Cluster().Database(ctx, "postgras")
	require.ErrorAs(t, err, &nf)
	require.Equal(t, []string{"postgres"}, nf.Nearest)

	require.NoError(t, os.Remove(filepath.Join(s.Dir(), filepath.Dir(file), "pg_filenode.map")))
	d = openTest(t, attachTest(t, s.Dir(), Options{}), "postgres")
	_, err = d.Relations(ctx)
	require.ErrorIs(t, err, pgfile.ErrCorrupt)
	require.Contains(t, err.Error(), "pg_filenode.map")
}

// TestMissingXacts takes pg_xact away: ids that need it are unknown, by name.
func TestMissingXacts(t *testing.T) {
	s := pgtest.New(t, newest(), pgtest.Options{})
	require.NoError(t, os.Truncate(filepath.Join(s.Dir(), "pg_xact/0000"), 100))
	c := attachTest(t, s.Dir(), Options{})
	_, err := c.xacts.status(1000)
	var unknown *mvcc.UnknownXactError
	require.ErrorAs(t, err, &unknown)
	require.ErrorIs(t, err, pgfile.ErrCorrupt)
	require.Contains(t, err.Error(), "pg_xact/0000")
	require.Contains(t, err.Error(), "read only 100 of 8192 bytes")
	require.NoError(t, os.Remove(filepath.Join(s.Dir(), "pg_xact/0000")))
	_, err = c.xacts.status(1000)
	require.Contains(t, err.Error(), "read only 0 of 8192 bytes")
	_, err = c.xacts.status(3_000_000_000)
	require.Contains(t, err.Error(), "pg_xact/0B2D")
}

func TestNearest(t *testing.T) {
	names := []string{"customers", "orders", "order_lines", "x"}
	require.Equal(t, []string{"orders"}, nearest("order", names)[:1])
	require.Equal(t, []string{"customers"}, nearest("custmers", names))
	require.Equal(t, []string{"customers"}, nearest("CUSTOMERS", names))
	require.Empty(t, nearest("zzzzzz", names))
}
