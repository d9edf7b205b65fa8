package cluster

import (
	"encoding/binary"
	"path"

	"github.com/pipescan/pipescan/mvcc"
	"github.com/pipescan/pipescan/pgfile"
)

// maxMembers bounds the members of one multixact: far more than there can be
// transactions and savepoints that lock one row at a time.
const maxMembers = 1 << 20

// multixactRemedy is the advice where the log makes no sense.
const multixactRemedy = "restore pg_multixact from a backup of the same moment, or leave out the rows that need it by --on-corruption skip"

// Updater finds the member of a multixact that changed the row.
//
//	offsets   ... | m: 17 | m+1: 20 | ...          members of m are 17, 18, 19
//	members   ... | 17: xid, status | 18 | 19 | ...
//
// The last multixact's members end at the control file's next offset; slot 0,
// met where offsets wrap around, is never used and its xid is 0.
func (x *xactLog) Updater(multi uint32) (uint32, error) {
	xid, err := x.updater(multi)
	if err != nil {
		return 0, &mvcc.UnknownXactError{XID: multi, Multi: true, Err: err}
	}
	return xid, nil
}

func (x *xactLog) updater(multi uint32) (uint32, error) {
	first, end, err := x.memberRange(multi)
	if err != nil {
		return 0, err
	}
	if end-first > maxMembers {
		return 0, x.badMulti(multi, "its members would be %d", end-first)
	}
	updater := uint32(0)
	var page []byte
	for off := first; off != end; off++ {
		segment, flagOff, xidOff := pgfile.MultiMemberLocation(off)
		if off == first || off%pgfile.MultiMembersOnPage == 0 {
			if page, err = x.members.page(segment, flagOff); err != nil {
				return 0, err
			}
		}
		xid := binary.LittleEndian.Uint32(page[xidOff%pgfile.PageSize:])
		status := pgfile.MultiStatus(page[flagOff%pgfile.PageSize])
		switch {
		case xid == 0 && off == 0:
			continue // the slot that is never used
		case xid == 0 || !status.Valid():
			e := pgfile.Corruptf(int(flagOff), "member %d of multixact %d is transaction %d with status %d", off, multi, xid, status)
			e.File, e.Remedy = path.Join(pgfile.MultiMemberDir, segment), multixactRemedy
			return 0, e
		case !status.Updates():
			continue
		case updater != 0:
			return 0, x.badMulti(multi, "transactions %d and %d both changed its row", updater, xid)
		}
		updater = xid
	}
	return updater, nil
}

// memberRange is where the members of a multixact begin and end; the end may
// be the smaller number, where offsets wrapped.
func (x *xactLog) memberRange(multi uint32) (first, end uint32, err error) {
	ctl := x.control
	if multi == 0 {
		return 0, 0, x.badMulti(multi, "0 is no multixact")
	}
	if int32(multi-ctl.OldestMulti) < 0 {
		return 0, 0, x.badMulti(multi, "it is older than the oldest that is kept, %d", ctl.OldestMulti)
	}
	future := int32(multi-ctl.NextMulti) >= 0
	if future && x.clean {
		return 0, 0, x.badMulti(multi, "it was never made: the next is %d", ctl.NextMulti)
	}
	if first, err = x.offset(multi); err != nil {
		return 0, 0, err
	}
	if first == 0 {
		return 0, 0, x.badMulti(multi, "its offset was never written")
	}
	next := multi + 1
	if next == 0 {
		next = 1 // multixact 0 is never used
	}
	if next == ctl.NextMulti && x.clean {
		return first, ctl.NextMultiOffset, nil
	}
	// On an unclean cluster the log may know more than the control file.
	end, err = x.offset(next)
	if next == ctl.NextMulti && (err != nil || end == 0) {
		return first, ctl.NextMultiOffset, nil
	}
	if err == nil && end == 0 {
		err = x.badMulti(multi, "the offset of its successor was never written")
	}
	return first, end, err
}

// offset reads where a multixact's members begin.
func (x *xactLog) offset(multi uint32) (uint32, error) {
	segment, off := pgfile.MultiOffsetLocation(multi)
	page, err := x.offsets.page(segment, off)
	if err != nil {
		return 0, err
	}
	return binary.LittleEndian.Uint32(page[off%pgfile.PageSize:]), nil
}

// badMulti is a multixact that the log contradicts.
func (x *xactLog) badMulti(multi uint32, format string, args ...any) error {
	segment, off := pgfile.MultiOffsetLocation(multi)
	e := pgfile.Corruptf(int(off), format, args...)
	e.File = path.Join(pgfile.MultiOffsetDir, segment)
	e.Remedy = multixactRemedy
	return e
}
