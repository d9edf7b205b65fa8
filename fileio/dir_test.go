package fileio

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/pipescan/pipescan/pgfile"
)

func TestOpenDir(t *testing.T) {
	_, err := OpenDir(filepath.Join(t.TempDir(), "no"))
	require.ErrorIs(t, err, fs.ErrNotExist)
	file := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	_, err = OpenDir(file)
	require.ErrorIs(t, err, syscall.ENOTDIR)

	d, err := OpenDir(t.TempDir())
	require.NoError(t, err)
	require.NoError(t, d.Close())
	require.NoError(t, d.Close())
	_, err = d.Stat("x")
	require.ErrorIs(t, err, fs.ErrClosed)
}

// TestDirRenamed: what was opened is read, not what its path means later.
func TestDirRenamed(t *testing.T) {
	parent := t.TempDir()
	dir := filepath.Join(parent, "data")
	write(t, dir, "PG_VERSION", []byte("15\n"))
	d := openDir(t, dir)
	require.Equal(t, dir, d.Path())
	require.NoError(t, os.Rename(dir, filepath.Join(parent, "old")))
	write(t, dir, "PG_VERSION", []byte("18\n"))
	b, _, err := d.ReadFile("PG_VERSION", 10)
	require.NoError(t, err)
	require.Equal(t, "15\n", string(b))
}

func TestReadFile(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "global/pg_control", []byte("12345"))
	d := openDir(t, dir)

	b, id, err := d.ReadFile("global/pg_control", 5)
	require.NoError(t, err)
	require.Equal(t, "12345", string(b))
	require.EqualValues(t, 5, id.Size)
	again, err := d.Stat("global/pg_control")
	require.NoError(t, err)
	require.Equal(t, id, again)

	_, _, err = d.ReadFile("global/pg_control", 4)
	require.ErrorIs(t, err, pgfile.ErrCorrupt)
	require.ErrorContains(t, err, "global/pg_control: 5 bytes long, at most 4")
	_, _, err = d.ReadFile("global/none", 5)
	require.ErrorIs(t, err, fs.ErrNotExist)

	names, err := d.ReadDir(".")
	require.NoError(t, err)
	require.Equal(t, []string{"global"}, names)
	_, err = d.ReadDir("none")
	require.ErrorIs(t, err, fs.ErrNotExist)
}

// TestNamesStayInside: no name leads out of the directory but a link in it.
func TestNamesStayInside(t *testing.T) {
	dir := t.TempDir()
	outside := t.TempDir()
	write(t, outside, "secret", []byte("x"))
	require.NoError(t, os.Symlink(outside, filepath.Join(dir, "link")))
	d := openDir(t, dir)
	for _, name := range []string{"../x", "/etc/passwd", "a/../../x", ""} {
		_, err := d.OpenFile(name)
		require.ErrorIs(t, err, fs.ErrInvalid, name)
		_, err = d.ReadDir(name)
		require.ErrorIs(t, err, fs.ErrInvalid, name)
	}
	b, _, err := d.ReadFile("link/secret", 1)
	require.NoError(t, err)
	require.Equal(t, "x", string(b))
}

// TestOnlyRegularFiles: nothing else is opened, and a FIFO does not hang.
func TestOnlyRegularFiles(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, unix.Mkfifo(filepath.Join(dir, "fifo"), 0o600))
	require.NoError(t, os.Mkdir(filepath.Join(dir, "sub"), 0o700))
	require.NoError(t, os.Symlink("/dev/null", filepath.Join(dir, "null")))
	require.NoError(t, os.Symlink("loop", filepath.Join(dir, "loop")))
	d := openDir(t, dir)
	for name, says := range map[string]string{"fifo": "a FIFO", "sub": "a directory", "null": "a device"} {
		start := time.Now()
		_, err := d.OpenFile(name)
		require.ErrorIs(t, err, pgfile.ErrCorrupt)
		require.ErrorContains(t, err, says)
		require.Less(t, time.Since(start), 5*time.Second)
	}
	write(t, dir, "file", nil)
	for name, is := range map[string]error{"loop": syscall.ELOOP, "file/below": syscall.ENOTDIR} {
		_, err := d.OpenFile(name)
		require.ErrorIs(t, err, is)
		require.ErrorIs(t, err, pgfile.ErrCorrupt, "the tree is not as a server made it")
		require.ErrorContains(t, err, "from a backup")
		_, err = d.Stat(name)
		require.ErrorIs(t, err, pgfile.ErrCorrupt)
	}
	_, err := d.ReadDir("file")
	require.ErrorIs(t, err, pgfile.ErrCorrupt)

	require.NoError(t, os.MkdirAll(filepath.Join(dir, "base/5"), 0o700))
	require.NoError(t, unix.Mkfifo(filepath.Join(dir, "base/5/100"), 0o600))
	_, err = d.OpenRelation(small, table, Main)
	require.ErrorContains(t, err, "base/5/100: is a FIFO")
}

// TestDenied: a file that may not be read says who may read it.
func TestDenied(t *testing.T) {
	d := openDir(t, t.TempDir())
	err := d.pathError("open", "base/5/1259", unix.EACCES)
	require.ErrorIs(t, err, fs.ErrPermission)
	require.NotErrorIs(t, err, pgfile.ErrCorrupt)
	var pe *fs.PathError
	require.ErrorAs(t, err, &pe)
	require.ErrorContains(t, err, "base/5/1259: permission denied (read it as the user who owns the data directory)")
}

// TestAccessTime: reading leaves the access time alone.
func TestAccessTime(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "f", []byte("x"))
	long := time.Now().Add(-48 * time.Hour).Truncate(time.Second)
	require.NoError(t, os.Chtimes(filepath.Join(dir, "f"), long, long.Add(-time.Hour)))
	d := openDir(t, dir)
	_, _, err := d.ReadFile("f", 1)
	require.NoError(t, err)
	info, err := os.Stat(filepath.Join(dir, "f"))
	require.NoError(t, err)
	require.Equal(t, long.UnixNano(), info.Sys().(*syscall.Stat_t).Atim.Nano())
}

// TestOthersFile: a file of another owner, for which leaving the access time
// alone is not permitted, is read all the same.
func TestOthersFile(t *testing.T) {
	d := openDir(t, "/etc")
	done := make(chan error)
	go func() {
		// Never unlocked: the thread ends with its identity.
		runtime.LockOSThread()
		if os.Geteuid() == 0 {
			if err := unix.Setfsuid(65534); err != nil {
				done <- err
				return
			}
		}
		_, err := unix.Openat(d.fd, "passwd", unix.O_RDONLY|unix.O_NOATIME, 0)
		if !errors.Is(err, unix.EPERM) {
			done <- fmt.Errorf("the system permits it: %w", err)
			return
		}
		_, _, err = d.ReadFile("passwd", 1<<20)
		done <- err
	}()
	require.NoError(t, <-done)
}
