package main

import (
	"context"
	"fmt"
	"io"
	"math"
	"os"
	"runtime/debug"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/pipescan/pipescan"
)

// app is what all verbs share: the streams and the common flags.
type app struct {
	stdin          io.Reader
	stdout, stderr io.Writer

	dir, database, cache    string
	allowUnclean, json      bool
	onCorruption, checksums string
	virtual                 string
	workers                 int
	memory                  string
}

// newRoot makes the command with all its verbs.
func newRoot(a *app) *cobra.Command {
	root := &cobra.Command{
		Use:           "pipescan",
		Short:         "Read tables of PostgreSQL data directories without a server",
		Long:          "pipescan reads tables of PostgreSQL data directories (13 to 18) without a server.\nThe directory is never written. stdout carries data only.",
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          noVerb,
		RunE:          func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	root.SuggestionsMinimumDistance = 2
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return usagef("%w", err) })
	f := root.PersistentFlags()
	f.StringVarP(&a.dir, "pgdata", "D", os.Getenv("PGDATA"), "data directory (default $PGDATA)")
	f.StringVarP(&a.database, "dbname", "d", os.Getenv("PGDATABASE"), "database (default $PGDATABASE, else postgres)")
	f.StringVar(&a.cache, "cache", "", `where to remember catalogs: a directory, or none (default the user's cache directory)`)
	f.BoolVar(&a.allowUnclean, "allow-unclean", false, "go on when the cluster was not shut down cleanly")
	f.StringVar(&a.onCorruption, "on-corruption", "fail", "fail, or skip and list what was lost (exit 8)")
	f.StringVar(&a.checksums, "checksums", "auto", "verify page checksums: auto, on, off")
	f.StringVar(&a.virtual, "virtual-columns", "omit", "virtual generated columns, whose values are not stored: omit (with a warning), null, error")
	f.IntVar(&a.workers, "workers", 0, "lanes to scan with (default: the number of processors)")
	f.StringVar(&a.memory, "memory", "128MB", "memory for buffers, besides one value")
	f.BoolVar(&a.json, "json", false, "JSON instead of text, where a verb lists things")
	for _, add := range []func(*app) *cobra.Command{
		doctorCmd, databasesCmd, tablesCmd, describeCmd, scanCmd, queryCmd, explainCmd, dumpCmd, inspectCmd, createCmd, loadCmd, dropCmd, demoCmd,
	} {
		root.AddCommand(add(a))
	}
	return root
}

// noVerb is the arguments of a command line whose first word is no verb.
func noVerb(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	text := fmt.Sprintf("unknown command %q", args[0])
	if near := cmd.SuggestionsFor(args[0]); len(near) > 0 {
		text += fmt.Sprintf("; did you mean %s?", strings.Join(near, " or "))
	}
	return usagef("%s (pipescan help lists the verbs)", text)
}

// argRange is cobra's check of argument counts with our exit code.
func argRange(low, high int) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) < low || len(args) > high {
			return usagef("usage: pipescan %s (got %d arguments)", cmd.Use, len(args))
		}
		return nil
	}
}

// open attaches the directory as the flags say.
func (a *app) open(ctx context.Context) (*pipescan.DB, error) {
	o, err := a.options()
	if err != nil {
		return nil, err
	}
	if a.dir == "" {
		return nil, usagef("no data directory: give -D DIR or set PGDATA")
	}
	limitHeap(o.Memory)
	return pipescan.Open(ctx, a.dir, o)
}

// limitHeap lets the collector work before garbage, which large values leave
// behind as their texts grow, takes many times the budget. GOMEMLIMIT has
// precedence.
func limitHeap(budget int64) {
	const program = 64 << 20
	if os.Getenv("GOMEMLIMIT") == "" && budget < math.MaxInt64/4 {
		debug.SetMemoryLimit(2*budget + program)
	}
}

// options turns the flags into Options.
func (a *app) options() (pipescan.Options, error) {
	o := pipescan.Options{Database: a.database, CacheDir: a.cache, AllowUnclean: a.allowUnclean, Workers: a.workers}
	o.Warn = func(m string) { fmt.Fprintf(a.stderr, "pipescan: warning: %s\n", m) }
	switch a.onCorruption {
	case "fail":
	case "skip":
		o.OnCorruption = pipescan.CorruptionSkip
	default:
		return o, usagef("--on-corruption %s: want fail or skip", a.onCorruption)
	}
	switch a.virtual {
	case "omit":
	case "null":
		o.VirtualColumns = pipescan.VirtualNull
	case "error":
		o.VirtualColumns = pipescan.VirtualError
	default:
		return o, usagef("--virtual-columns %s: want omit, null or error", a.virtual)
	}
	switch a.checksums {
	case "auto":
	case "on":
		o.Checksums = pipescan.ChecksumsOn
	case "off":
		o.Checksums = pipescan.ChecksumsOff
	default:
		return o, usagef("--checksums %s: want auto, on or off", a.checksums)
	}
	if a.workers < 0 {
		return o, usagef("--workers %d: want 1 or more", a.workers)
	}
	var err error
	o.Memory, err = parseSize(a.memory)
	return o, err
}

// parseSize reads a number of bytes with an optional kB, MB or GB, as
// PostgreSQL writes them.
func parseSize(s string) (int64, error) {
	text, unit := strings.TrimSpace(s), int64(1)
	for _, u := range []struct {
		suffix string
		bytes  int64
	}{{"KB", 1 << 10}, {"MB", 1 << 20}, {"GB", 1 << 30}, {"B", 1}} {
		if len(text) > len(u.suffix) && strings.EqualFold(text[len(text)-len(u.suffix):], u.suffix) {
			text, unit = strings.TrimSpace(text[:len(text)-len(u.suffix)]), u.bytes
			break
		}
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n <= 0 || n > math.MaxInt64/unit {
		return 0, usagef("--memory %s: want a size such as 64MB", s)
	}
	return n * unit, nil
}

// reportLosses lists what a scan went on without; the result is the error
// whose exit code says so.
func (a *app) reportLosses(losses []pipescan.Loss) error {
	if len(losses) == 0 {
		return nil
	}
	for _, l := range losses {
		fmt.Fprintf(a.stderr, "pipescan: lost %s: %v\n", l.Kind, l.Err)
	}
	fmt.Fprintf(a.stderr, "pipescan: done with %d losses\n", len(losses))
	return &codeError{exitLosses, errReported}
}
