package pgfile

// Figures of pg_multixact/members.
const (
	multiGroupMembers  = 4
	multiGroupSize     = 4 + 4*multiGroupMembers                // four status bytes, four xids
	multiGroupsPerPage = PageSize / multiGroupSize              // 409; 12 bytes of each page stay unused
	MultiMembersOnPage = multiGroupsPerPage * multiGroupMembers // 1636
)

// MultiOffsetLocation says where in pg_multixact/offsets the member offset (u4)
// of a multixact lies. A multixact's members are those from its own offset up
// to the next multixact's; the last multixact's end at Control.NextMultiOffset.
// Offsets wrap modulo 2^32 and offset 0 is never used, so that a multixact that
// crosses the wrap has a gap: a member whose xid is 0 is no member.
func MultiOffsetLocation(multi uint32) (segment string, byteOff int64) {
	return fourByteLocation(multi, multiOffsetsPerPage)
}

// MultiMemberLocation says where in pg_multixact/members a member's xid (u4)
// and its status byte lie. Both are on one page.
//
//	group of 20 bytes, 409 a page:
//	+----+----+----+----+--------+--------+--------+--------+
//	| s0 | s1 | s2 | s3 |  xid0  |  xid1  |  xid2  |  xid3  |
//	+----+----+----+----+--------+--------+--------+--------+
func MultiMemberLocation(offset uint32) (segment string, flagOff, xidOff int64) {
	page, in := offset/MultiMembersOnPage, offset%MultiMembersOnPage
	group, member := in/multiGroupMembers, in%multiGroupMembers
	base := int64(page%SLRUPagesPerSegment)*PageSize + int64(group)*multiGroupSize
	return SLRUSegmentName(page / SLRUPagesPerSegment), base + int64(member), base + 4 + 4*int64(member)
}

// MultiStatus is the kind of a multixact member; 4 (no-key update) and 5
// (update) are updaters.
type MultiStatus uint8

// Kinds of a multixact member.
const (
	MultiForKeyShare    MultiStatus = 0
	MultiForShare       MultiStatus = 1
	MultiForNoKeyUpdate MultiStatus = 2
	MultiForUpdate      MultiStatus = 3
	MultiNoKeyUpdate    MultiStatus = 4
	MultiUpdate         MultiStatus = 5
)

// Updates says that the member updated or deleted the row rather than locked it.
func (s MultiStatus) Updates() bool { return s >= MultiNoKeyUpdate }

// Valid says that the status is one that a server writes.
func (s MultiStatus) Valid() bool { return s <= MultiUpdate }

// String is the status as pg_get_multixact_members prints it.
func (s MultiStatus) String() string {
	names := [...]string{"keysh", "sh", "fornokeyupd", "forupd", "nokeyupd", "upd"}
	if int(s) < len(names) {
		return names[s]
	}
	return "unknown"
}
