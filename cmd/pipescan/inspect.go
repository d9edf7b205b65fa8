package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/pipescan/pipescan"
	"github.com/pipescan/pipescan/fileio"
	"github.com/pipescan/pipescan/inspect"
	"github.com/pipescan/pipescan/pgfile"
)

// inspectFlags are the flags of inspect.
type inspectFlags struct {
	blocks, fork string
	control      bool
}

func inspectCmd(a *app) *cobra.Command {
	var f inspectFlags
	cmd := &cobra.Command{
		Use:   "inspect REL",
		Short: "Show pages of a table or index, or pg_control",
		Args:  argRange(0, 1),
		RunE:  func(cmd *cobra.Command, args []string) error { return a.inspect(cmd.Context(), args, &f) },
	}
	fl := cmd.Flags()
	fl.StringVar(&f.blocks, "block", "0", "block, or first-last")
	fl.StringVar(&f.fork, "fork", "main", "main or vm")
	fl.BoolVar(&f.control, "control", false, "show pg_control instead of a page")
	return cmd
}

// inspect runs the verb.
func (a *app) inspect(ctx context.Context, args []string, f *inspectFlags) error {
	first, last, err := parseBlocks(f.blocks)
	if err != nil {
		return err
	}
	if len(args) == 0 && !f.control {
		return usagef("usage: pipescan inspect REL [--block N], or pipescan inspect --control")
	}
	db, err := a.open(ctx)
	if err != nil {
		return err
	}
	defer db.Close()
	if f.control && db.Cluster() == nil {
		return fmt.Errorf("%w: a store of own tables has no pg_control", pipescan.ErrUnsupported)
	}
	if f.control {
		return inspect.Control(a.stdout, db.Cluster().Control())
	}
	t, err := db.AnyRelation(ctx, args[0])
	if err != nil {
		return err
	}
	switch f.fork {
	case "main":
		return a.inspectMain(ctx, t, first, last)
	case "vm":
		return a.inspectVM(ctx, t, first, last)
	}
	return usagef("--fork %s: want main or vm", f.fork)
}

// parseBlocks reads N or N-M.
func parseBlocks(s string) (first, last uint32, err error) {
	low, high, ranged := strings.Cut(s, "-")
	if !ranged {
		high = low
	}
	from, err1 := strconv.ParseUint(low, 10, 32)
	to, err2 := strconv.ParseUint(high, 10, 32)
	if err1 != nil || err2 != nil || from > to {
		return 0, 0, usagef("--block %s: want a block number, or first-last", s)
	}
	return uint32(from), uint32(to), nil
}

// inspectMain shows pages of a table's or index's main fork.
func (a *app) inspectMain(ctx context.Context, t *pipescan.Table, first, last uint32) error {
	rel, err := t.Open(ctx)
	if err != nil {
		return err
	}
	defer rel.Close()
	return eachPage(ctx, rel, first, last, func(page pgfile.Page, block uint32) error {
		if t.Relation().Kind == 'i' {
			return inspect.BTree(a.stdout, page, block)
		}
		return inspect.Heap(a.stdout, page, block)
	})
}

// inspectVM shows pages of a table's visibility map.
func (a *app) inspectVM(ctx context.Context, t *pipescan.Table, first, last uint32) error {
	heap, err := t.Open(ctx)
	if err != nil {
		return err
	}
	defer heap.Close()
	vm, err := t.OpenFork(ctx, fileio.VM)
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%w: %s has no visibility map: VACUUM makes one", pipescan.ErrNotFound, t.Name())
	}
	if err != nil {
		return err
	}
	defer vm.Close()
	return eachPage(ctx, vm, first, last, func(page pgfile.Page, block uint32) error {
		return inspect.VM(a.stdout, page, block, heap.NBlocks())
	})
}

// eachPage reads blocks first to last, one at a time.
func eachPage(ctx context.Context, rel *fileio.Relation, first, last uint32, show func(pgfile.Page, uint32) error) error {
	if first >= rel.NBlocks() {
		return fmt.Errorf("%w: %s has %d blocks, no block %d", pipescan.ErrNotFound, rel.Name(), rel.NBlocks(), first)
	}
	page := make(pgfile.Page, pgfile.PageSize)
	for b := first; b <= min(last, rel.NBlocks()-1); b++ {
		if err := rel.ReadBlocks(ctx, b, page); err != nil {
			return err
		}
		if err := show(page, b); err != nil {
			return err
		}
	}
	return nil
}
