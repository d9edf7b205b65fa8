package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"github.com/pipescan/pipescan"
	"github.com/pipescan/pipescan/table"
)

// The exit codes, as README lists them.
const (
	exitOK          = 0
	exitOther       = 1
	exitUsage       = 2
	exitNotFound    = 3
	exitNoCluster   = 4
	exitRunning     = 5
	exitUnclean     = 6
	exitCorrupt     = 7
	exitLosses      = 8
	exitFailed      = 9
	exitUnsupported = 10
	exitInterrupted = 130
)

// errReported marks an error whose text is already on stderr.
var errReported = errors.New("already reported")

// codeError is an error with an exit code of its own.
type codeError struct {
	code int
	err  error
}

func (e *codeError) Error() string { return e.err.Error() }
func (e *codeError) Unwrap() error { return e.err }

// usagef makes an error of the command line.
func usagef(format string, args ...any) error {
	return &codeError{exitUsage, fmt.Errorf(format, args...)}
}

// exitCode maps an error to its exit code.
func exitCode(err error) int {
	var c *codeError
	if errors.As(err, &c) {
		return c.code
	}
	for _, k := range []struct {
		err  error
		code int
	}{
		{context.Canceled, exitInterrupted},
		{pipescan.ErrNoCluster, exitNoCluster},
		{table.ErrNoStore, exitNoCluster},
		{pipescan.ErrVersion, exitNoCluster},
		{pipescan.ErrRunning, exitRunning},
		{pipescan.ErrUnclean, exitUnclean},
		{pipescan.ErrNotFound, exitNotFound},
		{pipescan.ErrChanged, exitOther},
		{pipescan.ErrCorrupt, exitCorrupt},
		{pipescan.ErrUnsupported, exitUnsupported},
		{fs.ErrPermission, exitOther},
	} {
		if errors.Is(err, k.err) {
			return k.code
		}
	}
	var state interface{ SQLState() string }
	if errors.As(err, &state) {
		return sqlExit(state.SQLState())
	}
	return exitOther
}

// sqlExit maps a SQLSTATE to an exit code: text that is no SQL, or names a
// column, function or type that is not there, differs from an error of a row.
func sqlExit(state string) int {
	switch state {
	case "42601":
		return exitUsage
	case "42703", "42704", "42883", "42P01":
		return exitNotFound
	}
	return exitOther
}
