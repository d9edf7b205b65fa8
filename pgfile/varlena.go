package pgfile

import "encoding/binary"

// Figures of the varlena format.
const (
	varlenaExternalByte = 0x01 // a short header of length 0: a tag follows
	varlenaTagOnDisk    = 18   // VARTAG_ONDISK; the other tags live in memory only
	toastPointerSize    = 18   // 1 + 1 + varatt_external's 16
	varlenaSizeMask     = 0x3fffffff
	toastCompressHeader = 4 // tcinfo
)

// VarlenaKind is the form of a varlena value.
type VarlenaKind uint8

// Forms of a varlena.
const (
	VarlenaPlain      VarlenaKind = iota // Data is the payload
	VarlenaCompressed                    // Data is the compressed stream, after tcinfo
	VarlenaExternal                      // Pointer is set
)

// Compression methods of TOAST: the two high bits of tcinfo and of a TOAST
// pointer's extinfo. Version 13 knows pglz only and leaves them 0.
const (
	CompressionPGLZ = 0
	CompressionLZ4  = 1
)

// ToastPointer is varatt_external: where a value stored out of line lies.
//
//	0      1      2            6             10          14             18
//	+------+------+------------+-------------+-----------+--------------+
//	| 0x01 |  18  | rawsize i4 | extinfo u4  | valueid   | toastrelid   |
//	+------+------+------------+-------------+-----------+--------------+
//	                            └ method 2 bits | size 30 bits
type ToastPointer struct {
	RawSize uint32 // size of the plain value with its 4-byte header
	ExtSize uint32 // bytes stored in chunks
	Method  uint8  // compression method, meaningful when Compressed
	ValueID uint32
	RelID   uint32
}

// Compressed says whether the chunks hold a compressed stream that begins with
// tcinfo: it is, when less is stored than the plain payload has.
func (p ToastPointer) Compressed() bool { return p.ExtSize+4 < p.RawSize }

// Varlena is a parsed varlena.
type Varlena struct {
	Kind    VarlenaKind
	Data    []byte // aliases the input
	RawSize uint32 // of a compressed value: payload size once decompressed (without header)
	Method  uint8
	Pointer ToastPointer
}

// VarlenaSize is the whole size, header included, of the varlena that starts
// at b; it errs when it does not fit b.
//
//	xxxxxxx1            short: length 1 to 127, the byte itself included
//	00000001 tag        external: a pointer of 18 bytes when tag is 18
//	xxxxxx00 … 4 bytes  plain: length = word >> 2, the word included
//	xxxxxx10 … 4 bytes  compressed: the same, and 4 bytes of tcinfo follow
func VarlenaSize(b []byte) (int, error) {
	if len(b) == 0 {
		return 0, Corruptf(0, "varlena of no bytes")
	}
	size := int(b[0] >> 1)
	if b[0]&1 == 0 || b[0] == varlenaExternalByte {
		if size = longVarlenaSize(b); size == 0 {
			return 0, Corruptf(0, "varlena header % x is impossible", b[:min(4, len(b))])
		}
	}
	if size > len(b) {
		return 0, Corruptf(0, "varlena of %d bytes, only %d are there", size, len(b))
	}
	return size, nil
}

// ParseVarlena parses the varlena b (exactly its bytes). An unknown compression
// method is left to whoever decompresses. Errors are *CorruptError with the
// offset in b.
func ParseVarlena(b []byte) (Varlena, error) {
	size, err := VarlenaSize(b)
	if err != nil {
		return Varlena{}, err
	}
	if size != len(b) {
		return Varlena{}, Corruptf(0, "varlena of %d bytes in %d", size, len(b))
	}
	switch {
	case b[0] == varlenaExternalByte:
		return parseToastPointer(b)
	case b[0]&1 != 0:
		return Varlena{Data: b[1:]}, nil
	case b[0]&2 == 0:
		return Varlena{Data: b[4:]}, nil
	}
	if len(b) < 8 {
		return Varlena{}, Corruptf(0, "compressed varlena of %d bytes has no room for its header", len(b))
	}
	info := binary.LittleEndian.Uint32(b[4:])
	return Varlena{Kind: VarlenaCompressed, Data: b[8:], RawSize: info & varlenaSizeMask, Method: uint8(info >> 30)}, nil
}

// parseToastPointer parses the 18 bytes of a TOAST pointer.
func parseToastPointer(b []byte) (Varlena, error) {
	info := binary.LittleEndian.Uint32(b[6:])
	p := ToastPointer{
		RawSize: binary.LittleEndian.Uint32(b[2:]),
		ExtSize: info & varlenaSizeMask,
		Method:  uint8(info >> 30),
		ValueID: binary.LittleEndian.Uint32(b[10:]),
		RelID:   binary.LittleEndian.Uint32(b[14:]),
	}
	if p.RawSize < 4 || p.RawSize > varlenaSizeMask {
		return Varlena{}, Corruptf(2, "TOAST pointer claims a value of %d bytes", p.RawSize)
	}
	if p.ExtSize > p.RawSize-4 {
		return Varlena{}, Corruptf(6, "TOAST pointer claims %d stored bytes for a value of %d", p.ExtSize, p.RawSize)
	}
	if p.Compressed() && p.ExtSize < toastCompressHeader {
		return Varlena{}, Corruptf(6, "TOAST pointer claims %d compressed bytes, fewer than their header", p.ExtSize)
	}
	return Varlena{Kind: VarlenaExternal, Pointer: p}, nil
}
