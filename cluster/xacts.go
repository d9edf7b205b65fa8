package cluster

import (
	"bytes"
	"path"

	"github.com/pipescan/pipescan/fileio"
	"github.com/pipescan/pipescan/mvcc"
	"github.com/pipescan/pipescan/pgfile"
)

// xactLog is the mvcc.XactStatus of an attached directory.
type xactLog struct {
	xacts   *slru
	offsets *slru
	members *slru
	control *pgfile.Control
	clean   bool
}

var _ mvcc.XactStatus = (*xactLog)(nil)

func newXactLog(dir *fileio.Dir, control *pgfile.Control, clean bool) *xactLog {
	return &xactLog{
		xacts:   newSLRU(dir, pgfile.XactDir),
		offsets: newSLRU(dir, pgfile.MultiOffsetDir),
		members: newSLRU(dir, pgfile.MultiMemberDir),
		control: control,
		clean:   clean,
	}
}

// Statuses reads pg_xact. Ids that share a page, which sorted ones do, cost one
// look at it. A page that is missing is an error even for an id so old that a
// server has truncated the log behind it: rows of such ids carry hint bits or
// are frozen, so one that does not is damaged.
func (x *xactLog) Statuses(xids []uint32, out []pgfile.XactStatus) error {
	var page []byte
	last := ^uint32(0) // no page has this number: there are 131,072
	for i, xid := range xids {
		segment, off, shift := "", int64(0), uint(0)
		if n := xid / pgfile.XactsPerPage; n != last {
			segment, off, shift = pgfile.XactLocation(xid)
			var err error
			if page, err = x.xacts.page(segment, off); err != nil {
				return &mvcc.UnknownXactError{XID: xid, Err: err}
			}
			if err := x.checkZero(n, page); err != nil {
				return &mvcc.UnknownXactError{XID: xid, Err: err}
			}
			last = n
		} else {
			off, shift = int64(xid%pgfile.XactsPerPage/4), uint(xid%4)*2
		}
		out[i] = pgfile.XactStatus(page[off%pgfile.PageSize] >> shift & 3)
	}
	return nil
}

var zeroPage [pgfile.PageSize]byte

// checkZero refuses a page of zeros where none can be: each transaction of it
// would count as crashed, and the rows of all would vanish. The first page has
// initdb's commits, unless ids have wrapped around; of others, a cluster that
// was shut down used every id of those before the one that nextXid is on.
func (x *xactLog) checkZero(n uint32, page []byte) error {
	if page[0] != 0 || !x.clean || !bytes.Equal(page, zeroPage[:]) {
		return nil
	}
	next := uint32(x.control.NextXID)
	last := n*pgfile.XactsPerPage + pgfile.XactsPerPage - 1
	if initdb := n == 0 && x.control.NextXID>>32 == 0; !initdb && int32(last-next) >= 0 {
		return nil
	}
	segment, off, _ := pgfile.XactLocation(n * pgfile.XactsPerPage)
	e := pgfile.Corruptf(int(off), "page of zeros: as if none of transactions %d to %d had ended", n*pgfile.XactsPerPage, last)
	e.File = path.Join(pgfile.XactDir, segment)
	e.Remedy = "restore pg_xact from a backup of the same moment, or leave out the rows that need it by --on-corruption skip"
	return e
}

// status is the state of one transaction.
func (x *xactLog) status(xid uint32) (pgfile.XactStatus, error) {
	ids, out := [1]uint32{xid}, [1]pgfile.XactStatus{}
	err := x.Statuses(ids[:], out[:])
	return out[0], err
}
