package toast

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	"github.com/pipescan/pipescan/pgfile"
)

// ChunkFetcher gets the stored bytes of a value that lies out of line: it
// appends exactly p.ExtSize bytes to dst and returns the longer slice, or an
// error and dst as it was. It takes memory only after it saw that the chunks
// exist.
type ChunkFetcher interface {
	FetchChunks(ctx context.Context, p pgfile.ToastPointer, dst []byte) ([]byte, error)
}

// ClaimChecker is a ChunkFetcher that can tell a damaged pointer's claims from
// a value that is really as large, taking no memory for the value: nil when the
// chunks for it are there.
type ClaimChecker interface {
	CheckClaim(ctx context.Context, p pgfile.ToastPointer) error
}

// ByRelation is a ChunkFetcher for pointers into several TOAST relations, by
// their oid; a table rewritten by VACUUM FULL or CLUSTER can have two.
type ByRelation map[uint32]ChunkFetcher

// FetchChunks asks the fetcher of p's relation; there being none is a
// *pgfile.CorruptError.
func (m ByRelation) FetchChunks(ctx context.Context, p pgfile.ToastPointer, dst []byte) ([]byte, error) {
	if f := m[p.RelID]; f != nil {
		return f.FetchChunks(ctx, p, dst)
	}
	return dst, pgfile.Corruptf(-1, "value %d lies in TOAST relation %d, which this table does not have", p.ValueID, p.RelID)
}

// CheckClaim implements ClaimChecker, as far as the relation's fetcher does.
func (m ByRelation) CheckClaim(ctx context.Context, p pgfile.ToastPointer) error {
	if c, ok := m[p.RelID].(ClaimChecker); ok {
		return c.CheckClaim(ctx, p)
	}
	return nil
}

// keepScratch is how large a Detoaster's buffer may be between values.
const keepScratch = 1 << 20

// tcinfoSize is the size of what begins a compressed value's chunks: raw size
// and method.
const tcinfoSize = 4

// Detoaster turns varlenas of any form into plain payloads. It keeps a buffer:
// one a goroutine.
type Detoaster struct {
	Fetcher  ChunkFetcher // nil: a value out of line is an error
	MaxValue int64        // bytes a payload, and a compressed form, may have; 0: the format's limit of 1 GB

	scratch []byte // the compressed form of a value that is also out of line
}

// Size is the size in bytes of v's payload once plain, as v claims it; the
// claim has passed the checks that need no chunks. v is a varlena, exactly,
// with its header.
func (d *Detoaster) Size(v []byte) (raw int, err error) {
	p, err := pgfile.ParseVarlena(v)
	if err != nil {
		return 0, err
	}
	return d.size(p)
}

// size is Size of a parsed varlena.
func (d *Detoaster) size(p pgfile.Varlena) (int, error) {
	raw := int64(len(p.Data))
	switch p.Kind {
	case pgfile.VarlenaCompressed:
		raw = int64(p.RawSize)
		if err := checkClaim(p.Method, len(p.Data), raw); err != nil {
			return 0, err
		}
	case pgfile.VarlenaExternal:
		raw = int64(p.Pointer.RawSize) - 4
		if err := checkPointer(p.Pointer, raw); err != nil {
			return 0, err
		}
	}
	if d.MaxValue > 0 && raw > d.MaxValue {
		return 0, &SizeError{Size: raw, Max: d.MaxValue}
	}
	return int(raw), nil
}

// checkPointer checks a pointer's claims; raw is the payload's size.
func checkPointer(p pgfile.ToastPointer, raw int64) error {
	if raw < 0 || raw > maxPayload || int64(p.ExtSize) > raw {
		return pgfile.Corruptf(-1, "value %d claims %d bytes stored for %d", p.ValueID, p.ExtSize, raw)
	}
	if !p.Compressed() {
		return nil
	}
	if p.ExtSize < tcinfoSize {
		return pgfile.Corruptf(-1, "value %d claims %d compressed bytes, fewer than their header", p.ValueID, p.ExtSize)
	}
	if err := checkClaim(p.Method, int(p.ExtSize)-tcinfoSize, raw); err != nil {
		return inValue(p, err)
	}
	return nil
}

// checkClaim says whether so many compressed bytes can stand for raw ones.
func checkClaim(method uint8, compressed int, raw int64) error {
	if method > pgfile.CompressionLZ4 {
		return unknownMethod(method)
	}
	if raw > maxPayload || raw > MaxRaw(method, compressed) {
		return pgfile.Corruptf(-1, "%d compressed bytes cannot stand for %d", compressed, raw)
	}
	return nil
}

// Append appends the payload of the varlena v (exactly its bytes, header
// included) to dst, fetched and decompressed as need be, and returns the
// longer slice. On an error it returns dst as it was; memory for the value was
// taken only if its sizes were proven possible. Errors are
// *pgfile.CorruptError, *SizeError, and the Fetcher's.
func (d *Detoaster) Append(ctx context.Context, dst, v []byte) ([]byte, error) {
	p, err := pgfile.ParseVarlena(v)
	if err != nil {
		return dst, err
	}
	raw, err := d.size(p)
	if err != nil {
		return dst, d.doubt(ctx, p, err)
	}
	switch p.Kind {
	case pgfile.VarlenaCompressed:
		return appendRaw(dst, p.Method, raw, p.Data)
	case pgfile.VarlenaExternal:
		return d.appendExternal(ctx, dst, p.Pointer, raw)
	default:
		return append(dst, p.Data...), nil
	}
}

// doubt asks, before a value out of line is called too large, whether it is only
// its pointer that says so: then the pointer is damaged.
func (d *Detoaster) doubt(ctx context.Context, v pgfile.Varlena, err error) error {
	var large *SizeError
	checker, ok := d.Fetcher.(ClaimChecker)
	if !ok || v.Kind != pgfile.VarlenaExternal || !errors.As(err, &large) {
		return err
	}
	if damage := checker.CheckClaim(ctx, v.Pointer); damage != nil {
		return damage
	}
	return err
}

// appendRaw decompresses data into raw more bytes of dst.
func appendRaw(dst []byte, method uint8, raw int, data []byte) ([]byte, error) {
	long := slices.Grow(dst, raw)[:len(dst)+raw]
	if err := Decompress(method, long[len(dst):], data); err != nil {
		return long[:len(dst)], err
	}
	return long, nil
}

// appendExternal fetches a value's chunks and, if it is compressed,
// decompresses them.
func (d *Detoaster) appendExternal(ctx context.Context, dst []byte, p pgfile.ToastPointer, raw int) ([]byte, error) {
	if d.Fetcher == nil {
		return dst, fmt.Errorf("value %d lies in TOAST relation %d, which is not open: %w", p.ValueID, p.RelID, pgfile.ErrUnsupported)
	}
	if !p.Compressed() {
		return fetchExactly(ctx, d.Fetcher, p, dst)
	}
	stream, err := fetchExactly(ctx, d.Fetcher, p, d.scratch[:0])
	if cap(stream) <= keepScratch {
		d.scratch = stream[:0]
	}
	if err != nil {
		return dst, err
	}
	info := binary.LittleEndian.Uint32(stream)
	if claimed, method := int(info&(1<<30-1)), uint8(info>>30); claimed != raw || method != p.Method {
		return dst, pgfile.Corruptf(-1, "value %d in TOAST relation %d: the row says %d bytes by method %d, the chunks %d by method %d",
			p.ValueID, p.RelID, raw, p.Method, claimed, method)
	}
	dst, err = appendRaw(dst, p.Method, raw, stream[tcinfoSize:])
	return dst, inValue(p, err)
}

// fetchExactly holds a fetcher to its contract: a length that differs would
// show later as a wrong value.
func fetchExactly(ctx context.Context, f ChunkFetcher, p pgfile.ToastPointer, dst []byte) ([]byte, error) {
	got, err := f.FetchChunks(ctx, p, dst)
	if err != nil {
		return dst, err
	}
	if len(got) != len(dst)+int(p.ExtSize) {
		return dst, pgfile.Corruptf(-1, "value %d in TOAST relation %d: %d bytes fetched of %d", p.ValueID, p.RelID, len(got)-len(dst), p.ExtSize)
	}
	return got, nil
}

// inValue says of which value a decompressor's error is; nil stays nil.
func inValue(p pgfile.ToastPointer, err error) error {
	var c *pgfile.CorruptError
	if !errors.As(err, &c) {
		return err
	}
	d := *c
	d.Offset = -1 // of the stream, which is no place in a file
	d.Reason = fmt.Sprintf("value %d in TOAST relation %d: %s", p.ValueID, p.RelID, c.Reason)
	return &d
}
