package pgfile

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestControl compares ParseControl with what each server says about its own
// file.
func TestControl(t *testing.T) {
	eachMajor(t, func(t *testing.T, major int) {
		c, err := ParseControl(goldenFile(t, major, "pg_control"))
		require.NoError(t, err)
		lsn := func(v uint64) string { return fmt.Sprintf("%X/%X", uint32(v>>32), uint32(v)) }
		got := map[string]string{
			"system_identifier": fmt.Sprint(c.SystemIdentifier),
			"control_version":   fmt.Sprint(c.PGControlVersion),
			"catalog_version":   fmt.Sprint(c.CatalogVersion),
			"data_checksums":    fmt.Sprint(c.DataChecksums),
			"block_size":        fmt.Sprint(c.BlockSize),
			"segment_blocks":    fmt.Sprint(c.SegmentBlocks),
			"max_align":         fmt.Sprint(c.MaxAlign),
			"toast_chunk":       fmt.Sprint(c.ToastChunkSize),
			"checkpoint":        lsn(c.Checkpoint),
			"redo":              lsn(c.Redo),
			"timeline":          fmt.Sprint(c.TimelineID),
			"next_xid":          fmt.Sprintf("%d:%d", c.NextXID>>32, uint32(c.NextXID)),
			"next_oid":          fmt.Sprint(c.NextOID),
			"next_multi":        fmt.Sprint(c.NextMulti),
			"next_multi_offset": fmt.Sprint(c.NextMultiOffset),
			"oldest_xid":        fmt.Sprint(c.OldestXID),
			"oldest_multi":      fmt.Sprint(c.OldestMulti),
			"checkpoint_time":   fmt.Sprint(c.CheckpointTime),
		}
		lines := goldenLines(t, major, "control.txt")
		require.Len(t, lines, len(got))
		for _, line := range lines {
			key, want, _ := strings.Cut(line, " ")
			require.Equal(t, want, got[key], key)
		}
		require.Equal(t, major, c.Major)
		require.Equal(t, StateShutdowned, c.State)
		require.Equal(t, "shut down", c.State.String())
		require.True(t, c.CharSigned)
		require.InDelta(t, c.CheckpointTime, c.Time, 60)
	})
}

// TestControlDamage flips every bit that the CRC covers, and the CRC's.
func TestControlDamage(t *testing.T) {
	eachMajor(t, func(t *testing.T, major int) {
		b := goldenFile(t, major, "pg_control")
		used, err := controlCRCOffset(binary.LittleEndian.Uint32(b[8:]))
		require.NoError(t, err)
		for bit := range (used + 4) * 8 {
			b[bit/8] ^= 1 << (bit % 8)
			_, err := ParseControl(b)
			if bit/32 == 2 {
				require.ErrorIs(t, err, ErrUnsupported, "bit %d", bit)
			} else {
				requireCorrupt(t, err)
			}
			b[bit/8] ^= 1 << (bit % 8)
		}
		for n := range controlMinSize {
			_, err := ParseControl(b[:n])
			requireCorrupt(t, err)
		}
		_, err = ParseControl(b[:controlMinSize])
		require.NoError(t, err)
	})
}

// resealControl sets the CRC after a change.
func resealControl(b []byte) []byte {
	if len(b) < controlMinSize {
		return b
	}
	if off, err := controlCRCOffset(binary.LittleEndian.Uint32(b[8:])); err == nil {
		binary.LittleEndian.PutUint32(b[off:], crc32.Checksum(b[:off], crc32c))
	}
	return b
}

func TestControlUnsupported(t *testing.T) {
	for _, c := range []struct {
		name string
		off  int
		v    uint32
	}{
		{"pg_control of 12", 8, 1201},
		{"big-endian", 8, 1300 << 16},
		{"catalog of a beta", 12, 202205211},
		{"alignment", 204, 4},
		{"float format", 208, 0},
	} {
		b := goldenFile(t, 15, "pg_control")
		binary.LittleEndian.PutUint32(b[c.off:], c.v)
		if c.off == 208 {
			binary.LittleEndian.PutUint32(b[212:], 1)
		}
		_, err := ParseControl(resealControl(b))
		require.ErrorIs(t, err, ErrUnsupported, c.name)
	}
	b := goldenFile(t, 18, "pg_control")
	b[256] = 0
	c, err := ParseControl(resealControl(b))
	require.NoError(t, err)
	require.False(t, c.CharSigned)
	require.Equal(t, "unrecognized status code", ControlState(7).String())
	require.Equal(t, "in production", StateInProduction.String())
	require.Zero(t, MajorByCatalogVersion(1))
}

// TestRelMap compares both maps together with the server's list of mapped
// relations, one of which was moved by VACUUM FULL.
func TestRelMap(t *testing.T) {
	eachMajor(t, func(t *testing.T, major int) {
		global, err := ParseRelMap(goldenFile(t, major, "global_relmap"))
		require.NoError(t, err)
		base, err := ParseRelMap(goldenFile(t, major, "base_relmap"))
		require.NoError(t, err)
		lines := goldenLines(t, major, "mapped.txt")
		require.Len(t, lines, len(global)+len(base))
		for _, line := range lines {
			var oid, node uint32
			_, err := fmt.Sscan(line, &oid, &node)
			require.NoError(t, err)
			got, ok := base[oid]
			if !ok {
				got = global[oid]
			}
			require.Equal(t, node, got, "relation %d", oid)
		}
		require.NotEqual(t, uint32(1259), base[1259])

		b := goldenFile(t, major, "base_relmap")
		for bit := range (8 + 8*len(base)) * 8 {
			b[bit/8] ^= 1 << (bit % 8)
			_, err := ParseRelMap(b)
			requireCorrupt(t, err)
			b[bit/8] ^= 1 << (bit % 8)
		}
		_, err = ParseRelMap(b[:511])
		requireCorrupt(t, err)
		binary.LittleEndian.PutUint32(b[4:], 65)
		_, err = ParseRelMap(resealRelMap(b))
		requireCorrupt(t, err)
	})
}

func resealRelMap(b []byte) []byte {
	if len(b) == 512 {
		binary.LittleEndian.PutUint32(b[504:], crc32.Checksum(b[:504], crc32c))
	}
	if len(b) == 524 {
		binary.LittleEndian.PutUint32(b[520:], crc32.Checksum(b[:520], crc32c))
	}
	return b
}

// TestTwoPhase compares with pg_prepared_xacts; one transaction has two
// children that survive and one that was rolled back.
func TestTwoPhase(t *testing.T) {
	eachMajor(t, func(t *testing.T, major int) {
		for i, line := range goldenLines(t, major, "prepared.txt") {
			f := strings.SplitN(line, " ", 3)
			xid, err := strconv.ParseUint(f[0], 10, 32)
			require.NoError(t, err)
			b := goldenFile(t, major, "twophase/"+TwoPhaseFileName(xid, major))
			tp, err := ParseTwoPhase(b, major)
			require.NoError(t, err)
			require.Equal(t, uint32(xid), tp.XID)
			require.Equal(t, f[2], tp.GID)
			require.Equal(t, uint32(10), tp.Owner)
			const epoch2000 = 946684800 * 1000000
			require.Equal(t, f[1], fmt.Sprint(tp.Prepared+epoch2000))
			if i == 0 {
				require.Equal(t, []uint32{tp.XID + 1, tp.XID + 2}, tp.Children)
			} else {
				require.Empty(t, tp.Children)
			}
			twoPhaseDamage(t, b, major)
		}
		_, err := ParseTwoPhase(make([]byte, 100), 12)
		require.ErrorIs(t, err, ErrUnsupported)
	})
}

func twoPhaseDamage(t *testing.T, b []byte, major int) {
	for bit := range len(b) * 8 {
		b[bit/8] ^= 1 << (bit % 8)
		_, err := ParseTwoPhase(b, major)
		requireCorrupt(t, err)
		b[bit/8] ^= 1 << (bit % 8)
	}
	for n := range b {
		_, err := ParseTwoPhase(b[:n], major)
		requireCorrupt(t, err)
	}
	for _, off := range []int{28, 31, 46, 47, 54, 55} {
		c := append([]byte(nil), b...)
		c[off] = 0x7f
		if _, err := ParseTwoPhase(resealTwoPhase(c), major); err != nil {
			requireCorrupt(t, err)
		}
	}
}

func resealTwoPhase(b []byte) []byte {
	if len(b) >= 8 {
		binary.LittleEndian.PutUint32(b[4:], uint32(len(b)))
		binary.LittleEndian.PutUint32(b[len(b)-4:], crc32.Checksum(b[:len(b)-4], crc32c))
	}
	return b
}

// TestXactLocation reads every status that the server knew of.
func TestXactLocation(t *testing.T) {
	eachMajor(t, func(t *testing.T, major int) {
		b := goldenFile(t, major, "xact")
		seen := map[string]int{}
		for _, line := range goldenLines(t, major, "xacts.txt") {
			id, want, _ := strings.Cut(line, " ")
			xid, err := strconv.ParseUint(id, 10, 32)
			require.NoError(t, err)
			segment, off, shift := XactLocation(uint32(xid))
			require.Equal(t, "0000", segment)
			got := XactStatus(b[off] >> shift & 3)
			seen[want]++
			if xid < FirstNormalXID {
				require.Equal(t, "committed", want)
			} else {
				require.Equal(t, want, got.String(), "xid %d", xid)
			}
		}
		require.Equal(t, 4, seen["in progress"])
		require.GreaterOrEqual(t, seen["aborted"], 3)
	})
	segment, off, shift := XactLocation(1<<32 - 1)
	require.Equal(t, "0FFF", segment)
	require.Equal(t, int64(SLRUSegmentSize-1), off)
	require.Equal(t, uint(6), shift)
	segment, off = SubtransLocation(65536 + 3)
	require.Equal(t, "0001", segment)
	require.Equal(t, int64(12), off)
	require.Equal(t, "sub-committed", XactSubCommitted.String())
}

// TestMultiXact reads the members of every multixact that the server listed.
func TestMultiXact(t *testing.T) {
	eachMajor(t, func(t *testing.T, major int) {
		control, err := ParseControl(goldenFile(t, major, "pg_control"))
		require.NoError(t, err)
		offsets, members := goldenFile(t, major, "mxoff"), goldenFile(t, major, "mxmem")
		offset := func(multi uint32) uint32 {
			if multi == control.NextMulti {
				return control.NextMultiOffset
			}
			segment, off := MultiOffsetLocation(multi)
			require.Equal(t, "0000", segment)
			return binary.LittleEndian.Uint32(offsets[off:])
		}
		var got []string
		updaters := 0
		for multi := control.OldestMulti; multi != control.NextMulti; multi++ {
			for o := offset(multi); o != offset(multi+1); o++ {
				segment, flag, xid := MultiMemberLocation(o)
				require.Equal(t, "0000", segment)
				s := MultiStatus(members[flag])
				require.True(t, s.Valid())
				if s.Updates() {
					updaters++
				}
				got = append(got, fmt.Sprintf("%d %d %s", multi, binary.LittleEndian.Uint32(members[xid:]), s))
			}
		}
		require.Equal(t, goldenLines(t, major, "multixact.txt"), got)
		require.Equal(t, 1, updaters)
	})
}

func TestMultiLocationBounds(t *testing.T) {
	segment, off := MultiOffsetLocation(1<<32 - 1)
	require.Equal(t, "FFFF", segment)
	require.Equal(t, int64(SLRUSegmentSize-4), off)
	segment, flag, xid := MultiMemberLocation(1<<32 - 1)
	require.Equal(t, "14078", segment)
	require.Less(t, xid, int64(SLRUSegmentSize))
	require.Less(t, flag, xid)
	segment, flag, xid = MultiMemberLocation(MultiMembersOnPage)
	require.Equal(t, "0000", segment)
	require.Equal(t, int64(PageSize), flag)
	require.Equal(t, int64(PageSize+4), xid)
	_, flag, xid = MultiMemberLocation(MultiMembersOnPage - 1)
	require.Equal(t, int64(8160+3), flag)
	require.Equal(t, int64(8160+16), xid)
	require.Equal(t, "unknown", MultiStatus(6).String())
	require.False(t, MultiStatus(6).Valid())
}

// TestVisibilityMap: the golden heap2 was frozen, heap1 has no map at all.
func TestVisibilityMap(t *testing.T) {
	eachMajor(t, func(t *testing.T, major int) {
		blocks := len(goldenPages(t, major, "heap2"))
		vm := goldenPages(t, major, "heap2_vm")
		require.Len(t, vm, 1)
		for blk := range uint32(blocks + 9) {
			want := VMAllVisible | VMAllFrozen
			if int(blk) >= blocks {
				want = 0
			}
			require.Equal(t, want, VMBitsAt(vm[0], blk), "block %d", blk)
		}
	})
	page, off, shift := VMLocation(HeapBlocksPerVMPage*2 - 1)
	require.Equal(t, uint32(1), page)
	require.Equal(t, PageSize-1, off)
	require.Equal(t, uint(6), shift)
	require.Equal(t, "visible,frozen", (VMAllVisible | VMAllFrozen).String())
	require.Equal(t, "-", VMBits(0).String())
}

// TestFSM compares the leaves that the server printed as tree nodes.
func TestFSM(t *testing.T) {
	p := goldenPages(t, 15, "heap2_fsm")[2]
	seen := 0
	for _, line := range goldenLines(t, 15, "heap2_fsm.txt") {
		var node, category int
		if n, _ := fmt.Sscanf(line, "%d: %d", &node, &category); n == 2 && node >= fsmNonLeafNodes {
			require.Equal(t, category, int(FSMCategory(p, node-fsmNonLeafNodes)))
			seen++
		}
	}
	require.Greater(t, seen, 5)
	for _, c := range []struct{ heap, block, slot uint32 }{
		{0, 2, 0},
		{4068, 2, 4068},
		{4069, 3, 0},
		{4069 * 4068, 4070, 0},
		{4069 * 4069, 4072, 0}, // a second page of level 1 comes before its leaves
	} {
		block, slot := FSMLocation(c.heap)
		require.Equal(t, c.block, block, "heap block %d", c.heap)
		require.Equal(t, int(c.slot), slot, "heap block %d", c.heap)
	}
	require.Equal(t, 4069, FSMSlotsPerPage)
}

func TestSequence(t *testing.T) {
	eachMajor(t, func(t *testing.T, major int) {
		p := goldenPages(t, major, "sq")[0]
		s, err := ParseSequence(p)
		require.NoError(t, err)
		// A clean stop writes the state as it was; 32 values were logged ahead.
		require.Equal(t, Sequence{LastValue: 2, LogCnt: s.LogCnt, IsCalled: true}, s)
		require.LessOrEqual(t, s.LogCnt, int64(32))
		p[PageSize-8] = 0
		_, err = ParseSequence(p)
		requireCorrupt(t, err)
	})
	_, err := ParseSequence(make(Page, PageSize))
	requireCorrupt(t, err)
	_, err = ParseSequence(goldenPages(t, 15, "heap1")[0])
	requireCorrupt(t, err)
}
