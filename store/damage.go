package store

import (
	"errors"
	"fmt"
	"io/fs"
	"syscall"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// lockHeld says that the lock belongs to another process: fcntl answers with
// a bare EAGAIN or EACCES, where a lock file that cannot be made is a
// PathError.
func lockHeld(err error) bool {
	var path *fs.PathError
	return !errors.As(err, &path) && (errors.Is(err, syscall.EAGAIN) || errors.Is(err, syscall.EACCES))
}

// isDamage says whether a failed opening is the fault of the files rather than
// of the disk or of permissions: only then does beginning anew help.
func isDamage(err error) bool {
	for _, disk := range []error{
		fs.ErrPermission, syscall.EROFS, syscall.ENOSPC, syscall.EDQUOT, syscall.EIO, syscall.EMFILE, syscall.ENFILE, syscall.ENOMEM,
	} {
		if errors.Is(err, disk) {
			return false
		}
	}
	return true
}

// moveAside moves the files of a damaged store to path.broken, replacing those
// of an earlier one. The directory itself stays: it holds the lock.
func moveAside(fs vfs.FS, path string) error {
	aside := path + ".broken"
	if err := fs.RemoveAll(aside); err != nil {
		return err
	}
	if err := fs.MkdirAll(aside, 0o700); err != nil {
		return err
	}
	names, err := fs.List(path)
	if err != nil {
		return err
	}
	for _, name := range names {
		if name == "LOCK" {
			continue
		}
		if err := fs.Rename(fs.PathJoin(path, name), fs.PathJoin(aside, name)); err != nil {
			return err
		}
	}
	return nil
}

// quietLogger keeps Pebble from writing to stderr and from ending the process:
// a failure makes the store broken, and the scan goes on without it.
type quietLogger struct{ d *disk }

// Infof drops progress reports.
func (quietLogger) Infof(string, ...any) {}

// Errorf drops reports of errors that Pebble also returns.
func (quietLogger) Errorf(string, ...any) {}

// Fatalf is called where Pebble would end the process: the store is marked
// broken instead. Pebble returns the error to its caller afterwards.
func (l quietLogger) Fatalf(format string, args ...any) { l.d.fail(fmt.Sprintf(format, args...)) }
