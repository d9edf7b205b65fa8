package cluster

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/pipescan/pipescan/pgfile"
)

// checkRunning refuses a directory that a server is using. A server leaves
// postmaster.pid behind when it is killed, so the process is looked at too.
func (c *Cluster) checkRunning() error {
	b, _, err := c.dir.ReadFile(pgfile.PostmasterFile, maxSmallFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	running := &AttachError{
		Kind: ErrRunning, Dir: c.dir.Path(), Need: "no server on the directory",
		Remedy: "stop the server (pg_ctl stop -m fast) or scan a copy",
	}
	if err != nil {
		running.Found, running.Err = "a postmaster.pid that cannot be read", err
		return running
	}
	pm, err := pgfile.ParsePostmasterPID(b)
	if err != nil {
		// The server makes the file empty and then fills it.
		running.Found, running.Err = "a postmaster.pid without a process id", err
		running.Remedy = "if no server is starting, remove the file"
		return running
	}
	switch state, why := lookAt("/proc", pm, c.dir.Path()); state {
	case processServer:
		running.Found = fmt.Sprintf("a server, process %d (%s)", pm.PID, why)
		return running
	case processUnknown:
		running.Found = fmt.Sprintf("process %d of postmaster.pid alive, and %s", pm.PID, why)
		running.Remedy = "if it is no server of this directory (a copied or old postmaster.pid), remove postmaster.pid or scan a copy without it"
		return running
	}
	return nil
}

// processState is what is known about the process that postmaster.pid names.
type processState int

const (
	processGone    processState = iota // ended, or another program
	processServer                      // a server of this directory
	processUnknown                     // alive, and what it is cannot be told
)

// lookAt finds out whether the process of postmaster.pid is a server of dir. A
// server works in its data directory; where that cannot be read, a process of
// another name is none.
func lookAt(proc string, pm pgfile.PostmasterPID, dir string) (processState, string) {
	if pm.PID == os.Getpid() {
		return processGone, "" // a container's pid, met again here
	}
	if err := syscall.Kill(pm.PID, 0); errors.Is(err, syscall.ESRCH) {
		return processGone, ""
	}
	base := filepath.Join(proc, fmt.Sprint(pm.PID))
	if isZombie(base) {
		return processGone, ""
	}
	comm, commErr := os.ReadFile(filepath.Join(base, "comm"))
	name := strings.TrimSpace(string(comm))
	if cwd, err := os.Stat(filepath.Join(base, "cwd")); err == nil {
		here, err := os.Stat(dir)
		switch {
		case err == nil && os.SameFile(cwd, here):
			return processServer, fmt.Sprintf("%q, working in this directory", name)
		case err == nil && commErr == nil:
			return processGone, ""
		}
	}
	if commErr != nil {
		return processUnknown, "what program it is cannot be told"
	}
	if strings.Contains(name, "postgres") || strings.Contains(name, "postmaster") {
		return processServer, fmt.Sprintf("%q", name)
	}
	return processGone, ""
}

// isZombie says that the process ended and only waits to be reaped: the state
// letter behind the name in parentheses, which may hold anything.
func isZombie(base string) bool {
	stat, err := os.ReadFile(filepath.Join(base, "stat"))
	if err != nil {
		return false
	}
	i := bytes.LastIndexByte(stat, ')')
	return i >= 0 && i+2 < len(stat) && (stat[i+2] == 'Z' || stat[i+2] == 'X')
}
