package stagetest

import (
	"fmt"
	"testing"

	"go.uber.org/goleak"
)

// Main runs a package's tests and fails if they leave a goroutine. Importing
// the worker pools starts two goroutines of a pool nobody uses; they are there
// before the first test and are not counted.
func Main(m *testing.M) {
	goleak.VerifyTestMain(m, goleak.IgnoreCurrent())
}

// NoLeaks returns a check that no goroutine runs that did not when NoLeaks
// was called. Tests that use it do not run in parallel with others.
func NoLeaks(t testing.TB) (check func()) {
	left := watchGoroutines()
	return func() {
		t.Helper()
		if err := left(); err != nil {
			t.Error(err)
		}
	}
}

// watchGoroutines returns a function that tells which goroutines were left
// since. Those that are about to end are given time to.
func watchGoroutines() (left func() error) {
	before := goleak.IgnoreCurrent()
	return func() error {
		if err := goleak.Find(before); err != nil {
			return fmt.Errorf("goroutines are left: %w", err)
		}
		return nil
	}
}
