package pgfile

// Skeleton: each of these moves to a file of its own.

// ValidatePage checks a heap or index page header so that accessors may be trusted.
func ValidatePage(p Page) error { panic("not built yet") }

// PageChecksum computes the checksum of a page at fork-absolute block blkno; the stored checksum is ignored.
func PageChecksum(p Page, blkno uint32) uint16 { panic("not built yet") }

// ValidateItems checks every line pointer of a heap page: LP_NORMAL lies within upper..special, 8-aligned (MAXALIGN), length at least 23 and hoff sane; LP_REDIRECT points to an existing item; count ≤ what fits. bad names the first bad item (1-based), so that a skipping reader can go on.
func ValidateItems(p Page) (bad int, err error) { panic("not built yet") }

// ValidateHeapTuple checks hoff against the null bitmap and the tuple's length.
func ValidateHeapTuple(t HeapTuple) error { panic("not built yet") }

// Attr is what deforming needs to know about one attribute of a row type.
type Attr struct {
	Len     int16 // attlen: >0 fixed, -1 varlena, -2 cstring
	Align   byte  // attalign: c s i d
	ByVal   bool
	Dropped bool
	Missing []byte // attmissingval's element as it would be stored (varlena with its header), nil: NULL
}

// Datum is one attribute as stored: nil is NULL; fixed width: exactly attlen bytes; varlena: with its header (short, plain, compressed
// or an external pointer), exactly its size; cstring: without the NUL. It aliases the tuple (or the plan, for missing values).
type Datum []byte

// DeformPlan knows how to find some attributes of a row type; safe for concurrent use.
type DeformPlan struct{ _ int }

// NewDeformPlan plans to find the wanted attributes (indexes into attrs, ascending or not, repeated or not). The steps stop at the last wanted one.
func NewDeformPlan(attrs []Attr, wanted []int) (*DeformPlan, error) { panic("not built yet") }

// Deform sets dst[i] to wanted attribute i. It never reads outside t. Errors are *CorruptError with the offset in the tuple.
func (p *DeformPlan) Deform(t HeapTuple, dst []Datum) error { panic("not built yet") }

// DeformData is Deform over loose parts (index tuples, composite values): natts stored attributes, null bitmap (nil: none; bit set = not null), data bytes starting aligned.
func (p *DeformPlan) DeformData(natts int, nulls, data []byte, dst []Datum) error {
	panic("not built yet")
}

// VarlenaKind is the form of a varlena value.
type VarlenaKind uint8

// Forms of a varlena.
const (
	VarlenaPlain      VarlenaKind = iota // Data is the payload
	VarlenaCompressed                    // Data is the compressed stream, after tcinfo
	VarlenaExternal                      // Pointer is set
)

// Compression methods of TOAST.
const (
	CompressionPGLZ = 0
	CompressionLZ4  = 1
)

// ToastPointer is varatt_external.
type ToastPointer struct {
	RawSize uint32 // size of the plain value with its 4-byte header
	ExtSize uint32 // bytes stored in chunks
	Method  uint8  // compression method, meaningful when Compressed
	ValueID uint32
	RelID   uint32
}

// Compressed says whether the chunks hold a compressed stream that begins with tcinfo.
func (p ToastPointer) Compressed() bool { panic("not built yet") }

// Varlena is a parsed varlena.
type Varlena struct {
	Kind    VarlenaKind
	Data    []byte // aliases the input
	RawSize uint32 // of a compressed value: payload size once decompressed (without header)
	Method  uint8
	Pointer ToastPointer
}

// VarlenaSize is the whole size, header included, of the varlena that starts at b; it errs when it does not fit b.
func VarlenaSize(b []byte) (int, error) { panic("not built yet") }

// ParseVarlena parses the varlena b (exactly its bytes).
func ParseVarlena(b []byte) (Varlena, error) { panic("not built yet") }

// VMBits are the two bits of a heap block in the visibility map.
type VMBits uint8

// Visibility map bits.
const (
	VMAllVisible        VMBits = 1
	VMAllFrozen         VMBits = 2
	HeapBlocksPerVMPage        = 32672
)

// VMLocation says in which VM page and at which byte and bit a heap block's bits lie.
func VMLocation(heapBlock uint32) (page uint32, byteOff int, shift uint) { panic("not built yet") }

// RelMap is a parsed pg_filenode.map: oid of a mapped relation to its file node.
type RelMap map[uint32]uint32

// ParseRelMap parses the relation map of either layout (512 or 524 bytes) and checks magic, count and CRC.
func ParseRelMap(b []byte) (RelMap, error) { panic("not built yet") }

// ControlState is DBState of pg_control.
type ControlState uint32

// Control holds what a reader needs of pg_control.
type Control struct {
	SystemIdentifier uint64
	PGControlVersion uint32 // 1300, 1700, 1800
	CatalogVersion   uint32
	State            ControlState
	Time             int64  // pg_time_t of the last change
	Checkpoint       uint64 // LSN of the last checkpoint record
	Redo             uint64
	TimelineID       uint32
	NextXID          uint64 // full: epoch in the high half
	NextOID          uint32
	NextMulti        uint32
	NextMultiOffset  uint32
	OldestXID        uint32
	OldestMulti      uint32
	CheckpointTime   int64
	MaxAlign         uint32
	BlockSize        uint32
	SegmentBlocks    uint32
	ToastChunkSize   uint32
	DataChecksums    uint32 // 0 off, 1 on
	CharSigned       bool
	Major            int // PostgreSQL major version by catalog version, 0 unknown
}

// ParseControl parses pg_control (8192 bytes or at least the used part), checks its CRC and says which major version wrote it. An unknown
// pg_control version or catalog version is ErrUnsupported; wrong byte order or alignment too.
func ParseControl(b []byte) (*Control, error) { panic("not built yet") }

// XactStatus is the two-bit state of a transaction in pg_xact.
type XactStatus uint8

// States in pg_xact.
const (
	XactInProgress   XactStatus = 0
	XactCommitted    XactStatus = 1
	XactAborted      XactStatus = 2
	XactSubCommitted XactStatus = 3
)

// XactLocation says in which pg_xact segment (name "%04X"), at which byte of it and at which shift the status of xid lies.
func XactLocation(xid uint32) (segment string, byteOff int64, shift uint) { panic("not built yet") }

// MultiOffsetLocation says where in pg_multixact/offsets the member offset of a multixact lies.
func MultiOffsetLocation(multi uint32) (segment string, byteOff int64) { panic("not built yet") }

// MultiMemberLocation says where in pg_multixact/members a member's xid and its status byte lie.
func MultiMemberLocation(offset uint32) (segment string, flagOff, xidOff int64) {
	panic("not built yet")
}

// MultiStatus is the kind of a multixact member; 4 (no-key update) and 5 (update) are updaters.
type MultiStatus uint8

// Updates says that the member updated or deleted the row rather than locked it.
func (s MultiStatus) Updates() bool { return s >= 4 }

// TwoPhase is a prepared transaction's state file.
type TwoPhase struct {
	XID      uint32
	Database uint32
	GID      string
	Children []uint32
}

// ParseTwoPhase parses a file of pg_twophase of the given major version and checks its CRC.
func ParseTwoPhase(b []byte, major int) (*TwoPhase, error) { panic("not built yet") }

// SequenceMagic marks a sequence's page.
const SequenceMagic = 0x1717

// nbtree, as far as an equality descent needs.

// BTreeMeta is the metapage of an nbtree.
type BTreeMeta struct{ Version, Root, Level, FastRoot, FastLevel uint32 }

// ParseBTreeMeta parses block 0 of an nbtree.
func ParseBTreeMeta(p Page) (BTreeMeta, error) { panic("not built yet") }

// BTreePage is the special space of an nbtree page.
type BTreePage struct {
	Prev, Next uint32
	Level      uint32
	Flags      uint16
	CycleID    uint16
}

// Flags of an nbtree page.
const (
	BTreeLeaf            = 0x0001
	BTreeRoot            = 0x0002
	BTreeDeleted         = 0x0004
	BTreeMetaPage        = 0x0008
	BTreeHalfDead        = 0x0010
	BTreeSplitEnd        = 0x0020
	BTreeHasGarbage      = 0x0040
	BTreeIncompleteSplit = 0x0080
	BTreeHasFullXID      = 0x0100
)

// ParseBTreePage validates the page and parses its special space.
func ParseBTreePage(p Page) (BTreePage, error) { panic("not built yet") }

// IndexTuple is a parsed index tuple; the slices alias the page.
type IndexTuple struct {
	TID     TID    // heap TID of a plain leaf tuple; its Block is the downlink in an internal page
	Posting []byte // 6 bytes a TID, for a posting list
	Pivot   bool
	Natts   int // attributes present in a pivot tuple; -1 when not a pivot
	Nulls   []byte
	Data    []byte
}

// PostingTID returns TID i of a posting list.
func (t IndexTuple) PostingTID(i int) TID { panic("not built yet") }

// ParseIndexTuple parses the item at line pointer n of a validated nbtree page.
func ParseIndexTuple(p Page, n int) (IndexTuple, error) { panic("not built yet") }
