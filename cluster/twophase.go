package cluster

import (
	"errors"
	"io/fs"
	"path"
	"slices"
	"strconv"

	"github.com/pipescan/pipescan/mvcc"
	"github.com/pipescan/pipescan/pgfile"
	"github.com/pipescan/pipescan/stages"
)

// maxTwoPhase bounds a file of pg_twophase: PostgreSQL allocates it in one
// piece, which is at most 1 GB.
const maxTwoPhase = 1 << 30

// takeSnapshot makes the snapshot: prepared transactions and their children
// are in progress, everything else is over.
func (c *Cluster) takeSnapshot() error {
	s := &mvcc.Snapshot{Xacts: c.xacts, NextXID: c.control.NextXID, Clean: c.Clean()}
	names, err := c.dir.ReadDir(pgfile.TwoPhaseDir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for _, name := range names {
		xid, ok := twoPhaseXID(name, c.major)
		if !ok {
			continue
		}
		c.prepared = true
		ids, err := c.preparedIDs(name, xid)
		if err != nil {
			return err
		}
		s.InProgress = append(s.InProgress, ids...)
	}
	slices.Sort(s.InProgress)
	s.InProgress = slices.Compact(s.InProgress)
	c.snapshot = s
	return nil
}

// twoPhaseXID reads the transaction id that a file name of pg_twophase is: 8
// hexadecimal digits, from version 17 on 16, with the epoch.
func twoPhaseXID(name string, major int) (xid uint32, ok bool) {
	digits := 8
	if major >= 17 {
		digits = 16
	}
	if len(name) != digits {
		return 0, false
	}
	n, err := strconv.ParseUint(name, 16, 64)
	return uint32(n), err == nil
}

// preparedIDs lists the ids that a file of pg_twophase keeps in progress. As a
// starting server does, it passes over the file of a transaction that ended
// already or is still to come.
func (c *Cluster) preparedIDs(name string, xid uint32) ([]uint32, error) {
	if c.Clean() && int32(xid-uint32(c.control.NextXID)) >= 0 {
		return nil, nil
	}
	if st, err := c.xacts.status(xid); err == nil && (st == pgfile.XactCommitted || st == pgfile.XactAborted) {
		return nil, nil
	}
	file := path.Join(pgfile.TwoPhaseDir, name)
	tp, err := c.readTwoPhase(file, xid)
	if err == nil {
		return append(tp.Children, tp.XID), nil
	}
	if c.o.OnLoss == nil {
		return nil, err
	}
	// The name alone tells the transaction; its children are lost, and their
	// rows will be taken for aborted ones.
	loss := stages.Loss{Kind: stages.UnknownVisibility, Err: err, File: file, Block: pgfile.NoBlock}
	return []uint32{xid}, c.o.OnLoss(loss)
}

func (c *Cluster) readTwoPhase(file string, xid uint32) (*pgfile.TwoPhase, error) {
	b, _, err := c.dir.ReadFile(file, maxTwoPhase)
	if err != nil {
		return nil, err
	}
	tp, err := pgfile.ParseTwoPhase(b, c.major)
	if err == nil && tp.XID != xid {
		err = pgfile.Corruptf(8, "holds transaction %d", tp.XID)
	}
	if err != nil {
		err = pgfile.At(err, file, pgfile.NoBlock)
		var bad *pgfile.CorruptError
		if errors.As(err, &bad) && bad.Remedy == "" {
			bad.Remedy = "restore the file from a backup of the same moment"
		}
		return nil, err
	}
	return tp, nil
}
