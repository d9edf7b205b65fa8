package aggregate

import (
	"cmp"
	"encoding/binary"
	"slices"

	"github.com/pipescan/pipescan/batch"
)

// groups numbers the groups by their keys and keeps, for each, the keys of the
// first row that has them.
type groups struct {
	keys   []Key
	narrow map[uint64]int32 // one key of at most 8 bytes
	wide   *keyTable        // everything else
	null   int32            // of a narrow key: the group of NULL, -1: none yet

	values []batch.Vector // a column a key
	row    []int32        // by group: where its keys are in values
	place  []uint64       // by group: the first row
	bytes  int64

	scratch []byte
	numbers []int32
}

// memory is about how much memory the groups take.
func (g *groups) memory() int64 {
	if g.wide != nil {
		return g.bytes + g.wide.size()
	}
	return g.bytes
}

// groupOverhead is about what a group takes in a hash table and in slices.
const groupOverhead = 64

func newGroups(keys []Key) *groups {
	g := &groups{keys: keys, values: make([]batch.Vector, len(keys)), null: -1}
	for i := range keys {
		g.values[i].Reset(keys[i].Expr.Width())
	}
	if len(keys) == 1 && g.values[0].Width > 0 && g.values[0].Width <= 8 {
		g.narrow = map[uint64]int32{}
	} else {
		g.wide = newKeyTable()
	}
	return g
}

// len is how many groups there are.
func (g *groups) len() int { return len(g.row) }

// number returns the group of each of n rows; keys has a vector a key, places
// the rows' places. The result is valid until the next call.
func (g *groups) number(keys []*batch.Vector, places []uint64) ([]int32, error) {
	g.numbers = g.numbers[:0]
	for i := range places {
		n, err := g.find(keys, i, places[i])
		if err != nil {
			return nil, err
		}
		g.numbers = append(g.numbers, n)
	}
	return g.numbers, nil
}

// find returns the group of a row, a new one where there is none.
func (g *groups) find(keys []*batch.Vector, i int, place uint64) (int32, error) {
	if g.narrow != nil {
		return g.findNarrow(keys, i, place)
	}
	k := g.scratch[:0]
	for c, v := range keys {
		b, ok := v.Value(i)
		if !ok {
			k = append(k, 0)
			continue
		}
		start := len(k)
		k = append(k, 1, 0, 0, 0, 0)
		k = g.keys[c].Hash(k, b)
		binary.LittleEndian.PutUint32(k[start+1:], uint32(len(k)-start-5))
	}
	g.scratch = k
	n, isNew := g.wide.find(k)
	if isNew {
		return n, g.add(keys, i, place)
	}
	return n, g.seen(n, keys, i, place)
}

func (g *groups) findNarrow(keys []*batch.Vector, i int, place uint64) (int32, error) {
	v := keys[0]
	n, ok := g.null, g.null >= 0
	b, valid := v.Value(i)
	var k uint64
	if valid {
		g.scratch = g.keys[0].Hash(g.scratch[:0], b)
		var word [8]byte
		copy(word[:], g.scratch)
		k = binary.LittleEndian.Uint64(word[:])
		n, ok = g.narrow[k]
	}
	if ok {
		return n, g.seen(n, keys, i, place)
	}
	n = int32(g.len())
	if valid {
		g.narrow[k] = n
	} else {
		g.null = n
	}
	return n, g.add(keys, i, place)
}

// add makes a group of a row's keys.
func (g *groups) add(keys []*batch.Vector, i int, place uint64) error {
	g.row = append(g.row, 0)
	g.place = append(g.place, place)
	return g.keep(int32(len(g.row)-1), keys, i)
}

// keep keeps a row's keys as those of group n.
func (g *groups) keep(n int32, keys []*batch.Vector, i int) error {
	g.row[n] = int32(g.values[0].N)
	before := g.size()
	for c := range g.values {
		if err := g.values[c].AppendFrom(keys[c], i); err != nil {
			return err
		}
	}
	g.bytes += g.size() - before + groupOverhead
	return nil
}

func (g *groups) size() (n int64) {
	for i := range g.values {
		n += int64(g.values[i].Bytes())
	}
	return n
}

// seen looks whether a row of group n comes before those known.
func (g *groups) seen(n int32, keys []*batch.Vector, i int, place uint64) error {
	if place >= g.place[n] {
		return nil
	}
	g.place[n] = place
	for c := range g.values {
		have, _ := g.values[c].Value(int(g.row[n]))
		if v, _ := keys[c].Value(i); string(v) != string(have) {
			return g.keep(n, keys, i)
		}
	}
	return nil
}

// merge finds or makes the groups of other and returns their numbers here.
func (g *groups) merge(other *groups) ([]int32, error) {
	keys := make([]*batch.Vector, len(other.values))
	for c := range other.values {
		keys[c] = &other.values[c]
	}
	to := make([]int32, other.len())
	for n := range to {
		var err error
		if to[n], err = g.find(keys, int(other.row[n]), other.place[n]); err != nil {
			return nil, err
		}
	}
	return to, nil
}

// order is the groups in the order in which they first appeared.
func (g *groups) order() []int32 {
	order := make([]int32, g.len())
	for i := range order {
		order[i] = int32(i)
	}
	slices.SortFunc(order, func(a, b int32) int { return cmp.Compare(g.place[a], g.place[b]) })
	return order
}
