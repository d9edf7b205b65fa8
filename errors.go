package pipescan

import (
	"errors"

	"github.com/pipescan/pipescan/cluster"
	"github.com/pipescan/pipescan/fileio"
	"github.com/pipescan/pipescan/pgfile"
	"github.com/pipescan/pipescan/table"
)

// The kinds of failure, for errors.Is. Each error's text says what was found,
// where, and what to do about it.
var (
	// ErrNoCluster: the directory is neither a cluster nor a store.
	ErrNoCluster = cluster.ErrNoCluster
	// ErrVersion: a cluster of a version that pipescan does not know.
	ErrVersion = cluster.ErrVersion
	// ErrRunning: a server runs on the directory.
	ErrRunning = cluster.ErrRunning
	// ErrUnclean: WAL is pending, so the files alone are not the whole truth.
	ErrUnclean = cluster.ErrUnclean
	// ErrNotFound: no such database, table or column.
	ErrNotFound = cluster.ErrNotFound
	// ErrCorrupt: bytes on disk are not what their format allows.
	ErrCorrupt = pgfile.ErrCorrupt
	// ErrUnsupported: well formed, but not something pipescan reads.
	ErrUnsupported = pgfile.ErrUnsupported
	// ErrChanged: a file changed while it was being scanned.
	ErrChanged = fileio.ErrChanged
	// ErrInUse: another process has the store of own tables open.
	ErrInUse = table.ErrInUse
)

// isNotFound says that a name was looked for and is not there.
func isNotFound(err error) bool { return errors.Is(err, ErrNotFound) }
