//go:build unix && !linux

package fileio

// noAtime has no counterpart here.
const noAtime = 0

// cached cannot be asked here: the caller then reads instead of mapping.
func cached(fd int, off int64, one []byte) bool { return false }

// populate has no counterpart here: touching does it.
func populate(b []byte) error { return nil }
