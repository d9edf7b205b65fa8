package datum

import (
	"encoding/binary"
	"math"
	"strconv"

	"github.com/pipescan/pipescan/pgfile"
)

// The types of pg_statistic_ext_data (statistics/statistics.h). Both begin
// with magic, type 1 and the number of items, u4 each, and the items follow
// without padding:
//
//	pg_ndistinct     | ndistinct, float8 | n, i4 | n attribute numbers, i2 |
//	pg_dependencies  | degree, float8    | n, i2 | n attribute numbers, i2 |
//
// pg_mcv_list has no text of its own: the server prints its bytes.
const (
	ndistinctMagic    = 0xA352BFA4
	dependenciesMagic = 0xB4549A2C
	statsBasicType    = 1
)

// NDistinct is one item of a pg_ndistinct: how many distinct combinations some
// columns have. Numbers below 0 are expressions.
type NDistinct struct {
	Attributes []int16
	Distinct   float64
}

// Dependency is one item of a pg_dependencies: how far the last of some columns
// depends on the others, 0 to 1.
type Dependency struct {
	Attributes []int16
	Degree     float64
}

// statItem is an item of either type; attrs are 2 bytes each.
type statItem struct {
	number float64
	attrs  []byte
}

func (s statItem) attr(i int) int16 { return int16(binary.LittleEndian.Uint16(s.attrs[2*i:])) }

func (s statItem) attributes() []int16 {
	list := make([]int16, len(s.attrs)/2)
	for i := range list {
		list[i] = s.attr(i)
	}
	return list
}

// eachStat calls f with every item; countWidth is the width of an item's
// number of attributes.
func eachStat(v []byte, name string, magic uint32, countWidth int, f func(i int, item statItem)) error {
	const header = 12
	if len(v) < header {
		return pgfile.Corruptf(0, "%s of %d bytes is shorter than its header", name, len(v))
	}
	if m, typ := binary.LittleEndian.Uint32(v), binary.LittleEndian.Uint32(v[4:]); m != magic || typ != statsBasicType {
		return pgfile.Corruptf(0, "%s starts with %08x and type %d", name, m, typ)
	}
	count := binary.LittleEndian.Uint32(v[8:])
	off := header
	for i := range int(count) {
		if len(v)-off < 8+countWidth {
			return pgfile.Corruptf(off, "%s of %d bytes ends in item %d of %d", name, len(v), i, count)
		}
		item := statItem{number: math.Float64frombits(binary.LittleEndian.Uint64(v[off:]))}
		n := int(binary.LittleEndian.Uint16(v[off+8:]))
		if countWidth == 4 {
			n = int(binary.LittleEndian.Uint32(v[off+8:]))
		}
		off += 8 + countWidth
		if n < 2 || n > (len(v)-off)/2 {
			return pgfile.Corruptf(off, "%s of %d bytes has %d attributes in item %d", name, len(v), n, i)
		}
		item.attrs = v[off : off+2*n]
		off += 2 * n
		f(i, item)
	}
	return nil
}

func eachNdistinct(v []byte, f func(int, statItem)) error {
	return eachStat(v, "pg_ndistinct", ndistinctMagic, 4, f)
}

func eachDependency(v []byte, f func(int, statItem)) error {
	return eachStat(v, "pg_dependencies", dependenciesMagic, 2, f)
}

// textNdistinct is pg_ndistinct_out.
func textNdistinct(dst, v []byte, _ *Env) ([]byte, error) {
	dst = append(dst, '{')
	err := eachNdistinct(v, func(i int, item statItem) {
		if i > 0 {
			dst = append(dst, ", "...)
		}
		dst = append(dst, '"')
		for j := range len(item.attrs) / 2 {
			if j > 0 {
				dst = append(dst, ", "...)
			}
			dst = strconv.AppendInt(dst, int64(item.attr(j)), 10)
		}
		dst = append(dst, `": `...)
		dst = strconv.AppendInt(dst, int64(int32(item.number)), 10)
	})
	return append(dst, '}'), err
}

func valueNdistinct(v []byte, _ *Env) (any, error) {
	list := []NDistinct{}
	err := eachNdistinct(v, func(_ int, item statItem) {
		list = append(list, NDistinct{item.attributes(), item.number})
	})
	if err != nil {
		return nil, err
	}
	return list, nil
}

// textDependencies is pg_dependencies_out.
func textDependencies(dst, v []byte, _ *Env) ([]byte, error) {
	dst = append(dst, '{')
	err := eachDependency(v, func(i int, item statItem) {
		if i > 0 {
			dst = append(dst, ", "...)
		}
		dst = append(dst, '"')
		last := len(item.attrs)/2 - 1
		for j := range last + 1 {
			switch {
			case j > 0 && j == last:
				dst = append(dst, " => "...)
			case j > 0:
				dst = append(dst, ", "...)
			}
			dst = strconv.AppendInt(dst, int64(item.attr(j)), 10)
		}
		dst = append(dst, `": `...)
		dst = strconv.AppendFloat(dst, item.number, 'f', 6, 64)
	})
	return append(dst, '}'), err
}

func valueDependencies(v []byte, _ *Env) (any, error) {
	list := []Dependency{}
	err := eachDependency(v, func(_ int, item statItem) {
		list = append(list, Dependency{item.attributes(), item.number})
	})
	if err != nil {
		return nil, err
	}
	return list, nil
}
