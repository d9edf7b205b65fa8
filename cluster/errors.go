package cluster

import (
	"errors"
	"fmt"
	"strings"

	"github.com/pipescan/pipescan/catalog"
	"github.com/pipescan/pipescan/pgfile"
)

// What errors.Is tells apart.
var (
	ErrNoCluster = errors.New("not a PostgreSQL data directory")
	ErrVersion   = fmt.Errorf("unknown PostgreSQL version: %w", pgfile.ErrUnsupported)
	ErrRunning   = errors.New("a server is running on the data directory")
	ErrUnclean   = errors.New("the data directory needs WAL replay")
	ErrNotFound  = catalog.ErrNotFound
	// ErrNoStorage is a relation of a kind that has no rows of its own: a view,
	// a foreign table, a partitioned table.
	ErrNoStorage = errors.New("relation has no files")
)

// AttachError is why a directory was not attached. errors.Is knows its Kind.
type AttachError struct {
	Kind   error  // ErrNoCluster, ErrVersion, ErrRunning or ErrUnclean
	Dir    string // the directory as given to Attach
	Found  string // what is there
	Need   string // what has to be there
	Remedy string // what to do
	Err    error  // a cause, when there is one
}

// Error says what was found, what is needed, and what to do.
func (e *AttachError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s: found %s", e.Dir, e.kindText(), e.Found)
	if e.Err != nil {
		fmt.Fprintf(&b, " (%v)", e.Err)
	}
	if e.Need != "" {
		fmt.Fprintf(&b, "; needed: %s", e.Need)
	}
	if e.Remedy != "" {
		fmt.Fprintf(&b, "; %s", e.Remedy)
	}
	return b.String()
}

// kindText is the kind without what it wraps.
func (e *AttachError) kindText() string {
	if errors.Is(e.Kind, ErrVersion) {
		return "unknown PostgreSQL version"
	}
	return e.Kind.Error()
}

// Unwrap returns the kind and the cause.
func (e *AttachError) Unwrap() []error {
	if e.Err == nil {
		return []error{e.Kind}
	}
	return []error{e.Kind, e.Err}
}

// NotFoundError names an object that does not exist. It is an ErrNotFound.
type NotFoundError = catalog.NotFoundError
