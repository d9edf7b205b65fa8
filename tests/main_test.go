package tests

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/panjf2000/ants/v2"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/pipescan/pipescan/internal/pgtest"
)

// scratch is a directory for the whole run of the tests.
var scratch string

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "pipescan-tests")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	scratch = dir
	ants.Release() // its default pool, which nobody uses, has goroutines
	goleak.VerifyTestMain(m, goleak.IgnoreCurrent(), goleak.Cleanup(func(code int) {
		_ = os.RemoveAll(scratch)
		os.Exit(code)
	}))
}

// program builds the command once and returns its path.
var program = sync.OnceValues(func() (string, error) {
	path := filepath.Join(scratch, "pipescan")
	out, err := exec.Command("go", "build", "-o", path, "../cmd/pipescan").CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("build the command: %w: %s", err, out)
	}
	return path, nil
})

// A result is what one run of the command gave.
type result struct {
	code           int
	stdout, stderr []byte
	took           time.Duration
	peakKB         int64 // resident memory at its highest
}

// patience is how long one run of the command may take before it counts as hung.
const patience = 2 * time.Minute

// run runs the command; it fails the test only if the command cannot be run, hangs, or prints a panic.
func run(t testing.TB, args ...string) result {
	t.Helper()
	path, err := program()
	require.NoError(t, err)
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, path, args...)
	cmd.Env = append(os.Environ(), "PGDATA=", "PGDATABASE=")
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	start := time.Now()
	require.NoError(t, cmd.Start())
	peak := watchMemory(cmd.Process.Pid)
	err = cmd.Wait()
	r := result{stdout: stdout.Bytes(), stderr: stderr.Bytes(), took: time.Since(start), peakKB: peak()}
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatalf("pipescan %v: %v", args, err)
	}
	require.NoError(t, ctx.Err(), "pipescan %v ran over %v\n%s", args, patience, r.stderr)
	r.code = cmd.ProcessState.ExitCode()
	if r.code < 0 || bytes.Contains(r.stderr, []byte("goroutine ")) {
		t.Fatalf("pipescan %v crashed (exit %d):\n%s", args, r.code, r.stderr)
	}
	return r
}

// runOK is run for a command that must succeed.
func runOK(t testing.TB, args ...string) result {
	t.Helper()
	r := run(t, args...)
	require.Zero(t, r.code, "pipescan %v: exit %d\n%s", args, r.code, r.stderr)
	return r
}

// eachVersion runs f against each version as a parallel subtest.
func eachVersion(t *testing.T, f func(t *testing.T, major int)) {
	for _, major := range pgtest.Versions() {
		t.Run(fmt.Sprint(major), func(t *testing.T) {
			t.Parallel()
			f(t, major)
		})
	}
}
