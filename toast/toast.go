package toast

import (
	"context"

	"github.com/pipescan/pipescan/pgfile"
)

// DecompressPGLZ fills dst exactly from the pglz stream src, which must be used up.
func DecompressPGLZ(dst, src []byte) error { panic("not built yet") }

// DecompressLZ4 fills dst exactly from the lz4 block src.
func DecompressLZ4(dst, src []byte) error { panic("not built yet") }

// Decompress is DecompressPGLZ or DecompressLZ4 by TOAST's method number.
func Decompress(method uint8, dst, src []byte) error { panic("not built yet") }

// MaxRaw bounds the raw size that so many compressed bytes can stand for.
func MaxRaw(method uint8, compressed int) int64 { panic("not built yet") }

// ChunkFetcher gets the stored bytes of an external value: it appends exactly p.ExtSize bytes to dst.
type ChunkFetcher interface {
	FetchChunks(ctx context.Context, p pgfile.ToastPointer, dst []byte) ([]byte, error)
}

// Detoaster turns varlenas into plain payloads; one a lane.
type Detoaster struct {
	Fetcher  ChunkFetcher
	MaxValue int64 // largest payload allowed in bytes, 0: TOAST's own limit
}

// Append appends the plain payload of the varlena v (exact, with header) to dst.
func (d *Detoaster) Append(ctx context.Context, dst, v []byte) ([]byte, error) {
	panic("not built yet")
}

// Size is the payload size of v, as it claims.
func (d *Detoaster) Size(v []byte) (raw int, err error) { panic("not built yet") }

// BlockReader reads one validated page (header, checksum) of a fork.
type BlockReader interface {
	NBlocks() uint32
	ReadBlock(ctx context.Context, block uint32, page []byte) error
}

// RelationFetcher is a ChunkFetcher over one TOAST relation and its index; one a lane.
type RelationFetcher struct {
	Heap, Index         BlockReader
	HeapName, IndexName string
	ChunkSize           uint32                         // TOAST_MAX_CHUNK_SIZE of pg_control, 0: 1996
	Committed           func(xid uint32) (bool, error) // pg_xact, for tuples moved by VACUUM FULL before 9.0 and for duplicates; may be nil
	Dead                bool                           // the rows read may be dead: index entries marked dead are tried too
	Fallback            ChunkFetcher                   // asked when the index is missing or damaged; nil: an error
}

// FetchChunks fetches the value's chunks through the index.
func (f *RelationFetcher) FetchChunks(ctx context.Context, p pgfile.ToastPointer, dst []byte) ([]byte, error) {
	panic("not built yet")
}
