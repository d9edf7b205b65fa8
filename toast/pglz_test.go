package toast

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/pierrec/lz4/v4"
	"github.com/stretchr/testify/require"

	"github.com/pipescan/pipescan/pgfile"
)

// compressPGLZ is a plain greedy compressor, good enough to make every kind of
// item.
func compressPGLZ(src []byte) []byte {
	var out []byte
	control, bit := 0, 8
	last := map[string]int{}
	for i := 0; i < len(src); {
		if bit == 8 {
			control, bit = len(out), 0
			out = append(out, 0)
		}
		n, off := 0, 0
		if i+3 <= len(src) {
			if at, ok := last[string(src[i:i+3])]; ok && i-at <= 4095 {
				off = i - at
				for n < 273 && i+n < len(src) && src[i+n] == src[at+n] {
					n++
				}
			}
		}
		if n < 3 {
			out = append(out, src[i])
			n = 1
		} else {
			out[control] |= 1 << bit
			out = append(out, byte(off>>4)&0xf0|byte(min(n-3, 15)), byte(off))
			if n >= 18 {
				out = append(out, byte(n-18))
			}
		}
		bit++
		for end := i + n; i < end; i++ {
			if i+3 <= len(src) {
				last[string(src[i:i+3])] = i
			}
		}
	}
	return out
}

// referencePGLZ decompresses a byte at a time, as the format's description
// reads.
func referencePGLZ(raw int, src []byte) ([]byte, bool) {
	var out []byte
	i := 0
	for i < len(src) && len(out) < raw {
		control := src[i]
		i++
		for bit := 0; bit < 8 && i < len(src) && len(out) < raw; bit++ {
			if control>>bit&1 == 0 {
				out = append(out, src[i])
				i++
				continue
			}
			if i+2 > len(src) {
				return nil, false
			}
			n, off := int(src[i]&15)+3, int(src[i]>>4)<<8|int(src[i+1])
			i += 2
			if n == 18 {
				if i >= len(src) {
					return nil, false
				}
				n += int(src[i])
				i++
			}
			if off == 0 || off > len(out) {
				return nil, false
			}
			for ; n > 0 && len(out) < raw; n-- {
				out = append(out, out[len(out)-off])
			}
		}
	}
	return out, len(out) == raw && i == len(src)
}

// referenceLZ4 is the same for an lz4 block.
func referenceLZ4(raw int, src []byte) ([]byte, bool) {
	var out []byte
	length := func(n int) (int, bool) {
		if n < 15 {
			return n, true
		}
		for len(src) > 0 {
			b := src[0]
			src = src[1:]
			if n += int(b); b < 255 {
				return n, true
			}
		}
		return 0, false
	}
	for len(src) > 0 {
		token := src[0]
		src = src[1:]
		n, ok := length(int(token >> 4))
		if !ok || n > len(src) {
			return nil, false
		}
		out = append(out, src[:n]...)
		src = src[n:]
		if len(src) == 0 {
			return out, len(out) == raw
		}
		if len(src) < 2 {
			return nil, false
		}
		off := int(binary.LittleEndian.Uint16(src))
		src = src[2:]
		if n, ok = length(int(token & 15)); !ok || off == 0 || off > len(out) || len(out)+n+4 > raw {
			return nil, false
		}
		for range n + 4 {
			out = append(out, out[len(out)-off])
		}
	}
	return nil, false
}

// samples are payloads of several kinds.
func samples() [][]byte {
	r := rand.New(rand.NewPCG(1, 2))
	noise := make([]byte, 5000)
	for i := range noise {
		noise[i] = byte(r.Uint32())
	}
	words := []byte(strings.Repeat("the quick brown fox ", 7) + "jumps")
	far := append(append(bytes.Clone(noise[:4000]), words...), noise[:4000]...)
	return [][]byte{
		{},
		{7},
		[]byte("ab"), bytes.Repeat([]byte{0}, 3), bytes.Repeat([]byte{'x'}, 100000),
		bytes.Repeat([]byte("xy"), 272), bytes.Repeat([]byte("abcdefg"), 1000), noise, words, far,
	}
}

func TestDecompressPGLZ(t *testing.T) {
	for _, raw := range samples() {
		stream := compressPGLZ(raw)
		got := make([]byte, len(raw))
		require.NoError(t, DecompressPGLZ(got, stream))
		require.Equal(t, raw, got)
		require.LessOrEqual(t, int64(len(raw)), MaxRaw(pgfile.CompressionPGLZ, len(stream)))
		for _, n := range []int{len(raw) - 1, len(raw) + 1} {
			if n < 0 {
				continue
			}
			// One less may only pass where the stream ends in a match that is cut.
			_, same := referencePGLZ(n, stream)
			err := DecompressPGLZ(make([]byte, n), stream)
			require.Equal(t, same, err == nil)
			if err != nil {
				require.ErrorIs(t, err, pgfile.ErrCorrupt)
			}
		}
	}
}

// TestDecompressPGLZCorrupt names each way a stream can be wrong.
func TestDecompressPGLZCorrupt(t *testing.T) {
	for says, c := range map[string]struct {
		raw int
		src []byte
	}{
		"goes on after the 1 bytes":      {1, []byte{0, 'a', 'b'}},
		"ends after 1 of 2 bytes":        {2, []byte{0, 'a'}},
		"ends after 0 of 2 bytes":        {2, nil},
		"goes on after the 0 bytes":      {0, []byte{0}},
		"0 bytes back, with 1":           {5, []byte{2, 'a', 1, 0}},
		"2 bytes back, with 1":           {5, []byte{2, 'a', 1, 2}},
		"1 bytes back, with 0":           {5, []byte{1, 1, 1}},
		"ends inside a match":            {5, []byte{2, 'a', 1}},
		"offset 2: pglz stream ends ins": {50, []byte{2, 'a', 15, 1}},
	} {
		err := DecompressPGLZ(make([]byte, c.raw), c.src)
		require.ErrorIs(t, err, pgfile.ErrCorrupt)
		require.ErrorContains(t, err, says)
	}
	// The last match may say more than there is room for.
	got := make([]byte, 4)
	require.NoError(t, DecompressPGLZ(got, []byte{2, 'a', 15, 1, 200}))
	require.Equal(t, "aaaa", string(got))
}

func TestDecompressLZ4(t *testing.T) {
	for _, raw := range samples() {
		if len(raw) == 0 {
			continue
		}
		stream := make([]byte, lz4.CompressBlockBound(len(raw)))
		n, err := lz4.CompressBlock(raw, stream, nil)
		require.NoError(t, err)
		if n == 0 {
			continue // does not compress
		}
		stream = stream[:n]
		got := make([]byte, len(raw))
		require.NoError(t, DecompressLZ4(got, stream))
		require.Equal(t, raw, got)
		require.LessOrEqual(t, int64(len(raw)), MaxRaw(pgfile.CompressionLZ4, n))
		require.ErrorIs(t, DecompressLZ4(make([]byte, len(raw)+1), stream), pgfile.ErrCorrupt)
		require.ErrorIs(t, DecompressLZ4(make([]byte, len(raw)-1), stream), pgfile.ErrCorrupt)
		require.ErrorIs(t, DecompressLZ4(got, stream[:n-1]), pgfile.ErrCorrupt)
	}
}

func TestDecompressMethods(t *testing.T) {
	require.NoError(t, Decompress(pgfile.CompressionPGLZ, make([]byte, 1), []byte{0, 1}))
	require.NoError(t, Decompress(pgfile.CompressionLZ4, make([]byte, 1), []byte{0x10, 1}))
	for _, m := range []uint8{2, 3} {
		require.ErrorIs(t, Decompress(m, nil, nil), pgfile.ErrCorrupt)
		require.Zero(t, MaxRaw(m, 100))
	}
	require.Zero(t, MaxRaw(0, -1))
}

// FuzzDecompressPGLZ: no panic, and the plain decompressor's result.
func FuzzDecompressPGLZ(f *testing.F) {
	for _, raw := range samples() {
		if stream := compressPGLZ(raw); len(stream) < 200 && len(raw) < 1<<16 { // long seeds make a slow fuzzer
			f.Add(stream, uint16(len(raw)))
		}
	}
	f.Add([]byte{2, 'a', 15, 1, 200}, uint16(4))
	f.Fuzz(func(t *testing.T, src []byte, raw uint16) {
		dst := make([]byte, raw)
		err := DecompressPGLZ(dst, src)
		want, ok := referencePGLZ(int(raw), src)
		if ok != (err == nil) || ok && !bytes.Equal(want, dst) {
			t.Fatalf("reference says %v, %v", ok, err)
		}
		if ok && int64(raw) > MaxRaw(pgfile.CompressionPGLZ, len(src)) {
			t.Fatalf("%d bytes made %d", len(src), raw)
		}
		if err != nil && !errors.Is(err, pgfile.ErrCorrupt) {
			t.Fatal(err)
		}
	})
}

// FuzzDecompressLZ4: no panic, nothing written past the end, and where it
// succeeds the plain decompressor's result.
func FuzzDecompressLZ4(f *testing.F) {
	for _, raw := range samples() {
		stream := make([]byte, lz4.CompressBlockBound(len(raw)))
		n, _ := lz4.CompressBlock(raw, stream, nil)
		if n < 200 && len(raw) < 1<<16 {
			f.Add(stream[:n], uint16(len(raw)))
		}
	}
	f.Fuzz(func(t *testing.T, src []byte, raw uint16) {
		room := bytes.Repeat([]byte{0xa5}, int(raw)+64)
		err := DecompressLZ4(room[:raw], src)
		if !bytes.Equal(room[raw:], bytes.Repeat([]byte{0xa5}, 64)) {
			t.Fatal("written past the end")
		}
		if err != nil {
			if !errors.Is(err, pgfile.ErrCorrupt) {
				t.Fatal(err)
			}
			return
		}
		if want, ok := referenceLZ4(int(raw), src); raw > 0 && (!ok || !bytes.Equal(want, room[:raw])) {
			t.Fatal("the reference disagrees")
		}
		if int64(raw) > MaxRaw(pgfile.CompressionLZ4, len(src)) {
			t.Fatalf("%d bytes made %d", len(src), raw)
		}
	})
}

func BenchmarkDecompress(b *testing.B) {
	raw := bytes.Repeat([]byte("some text that repeats itself, and "), 300)
	block := make([]byte, lz4.CompressBlockBound(len(raw)))
	n, err := lz4.CompressBlock(raw, block, nil)
	require.NoError(b, err)
	for name, c := range map[string]struct {
		method uint8
		stream []byte
	}{"pglz": {pgfile.CompressionPGLZ, compressPGLZ(raw)}, "lz4": {pgfile.CompressionLZ4, block[:n]}} {
		b.Run(name, func(b *testing.B) {
			dst := make([]byte, len(raw))
			b.SetBytes(int64(len(raw)))
			b.ReportAllocs()
			for b.Loop() {
				if err := Decompress(c.method, dst, c.stream); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
