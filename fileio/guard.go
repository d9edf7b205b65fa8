package fileio

import (
	"runtime"
	"runtime/debug"
)

// Guard runs fn on this goroutine and returns its error; a memory fault inside
// a live Window becomes a *FaultError instead of the end of the program. Every
// other panic passes on. What fn was doing is lost at a fault, so fn must hold
// no lock and leave nothing half done that is used afterwards. It costs a few
// nanoseconds and allocates nothing.
func Guard(fn func() error) (err error) {
	before := debug.SetPanicOnFault(true)
	defer unguard(before, &err)
	return fn()
}

// GuardCall is Guard for a function of one argument, so that a caller on a hot
// path needs no closure.
func GuardCall[T any](arg T, fn func(T) error) (err error) {
	before := debug.SetPanicOnFault(true)
	defer unguard(before, &err)
	return fn(arg)
}

// unguard is Guard's deferred half.
func unguard(before bool, err *error) {
	debug.SetPanicOnFault(before)
	r := recover()
	if r == nil {
		return
	}
	if e, ok := r.(interface {
		runtime.Error
		Addr() uintptr
	}); ok {
		if w, at := windowAt(e.Addr()); w != nil {
			*err = w.fault(at)
			return
		}
	}
	panic(r)
}
