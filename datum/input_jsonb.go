package datum

import (
	"bytes"
	"encoding/binary"
	"slices"
)

// jsonbWriter lays nodes out.
type jsonbWriter struct {
	out   []byte
	start int
}

func (w *jsonbWriter) pad() {
	for (len(w.out)-w.start)%4 != 0 {
		w.out = append(w.out, 0)
	}
}

// offsetStride is JB_OFFSET_STRIDE: so many entries apart, an entry holds an
// offset and not a length.
const offsetStride = 32

// container writes a container's header, entries and data.
func (w *jsonbWriter) container(n *jsonNode) error {
	head := uint32(jsonArray)
	if n.scalar {
		head |= jsonScalar
	}
	if n.object {
		head = jsonObject
		n.sortKeys()
	}
	head |= uint32(len(n.items))
	w.out = binary.LittleEndian.AppendUint32(w.out, head)
	entry := len(w.out)
	w.out = append(w.out, make([]byte, 4*(len(n.items)+len(n.keys)))...)
	total, index := 0, 0
	put := func(kind uint32, size int) error {
		if total += size; total > entryNumber {
			return inputErrorf(StateProgramLimit, "total size of jsonb elements exceeds the maximum of %d bytes", entryNumber)
		}
		meta := kind | uint32(size)
		if index%offsetStride == 0 {
			meta = kind | uint32(total) | entryEnd
		}
		binary.LittleEndian.PutUint32(w.out[entry+4*index:], meta)
		index++
		return nil
	}
	for _, key := range n.keys {
		w.out = append(w.out, key...)
		if err := put(entryString, len(key)); err != nil {
			return err
		}
	}
	for i := range n.items {
		from := len(w.out)
		if err := w.item(&n.items[i]); err != nil {
			return err
		}
		if err := put(n.items[i].kind, len(w.out)-from); err != nil {
			return err
		}
	}
	return nil
}

// item writes one value's data.
func (w *jsonbWriter) item(n *jsonNode) error {
	switch n.kind {
	case entryContainer:
		w.pad()
		return w.container(n)
	case entryNumeric:
		w.pad()
		w.out = binary.LittleEndian.AppendUint32(w.out, uint32(len(n.data)+varlenaHeader)<<2)
	}
	w.out = append(w.out, n.data...)
	return nil
}

// sortKeys orders an object's pairs by length and bytes of their keys; of
// equal keys the last pair stays.
func (n *jsonNode) sortKeys() {
	order := make([]int, len(n.keys))
	for i := range order {
		order[i] = i
	}
	compare := func(a, b []byte) int {
		if len(a) != len(b) {
			return len(a) - len(b)
		}
		return bytes.Compare(a, b)
	}
	slices.SortStableFunc(order, func(i, j int) int { return compare(n.keys[i], n.keys[j]) })
	keys, items := n.keys[:0:0], n.items[:0:0]
	for k, i := range order {
		if k+1 < len(order) && compare(n.keys[i], n.keys[order[k+1]]) == 0 {
			continue
		}
		keys, items = append(keys, n.keys[i]), append(items, n.items[i])
	}
	n.keys, n.items = keys, items
}
