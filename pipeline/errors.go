package pipeline

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
)

// ErrUsed is returned when a Chain, or a Window, is given to a second run:
// stages carry state, so a lane runs once.
var ErrUsed = errors.New("pipeline: this lane ran before; build a new one for each run")

// ErrClosed is returned for work given to a Budget or ReadPool after Close.
var ErrClosed = errors.New("pipeline: the pool is closed")

// errDone is the cause of a run that came to its end.
var errDone = errors.New("pipeline: the run is over")

// errBreak is the cause of a run whose consumer left the loop; it never
// reaches anybody, because there is nobody left to tell.
var errBreak = errors.New("pipeline: the consumer left")

// stopCause is the cause of a context that was cancelled because a stage
// downstream had enough. Each run has one of its own: a run inside a stage of
// another must not take the outer one's stop for its own success.
type stopCause struct{ _ byte }

// Error is seen only by what runs under a stopped lane's context.
func (*stopCause) Error() string { return "pipeline: a stage downstream has had enough" }

// Unwrap makes it a cancellation.
func (*stopCause) Unwrap() error { return context.Canceled }

// StageError says which stage an error comes from. An error is wrapped once,
// where it first left a stage; stages between it and the consumer pass it on.
type StageError struct {
	Stage string // the name given to From or Then
	Err   error  // what the stage returned
}

// Error is the stage's name and its error.
func (e *StageError) Error() string { return e.Stage + ": " + e.Err.Error() }

// Unwrap returns what the stage returned.
func (e *StageError) Unwrap() error { return e.Err }

// PanicError is a panic inside a stage, a read or a Group's goroutine, turned
// into the error of the run.
type PanicError struct {
	Stage string // which stage panicked
	Value any    // what it panicked with; for a Goexit the string "runtime.Goexit"
	Stack []byte // the stack at the panic
}

// Error names the stage and the value; the stack is a field of its own.
func (e *PanicError) Error() string {
	return fmt.Sprintf("%s: panic: %v", e.Stage, e.Value)
}

// Unwrap returns the value when that is an error, such as a runtime.Error.
func (e *PanicError) Unwrap() error {
	err, _ := e.Value.(error)
	return err
}

// newPanicError is called from the deferred function that recovered v, so the
// stack still shows the place of the panic.
func newPanicError(stage string, v any) *PanicError {
	if v == nil {
		v = "runtime.Goexit" // recover is blind to it: the goroutine just ends
	}
	return &PanicError{Stage: stage, Value: v, Stack: debug.Stack()}
}

// wrapStage names the stage of err unless a stage is named already.
func wrapStage(stage string, err error) error {
	var s *StageError
	var p *PanicError
	if errors.As(err, &s) || errors.As(err, &p) {
		return err
	}
	return &StageError{Stage: stage, Err: err}
}

// guard calls fn and turns a panic into a PanicError of the stage name.
func guard(name string, fn func() error) (err error) {
	returned := false
	defer func() {
		if !returned {
			err = newPanicError(name, recover())
		}
	}()
	err = fn()
	returned = true
	return err
}
