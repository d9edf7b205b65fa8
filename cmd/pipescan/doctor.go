package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/pipescan/pipescan"
)

func doctorCmd(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "doctor",
		Short: "Say what a directory is, what can be read, and what to do",
		Long: "Say the version, the state and the checksums of a data directory, its databases,\n" +
			"which tables can be read and which cannot, and what to do about it. The exit code\n" +
			"is that of a scan of the directory.",
		Args: argRange(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error { return a.doctor(cmd.Context()) },
	}
}

// doctor attaches whatever can be attached and reports.
func (a *app) doctor(ctx context.Context) error {
	o, err := a.options()
	if err != nil {
		return err
	}
	if a.dir == "" {
		return usagef("no data directory: give -D DIR or set PGDATA")
	}
	var verdict error
	db, err := pipescan.Open(ctx, a.dir, o)
	if errors.Is(err, pipescan.ErrUnclean) && !o.AllowUnclean {
		verdict = err
		o.AllowUnclean = true
		o.Warn = func(string) {}
		db, err = pipescan.Open(ctx, a.dir, o)
	}
	if err != nil {
		return errors.Join(verdict, err)
	}
	defer db.Close()
	if db.Store() != nil {
		fmt.Fprintf(a.stdout, "directory:  %s\nkind:       a store of own tables\n", db.Store().Dir())
	} else {
		a.doctorCluster(db)
	}
	failed, err := a.doctorDatabases(ctx, db)
	if err != nil {
		return err
	}
	return a.doctorVerdict(verdict, failed)
}

// doctorCluster prints what the directory is.
func (a *app) doctorCluster(db *pipescan.DB) {
	c := db.Cluster()
	onOff := map[bool]string{true: "on", false: "off"}
	fmt.Fprintf(a.stdout, "directory:  %s\n", c.Dir())
	fmt.Fprintf(a.stdout, "version:    PostgreSQL %d (catalog version %d)\n", c.Major(), c.Control().CatalogVersion)
	fmt.Fprintf(a.stdout, "state:      %s\n", c.StateText())
	fmt.Fprintf(a.stdout, "checksums:  %s\n", onOff[c.Control().DataChecksums != 0])
	if note := c.CacheNote(); note != "" {
		fmt.Fprintf(a.stdout, "cache:      %s\n", note)
	}
}

// doctorDatabases looks at every table of every database and counts what
// cannot be read.
func (a *app) doctorDatabases(ctx context.Context, db *pipescan.DB) (failed int, err error) {
	all, err := db.Databases(ctx)
	if err != nil {
		return 0, err
	}
	for _, d := range all {
		other, err := db.Use(ctx, d.Name)
		if err != nil {
			fmt.Fprintf(a.stdout, "database:   %s: cannot be read: %v\n", d.Name, err)
			failed++
			continue
		}
		tables, err := other.Tables(ctx, pipescan.TableFilter{Kinds: "rmS"})
		if err != nil {
			fmt.Fprintf(a.stdout, "database:   %s: cannot be read: %v\n", d.Name, err)
			failed++
			continue
		}
		fmt.Fprintf(a.stdout, "database:   %s: %d tables\n", d.Name, len(tables))
		for _, t := range tables {
			failed += a.doctorTable(ctx, t)
		}
	}
	return failed, nil
}

// doctorTable reports a table whose file or types are not there, 1 when so.
func (a *app) doctorTable(ctx context.Context, t *pipescan.Table) int {
	rel, err := t.Open(ctx)
	if err == nil {
		err = rel.Close()
	}
	if err == nil {
		err = t.Readable()
	}
	if err == nil {
		return 0
	}
	fmt.Fprintf(a.stdout, "  %s: %v\n", t.Name(), err)
	return 1
}

// doctorVerdict says what to do.
func (a *app) doctorVerdict(verdict error, failed int) error {
	switch {
	case verdict != nil:
		fmt.Fprintf(a.stdout, "verdict:    not clean: %v\n", verdict)
		return &codeError{exitUnclean, errReported}
	case failed > 0:
		fmt.Fprintf(a.stdout, "verdict:    %d things above cannot be read; the rest can: pipescan dump -D %s -o OUT goes around them\n", failed, a.dir)
		return &codeError{exitFailed, errReported}
	}
	fmt.Fprintf(a.stdout, "verdict:    everything can be read: pipescan scan -D %s TABLE, or pipescan dump -D %s -o OUT\n", a.dir, a.dir)
	return nil
}
