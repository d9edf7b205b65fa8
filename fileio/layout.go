package fileio

import (
	"fmt"
	"path"
	"strconv"

	"github.com/pipescan/pipescan/pgfile"
)

// Object ids of the two tablespaces every cluster has.
const (
	DefaultTablespace = 1663 // pg_default: base/
	GlobalTablespace  = 1664 // pg_global: global/
)

// RelLocator names a relation's files. Tablespace 0 and 1663 are base/<db>,
// 1664 is global, others are pg_tblspc/<oid>/PG_<major>_<catalog version>/<db>.
// Node is the file node (relfilenode, or what the relation map says).
type RelLocator struct{ Tablespace, Database, Node uint32 }

// Fork is one of a relation's forks.
type Fork uint8

// Forks of a relation.
const (
	Main Fork = iota // the rows, or the index
	FSM              // free space map
	VM               // visibility map
	Init             // what an unlogged relation is reset to
)

// suffix is what a fork adds to the file name.
func (f Fork) suffix() string {
	switch f {
	case FSM:
		return "_fsm"
	case VM:
		return "_vm"
	case Init:
		return "_init"
	default:
		return ""
	}
}

// Layout is what the names and sizes of files depend on.
type Layout struct {
	Major         int    // PostgreSQL's major version, as in PG_VERSION
	CatVersion    uint32 // catalog version number of pg_control
	SegmentBlocks uint32 // blocks a segment; 0: 131072, the default build's
}

// segmentBlocks resolves the zero value.
func (l Layout) segmentBlocks() uint32 {
	if l.SegmentBlocks == 0 {
		return pgfile.BlocksPerSegment
	}
	return l.SegmentBlocks
}

// relDir is the directory that holds the relation's files.
func (l Layout) relDir(loc RelLocator) string {
	db := strconv.FormatUint(uint64(loc.Database), 10)
	switch loc.Tablespace {
	case 0, DefaultTablespace:
		return path.Join("base", db)
	case GlobalTablespace:
		return "global"
	default:
		return path.Join("pg_tblspc", strconv.FormatUint(uint64(loc.Tablespace), 10), fmt.Sprintf("PG_%d_%d", l.Major, l.CatVersion), db)
	}
}

// RelPath is the path of the first segment of a fork, relative to the
// directory: base/5/16384_vm.
func (d *Dir) RelPath(l Layout, loc RelLocator, f Fork) string {
	return l.relDir(loc) + "/" + strconv.FormatUint(uint64(loc.Node), 10) + f.suffix()
}
