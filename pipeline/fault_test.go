package pipeline_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"

	"github.com/pipescan/pipescan/internal/stagetest"
	"github.com/pipescan/pipescan/pipeline"
)

// truncated is a page mapped from a file that was then cut off.
func truncated(t *testing.T) []byte {
	t.Helper()
	name := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(name, make([]byte, os.Getpagesize()), 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := os.OpenFile(name, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	page, err := syscall.Mmap(int(f.Fd()), 0, os.Getpagesize(), syscall.PROT_READ, syscall.MAP_SHARED)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = syscall.Munmap(page) })
	if err := os.Truncate(name, 0); err != nil {
		t.Fatal(err)
	}
	return page
}

// A fault in mapped memory fails the run, and OnPanic may name it.
func TestPanicOnFault(t *testing.T) {
	page := truncated(t)
	for _, topology := range stagetest.Topologies {
		var l stagetest.Ledger
		st := &stage{process: func(_ context.Context, in *item, emit emit) error {
			in.Release()
			return emit(l.New(0, int(page[10])))
		}}
		o := pipeline.Options{Topology: topology, PanicOnFault: true, OnPanic: func(p *pipeline.PanicError) error {
			var fault interface {
				runtime.Error
				Addr() uintptr
			}
			if errors.As(p, &fault) && fault.Addr() != 0 && p.Stage == "stage 1" {
				return errTest
			}
			return nil
		}}
		got := loop(t.Context(), o, lanesOf(1, stagetest.NewCursor(items(&l, 1), nil), func() stageList { return stageList{st} })...)
		if got.err != errTest {
			t.Errorf("%v: %v", topology, got.err)
		}
		if err := l.Err(); err != nil {
			t.Error(err)
		}
	}
}
