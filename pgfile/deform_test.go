package pgfile

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// heap1Attrs is the row type of the golden table heap1; its second column was
// dropped, its last two were added when rows existed.
func heap1Attrs() []Attr {
	return []Attr{
		{Len: 4, Align: 'i', ByVal: true},                               // id int
		{Len: 1, Align: 'c', ByVal: true, Dropped: true},                // b bool
		{Len: 2, Align: 's', ByVal: true},                               // s smallint
		{Len: 8, Align: 'd', ByVal: true},                               // big bigint
		{Len: -1, Align: 'i'},                                           // t text
		{Len: 8, Align: 'd', ByVal: true},                               // f8 float8
		{Len: -1, Align: 'i'},                                           // n numeric
		{Len: -1, Align: 'i'},                                           // c char(5)
		{Len: 64, Align: 'c'},                                           // nm name
		{Len: 4, Align: 'i', ByVal: true},                               // j int
		{Len: 4, Align: 'i', ByVal: true, Missing: []byte{42, 0, 0, 0}}, // late int default 42
		{Len: -1, Align: 'i'},                                           // late2 text
	}
}

func allOf(attrs []Attr) []int {
	wanted := make([]int, len(attrs))
	for i := range wanted {
		wanted[i] = i
	}
	return wanted
}

// TestDeformAgainstServer compares every attribute of every tuple of a page
// with pageinspect's reading, and line pointer and header beside.
func TestDeformAgainstServer(t *testing.T) {
	attrs := heap1Attrs()
	p := goldenPages(t, 15, "heap1")[0]
	lines := goldenLines(t, 15, "heap1_attrs.txt")
	require.Len(t, lines, p.NumItems())
	plan, err := NewDeformPlan(attrs, allOf(attrs))
	require.NoError(t, err)
	dst := make([]Datum, plan.Width())
	compared := 0
	for n, line := range lines {
		f := strings.Split(line, " ")
		id := p.Item(n + 1)
		if id.State() != ItemNormal {
			require.Equal(t, strings.Join(f[:4], " "), fmt.Sprintf("%d %d %d %d", n+1, id.Off(), id.State(), id.Len()))
			continue
		}
		compared++
		tup := p.Tuple(n + 1)
		require.NoError(t, ValidateHeapTuple(tup))
		// Hint bits may have been set since the server was asked.
		const hints = HeapXminFrozen | HeapXmaxCommitted | HeapXmaxInvalid
		require.Equal(t, strings.Join([]string{f[0], f[1], f[2], f[3], f[4], f[6], f[7]}, " "),
			fmt.Sprintf("%d %d %d %d %s %d %d", n+1, id.Off(), id.State(), id.Len(), tup.CTID(), tup.Infomask2(), tup.Hoff()))
		var infomask int
		_, err := fmt.Sscan(f[5], &infomask)
		require.NoError(t, err)
		require.Equal(t, infomask&^hints, int(tup.Infomask())&^hints)

		require.NoError(t, plan.Deform(tup, dst))
		want := strings.Split(f[8], ",")
		for i, d := range dst {
			got := "NULL"
			switch {
			case i >= tup.Natts():
				require.Equal(t, Datum(attrs[i].Missing), d)
			case d != nil:
				got = hex.EncodeToString(d)
			}
			require.Equal(t, want[i], got, "item %d attribute %d", n+1, i)
		}
	}
	require.Equal(t, 38, compared)
}

// TestDeformEachMajor: the golden rows are the same in every version, byte by
// byte, so that what the server confirmed for one holds for all.
func TestDeformEachMajor(t *testing.T) {
	attrs := heap1Attrs()
	plan, err := NewDeformPlan(attrs, allOf(attrs))
	require.NoError(t, err)
	deform := func(t *testing.T, major int) [][]Datum {
		var rows [][]Datum
		for _, p := range goldenPages(t, major, "heap1") {
			for n := 1; n <= p.NumItems(); n++ {
				if p.Item(n).State() != ItemNormal {
					continue // pruned: the row that was updated, and the deleted one
				}
				row := make([]Datum, plan.Width())
				require.NoError(t, plan.Deform(p.Tuple(n), row))
				rows = append(rows, row)
			}
		}
		return rows
	}
	want := deform(t, 15)
	require.Len(t, want, 43)
	require.Equal(t, Datum{1, 0, 0, 0}, want[41][10], "stored, not missing")
	require.Equal(t, Datum("\x05x"), want[41][11])
	require.Nil(t, want[38][0], "the row of nulls")
	require.Equal(t, Datum{42, 0, 0, 0}, want[38][10], "which has a missing value all the same")
	eachMajor(t, func(t *testing.T, major int) { require.Equal(t, want, deform(t, major)) })
}

// randomAttr draws an attribute as types have them.
func randomAttr(r *rand.Rand) Attr {
	kinds := []Attr{
		{Len: 1, Align: 'c'},
		{Len: 2, Align: 's'},
		{Len: 4, Align: 'i'},
		{Len: 8, Align: 'd'},
		{Len: 6, Align: 's'},
		{Len: 12, Align: 'd'},
		{Len: 16, Align: 'c'},
		{Len: 64, Align: 'c'},
		{Len: 24, Align: 'd'},
		{Len: -1, Align: 'i'},
		{Len: -1, Align: 'i'},
		{Len: -1, Align: 'd'},
		{Len: -2, Align: 'c'},
	}
	a := kinds[r.IntN(len(kinds))]
	if r.IntN(4) == 0 {
		a.Missing = randomValue(r, a)
	}
	return a
}

// randomValue draws a stored value of an attribute, without a cstring's NUL.
func randomValue(r *rand.Rand, a Attr) []byte {
	payload := make([]byte, r.IntN(150))
	switch a.Len {
	case -1:
	case -2:
		payload = payload[:r.IntN(min(len(payload)+1, 20))]
	default:
		payload = make([]byte, a.Len)
	}
	for i := range payload {
		payload[i] = byte(r.IntN(255) + 1)
	}
	if a.Len != -1 {
		return payload
	}
	switch {
	case r.IntN(8) == 0:
		return toastPointer(2004, 2000)
	case len(payload) <= 126 && r.IntN(4) > 0:
		return shortVarlena(payload)
	}
	return longVarlena(payload)
}

// encodeTuple lays values out as heap_form_tuple does; nil is NULL.
func encodeTuple(attrs []Attr, values [][]byte) HeapTuple {
	nulls := make([]byte, (len(values)+7)/8)
	hasNull := false
	for i, v := range values {
		if v != nil {
			nulls[i/8] |= 1 << (i % 8)
		} else {
			hasNull = true
		}
	}
	var data []byte
	for i, v := range values {
		if v == nil {
			continue
		}
		mask, _ := alignMask(attrs[i].Align)
		if packed := attrs[i].Len == -1 && v[0]&1 != 0; !packed {
			for len(data)&int(mask) != 0 {
				data = append(data, 0)
			}
		}
		data = append(data, v...)
		if attrs[i].Len == -2 {
			data = append(data, 0)
		}
	}
	hoff := 24
	if hasNull {
		hoff = (23 + len(nulls) + 7) &^ 7
	}
	t := make(HeapTuple, hoff, hoff+len(data))
	if hasNull {
		copy(t[23:], nulls)
		t[20] = HeapHasNull
	}
	binary.LittleEndian.PutUint16(t[18:], uint16(len(values)))
	t[22] = byte(hoff)
	return append(t, data...)
}

// TestDeformRandom lays random rows out and wants them back, through plans that
// want some of the attributes in any order, some twice.
func TestDeformRandom(t *testing.T) {
	for seed := range uint64(3000) {
		r := rand.New(rand.NewPCG(seed, 1))
		attrs := make([]Attr, 1+r.IntN(20))
		for i := range attrs {
			attrs[i] = randomAttr(r)
		}
		wanted := make([]int, r.IntN(2*len(attrs)))
		for i := range wanted {
			wanted[i] = r.IntN(len(attrs))
		}
		plan, err := NewDeformPlan(attrs, wanted)
		require.NoError(t, err)
		dst := make([]Datum, plan.Width())
		nullRate := r.IntN(3) * 3
		for range 4 {
			values := make([][]byte, r.IntN(len(attrs)+1))
			for i := range values {
				if nullRate == 0 || r.IntN(10) >= nullRate {
					values[i] = randomValue(r, attrs[i])
				}
			}
			tup := encodeTuple(attrs, values)
			require.NoError(t, ValidateHeapTuple(tup))
			checkDeform(t, seed, plan, attrs, wanted, values, tup, dst)
			// A tuple cut short gives an error or what lies before the cut.
			cut := tup[:r.IntN(len(tup)+1):len(tup)]
			if err := plan.Deform(cut[:len(cut):len(cut)], dst); err != nil {
				requireCorrupt(t, err)
			}
		}
	}
}

func checkDeform(t *testing.T, seed uint64, plan *DeformPlan, attrs []Attr, wanted []int, values [][]byte, tup HeapTuple, dst []Datum) {
	t.Helper()
	for i := range dst {
		dst[i] = Datum("left over")
	}
	require.NoError(t, plan.Deform(tup, dst), "seed %d", seed)
	for i, w := range wanted {
		want := attrs[w].Missing
		if w < len(values) {
			want = values[w]
		}
		if want == nil {
			require.Nil(t, dst[i], "seed %d attribute %d", seed, w)
			continue
		}
		require.NotNil(t, dst[i], "seed %d attribute %d", seed, w)
		require.True(t, bytes.Equal(want, dst[i]), "seed %d attribute %d: want %x, got %x", seed, w, want, dst[i])
		if off, width, ok := plan.FixedOffset(w); ok && w < len(values) && leadingValues(values) > w {
			at := tup[tup.Hoff()+off:]
			require.True(t, bytes.Equal(want, at[:width]), "seed %d attribute %d", seed, w)
		}
	}
}

func leadingValues(values [][]byte) int {
	for i, v := range values {
		if v == nil {
			return i
		}
	}
	return len(values)
}

func TestDeformDamage(t *testing.T) {
	attrs := []Attr{{Len: 4, Align: 'i'}, {Len: -1, Align: 'i'}, {Len: 8, Align: 'd'}, {Len: -2, Align: 'c'}, {Len: 2, Align: 's'}}
	good := encodeTuple(attrs, [][]byte{{1, 2, 3, 4}, shortVarlena([]byte("ab")), make([]byte, 8), []byte("x"), {5, 6}})
	withNull := encodeTuple(attrs, [][]byte{{1, 2, 3, 4}, nil, make([]byte, 8), []byte("x"), {5, 6}})
	for _, c := range []struct {
		name   string
		tuple  HeapTuple
		damage func(HeapTuple) HeapTuple
		offset int
	}{
		{"no header", good, func(t HeapTuple) HeapTuple { return t[:23] }, 0},
		{"hoff past the end", good, func(t HeapTuple) HeapTuple { t[22] = 248; return t }, 22},
		{"too many attributes", good, func(t HeapTuple) HeapTuple { t[18] = 6; return t }, -1},
		{"bitmap past hoff", withNull, func(t HeapTuple) HeapTuple { t[18] = 9; return t }, 18},
		{"first too short", good, func(t HeapTuple) HeapTuple { return t[:26] }, 24},
		{"varlena missing", good, func(t HeapTuple) HeapTuple { return t[:28] }, 28},
		{"varlena too long", good, func(t HeapTuple) HeapTuple { t[28] = 0xff; return t }, 28},
		{"varlena of a tag", good, func(t HeapTuple) HeapTuple { t[28] = 1; return t }, 28},
		{"varlena of length 1", good, func(t HeapTuple) HeapTuple { copy(t[28:], []byte{4, 0, 0, 0}); return t }, 28},
		{"fixed too short", good, func(t HeapTuple) HeapTuple { return t[:39] }, 32},
		{"cstring unended", good, func(t HeapTuple) HeapTuple { return t[:41] }, 40},
		{"last too short", withNull, func(t HeapTuple) HeapTuple { return t[:43] }, 42},
		{"fixed too short after null", withNull, func(t HeapTuple) HeapTuple { return t[:39] }, 32},
	} {
		t.Run(c.name, func(t *testing.T) {
			plan, err := NewDeformPlan(attrs, allOf(attrs))
			require.NoError(t, err)
			dst := make([]Datum, 5)
			require.NoError(t, plan.Deform(c.tuple, dst))
			tup := c.damage(bytes.Clone(c.tuple))
			err = plan.Deform(tup[:len(tup):len(tup)], dst)
			requireCorrupt(t, err)
			require.Equal(t, c.offset, err.(*CorruptError).Offset)
		})
	}
}

func TestDeformPlanRefuses(t *testing.T) {
	for _, a := range []Attr{{Len: 0, Align: 'c'}, {Len: -3, Align: 'c'}, {Len: 4, Align: 'x'}, {}} {
		_, err := NewDeformPlan([]Attr{a}, []int{0})
		require.ErrorIs(t, err, ErrUnsupported)
	}
	attrs := []Attr{{Len: 4, Align: 'i'}, {}}
	_, err := NewDeformPlan(attrs, []int{2})
	require.Error(t, err)
	_, err = NewDeformPlan(attrs, []int{-1})
	require.Error(t, err)
	_, err = NewDeformPlan(make([]Attr, MaxTupleAttributes+1), nil)
	require.Error(t, err)
	plan, err := NewDeformPlan(attrs, []int{0})
	require.NoError(t, err, "an odd attribute past the last wanted one does not matter")
	_, _, ok := plan.FixedOffset(1)
	require.False(t, ok)
}

func TestDeformData(t *testing.T) {
	plan, err := NewDeformPlan([]Attr{{Len: 4, Align: 'i'}, {Len: -1, Align: 'i'}}, []int{1, 0})
	require.NoError(t, err)
	dst := make([]Datum, 2)
	require.NoError(t, plan.DeformData(2, nil, []byte{1, 0, 0, 0, 5, 'x'}, dst))
	require.Equal(t, []Datum{{5, 'x'}, {1, 0, 0, 0}}, dst)
	require.NoError(t, plan.DeformData(2, []byte{2, 0, 0, 0}, []byte{5, 'x'}, dst))
	require.Equal(t, []Datum{{5, 'x'}, nil}, dst)
	require.NoError(t, plan.DeformData(0, nil, nil, dst))
	require.Equal(t, []Datum{nil, nil}, dst)
	requireCorrupt(t, plan.DeformData(2, []byte{}, []byte{1}, dst))
	requireCorrupt(t, plan.DeformData(-1, nil, nil, dst))
	requireCorrupt(t, plan.DeformData(1, nil, nil, dst))
}

func TestDeformAllocatesNothing(t *testing.T) {
	attrs := heap1Attrs()
	plan, err := NewDeformPlan(attrs, []int{0, 3, 11, 8, 8})
	require.NoError(t, err)
	p := goldenPages(t, 15, "heap1")[1]
	dst := make([]Datum, plan.Width())
	require.Zero(t, testing.AllocsPerRun(100, func() {
		if _, err := ValidateItems(p); err != nil {
			panic(err)
		}
		for n := 1; n <= p.NumItems(); n++ {
			if err := plan.Deform(p.Tuple(n), dst); err != nil {
				panic(err)
			}
		}
		PageChecksum(p, 0)
	}))
}
