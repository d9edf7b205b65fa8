package inspect

import (
	"io"
	"time"

	"github.com/pipescan/pipescan/pgfile"
)

// Control prints pg_control, a line a field, times in UTC.
func Control(w io.Writer, c *pgfile.Control) error {
	p := &printer{w: w}
	at := func(t int64) string { return time.Unix(t, 0).UTC().Format("2006-01-02 15:04:05 UTC") }
	p.linef("system identifier        %d", c.SystemIdentifier)
	p.linef("major version            %d", c.Major)
	p.linef("pg_control version       %d", c.PGControlVersion)
	p.linef("catalog version          %d", c.CatalogVersion)
	p.linef("state                    %s", c.State)
	p.linef("last modified            %s", at(c.Time))
	p.linef("checkpoint               %X/%X", c.Checkpoint>>32, uint32(c.Checkpoint))
	p.linef("redo                     %X/%X", c.Redo>>32, uint32(c.Redo))
	p.linef("checkpoint time          %s", at(c.CheckpointTime))
	p.linef("timeline                 %d", c.TimelineID)
	p.linef("next xid                 %d:%d", c.NextXID>>32, uint32(c.NextXID))
	p.linef("oldest xid               %d", c.OldestXID)
	p.linef("next oid                 %d", c.NextOID)
	p.linef("next multixact           %d", c.NextMulti)
	p.linef("next multixact offset    %d", c.NextMultiOffset)
	p.linef("oldest multixact         %d", c.OldestMulti)
	p.linef("block size               %d", c.BlockSize)
	p.linef("blocks a segment         %d", c.SegmentBlocks)
	p.linef("toast chunk              %d", c.ToastChunkSize)
	p.linef("data checksums           %d", c.DataChecksums)
	return p.err
}
