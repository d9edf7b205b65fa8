package fileio

import (
	"errors"

	"golang.org/x/sys/unix"
)

// noAtime leaves access times alone.
const noAtime = unix.O_NOATIME

// cached says whether the byte at off can be read without waiting for the
// device. An old kernel or file system that cannot tell says no.
func cached(fd int, off int64, one []byte) bool {
	n, err := unix.Preadv2(fd, [][]byte{one[:1]}, off, unix.RWF_NOWAIT)
	return err == nil && n == 1
}

// populate faults b in, which begins on a page boundary, within one system
// call. Kernels before 5.14 do not know the request: touching then does it.
func populate(b []byte) error {
	err := unix.Madvise(b, unix.MADV_POPULATE_READ)
	if errors.Is(err, unix.EINVAL) || errors.Is(err, unix.ENOSYS) || errors.Is(err, unix.EINTR) {
		return nil
	}
	return err
}
