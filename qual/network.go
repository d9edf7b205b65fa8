package qual

import (
	"encoding/binary"

	"github.com/pipescan/pipescan/catalog"
)

// inet and cidr: the payload is the family (2: IPv4), the mask's bits, and the
// address.

// masked is the address with the bits behind the mask cleared.
func masked(dst, v []byte) []byte {
	bits := int(v[1])
	for i, b := range v[2:] {
		switch left := bits - 8*i; {
		case left <= 0:
			b = 0
		case left < 8:
			b &= 0xff << (8 - left)
		}
		dst = append(dst, b)
	}
	return dst
}

func init() {
	within := func(holds func(a, b byte) bool, swap bool) rowFunc {
		return func(_ *fctx, dst []byte, args [][]byte) ([]byte, error) {
			a, b := args[0], args[1]
			if swap {
				a, b = b, a
			}
			if len(a) < 6 || len(b) < 6 {
				return nil, errShort("inet")
			}
			ok := a[0] == b[0] && holds(a[1], b[1]) && compareBitPrefix(a[2:], b[2:], int(min(a[1], b[1]))) == 0
			return appendBoolByte(dst, ok), nil
		}
	}
	longer := func(a, b byte) bool { return a > b }
	atLeast := func(a, b byte) bool { return a >= b }
	kernels["network_sub"], kernels["network_sup"] = within(longer, false), within(longer, true)
	kernels["network_subeq"], kernels["network_supeq"] = within(atLeast, false), within(atLeast, true)
	kernels["network_overlap"] = within(func(byte, byte) bool { return true }, false)
	network := func(_ *fctx, dst []byte, args [][]byte) ([]byte, error) {
		if len(args[0]) < 6 {
			return nil, errShort("inet")
		}
		return masked(append(dst, args[0][:2]...), args[0]), nil
	}
	kernels["inet_to_cidr"], kernels["network_network"] = network, network
	count1("network_masklen", func(_ *fctx, v []byte) (int, error) {
		if len(v) < 6 {
			return 0, errShort("inet")
		}
		return int(v[1]), nil
	})
	count1("network_family", func(_ *fctx, v []byte) (int, error) {
		if len(v) < 6 {
			return 0, errShort("inet")
		}
		if v[0] == 2 {
			return 4, nil
		}
		return 6, nil
	})
	kernels["network_host"] = func(c *fctx, dst []byte, args [][]byte) ([]byte, error) {
		if len(args[0]) < 6 {
			return nil, errShort("inet")
		}
		v := append([]byte{}, args[0]...)
		v[1] = byte(8 * (len(v) - 2)) // an address without a mask prints as the host
		return c.appendOutput(dst, catalog.InetOID, v)
	}
	byteaInts()
}

// byteaInts registers the casts between integers and bytea (18 and later):
// big-endian two's complement.
func byteaInts() {
	be := binary.BigEndian
	kernels["int2_bytea"] = func(_ *fctx, dst []byte, args [][]byte) ([]byte, error) {
		return be.AppendUint16(dst, uint16(getInt16(args[0]))), nil
	}
	kernels["int4_bytea"] = func(_ *fctx, dst []byte, args [][]byte) ([]byte, error) {
		return be.AppendUint32(dst, uint32(getInt32(args[0]))), nil
	}
	kernels["int8_bytea"] = func(_ *fctx, dst []byte, args [][]byte) ([]byte, error) {
		return be.AppendUint64(dst, uint64(getInt64(args[0]))), nil
	}
	kernels["bytea_int2"] = byteaInt[int16](2)
	kernels["bytea_int4"] = byteaInt[int32](4)
	kernels["bytea_int8"] = byteaInt[int64](8)
}

func byteaInt[T integer](size int) rowFunc {
	return func(_ *fctx, dst []byte, args [][]byte) ([]byte, error) {
		if len(args[0]) > size {
			return nil, outOfRange[T]()
		}
		n := uint64(0)
		for _, b := range args[0] {
			n = n<<8 | uint64(b)
		}
		return appendInt(dst, T(n)), nil
	}
}
