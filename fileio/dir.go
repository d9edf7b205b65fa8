package fileio

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"

	"golang.org/x/sys/unix"

	"github.com/pipescan/pipescan/pgfile"
)

// Dir is a data directory opened read-only; safe for concurrent use. Close
// must come after the last use of it, its relations and its files.
type Dir struct {
	path   string
	fd     int
	closed atomic.Bool
	files  fdCache
	grows  bool // see FilesGrow

	mu struct {
		sync.Mutex
		listings map[string]*listing // by directory, see segmentsOf
	}
}

// FilesGrow says that a writer appends to relations of d while they are read:
// a file that is longer than at opening is then no *ChangedError when a
// descriptor is opened again. Call it before the first relation is opened.
func (d *Dir) FilesGrow() { d.grows = true }

// unchanged says whether a file is still what it was.
func (d *Dir) unchanged(was, is Identity) bool {
	if d.grows {
		return is.Dev == was.Dev && is.Ino == was.Ino && is.Size >= was.Size
	}
	return is == was
}

// OpenDir opens the directory at path. A missing one is fs.ErrNotExist, a
// file is syscall.ENOTDIR. What lies in it is not looked at.
func OpenDir(path string) (*Dir, error) {
	fd, err := retry(func() (int, error) {
		return unix.Open(path, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	})
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: path, Err: err}
	}
	d := &Dir{path: path, fd: fd}
	d.files.max = DefaultMaxFiles
	d.mu.listings = map[string]*listing{}
	return d, nil
}

// Close closes the directory and every file descriptor kept open through it;
// windows stay mapped. A second call does nothing.
func (d *Dir) Close() error {
	if d.closed.Swap(true) {
		return nil
	}
	err := d.files.closeAll()
	return errors.Join(err, unix.Close(d.fd))
}

// Path is the path given to OpenDir.
func (d *Dir) Path() string { return d.path }

// Identity tells one state of a file from another: two equal identities are
// the same bytes, as far as a file system can tell. It is comparable.
type Identity struct {
	Dev, Ino uint64
	Size     int64 // bytes
	MtimeNs  int64 // last change of the bytes, ns since 1970
	CtimeNs  int64 // last change of bytes or inode, ns since 1970
}

// Stat returns the identity of a file or directory, following links. A missing
// one is fs.ErrNotExist.
func (d *Dir) Stat(name string) (Identity, error) {
	id, _, err := d.stat(name)
	return id, err
}

// stat is Stat that also tells the file's type (unix.S_IFMT bits).
func (d *Dir) stat(name string) (Identity, uint32, error) {
	if err := d.check("stat", name); err != nil {
		return Identity{}, 0, err
	}
	var st unix.Stat_t
	_, err := retry(func() (int, error) { return 0, unix.Fstatat(d.fd, name, &st, 0) })
	if err != nil {
		return Identity{}, 0, d.pathError("stat", name, err)
	}
	return identityOf(&st), uint32(st.Mode) & unix.S_IFMT, nil
}

// identityOf takes what counts out of a stat.
func identityOf(st *unix.Stat_t) Identity {
	return Identity{
		// The widths of Dev and Ino depend on the system.
		Dev: uint64(st.Dev), Ino: uint64(st.Ino), Size: st.Size,
		MtimeNs: st.Mtim.Nano(), CtimeNs: st.Ctim.Nano(),
	}
}

// identityOfFile is the identity of an open file.
func identityOfFile(f *os.File) (Identity, error) {
	var st unix.Stat_t
	_, err := retry(func() (int, error) { return 0, unix.Fstat(int(f.Fd()), &st) })
	return identityOf(&st), err
}

// ReadFile reads a whole file and tells its identity. A file longer than max
// bytes is a *pgfile.CorruptError, one that changes while it is read a
// *ChangedError, a missing one fs.ErrNotExist. The bytes are the caller's.
func (d *Dir) ReadFile(name string, max int64) ([]byte, Identity, error) {
	f, err := d.OpenFile(name)
	if err != nil {
		return nil, Identity{}, err
	}
	defer func() { _ = f.Close() }() // nothing was written
	id, err := identityOfFile(f)
	if err != nil {
		return nil, Identity{}, d.pathError("stat", name, err)
	}
	if id.Size > max {
		return nil, id, corruptFile(name, fmt.Sprintf("%d bytes long, at most %d are possible", id.Size, max), "restore the file from a backup")
	}
	b := make([]byte, id.Size)
	if n, err := io.ReadFull(f, b); err != nil {
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			return nil, id, &ChangedError{File: name, Reason: fmt.Sprintf("it ends at byte %d of %d", n, id.Size)}
		}
		return nil, id, &ReadError{File: name, Block: pgfile.NoBlock, Offset: int64(n), Err: unwrapPath(err)}
	}
	after, err := identityOfFile(f)
	if err != nil {
		return nil, id, d.pathError("stat", name, err)
	}
	if after != id {
		return nil, id, &ChangedError{File: name, Reason: describeChange(id, after)}
	}
	return b, id, nil
}

// ReadDir lists the names in a directory ("." is the data directory itself),
// sorted. A missing directory is fs.ErrNotExist.
func (d *Dir) ReadDir(name string) ([]string, error) {
	f, err := d.openDir(name)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	names, err := f.Readdirnames(-1)
	if err != nil {
		return nil, d.pathError("read", name, unwrapPath(err))
	}
	slices.Sort(names)
	return names, nil
}

// openDir opens a directory inside the data directory.
func (d *Dir) openDir(name string) (*os.File, error) {
	if err := d.check("open", name); err != nil {
		return nil, err
	}
	fd, err := retry(func() (int, error) {
		return unix.Openat(d.fd, name, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	})
	if err != nil {
		return nil, d.pathError("open", name, err)
	}
	return os.NewFile(uintptr(fd), filepath.Join(d.path, name)), nil
}

// OpenFile opens a regular file for reading, without touching its access time
// where that is permitted. Whatever is not a regular file is a
// *pgfile.CorruptError, a missing one fs.ErrNotExist. The caller closes it.
func (d *Dir) OpenFile(name string) (*os.File, error) {
	_, mode, err := d.stat(name)
	if err != nil {
		return nil, err
	}
	// Before the open, because opening a device may already do something; after
	// it, because the file may have been replaced between the two.
	if mode != unix.S_IFREG {
		return nil, notRegular(name, mode)
	}
	fd, err := d.openNoAtime(name)
	if err != nil {
		return nil, d.pathError("open", name, err)
	}
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		_ = unix.Close(fd)
		return nil, d.pathError("stat", name, err)
	}
	if mode := uint32(st.Mode) & unix.S_IFMT; mode != unix.S_IFREG {
		_ = unix.Close(fd)
		return nil, notRegular(name, mode)
	}
	// O_NONBLOCK was for FIFOs only; a blocking descriptor keeps the runtime's
	// poller out of it.
	if err := unix.SetNonblock(fd, false); err != nil {
		_ = unix.Close(fd)
		return nil, d.pathError("open", name, err)
	}
	return os.NewFile(uintptr(fd), filepath.Join(d.path, name)), nil
}

// openNoAtime opens name; O_NOATIME is for the file's owner only, so another
// user's open is tried again without it.
func (d *Dir) openNoAtime(name string) (int, error) {
	const flags = unix.O_RDONLY | unix.O_NONBLOCK | unix.O_CLOEXEC | unix.O_NOCTTY
	open := func(flags int) (int, error) {
		return retry(func() (int, error) { return unix.Openat(d.fd, name, flags, 0) })
	}
	fd, err := open(flags | noAtime)
	if noAtime != 0 && errors.Is(err, unix.EPERM) {
		return open(flags)
	}
	return fd, err
}

// notRegular says what a file is instead of a regular one.
func notRegular(name string, mode uint32) error {
	kind := "of an unknown type"
	switch mode {
	case unix.S_IFDIR:
		kind = "a directory"
	case unix.S_IFIFO:
		kind = "a FIFO"
	case unix.S_IFSOCK:
		kind = "a socket"
	case unix.S_IFCHR, unix.S_IFBLK:
		kind = "a device"
	}
	return corruptFile(name, "is "+kind+" where a regular file belongs", "restore the file from a backup")
}

// check refuses names that would leave the directory, and a closed Dir.
func (d *Dir) check(op, name string) error {
	if d.closed.Load() {
		return d.pathError(op, name, fs.ErrClosed)
	}
	if !filepath.IsLocal(name) {
		return d.pathError(op, name, fs.ErrInvalid)
	}
	return nil
}

// pathError is an error of the system about a name. One that says that the
// tree is not shaped as a server made it is corruption too.
func (d *Dir) pathError(op, name string, err error) error {
	pe := &fs.PathError{Op: op, Path: filepath.Join(d.path, name), Err: err}
	switch {
	case errors.Is(err, fs.ErrPermission):
		return &deniedError{pe}
	case errors.Is(err, unix.ELOOP), errors.Is(err, unix.ENOTDIR), errors.Is(err, unix.EISDIR):
		return &misplacedError{corruptFile(name, "cannot be reached: "+err.Error(), "restore the file, and the directories that lead to it, from a backup"), pe}
	}
	return pe
}

// unwrapPath takes the system's error out of what package os wraps round it.
func unwrapPath(err error) error {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		return pe.Err
	}
	return err
}

// describeChange says which part of an identity differs.
func describeChange(was, is Identity) string {
	switch {
	case was.Dev != is.Dev || was.Ino != is.Ino:
		return "it was replaced by another file"
	case was.Size != is.Size:
		return fmt.Sprintf("its size was %d and is %d", was.Size, is.Size)
	default:
		return "its times differ"
	}
}

// retry calls fn again while a signal interrupts it.
func retry(fn func() (int, error)) (int, error) {
	for {
		n, err := fn()
		if err != unix.EINTR {
			return n, err
		}
	}
}
