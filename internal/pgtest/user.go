package pgtest

import (
	"fmt"
	"os"
	"os/user"
	"path/filepath"
	"strconv"
	"syscall"
)

// An owner is the user that servers run as.
type owner struct{ uid, gid int }

// serverOwner picks the user for servers: this process's own, or for root one that is not root, because PostgreSQL refuses root.
func serverOwner() owner {
	if os.Geteuid() != 0 {
		return owner{os.Geteuid(), os.Getegid()}
	}
	for _, name := range []string{"postgres", "nobody"} {
		u, err := user.Lookup(name)
		if err != nil {
			continue
		}
		uid, err1 := strconv.Atoi(u.Uid)
		gid, err2 := strconv.Atoi(u.Gid)
		if err1 == nil && err2 == nil && uid != 0 {
			return owner{uid, gid}
		}
	}
	return owner{65534, 65534}
}

// UserAttr returns process attributes that start a program as the user servers run as: the owner of their directories, never root.
func (s *Server) UserAttr() *syscall.SysProcAttr { return s.own.attr() }

// attr returns process attributes that start a program as o and end it with this process.
func (o owner) attr() *syscall.SysProcAttr {
	// SIGINT is PostgreSQL's fast shutdown: it also removes shared memory.
	a := &syscall.SysProcAttr{Pdeathsig: syscall.SIGINT, Setpgid: true}
	if os.Geteuid() == 0 {
		a.Credential = &syscall.Credential{Uid: uint32(o.uid), Gid: uint32(o.gid)}
	}
	return a
}

// give makes o the owner of a single file or directory.
func (o owner) give(path string) error {
	if os.Geteuid() != 0 {
		return nil
	}
	return os.Lchown(path, o.uid, o.gid)
}

// mayEnter checks that another user can walk to dir, which explains at once what a server would only report as "permission denied".
func (o owner) mayEnter(dir string) error {
	if os.Geteuid() != 0 {
		return nil
	}
	for d := filepath.Clean(dir); ; d = filepath.Dir(d) {
		fi, err := os.Stat(d)
		if err != nil {
			return err
		}
		st, ok := fi.Sys().(*syscall.Stat_t)
		owned := ok && int(st.Uid) == o.uid
		if fi.Mode()&0o001 == 0 && !owned {
			return fmt.Errorf("test servers run as user id %d, which may not enter %s (mode %v): set PIPESCAN_TEST_SERVERS and TMPDIR to directories that others may enter",
				o.uid, d, fi.Mode().Perm())
		}
		if d == filepath.Dir(d) {
			return nil
		}
	}
}
