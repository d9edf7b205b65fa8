package cluster

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"time"

	"github.com/pipescan/pipescan/pgfile"
)

// signalFiles are those whose presence means that a starting server would
// replay WAL before it answers.
var signalFiles = [...]string{pgfile.BackupLabelFile, pgfile.RecoverySignalFile, pgfile.StandbySignalFile}

// Clean says that the files hold every commit: pg_control says "shut down", and
// no file asks for recovery.
func (c *Cluster) Clean() bool { return len(c.unclean) == 0 }

// StateText says in words what state the cluster is in: "shut down", or what
// makes it unclean.
func (c *Cluster) StateText() string {
	if c.Clean() {
		return c.control.State.String()
	}
	return strings.Join(c.unclean, ", ")
}

// checkClean finds out whether the cluster is clean, and refuses or warns when
// it is not.
func (c *Cluster) checkClean() error {
	if c.control.State != pgfile.StateShutdowned {
		c.unclean = append(c.unclean, fmt.Sprintf("state %q in pg_control", c.control.State))
	}
	for _, name := range signalFiles {
		_, err := c.dir.Stat(name)
		if err == nil {
			c.unclean = append(c.unclean, name+" is there")
		} else if !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	if c.Clean() {
		return nil
	}
	if !c.o.AllowUnclean {
		return &AttachError{
			Kind: ErrUnclean, Dir: c.dir.Path(), Found: c.StateText() + ", " + c.checkpointText(),
			Need:   "a cluster that was shut down",
			Remedy: "start a server on a copy, let it recover and stop it; or go on with --allow-unclean, which shows the files as they are: pages may be torn and commits missing",
		}
	}
	c.o.Warn(fmt.Sprintf("%s: unclean: %s, %s: pages may be torn and commits missing", c.dir.Path(), c.StateText(), c.checkpointText()))
	return nil
}

// checkpointText tells how old the files may be.
func (c *Cluster) checkpointText() string {
	return fmt.Sprintf("last checkpoint at %s, redo from %s",
		time.Unix(c.control.CheckpointTime, 0).UTC().Format("2006-01-02 15:04:05 UTC"), lsnText(c.control.Redo))
}

// lsnText prints a WAL position as PostgreSQL does.
func lsnText(lsn uint64) string { return fmt.Sprintf("%X/%X", lsn>>32, uint32(lsn)) }
