package store

import (
	"io"
	"os"

	"golang.org/x/sys/unix"
)

// lockHolder is the process that holds the lock on a file, 0 when that cannot
// be known.
func lockHolder(file string) int {
	f, err := os.OpenFile(file, os.O_RDWR, 0)
	if err != nil {
		return 0
	}
	defer func() { _ = f.Close() }()
	l := unix.Flock_t{Type: unix.F_WRLCK, Whence: io.SeekStart}
	if err := unix.FcntlFlock(f.Fd(), unix.F_GETLK, &l); err != nil || l.Type == unix.F_UNLCK {
		return 0
	}
	return int(l.Pid)
}
