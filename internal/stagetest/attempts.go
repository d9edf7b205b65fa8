package stagetest

import (
	"errors"
	"sync/atomic"

	"github.com/pipescan/pipescan/pipeline"
)

// attempts are the interrupted runs with the interruption at the n-th item.
func (h *harness[In, Out]) attempts(n int) []attempt[Out] {
	return []attempt[Out]{
		h.sourceFault(n), h.sinkFails("sink fault", n, errFault, failsWith(errFault)), h.sinkPanic(n),
		h.sinkFails("stop", n, pipeline.ErrStop, succeeds), h.cancelUpstream(n), h.cancelled(n), h.breaks(n),
	}
}

func (h *harness[In, Out]) sourceFault(n int) attempt[Out] {
	var fired atomic.Bool
	return attempt[Out]{
		name: "source fault",
		source: func(i int) error {
			if i < n {
				return nil
			}
			fired.Store(true)
			return errFault
		},
		expect: expectation{err: failsOrStops(errFault), fired: fired.Load},
	}
}

// failsOrStops allows success too: a stage that has had enough may end the
// run while the source is failing ahead of it. Only the rows can tell then.
func failsOrStops(want error) func(error) bool {
	return func(err error) bool { return err == nil || errors.Is(err, want) }
}

func (h *harness[In, Out]) sinkFails(name string, n int, err error, expect func(error) bool) attempt[Out] {
	var fired atomic.Bool
	return attempt[Out]{
		name: name,
		sink: func(i int, _ Out) error {
			if i < n {
				return nil
			}
			fired.Store(true)
			return err
		},
		expect: expectation{err: expect, fired: fired.Load},
	}
}

func (h *harness[In, Out]) sinkPanic(n int) attempt[Out] {
	var fired atomic.Bool
	return attempt[Out]{
		name: "sink panic",
		sink: func(i int, _ Out) error {
			if i < n {
				return nil
			}
			fired.Store(true)
			panic("stagetest: an injected panic")
		},
		expect: expectation{err: isPanic, fired: fired.Load, loose: true},
	}
}

// isPanic says whether the error is the sink's panic.
func isPanic(err error) bool {
	var p *pipeline.PanicError
	return errors.As(err, &p) && p.Stage == "sink"
}

func (h *harness[In, Out]) cancelUpstream(n int) attempt[Out] {
	var fired atomic.Bool
	var cancel func()
	return attempt[Out]{
		name:   "cancel upstream",
		cancel: func(c func()) { cancel = c },
		source: func(i int) error {
			if i == n {
				fired.Store(true)
				cancel()
			}
			return nil
		},
		expect: expectation{err: failsOrStops(errCancel), fired: fired.Load},
	}
}

func (h *harness[In, Out]) cancelled(n int) attempt[Out] {
	var fired bool
	var cancel func()
	return attempt[Out]{
		name:   "cancel",
		cancel: func(c func()) { cancel = c },
		consumer: func(i int) bool {
			if i == n {
				fired = true
				cancel()
			}
			return false
		},
		expect: expectation{err: failsOrStops(errCancel), fired: func() bool { return fired }},
	}
}

func (h *harness[In, Out]) breaks(n int) attempt[Out] {
	var fired bool
	return attempt[Out]{
		name: "break",
		consumer: func(i int) bool {
			fired = i == n
			return fired
		},
		expect: expectation{err: succeeds, fired: func() bool { return fired }},
	}
}
