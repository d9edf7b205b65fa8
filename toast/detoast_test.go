package toast

import (
	"bytes"
	"context"
	"encoding/binary"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/pipescan/pipescan/pgfile"
)

var _ ChunkFetcher = ByRelation(nil)

// varlena puts a 4-byte header before b.
func varlena(b []byte) []byte {
	return append(binary.LittleEndian.AppendUint32(nil, uint32(len(b)+4)<<2), b...)
}

// compressed is a varlena compressed in place.
func compressed(method uint8, raw int, stream []byte) []byte {
	v := binary.LittleEndian.AppendUint32(nil, uint32(len(stream)+8)<<2|2)
	v = binary.LittleEndian.AppendUint32(v, uint32(raw)|uint32(method)<<30)
	return append(v, stream...)
}

// pointer is a varlena out of line.
func pointer(p pgfile.ToastPointer) []byte {
	v := []byte{1, 18}
	v = binary.LittleEndian.AppendUint32(v, p.RawSize)
	v = binary.LittleEndian.AppendUint32(v, p.ExtSize|uint32(p.Method)<<30)
	v = binary.LittleEndian.AppendUint32(v, p.ValueID)
	return binary.LittleEndian.AppendUint32(v, p.RelID)
}

// stored makes the chunks' bytes of a compressed value.
func stored(method uint8, raw int, stream []byte) []byte {
	return append(binary.LittleEndian.AppendUint32(nil, uint32(raw)|uint32(method)<<30), stream...)
}

func TestDetoaster(t *testing.T) {
	raw := bytes.Repeat([]byte("0123456789abcdef, "), 1000)
	stream := compressPGLZ(raw)
	chunked := stored(0, len(raw), stream)
	f := ByRelation{1: fetcher(append(chunks(5, pattern(5, 7000)), chunks(6, chunked)...), 10)}
	d := &Detoaster{Fetcher: f}
	out := pgfile.ToastPointer{RawSize: uint32(len(raw)) + 4, ExtSize: uint32(len(chunked)), ValueID: 6, RelID: 1}
	for _, c := range []struct{ v, want []byte }{
		{[]byte{3}, nil},
		{[]byte{7, 'h', 'i'}, []byte("hi")},
		{varlena([]byte("hello")), []byte("hello")},
		{compressed(0, len(raw), stream), raw},
		{pointer(plain(5, 7000)), pattern(5, 7000)},
		{pointer(out), raw},
	} {
		n, err := d.Size(c.v)
		require.NoError(t, err)
		require.Equal(t, len(c.want), n)
		got, err := d.Append(t.Context(), []byte("x"), c.v)
		require.NoError(t, err)
		require.Equal(t, "x"+string(c.want), string(got))
	}

	limited := &Detoaster{Fetcher: f, MaxValue: 6999}
	for _, v := range [][]byte{pointer(plain(5, 7000)), pointer(out), compressed(0, len(raw), stream)} {
		_, err := limited.Append(t.Context(), nil, v)
		var se *SizeError
		require.ErrorAs(t, err, &se)
		require.ErrorContains(t, err, "--memory")
	}
}

// TestDetoasterRefuses: every claim that does not hold, and dst comes back.
func TestDetoasterRefuses(t *testing.T) {
	raw := bytes.Repeat([]byte("0123456789abcdef, "), 1000)
	stream := compressPGLZ(raw)
	chunked := stored(0, len(raw), stream)
	bad := bytes.Clone(chunked)
	bad[len(bad)-1] ^= 0xff
	bad[4] = 0xff
	f := ByRelation{
		1: fetcher(append(chunks(6, chunked), chunks(7, bad)...), 10),
		2: fixed("short"),
	}
	p := pgfile.ToastPointer{RawSize: uint32(len(raw)) + 4, ExtSize: uint32(len(chunked)), ValueID: 6, RelID: 1}
	with := func(change func(p *pgfile.ToastPointer)) []byte {
		q := p
		change(&q)
		return pointer(q)
	}
	for says, v := range map[string][]byte{
		"varlena":                              nil,
		"cannot stand for 1073741819":          compressed(0, maxPayload, stream),
		"pglz":                                 compressed(0, len(raw)+1, stream),
		"lz4":                                  compressed(1, len(raw), stream),
		"compression method 2":                 compressed(2, len(raw), stream),
		"compression method 3":                 with(func(p *pgfile.ToastPointer) { p.Method = 3 }),
		"value 6":                              with(func(p *pgfile.ToastPointer) { p.RawSize = 1 << 29 }),
		"the row says 18001 bytes by method 0": with(func(p *pgfile.ToastPointer) { p.RawSize++ }),
		"by method 1, the chunks 18000":        with(func(p *pgfile.ToastPointer) { p.Method = 1 }),
		"value 7 in TOAST relation 1: pglz":    with(func(p *pgfile.ToastPointer) { p.ValueID = 7 }),
		"relation 3, which this table":         with(func(p *pgfile.ToastPointer) { p.RelID = 3 }),
		"5 bytes fetched of":                   with(func(p *pgfile.ToastPointer) { p.RelID = 2 }),
		"TOAST pointer claims a value of 3":    with(func(p *pgfile.ToastPointer) { p.RawSize = 3 }),
		"stored bytes for a value of 4":        with(func(p *pgfile.ToastPointer) { p.RawSize = 4 }),
		"3 compressed bytes, fewer than":       with(func(p *pgfile.ToastPointer) { p.ExtSize = 3 }),
	} {
		d := &Detoaster{Fetcher: f}
		dst := []byte("keep")
		got, err := d.Append(t.Context(), dst, v)
		require.ErrorIs(t, err, pgfile.ErrCorrupt, says)
		require.ErrorContains(t, err, says)
		require.Equal(t, "keep", string(got))
		require.LessOrEqual(t, cap(got), 1<<16)
	}
	_, err := (&Detoaster{}).Append(t.Context(), nil, pointer(p))
	require.ErrorIs(t, err, pgfile.ErrUnsupported)
}

func TestAssembler(t *testing.T) {
	p := plain(9, 250)
	whole := pattern(9, 250)
	a := &Assembler{Relation: "pg_toast_9", ChunkSize: 100}
	require.Equal(t, 3, a.Chunks(250))
	require.Equal(t, 2, a.Chunks(200))
	require.Equal(t, 2, (&Assembler{}).Chunks(DefaultChunkSize+1))
	a.Start(p, []byte("x"))
	for i := range 3 {
		require.NoError(t, a.Add(int32(i), whole[100*i:min(100*i+100, 250)]))
	}
	require.ErrorContains(t, a.Add(3, nil), "pg_toast_9: TOAST value 9: chunk 3 is one too many: the value has 3")
	require.ErrorContains(t, a.Add(7, nil), "one too many")
	got, err := a.Finish()
	require.NoError(t, err)
	require.Equal(t, "x"+string(whole), string(got))

	a.Start(p, []byte("x"))
	require.ErrorContains(t, a.Add(1, whole[:100]), "chunk 1 comes where chunk 0 of 3 belongs")
	require.ErrorContains(t, a.Add(-1, whole[:100]), "chunk -1 comes where chunk 0 of 3 belongs")
	require.ErrorContains(t, a.Add(0, whole[:99]), "chunk 0 of 3 has 99 bytes, want 100")
	require.NoError(t, a.Add(0, whole[:100]))
	got, err = a.Finish()
	require.ErrorContains(t, err, "chunk 1 of 3 is missing")
	require.ErrorIs(t, err, pgfile.ErrCorrupt)
	require.Equal(t, "x", string(got))
	a.Start(p, []byte("y"))
	require.NoError(t, a.Add(0, whole[:100]))
	require.Equal(t, "y", string(a.Abort()))
}

// FuzzAssembler: whatever order and sizes, Finish gives exactly the size or an
// error.
func FuzzAssembler(f *testing.F) {
	f.Add(uint32(250), []byte{0, 100, 1, 100, 2, 50})
	f.Add(uint32(0), []byte{0, 0})
	f.Fuzz(func(t *testing.T, size uint32, adds []byte) {
		a := &Assembler{ChunkSize: 100}
		size %= 100000
		a.Start(plain(1, int(size)), []byte("x"))
		for ; len(adds) >= 2; adds = adds[2:] {
			_ = a.Add(int32(int8(adds[0])), make([]byte, adds[1])) // Finish tells
		}
		got, err := a.Finish()
		if err == nil && len(got) != int(size)+1 || err != nil && len(got) != 1 {
			t.Fatalf("%d bytes of %d, %v", len(got), size, err)
		}
	})
}

// FuzzDetoaster: any varlena over a fetcher that makes chunks of what it is
// asked.
func FuzzDetoaster(f *testing.F) {
	f.Add(compressed(0, 3, []byte{0, 1, 2, 3}), []byte("abc"))
	f.Add(pointer(plain(1, 3)), []byte("abc"))
	f.Fuzz(func(t *testing.T, v, chunk []byte) {
		d := &Detoaster{Fetcher: fixed(chunk), MaxValue: 1 << 20}
		n, sizeErr := d.Size(v)
		got, err := d.Append(context.Background(), []byte("x"), v)
		if err == nil && (sizeErr != nil || len(got) != n+1) || err != nil && string(got) != "x" {
			t.Fatalf("%d bytes, size %d, %v, %v", len(got), n, sizeErr, err)
		}
	})
}
