package pgfile

import "testing"

// benchPage is a page of the 10-million-row table: 226 tuples of one int4.
func benchPage() Page {
	lens := make([]int, 226)
	for i := range lens {
		lens[i] = 28
	}
	p := testPage(lens...)
	for n := range lens {
		p.Tuple(n + 1)[18] = 1
	}
	return p
}

func BenchmarkValidateItems(b *testing.B) {
	p := benchPage()
	b.SetBytes(PageSize)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := ValidateItems(p); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkValidateLinePointers(b *testing.B) {
	p := benchPage()
	b.ReportAllocs()
	for b.Loop() {
		if _, err := ValidateLinePointers(p); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkPageChecksum(b *testing.B) {
	p := benchPage()
	b.SetBytes(PageSize)
	b.ReportAllocs()
	for b.Loop() {
		PageChecksum(p, 7)
	}
}

func BenchmarkDeform(b *testing.B) {
	attrs := heap1Attrs()
	full := encodeTuple(attrs, [][]byte{
		make([]byte, 4),
		{1},
		make([]byte, 2), make([]byte, 8), shortVarlena([]byte("some text")), make([]byte, 8),
		shortVarlena([]byte("123456")), shortVarlena([]byte("c1   ")), make([]byte, 64), make([]byte, 4), make([]byte, 4), shortVarlena([]byte("late")),
	})
	nulls := encodeTuple(attrs, [][]byte{
		make([]byte, 4),
		{1},
		make([]byte, 2), nil, shortVarlena([]byte("some text")), make([]byte, 8),
		nil, shortVarlena([]byte("c1   ")), make([]byte, 64), nil, make([]byte, 4), shortVarlena([]byte("late")),
	})
	for _, c := range []struct {
		name   string
		tuple  HeapTuple
		wanted []int
	}{
		{"first", full, []int{0}},
		{"fixed4", full, []int{0, 1, 2, 3}},
		{"late", full, []int{9}},
		{"all12", full, allOf(attrs)},
		{"all12nulls", nulls, allOf(attrs)},
	} {
		b.Run(c.name, func(b *testing.B) {
			plan, err := NewDeformPlan(attrs, c.wanted)
			if err != nil {
				b.Fatal(err)
			}
			dst := make([]Datum, plan.Width())
			b.ReportAllocs()
			for b.Loop() {
				if err := plan.Deform(c.tuple, dst); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
