package pgfile

import "encoding/binary"

// walk finds attributes from..to-1, none of them null, from offset off on.
func (p *DeformPlan) walk(from, to, off int, data []byte, dst []Datum, base int) error {
	steps := p.steps[from:to]
	for i := range steps {
		s := &steps[i]
		var end int
		if s.len > 0 {
			off = (off + int(s.mask)) &^ int(s.mask)
			end = off + int(s.len)
			if end > len(data) {
				return attrError(from+i, base+off, data)
			}
		} else if n := shortVarlenaSize(s, off, data); n > 0 {
			end = off + n
		} else {
			var ok bool
			if off, end, ok = spanVariable(s, off, data); !ok {
				return attrError(from+i, base+off, data)
			}
		}
		if s.slot >= 0 {
			dst[s.slot] = cutDatum(s, off, end, data)
		}
		off = end
	}
	return nil
}

// walkNulls is walk for a tuple with a null bitmap.
func (p *DeformPlan) walkNulls(from, to, off int, nulls, data []byte, dst []Datum, base int) error {
	for i := from; i < to; i++ {
		s := &p.steps[i]
		if nulls[i>>3]&(1<<(i&7)) == 0 {
			if s.slot >= 0 {
				dst[s.slot] = nil
			}
			continue
		}
		var end int
		if s.len > 0 {
			off = (off + int(s.mask)) &^ int(s.mask)
			end = off + int(s.len)
			if end > len(data) {
				return attrError(i, base+off, data)
			}
		} else if n := shortVarlenaSize(s, off, data); n > 0 {
			end = off + n
		} else {
			var ok bool
			if off, end, ok = spanVariable(s, off, data); !ok {
				return attrError(i, base+off, data)
			}
		}
		if s.slot >= 0 {
			dst[s.slot] = cutDatum(s, off, end, data)
		}
		off = end
	}
	return nil
}

// shortVarlenaSize is the size of a varlena with a 1-byte header that lies at
// off and fits; 0 sends every other case to spanVariable. It is small enough to
// be inlined, and short varlenas are what most columns of variable width hold.
func shortVarlenaSize(s *deformStep, off int, data []byte) int {
	if s.len != -1 || off >= len(data) || data[off]&1 == 0 {
		return 0
	}
	if n := int(data[off] >> 1); n <= len(data)-off {
		return n
	}
	return 0
}

// cutDatum slices a found attribute; a cstring loses its NUL.
func cutDatum(s *deformStep, off, end int, data []byte) Datum {
	if s.len == -2 {
		end--
	}
	return Datum(data[off:end])
}

// spanVariable finds where the variable-width attribute that comes at or after
// off starts and ends. A varlena whose first byte is not zero needs no
// alignment: either it has a short header, or off is aligned already; a zero
// byte is padding, or the low byte of an aligned length.
func spanVariable(s *deformStep, off int, data []byte) (start, end int, ok bool) {
	if off >= len(data) {
		return off, 0, false
	}
	if s.len == -2 {
		off = (off + int(s.mask)) &^ int(s.mask)
		for end = off; end < len(data); end++ {
			if data[end] == 0 {
				return off, end + 1, true
			}
		}
		return off, 0, false
	}
	first := data[off]
	if first == 0 {
		off = (off + int(s.mask)) &^ int(s.mask)
		if off >= len(data) {
			return off, 0, false
		}
		first = data[off]
	}
	if first&1 != 0 && first != varlenaExternalByte {
		end = off + int(first>>1)
		return off, end, end <= len(data)
	}
	size := longVarlenaSize(data[off:])
	if size > len(data)-off {
		return off, 0, false
	}
	return off, off + size, size > 0
}

// longVarlenaSize is the claimed size of a varlena with a 4-byte header or of
// an external pointer; 0 when it is impossible.
func longVarlenaSize(b []byte) int {
	if b[0] == varlenaExternalByte {
		if len(b) < 2 || b[1] != varlenaTagOnDisk {
			return 0
		}
		return toastPointerSize
	}
	if len(b) < 4 {
		return 0
	}
	if size := int(binary.LittleEndian.Uint32(b) >> 2); size >= 4 {
		return size
	}
	return 0
}

// attrError says that an attribute does not fit the tuple.
func attrError(attr, off int, data []byte) error {
	return Corruptf(off, "attribute %d does not fit the tuple's %d data bytes", attr+1, len(data))
}
