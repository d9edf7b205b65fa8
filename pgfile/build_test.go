package pgfile

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"
)

// buildAttrs is a row type with every length and alignment.
func buildAttrs() ([]Attr, []byte) {
	return []Attr{
		{Len: 4, Align: 'i', ByVal: true},
		{Len: -1, Align: 'i'},
		{Len: 8, Align: 'd', ByVal: true},
		{Len: 1, Align: 'c', ByVal: true},
		{Len: -1, Align: 'd'},
		{Len: -2, Align: 'c'},
		{Len: 2, Align: 's', ByVal: true},
		{Len: 16, Align: 'c'},
		{Len: -1, Align: 'i'},
	}, []byte("pxppxpppp")
}

func TestFormIsDeformed(t *testing.T) {
	attrs, storage := buildAttrs()
	f, err := NewTupleFormer(attrs, storage)
	require.NoError(t, err)
	plan, err := NewDeformPlan(attrs, []int{0, 1, 2, 3, 4, 5, 6, 7, 8})
	require.NoError(t, err)
	for nulls := range 512 {
		values := []Datum{
			Datum("abcd"), Datum(bytes.Repeat([]byte("x"), nulls)), Datum("12345678"), Datum("c"),
			{},
			Datum("a cstring"), Datum("zz"), Datum("0123456789abcdef"), Datum("short, but never with a short header"),
		}
		hasNull := false
		for i := range values {
			if nulls>>i&1 == 1 {
				values[i], hasNull = nil, true
			}
		}
		tuple, err := f.Form(nil, values, TupleHeader{Xmin: 7, CID: 2, Infomask: HeapXmaxInvalid})
		require.NoError(t, err)
		h := HeapTuple(tuple)
		require.NoError(t, ValidateHeapTuple(h))
		require.Equal(t, uint32(7), h.Xmin())
		require.Equal(t, uint32(2), h.Field3())
		require.Equal(t, hasNull, h.HasNulls())
		require.Equal(t, len(attrs), h.Natts())
		got := make([]Datum, len(attrs))
		require.NoError(t, plan.Deform(h, got))
		for i, want := range values {
			if attrs[i].Len == -1 && got[i] != nil {
				v, err := ParseVarlena(got[i])
				require.NoError(t, err)
				isShort := got[i][0]&1 == 1
				require.Equal(t, storage[i] == 'x' && len(want) <= 126, isShort)
				got[i] = v.Data
			}
			require.Equal(t, want == nil, got[i] == nil)
			require.True(t, bytes.Equal(want, got[i]))
		}
	}
	for _, bad := range [][]Datum{nil, make([]Datum, 8), {Datum("abc"), nil, nil, nil, nil, nil, nil, nil, nil}} {
		_, err := f.Form(nil, bad, TupleHeader{})
		require.Error(t, err)
	}
	_, err = NewTupleFormer([]Attr{{Len: 0, Align: 'i'}}, []byte("p"))
	require.ErrorIs(t, err, ErrUnsupported)
	_, err = NewTupleFormer(make([]Attr, MaxTupleAttributes+1), nil)
	require.Error(t, err)
}

func TestAddTuple(t *testing.T) {
	p := Page(bytes.Repeat([]byte{0xff}, PageSize))
	InitPage(p)
	require.NoError(t, ValidatePage(p))
	require.Equal(t, PageSize-PageHeaderSize-4, p.Room())
	tuple := HeapTuple(make([]byte, 24))
	tuple[22] = 24
	n := 0
	for {
		item, ok := p.AddTuple(tuple, 0x12345)
		if !ok {
			break
		}
		n++
		require.EqualValues(t, n, item)
	}
	require.Equal(t, MaxTuplesPerPage, n)
	require.Zero(t, p.Room())
	_, err := ValidateItems(p)
	require.NoError(t, err)
	require.Equal(t, TID{Block: 0x12345, Offset: 291}, p.Tuple(291).CTID())

	InitPage(p)
	big := HeapTuple(make([]byte, MaxHeapTupleSize))
	big[22] = 24
	_, ok := p.AddTuple(append(big, 0), 0)
	require.False(t, ok)
	_, ok = p.AddTuple(big, 0)
	require.True(t, ok)
	p.SetFlags(PageAllVisible)
	p.SetChecksum(5)
	require.Equal(t, PageChecksum(p, 5), p.Checksum())
	require.True(t, p.AllVisible())
	require.NoError(t, ValidatePage(p))
}

func TestSetVMBits(t *testing.T) {
	p := Page(make([]byte, PageSize))
	for _, block := range []uint32{0, 1, 5, HeapBlocksPerVMPage - 1} {
		SetVMBits(p, block, VMAllVisible|VMAllFrozen)
		require.Equal(t, VMAllVisible|VMAllFrozen, VMBitsAt(p, block))
		SetVMBits(p, block, VMAllVisible)
		require.Equal(t, VMAllVisible, VMBitsAt(p, block))
	}
	require.Zero(t, VMBitsAt(p, 2))
}
