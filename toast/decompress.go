package toast

import (
	"fmt"
	"math"

	"github.com/pierrec/lz4/v4"

	"github.com/pipescan/pipescan/pgfile"
)

// DecompressLZ4 fills dst exactly from the lz4 block src (no frame round it);
// everything else is a *pgfile.CorruptError. dst and src must not overlap.
func DecompressLZ4(dst, src []byte) error {
	n, err := lz4.UncompressBlock(src, dst)
	if err != nil {
		return pgfile.Corruptf(-1, "lz4 block of %d bytes does not decompress to %d: %v", len(src), len(dst), err)
	}
	if n != len(dst) {
		return pgfile.Corruptf(len(src), "lz4 block ends after %d of %d bytes", n, len(dst))
	}
	return nil
}

// Decompress fills dst exactly from src by TOAST's method number
// (pgfile.CompressionPGLZ, pgfile.CompressionLZ4); an unknown method is a
// *pgfile.CorruptError, as no supported version has another.
func Decompress(method uint8, dst, src []byte) error {
	switch method {
	case pgfile.CompressionPGLZ:
		return DecompressPGLZ(dst, src)
	case pgfile.CompressionLZ4:
		return DecompressLZ4(dst, src)
	default:
		return unknownMethod(method)
	}
}

func unknownMethod(method uint8) error {
	return pgfile.Corruptf(-1, "compression method %d is unknown", method)
}

// MaxRaw bounds the raw size that so many compressed bytes can stand for, so
// that a claim beyond it is known to be corruption before memory is taken. A
// pglz match takes at least three bytes for its longest run, 273, so 91 to 1;
// each length byte of lz4 stands for 255. An unknown method makes nothing.
func MaxRaw(method uint8, compressed int) int64 {
	n := int64(max(compressed, 0))
	switch method {
	case pgfile.CompressionPGLZ:
		return min(n, math.MaxInt64/91) * 91
	case pgfile.CompressionLZ4:
		return min(n, math.MaxInt64/255) * 255
	default:
		return 0
	}
}

// maxPayload is the largest payload a varlena can have: its size, header
// included, has 30 bits.
const maxPayload = 1<<30 - 1 - 4

// SizeError is a value larger than the memory it may take.
type SizeError struct {
	Size int64 // bytes of the value's payload
	Max  int64 // bytes allowed
}

// Error names both sizes and what to do.
func (e *SizeError) Error() string {
	return fmt.Sprintf("a value of %d bytes is larger than the %d that memory allows it (raise --memory)", e.Size, e.Max)
}
