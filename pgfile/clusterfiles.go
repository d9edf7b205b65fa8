package pgfile

import (
	"fmt"
	"strconv"
	"strings"
)

// Names inside a data directory.
const (
	VersionFile    = "PG_VERSION"
	ControlFile    = "global/pg_control"
	PostmasterFile = "postmaster.pid"
	RelMapFile     = "pg_filenode.map" // in global/ and in each database's directory
	XactDir        = "pg_xact"
	SubtransDir    = "pg_subtrans"
	MultiOffsetDir = "pg_multixact/offsets"
	MultiMemberDir = "pg_multixact/members"
	TwoPhaseDir    = "pg_twophase"
	TablespacesDir = "pg_tblspc"
)

// Files whose mere presence says that a directory is not a clean cluster: a
// server that finds one replays WAL before it serves anything.
const (
	BackupLabelFile    = "backup_label"
	TablespaceMapFile  = "tablespace_map"
	RecoverySignalFile = "recovery.signal"
	StandbySignalFile  = "standby.signal"
)

// ParseVersionFile reads PG_VERSION, which holds the major version and a line
// end. A version outside 13 to 18 is ErrUnsupported.
func ParseVersionFile(b []byte) (major int, err error) {
	line, _, _ := strings.Cut(string(b[:min(len(b), 64)]), "\n")
	line = strings.TrimRight(line, "\r \t")
	if whole, _, found := strings.Cut(line, "."); found { // 9.6 and before
		if _, err := strconv.ParseUint(whole, 10, 16); err == nil {
			return 0, fmt.Errorf("cluster of PostgreSQL %s, want 13 to 18: %w", line, ErrUnsupported)
		}
	}
	n, err := strconv.ParseUint(line, 10, 16)
	if err != nil {
		e := Corruptf(0, "%s holds %q, not a version", VersionFile, line)
		e.Remedy = "restore the file from a backup: it holds the major version and a newline"
		return 0, e
	}
	if n < 13 || n > 18 {
		return 0, fmt.Errorf("cluster of PostgreSQL %d, want 13 to 18: %w", n, ErrUnsupported)
	}
	return int(n), nil
}

// PostmasterPID is what a running server writes into postmaster.pid. The file
// outlives a killed server, so that its presence alone proves nothing.
type PostmasterPID struct {
	PID        int    // always positive
	Standalone bool   // a single-user server, which writes its pid negated
	DataDir    string // "" when the line is missing
	Port       int    // 0 when the line is missing
	SocketDir  string
	Status     string // "starting", "stopping", "ready", "standby", "" while unknown
}

// ParsePostmasterPID reads postmaster.pid. The server writes it line by line,
// so lines may be missing, but not the first.
//
//	1 pid   2 data directory   3 start time   4 port   5 socket directory
//	6 listen address   7 shared memory key   8 status
func ParsePostmasterPID(b []byte) (PostmasterPID, error) {
	lines := strings.Split(string(b[:min(len(b), 64<<10)]), "\n")
	line := func(i int) string {
		if i < len(lines) {
			return strings.TrimSpace(lines[i])
		}
		return ""
	}
	pid, err := strconv.ParseInt(line(0), 10, 31)
	if err != nil || pid == 0 {
		return PostmasterPID{}, Corruptf(0, "%s begins with %q, not a process id", PostmasterFile, line(0))
	}
	p := PostmasterPID{PID: int(max(pid, -pid)), Standalone: pid < 0, DataDir: line(1), SocketDir: line(4), Status: line(7)}
	if port, err := strconv.ParseUint(line(3), 10, 16); err == nil {
		p.Port = int(port)
	}
	return p, nil
}
