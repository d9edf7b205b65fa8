package pgtest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// patience is how long a server may take to start or stop before the test fails.
const patience = 90 * time.Second

// A Server is one cluster and, while it runs, its server. Its methods fail the test it was made for and do not return an error.
// They are not safe for concurrent use, except for Dir, Version, SQL, Query, CopyOut and the connections that Conn returns.
//
//	base/            removed at the test's end
//	  data/          the cluster: Dir()
//	  ts/<name>/     tablespaces: TablespaceDir
//	  socket/        the server's socket: base is short, for a socket's path may have 107 bytes
//	  log            the server's log
type Server struct {
	tb    testing.TB
	major int
	home  string // holds bin
	own   owner
	base  string
	cmd   *exec.Cmd // nil when no server runs
	opts  Options
}

// New makes a cluster of a major version and returns it stopped. Its directory is the test's own and vanishes with it.
func New(tb testing.TB, major int, o Options) *Server {
	tb.Helper()
	s := blank(tb, major, o)
	if err := initCluster(context.Background(), major, s.home, s.Dir(), o, s.own); err != nil {
		tb.Fatalf("pgtest: PostgreSQL %d: %v", major, err)
	}
	s.AppendConf(o.conf())
	return s
}

// blank makes a Server without a cluster.
func blank(tb testing.TB, major int, o Options) *Server {
	tb.Helper()
	home, err := Fetch(context.Background(), major)
	if err != nil {
		tb.Fatalf("pgtest: PostgreSQL %d: %v", major, err)
	}
	base, err := os.MkdirTemp("", "pgt")
	if err != nil {
		tb.Fatalf("pgtest: %v", err)
	}
	s := &Server{tb: tb, major: major, home: home, own: serverOwner(), base: base, opts: o}
	tb.Cleanup(s.cleanup)
	s.check(os.Chmod(base, 0o755))
	s.check(s.own.give(base))
	s.makeDir(filepath.Join(base, "socket"))
	s.makeDir(filepath.Join(base, "ts"))
	s.check(s.own.mayEnter(base))
	return s
}

// Dir returns the cluster's data directory. Do not read it while the server runs, unless that is the point.
func (s *Server) Dir() string { return filepath.Join(s.base, "data") }

// Version returns the major version.
func (s *Server) Version() int { return s.major }

// TablespaceDir makes an empty directory which CREATE TABLESPACE may use and which Clone copies. The name is a file name.
func (s *Server) TablespaceDir(name string) string {
	s.tb.Helper()
	dir := filepath.Join(s.base, "ts", name)
	s.makeDir(dir)
	return dir
}

// AppendConf adds lines to postgresql.conf; they count from the next Start.
func (s *Server) AppendConf(lines string) {
	s.tb.Helper()
	f, err := os.OpenFile(filepath.Join(s.Dir(), "postgresql.conf"), os.O_APPEND|os.O_WRONLY, 0)
	s.check(err)
	_, err = f.WriteString(lines)
	s.check(err)
	s.check(f.Close())
}

// WriteFile writes a file below the data directory as the server's user: standby.signal, for one.
func (s *Server) WriteFile(name string, content []byte) {
	s.tb.Helper()
	path := filepath.Join(s.Dir(), name)
	s.check(os.WriteFile(path, content, 0o600))
	s.check(s.own.give(path))
}

// Start starts the server and waits until it accepts sessions.
func (s *Server) Start() {
	s.tb.Helper()
	if err := s.start(); err != nil {
		s.tb.Fatalf("pgtest: PostgreSQL %d: %v", s.major, err)
	}
}

// TryStart is Start for a directory that a server may refuse, or die of; it says whether the server runs.
func (s *Server) TryStart() bool {
	s.tb.Helper()
	if err := s.start(); err != nil {
		if s.cmd != nil {
			_ = s.cmd.Process.Kill()
			_ = s.cmd.Wait()
			s.cmd = nil
		}
		return false
	}
	return true
}

func (s *Server) start() error {
	if s.cmd != nil {
		return errors.New("Start of a server that runs")
	}
	log, err := os.OpenFile(s.logFile(), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	defer func() { _ = log.Close() }()
	cmd := exec.Command(filepath.Join(s.home, "bin", "postgres"), "-D", s.Dir(), "-k", s.socketDir())
	cmd.Dir = s.base
	cmd.Env = serverEnv()
	cmd.SysProcAttr = s.own.attr()
	cmd.Stdout, cmd.Stderr = log, log
	if err := cmd.Start(); err != nil {
		return err
	}
	s.cmd = cmd
	return s.waitReady()
}

// waitReady waits for the state that the server writes into the last line of postmaster.pid.
func (s *Server) waitReady() error {
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
		if s.exited() {
			_ = s.cmd.Wait()
			s.cmd = nil
			return fmt.Errorf("the server ended while starting:\n%s", s.logTail())
		}
		pid, err := os.ReadFile(filepath.Join(s.Dir(), "postmaster.pid"))
		if err != nil {
			continue
		}
		lines := strings.Split(string(pid), "\n")
		if len(lines) < 8 || lines[0] != fmt.Sprint(s.cmd.Process.Pid) {
			continue
		}
		if state := strings.TrimSpace(lines[7]); state == "ready" || state == "standby" {
			return nil
		}
	}
	return fmt.Errorf("the server was not ready after %v:\n%s", patience, s.logTail())
}

// exited says whether the server's process is gone, without reaping it.
func (s *Server) exited() bool {
	var info unix.Siginfo
	err := unix.Waitid(unix.P_PID, s.cmd.Process.Pid, &info, unix.WEXITED|unix.WNOHANG|unix.WNOWAIT, nil)
	return err == nil && info.Signo == int32(unix.SIGCHLD)
}

// Program runs one of the server's programs (pg_resetwal, pg_checksums: only 15 has more than initdb, pg_ctl and postgres) as the
// server's user and returns what it printed. The cluster must be stopped for programs that work on its files.
func (s *Server) Program(name string, args ...string) string {
	s.tb.Helper()
	cmd := exec.Command(filepath.Join(s.home, "bin", name), args...)
	cmd.Dir = s.base
	cmd.Env = serverEnv()
	cmd.SysProcAttr = s.own.attr()
	out, err := cmd.CombinedOutput()
	if err != nil {
		s.tb.Fatalf("pgtest: %s %s: %v: %s", name, strings.Join(args, " "), err, out)
	}
	return string(out)
}

// Restore makes the stopped cluster's directory what a copy of it was, as a backup tool does that writes into the files that are
// there: inodes stay where a file exists in both, contents and times are the copy's, files the copy lacks are removed.
func (s *Server) Restore(from *Server) {
	s.tb.Helper()
	if s.cmd != nil || from.cmd != nil {
		s.tb.Fatal("pgtest: Restore needs both servers stopped")
	}
	s.check(restoreTree(from.Dir(), s.Dir()))
}

// Running says whether the server runs.
func (s *Server) Running() bool { return s.cmd != nil }

// Stop shuts the server down cleanly, as pg_ctl stop -m fast does: sessions are ended, a checkpoint is written.
func (s *Server) Stop() {
	s.tb.Helper()
	s.end(syscall.SIGINT)
}

// Kill ends the server as pg_ctl stop -m immediate does: no checkpoint, so the directory is what a crash leaves.
func (s *Server) Kill() {
	s.tb.Helper()
	s.end(syscall.SIGQUIT)
}

func (s *Server) end(sig syscall.Signal) {
	s.tb.Helper()
	if s.cmd == nil {
		s.tb.Fatal("pgtest: the server does not run")
	}
	cmd := s.cmd
	s.cmd = nil
	s.check(cmd.Process.Signal(sig))
	late := time.AfterFunc(patience, func() { _ = cmd.Process.Kill() })
	_ = cmd.Wait() // an immediate shutdown is no success, and is what was asked for
	if !late.Stop() {
		s.tb.Fatalf("pgtest: PostgreSQL %d did not stop within %v:\n%s", s.major, patience, s.logTail())
	}
}

// cleanup ends the server and removes its directory.
func (s *Server) cleanup() {
	if s.cmd != nil {
		_ = s.cmd.Process.Signal(syscall.SIGQUIT)
		late := time.AfterFunc(patience, func() { _ = s.cmd.Process.Kill() })
		_ = s.cmd.Wait()
		late.Stop()
		s.cmd = nil
	}
	if s.tb.Failed() {
		if tail := s.logTail(); tail != "" {
			s.tb.Logf("pgtest: log of PostgreSQL %d:\n%s", s.major, tail)
		}
	}
	if err := os.RemoveAll(s.base); err != nil {
		s.tb.Errorf("pgtest: %v", err)
	}
}

// logTail returns the end of the server's log.
func (s *Server) logTail() string {
	log, _ := os.ReadFile(s.logFile())
	const enough = 4000
	if len(log) > enough {
		log = log[len(log)-enough:]
	}
	return string(log)
}

func (s *Server) logFile() string   { return filepath.Join(s.base, "log") }
func (s *Server) socketDir() string { return filepath.Join(s.base, "socket") }

func (s *Server) makeDir(dir string) {
	s.tb.Helper()
	s.check(os.Mkdir(dir, 0o755))
	s.check(s.own.give(dir))
}

func (s *Server) check(err error) {
	s.tb.Helper()
	if err != nil {
		s.tb.Fatalf("pgtest: PostgreSQL %d: %v", s.major, err)
	}
}
