package store

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/pipescan/pipescan/fileio"
)

// lockEnv makes the test binary a process that holds the store in a directory
// until its stdin ends.
const lockEnv = "PIPESCAN_TEST_HOLD_STORE"

func TestMain(m *testing.M) {
	if dir := os.Getenv(lockEnv); dir != "" {
		holdStore(dir)
		return
	}
	goleak.VerifyTestMain(m)
}

func holdStore(dir string) {
	s := New(Options{Dir: dir})
	_ = s.Put(Key{}, nil, []byte("x"))
	_, _ = os.Stdout.WriteString("held" + s.Note() + "\n")
	_, _ = os.Stdin.Read(make([]byte, 1))
	_ = s.Close()
}

var (
	testKey  = Key{Cluster: ClusterID{1, 2, 3}, Kind: Catalog, Database: 5, Object: 1259}
	testFrom = []Source{{"base/5/1259", fileio.Identity{Dev: 1, Ino: 2, Size: 3, MtimeNs: -4, CtimeNs: 5}}, {"pg_xact/0000", fileio.Identity{}}}
)

func always([]Source) bool { return true }

// open makes a store that is closed at the test's end.
func open(t *testing.T, o Options) *Store {
	t.Helper()
	s := New(o)
	t.Cleanup(func() { _ = s.Close() })
	return s
}

// mustGet gets a fact that has to be there.
func mustGet(t *testing.T, s *Store, k Key, want string) {
	t.Helper()
	got, ok := s.Get(k, always)
	require.True(t, ok, s.Note())
	require.Equal(t, want, string(got))
}

func TestRemembers(t *testing.T) {
	for name, dir := range map[string]string{"disk": t.TempDir(), "memory": InMemory} {
		t.Run(name, func(t *testing.T) {
			s := open(t, Options{Dir: dir})
			_, ok := s.Get(testKey, always)
			require.False(t, ok)
			require.NoError(t, s.Put(testKey, testFrom, []byte("one")))
			require.NoError(t, s.Put(testKey, testFrom, []byte("two")))
			mustGet(t, s, testKey, "two")
			other := testKey
			other.Cluster.Ino++
			_, ok = s.Get(other, always)
			require.False(t, ok, "a clone")
			_, ok = s.Get(testKey, func(from []Source) bool {
				require.Equal(t, testFrom, from)
				return false
			})
			require.False(t, ok, "stale")
			_, ok = s.Get(testKey, always)
			require.False(t, ok, "a stale fact is forgotten")
			require.Empty(t, s.Note())
			require.NoError(t, s.Close())
			require.NoError(t, s.Close())
			require.ErrorIs(t, s.Put(testKey, nil, nil), ErrClosed)
			_, ok = s.Get(testKey, always)
			require.False(t, ok)
		})
	}
}

func TestOutlivesTheProcess(t *testing.T) {
	dir := t.TempDir()
	s := open(t, Options{Dir: dir})
	big := bytes.Repeat([]byte("catalog"), 1<<20)
	require.NoError(t, s.Put(testKey, testFrom, big))
	require.NoError(t, s.Close())
	s = open(t, Options{Dir: dir})
	mustGet(t, s, testKey, string(big))
	st, err := os.Stat(filepath.Join(dir, layoutDir))
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o700), st.Mode().Perm())
}

func TestSharedWithinAProcess(t *testing.T) {
	dir := t.TempDir()
	a, b := open(t, Options{Dir: dir}), open(t, Options{Dir: dir})
	require.NoError(t, a.Put(testKey, nil, []byte("x")))
	mustGet(t, b, testKey, "x")
	require.NoError(t, a.Close())
	mustGet(t, b, testKey, "x")
	require.Empty(t, b.Note())
}

// TestOpensNothing makes stores that are never used.
func TestOpensNothing(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "none")
	require.NoError(t, New(Options{Dir: dir}).Close())
	_, err := os.Stat(dir)
	require.ErrorIs(t, err, os.ErrNotExist)
}

func TestOtherProcess(t *testing.T) {
	dir := t.TempDir()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), lockEnv+"="+dir)
	in, err := cmd.StdinPipe()
	require.NoError(t, err)
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	line := make([]byte, 100)
	n, err := out.Read(line)
	require.NoError(t, err)
	require.Equal(t, "held\n", string(line[:n]))

	s := open(t, Options{Dir: dir, LockWait: 50 * time.Millisecond})
	began := time.Now()
	require.NoError(t, s.Put(testKey, nil, []byte("x")))
	require.GreaterOrEqual(t, time.Since(began), 50*time.Millisecond)
	mustGet(t, s, testKey, "x")
	require.Contains(t, s.Note(), "held by another process: in memory")

	// One that waits long enough gets it.
	patient := open(t, Options{Dir: dir, LockWait: time.Minute})
	time.AfterFunc(100*time.Millisecond, func() { _ = in.Close() })
	require.NoError(t, patient.Put(testKey, nil, []byte("y")))
	require.Empty(t, patient.Note())
	require.NoError(t, cmd.Wait())
}

func TestNoPlace(t *testing.T) {
	t.Run("no home", func(t *testing.T) {
		t.Setenv("HOME", "")
		t.Setenv("XDG_CACHE_HOME", "")
		s := open(t, Options{})
		require.NoError(t, s.Put(testKey, nil, []byte("x")))
		mustGet(t, s, testKey, "x")
		require.Contains(t, s.Note(), "no cache directory")
	})
	t.Run("a file in the way", func(t *testing.T) {
		file := filepath.Join(t.TempDir(), "f")
		require.NoError(t, os.WriteFile(file, nil, 0o600))
		s := open(t, Options{Dir: file})
		require.NoError(t, s.Put(testKey, nil, []byte("x")))
		mustGet(t, s, testKey, "x")
		require.Contains(t, s.Note(), "cannot be made")
	})
	for _, errno := range []syscall.Errno{syscall.EROFS, syscall.ENOSPC, syscall.EACCES} {
		t.Run(errno.Error(), func(t *testing.T) {
			s := open(t, Options{Dir: "/cache", fs: errorfs.Wrap(vfs.NewMem(), failWrites(errno, func() bool { return true }))})
			require.NoError(t, s.Put(testKey, nil, []byte("x")))
			mustGet(t, s, testKey, "x")
			require.Contains(t, s.Note(), "in memory")
		})
	}
}

// failWrites makes every writing operation fail while on says so.
func failWrites(errno syscall.Errno, on func() bool) errorfs.Injector {
	return errorfs.InjectorFunc(func(op errorfs.Op) error {
		if op.Kind.ReadOrWrite() == errorfs.OpIsWrite && on() {
			return &os.PathError{Op: "write", Path: op.Path, Err: errno}
		}
		return nil
	})
}

// TestDiskFillsUp loses the disk in the middle of the work.
func TestDiskFillsUp(t *testing.T) {
	full := false
	s := open(t, Options{Dir: "/cache", fs: errorfs.Wrap(vfs.NewMem(), failWrites(syscall.ENOSPC, func() bool { return full }))})
	require.NoError(t, s.Put(testKey, nil, []byte("x")))
	full = true
	// Far more than Pebble keeps in memory, so that it has to write.
	for i := range 20 {
		k := testKey
		k.Part = uint32(i)
		_ = s.Put(k, nil, bytes.Repeat([]byte("x"), 1<<20)) // kept or not: no panic, no exit, no waiting
		if s.mu.disk == nil {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	require.Contains(t, s.Note(), "in memory")
	require.NoError(t, s.Put(testKey, nil, []byte("after")))
	mustGet(t, s, testKey, "after")
	require.NoError(t, s.Close())
}

// TestFullAtClose must not wait for a disk that stays full.
func TestFullAtClose(t *testing.T) {
	full := false
	s := open(t, Options{Dir: "/cache", fs: errorfs.Wrap(vfs.NewMem(), failWrites(syscall.ENOSPC, func() bool { return full }))})
	require.NoError(t, s.Put(testKey, nil, []byte("x")))
	full = true
	began := time.Now()
	_ = s.Close() // an error or none; the facts are lost either way
	require.Less(t, time.Since(began), flushPatience)
}

// TestCrash cuts the power at any time: what is there afterwards is true.
func TestCrash(t *testing.T) {
	mem := vfs.NewCrashableMem()
	require.NoError(t, mem.MkdirAll("/cache/"+layoutDir, 0o700))
	for _, dir := range []string{"/", "/cache"} { // the cache existed before
		d, err := mem.OpenDir(dir)
		require.NoError(t, err)
		require.NoError(t, d.Sync())
		require.NoError(t, d.Close())
	}
	s := New(Options{Dir: "/cache", fs: mem})
	require.NoError(t, s.Put(testKey, testFrom, []byte("before")))
	require.NoError(t, s.Close())
	s = New(Options{Dir: "/cache", fs: mem})
	other := testKey
	other.Object++
	require.NoError(t, s.Put(other, testFrom, bytes.Repeat([]byte("y"), 1<<20)))
	for percent := 0; percent <= 100; percent += 20 {
		crashed := open(t, Options{Dir: "/after", fs: rooted(t, mem.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: percent, RNG: rand.New(rand.NewPCG(1, uint64(percent)))}))})
		mustGet(t, crashed, testKey, "before")
		if got, ok := crashed.Get(other, always); ok {
			require.Equal(t, bytes.Repeat([]byte("y"), 1<<20), got)
		}
		require.NoError(t, crashed.Close())
	}
	require.NoError(t, s.Close())
}

// rooted moves /cache to /after: the store knows the open one by its path.
func rooted(t *testing.T, fs vfs.FS) vfs.FS {
	t.Helper()
	require.NoError(t, fs.MkdirAll("/after", 0o700))
	require.NoError(t, fs.Rename("/cache/"+layoutDir, "/after/"+layoutDir))
	return fs
}

// TestDamagedStore damages each of Pebble's files in turn.
func TestDamagedStore(t *testing.T) {
	names := func(dir string) []string {
		entries, err := os.ReadDir(filepath.Join(dir, layoutDir))
		require.NoError(t, err)
		var out []string
		for _, e := range entries {
			if e.Name() != "LOCK" {
				out = append(out, e.Name())
			}
		}
		return out
	}
	fill := func() string {
		dir := t.TempDir()
		s := New(Options{Dir: dir})
		require.NoError(t, s.Put(testKey, nil, bytes.Repeat([]byte("true"), 1000)))
		require.NoError(t, s.Close())
		return dir
	}
	for i, name := range names(fill()) {
		t.Run(name, func(t *testing.T) {
			dir := fill()
			path := filepath.Join(dir, layoutDir, names(dir)[i])
			st, err := os.Stat(path)
			require.NoError(t, err)
			require.NoError(t, os.WriteFile(path, bytes.Repeat([]byte{0xa5}, int(st.Size())), 0o600))
			s := open(t, Options{Dir: dir})
			if got, ok := s.Get(testKey, always); ok {
				require.Equal(t, strings.Repeat("true", 1000), string(got))
			}
			require.NoError(t, s.Put(testKey, nil, []byte("new")))
			mustGet(t, s, testKey, "new")
			_ = s.Close() // a note or an error, never a panic
		})
	}
}

// TestForgetsClusters drops what was not put for long.
func TestForgetsClusters(t *testing.T) {
	s := open(t, Options{Dir: t.TempDir()})
	old := testKey
	old.Cluster.System = 99
	require.NoError(t, s.Put(old, nil, []byte("old")))
	require.NoError(t, s.Put(testKey, nil, []byte("new")))
	s.mu.disk.markSeen(testKey.Cluster, time.Now().AddDate(0, 0, keepDays+1))
	mustGet(t, s, testKey, "new")
	_, ok := s.Get(old, always)
	require.False(t, ok)
}

func TestMemoryIsBounded(t *testing.T) {
	s := open(t, Options{Dir: InMemory, MaxMemory: 1000})
	require.NoError(t, s.Put(testKey, nil, make([]byte, 900)))
	require.NoError(t, s.Put(testKey, nil, make([]byte, 900)), "in place of the first")
	other := testKey
	other.Part = 1
	require.Error(t, s.Put(other, nil, make([]byte, 900)))
	require.Error(t, s.Put(other, nil, make([]byte, maxValue)))
	require.Error(t, s.Put(other, []Source{{Name: strings.Repeat("n", 1<<17)}}, nil))
}

func TestAfter(t *testing.T) {
	require.Equal(t, []byte{1, 3}, after([]byte{1, 2, 0xff}))
	require.Nil(t, after([]byte{0xff}))
}

func TestLockHeld(t *testing.T) {
	require.True(t, lockHeld(syscall.EAGAIN))
	require.False(t, lockHeld(&os.PathError{Err: syscall.EACCES}))
	require.True(t, isDamage(pebble.ErrCorruption))
	require.False(t, isDamage(errors.Join(errors.New("x"), syscall.ENOSPC)))
}

// FuzzParseValue feeds values that no store wrote.
func FuzzParseValue(f *testing.F) {
	for _, payload := range []string{"", "payload"} {
		v, err := appendValue(nil, testFrom, []byte(payload))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(v[4:])
	}
	f.Fuzz(func(t *testing.T, rest []byte) {
		// With the right CRC, or nothing behind it would be reached.
		v := append(make([]byte, 4), rest...)
		seal(v)
		sources, payload, err := parseValue(v)
		if err != nil {
			return
		}
		again, err := appendValue(nil, sources, payload)
		require.NoError(t, err)
		require.Equal(t, v, again)
	})
}
