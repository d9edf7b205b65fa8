package pgfile

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"math"
)

// ControlState is DBState of pg_control.
type ControlState uint32

// States of pg_control. Only a cluster in StateShutdowned is complete on disk:
// every other one has WAL that was not replayed yet.
const (
	StateStartup ControlState = iota
	StateShutdowned
	StateShutdownedInRecovery // a stopped standby
	StateShutdowning
	StateInCrashRecovery
	StateInArchiveRecovery
	StateInProduction
)

// String is the state as pg_controldata prints it.
func (s ControlState) String() string {
	names := [...]string{
		"starting up", "shut down", "shut down in recovery", "shutting down",
		"in crash recovery", "in archive recovery", "in production",
	}
	if int64(s) < int64(len(names)) {
		return names[s]
	}
	return "unrecognized status code"
}

// Control holds what a reader needs of pg_control.
type Control struct {
	SystemIdentifier uint64
	PGControlVersion uint32 // 1300, 1700, 1800
	CatalogVersion   uint32
	State            ControlState
	Time             int64  // pg_time_t of the last change: seconds since 1970
	Checkpoint       uint64 // LSN of the last checkpoint record
	Redo             uint64
	TimelineID       uint32
	NextXID          uint64 // full: epoch in the high half
	NextOID          uint32
	NextMulti        uint32
	NextMultiOffset  uint32
	OldestXID        uint32
	OldestMulti      uint32
	CheckpointTime   int64 // pg_time_t of the last checkpoint
	MaxAlign         uint32
	BlockSize        uint32
	SegmentBlocks    uint32
	ToastChunkSize   uint32
	DataChecksums    uint32 // 0 off, 1 on
	CharSigned       bool   // signedness of the char type; true before version 18, which alone records it
	Major            int    // PostgreSQL major version by catalog version, never 0 in what ParseControl returns
}

// controlMinSize is the used part of the longest layout.
const controlMinSize = 296

// majorByCatalogVersion holds the released major versions' catalog versions,
// which never change within a major version.
var majorByCatalogVersion = map[uint32]int{
	202007201: 13, 202107181: 14, 202209061: 15, 202307071: 16, 202406281: 17, 202506291: 18,
}

// MajorByCatalogVersion says which major version has this catalog version, 0
// when none that pipescan reads.
func MajorByCatalogVersion(catver uint32) int { return majorByCatalogVersion[catver] }

// ParseControl parses pg_control (8192 bytes or at least the used part),
// checks its CRC and says which major version wrote it. An unknown pg_control
// version or catalog version is ErrUnsupported; wrong byte order or alignment
// too. Block and segment size are reported, not judged. All integers are
// little-endian, at these offsets:
//
//	0  system identifier u8     72 nextOid u4               204 maxAlign u4
//	8  pg_control version u4    76 nextMulti u4             208 double 1234567.0
//	12 catalog version u4       80 nextMultiOffset u4       216 block size u4
//	16 state u4                 84 oldestXid u4             220 blocks a segment u4
//	24 time i8                  92 oldestMulti u4           240 TOAST chunk size u4
//	32 checkpoint LSN u8       104 checkpoint time i8       252 data checksums u4
//	40 redo LSN u8                                          256 char signedness u1 (1800)
//	48 timeline u4                                          288 crc u4 (1300, 1700)
//	64 nextXid u8                                           292 crc u4 (1800)
func ParseControl(b []byte) (*Control, error) {
	if len(b) < controlMinSize {
		return nil, Corruptf(0, "pg_control of %d bytes, want at least %d", len(b), controlMinSize)
	}
	u32 := func(off int) uint32 { return binary.LittleEndian.Uint32(b[off:]) }
	version := u32(8)
	crcOff, err := controlCRCOffset(version)
	if err != nil {
		return nil, err
	}
	if got, want := crc32.Checksum(b[:crcOff], crc32c), u32(crcOff); got != want {
		e := Corruptf(crcOff, "pg_control's checksum is 0x%08x, its bytes give 0x%08x", want, got)
		e.Remedy = "restore global/pg_control from a backup of the same moment"
		return nil, e
	}
	major := majorByCatalogVersion[u32(12)]
	if major == 0 {
		return nil, fmt.Errorf("catalog version %d is of no release of PostgreSQL 13 to 18: %w", u32(12), ErrUnsupported)
	}
	if d := math.Float64frombits(binary.LittleEndian.Uint64(b[208:])); u32(204) != 8 || d != 1234567.0 {
		return nil, fmt.Errorf("a cluster of a machine with alignment %d or another float format: %w", u32(204), ErrUnsupported)
	}
	c := controlFields(b)
	c.Major = major
	return c, nil
}

// controlCRCOffset finds the CRC's place, which the version decides.
func controlCRCOffset(version uint32) (int, error) {
	switch version {
	case 1300, 1700:
		return 288, nil
	case 1800:
		return 292, nil
	}
	if version%65536 == 0 && version != 0 {
		return 0, fmt.Errorf("pg_control of a big-endian machine: %w", ErrUnsupported)
	}
	return 0, fmt.Errorf("pg_control version %d is not one of PostgreSQL 13 to 18 (or the file is damaged): %w", version, ErrUnsupported)
}

// controlFields reads every field; b is long enough and its CRC was right.
func controlFields(b []byte) *Control {
	u32 := func(off int) uint32 { return binary.LittleEndian.Uint32(b[off:]) }
	u64 := func(off int) uint64 { return binary.LittleEndian.Uint64(b[off:]) }
	return &Control{
		SystemIdentifier: u64(0),
		PGControlVersion: u32(8),
		CatalogVersion:   u32(12),
		State:            ControlState(u32(16)),
		Time:             int64(u64(24)),
		Checkpoint:       u64(32),
		Redo:             u64(40),
		TimelineID:       u32(48),
		NextXID:          u64(64),
		NextOID:          u32(72),
		NextMulti:        u32(76),
		NextMultiOffset:  u32(80),
		OldestXID:        u32(84),
		OldestMulti:      u32(92),
		CheckpointTime:   int64(u64(104)),
		MaxAlign:         u32(204),
		BlockSize:        u32(216),
		SegmentBlocks:    u32(220),
		ToastChunkSize:   u32(240),
		DataChecksums:    u32(252),
		CharSigned:       u32(8) < 1800 || b[256] != 0,
	}
}
