package qual

// Bit strings: the payload is the length in bits and the bytes, unused bits
// zero.

func appendBits(dst []byte, n int, bytes []byte) []byte {
	return append(appendInt(dst, int32(n)), bytes...)
}

// bitsOf takes a payload apart.
func bitsOf(v []byte) (n int, bytes []byte, err error) {
	if len(v) < 4 {
		return 0, nil, errShort("bit string")
	}
	n, bytes = int(getInt32(v)), v[4:]
	if n < 0 || len(bytes) != (n+7)/8 {
		return 0, nil, errShort("bit string")
	}
	return n, bytes, nil
}

func bitAt(b []byte, i int) byte { return b[i>>3] >> (7 - i&7) & 1 }

// packBits packs n bits given one by one.
func packBits(n int, bit func(i int) byte) []byte {
	out := make([]byte, (n+7)/8)
	for i := range n {
		out[i>>3] |= bit(i) << (7 - i&7)
	}
	return out
}

func init() {
	two := func(name, verb string, f func(a, b byte) byte) {
		kernels[name] = func(_ *fctx, dst []byte, args [][]byte) ([]byte, error) {
			n, a, err := bitsOf(args[0])
			if err != nil {
				return nil, err
			}
			m, b, err := bitsOf(args[1])
			if err != nil {
				return nil, err
			}
			if n != m {
				return nil, sqlErrorf("22026", "cannot %s bit strings of different sizes", verb)
			}
			dst = appendInt(dst, int32(n))
			for i := range a {
				dst = append(dst, f(a[i], b[i]))
			}
			return dst, nil
		}
	}
	two("bit_and", "AND", func(a, b byte) byte { return a & b })
	two("bit_or", "OR", func(a, b byte) byte { return a | b })
	two("bitxor", "XOR", func(a, b byte) byte { return a ^ b })
	one := func(name string, f func(n int, b []byte, by int) (int, func(i int) byte)) {
		kernels[name] = func(_ *fctx, dst []byte, args [][]byte) ([]byte, error) {
			n, b, err := bitsOf(args[0])
			if err != nil {
				return nil, err
			}
			by := 0
			if len(args) > 1 {
				by = int(getInt32(args[1]))
			}
			m, bit := f(n, b, by)
			return appendBits(dst, m, packBits(m, bit)), nil
		}
	}
	shift := func(n int, b []byte, by int) (int, func(int) byte) {
		return n, func(i int) byte {
			if i += by; i < 0 || i >= n {
				return 0
			}
			return bitAt(b, i)
		}
	}
	one("bitnot", func(n int, b []byte, _ int) (int, func(int) byte) {
		return n, func(i int) byte { return 1 - bitAt(b, i) }
	})
	one("bitshiftleft", shift)
	one("bitshiftright", func(n int, b []byte, by int) (int, func(int) byte) { return shift(n, b, -by) })
	kernels["bitcat"] = func(_ *fctx, dst []byte, args [][]byte) ([]byte, error) {
		n, a, err := bitsOf(args[0])
		if err != nil {
			return nil, err
		}
		m, b, err := bitsOf(args[1])
		if err != nil {
			return nil, err
		}
		return appendBits(dst, n+m, packBits(n+m, func(i int) byte {
			if i < n {
				return bitAt(a, i)
			}
			return bitAt(b, i-n)
		})), nil
	}
	count1("bitlength", func(_ *fctx, v []byte) (int, error) {
		n, _, err := bitsOf(v)
		return n, err
	})
	count1("bitoctetlength", func(_ *fctx, v []byte) (int, error) {
		_, b, err := bitsOf(v)
		return len(b), err
	})
	kernels["bit"], kernels["varbit"] = fitBits(true), fitBits(false)
}

// fitBits is bit(n) and bit varying(n): explicit casts cut, and fill bit(n) up.
func fitBits(fixed bool) rowFunc {
	return func(_ *fctx, dst []byte, args [][]byte) ([]byte, error) {
		n, b, err := bitsOf(args[0])
		if err != nil {
			return nil, err
		}
		most, explicit := int(getInt32(args[1])), args[2][0] != 0
		switch {
		case most <= 0, n == most, !fixed && n < most:
			return append(dst, args[0]...), nil
		case fixed && !explicit:
			return nil, sqlErrorf("22026", "bit string length %d does not match type bit(%d)", n, most)
		case !explicit:
			return nil, sqlErrorf("22001", "bit string too long for type bit varying(%d)", most)
		}
		return appendBits(dst, most, packBits(most, func(i int) byte {
			if i >= n {
				return 0
			}
			return bitAt(b, i)
		})), nil
	}
}
