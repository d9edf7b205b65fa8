package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"
)

// grace is how long an interrupted command may take to end by itself.
const grace = time.Second

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	// A scan ends within a batch; a read or write that blocks on a pipe or a
	// terminal cannot be ended otherwise.
	context.AfterFunc(ctx, func() {
		time.Sleep(grace)
		fmt.Fprintln(os.Stderr, "pipescan: interrupted")
		os.Exit(exitInterrupted)
	})
	code := run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// run is the whole command; it returns the exit code.
func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	cmd := newRoot(&app{stdin: stdin, stdout: stdout, stderr: stderr})
	cmd.SetArgs(args)
	cmd.SetOut(stdout)
	cmd.SetErr(stderr)
	err := cmd.ExecuteContext(ctx)
	if err == nil {
		return exitOK
	}
	if ctx.Err() != nil {
		fmt.Fprintln(stderr, "pipescan: interrupted")
		return exitInterrupted
	}
	if !errors.Is(err, errReported) {
		fmt.Fprintf(stderr, "pipescan: %v\n", err)
	}
	return exitCode(err)
}
