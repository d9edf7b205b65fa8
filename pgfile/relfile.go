package pgfile

import (
	"fmt"
	"strconv"
	"strings"
)

// Fork is one of a relation's files.
type Fork uint8

// Forks of a relation.
const (
	ForkMain Fork = iota
	ForkFSM
	ForkVM
	ForkInit
)

// String is the fork's name as file names carry it; "main" has no suffix.
func (f Fork) String() string {
	switch f {
	case ForkMain:
		return "main"
	case ForkFSM:
		return "fsm"
	case ForkVM:
		return "vm"
	case ForkInit:
		return "init"
	}
	return fmt.Sprintf("fork %d", uint8(f))
}

// Object identifiers of the two tablespaces that live in the data directory.
const (
	DefaultTablespace = 1663 // base/
	GlobalTablespace  = 1664 // global/
)

// RelFile says what a relation's file holds.
type RelFile struct {
	Tablespace uint32 // oid; DefaultTablespace for base/, GlobalTablespace for global/
	Version    string // of another tablespace: its version directory, PG_15_202209061
	Database   uint32 // oid; 0 in global/
	Node       uint32 // relfilenode
	Fork       Fork
	Segment    uint32 // 0 for the file without a suffix
	Temp       bool   // a temporary relation's: t<Backend>_<node>
	Backend    uint32 // which backend's, when Temp
}

// ParseRelPath parses a path inside a data directory, with slashes:
//
//	global/1262
//	base/5/16384            base/5/16384.1     base/5/16384_vm.1
//	base/5/t3_16384         (temporary)        base/5/16384_init  (unlogged)
//	pg_tblspc/16400/PG_15_202209061/5/16384
//
// ok is false for anything else that lies there (PG_VERSION, pg_filenode.map,
// pgsql_tmp, names with leading zeros), which is no error.
func ParseRelPath(path string) (f RelFile, ok bool) {
	parts := strings.Split(path, "/")
	switch {
	case len(parts) == 2 && parts[0] == "global":
		f.Tablespace = GlobalTablespace
	case len(parts) == 3 && parts[0] == "base":
		f.Tablespace = DefaultTablespace
		if f.Database, ok = parseOID(parts[1]); !ok {
			return RelFile{}, false
		}
	case len(parts) == 5 && parts[0] == "pg_tblspc" && strings.HasPrefix(parts[2], "PG_"):
		f.Version = parts[2]
		var ok2 bool
		f.Tablespace, ok = parseOID(parts[1])
		f.Database, ok2 = parseOID(parts[3])
		if !ok || !ok2 {
			return RelFile{}, false
		}
	default:
		return RelFile{}, false
	}
	if !f.parseName(parts[len(parts)-1]) {
		return RelFile{}, false
	}
	return f, true
}

// ParseRelFileName parses the last part of a path only: 16384_vm.1, t3_16384.
// Tablespace and Database stay 0.
func ParseRelFileName(name string) (f RelFile, ok bool) {
	if !f.parseName(name) {
		return RelFile{}, false
	}
	return f, true
}

func (f *RelFile) parseName(name string) (ok bool) {
	if rest, found := strings.CutPrefix(name, "t"); found {
		backend, node, found := strings.Cut(rest, "_")
		if !found {
			return false
		}
		// Backend 0 is a possible number, unlike an oid of 0.
		if f.Backend, ok = parseOID(backend); !ok && backend != "0" {
			return false
		}
		f.Temp, name = true, node
	}
	if base, segment, found := strings.Cut(name, "."); found {
		if f.Segment, ok = parseOID(segment); !ok {
			return false
		}
		name = base
	}
	if base, fork, found := strings.Cut(name, "_"); found {
		switch fork {
		case "fsm":
			f.Fork = ForkFSM
		case "vm":
			f.Fork = ForkVM
		case "init":
			f.Fork = ForkInit
		default:
			return false
		}
		name = base
	}
	f.Node, ok = parseOID(name)
	return ok
}

// parseOID parses a positive decimal number of 32 bits without leading zeros.
func parseOID(s string) (uint32, bool) {
	if s == "" || s[0] < '1' || s[0] > '9' {
		return 0, false
	}
	n, err := strconv.ParseUint(s, 10, 32)
	return uint32(n), err == nil
}

// Name is the file's name without its directory.
func (f RelFile) Name() string {
	var b strings.Builder
	if f.Temp {
		fmt.Fprintf(&b, "t%d_", f.Backend)
	}
	fmt.Fprintf(&b, "%d", f.Node)
	if f.Fork != ForkMain {
		fmt.Fprintf(&b, "_%s", f.Fork)
	}
	if f.Segment != 0 {
		fmt.Fprintf(&b, ".%d", f.Segment)
	}
	return b.String()
}

// Dir is the directory inside the data directory, without a slash at its end.
func (f RelFile) Dir() string {
	switch f.Tablespace {
	case GlobalTablespace:
		return "global"
	case DefaultTablespace:
		return fmt.Sprintf("base/%d", f.Database)
	}
	return fmt.Sprintf("pg_tblspc/%d/%s/%d", f.Tablespace, f.Version, f.Database)
}

// Path is the path inside the data directory; ParseRelPath reads it back.
func (f RelFile) Path() string { return f.Dir() + "/" + f.Name() }

// TablespaceDir is the directory that a server of this major version and
// catalog version makes inside a tablespace: PG_15_202209061.
func TablespaceDir(major int, catalogVersion uint32) string {
	return fmt.Sprintf("PG_%d_%d", major, catalogVersion)
}
