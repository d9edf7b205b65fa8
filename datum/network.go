package datum

import (
	"encoding/hex"
	"net"
	"net/netip"
	"strconv"

	"github.com/pipescan/pipescan/pgfile"
)

// inet and cidr are stored as family (2 for IPv4, 3 for IPv6), prefix length
// and 4 or 16 bytes of address. inet leaves a full prefix length out, cidr
// never does.

// address is an inet or cidr taken apart; ip aliases the payload.
type address struct {
	bits byte
	ip   []byte
}

func decodeAddress(v []byte) (address, error) {
	if len(v) < 2 {
		return address{}, pgfile.Corruptf(-1, "an inet value has %d bytes, too few for its header", len(v))
	}
	var size int
	switch v[0] {
	case 2:
		size = 4
	case 3:
		size = 16
	default:
		return address{}, pgfile.Corruptf(-1, "an inet value has the unknown address family %d", v[0])
	}
	if len(v) != 2+size {
		return address{}, pgfile.Corruptf(-1, "an inet value has %d bytes, its family asks for %d", len(v), 2+size)
	}
	if int(v[1]) > 8*size {
		return address{}, pgfile.Corruptf(-1, "an inet value has a prefix of %d bits, its address %d", v[1], 8*size)
	}
	return address{v[1], v[2:]}, nil
}

func textInet(dst, v []byte, _ *Env) ([]byte, error) {
	a, err := decodeAddress(v)
	if err != nil {
		return dst, err
	}
	dst = appendIP(dst, a.ip)
	if int(a.bits) == 8*len(a.ip) {
		return dst, nil
	}
	return strconv.AppendUint(append(dst, '/'), uint64(a.bits), 10), nil
}

func textCIDR(dst, v []byte, _ *Env) ([]byte, error) {
	a, err := decodeAddress(v)
	if err != nil {
		return dst, err
	}
	return strconv.AppendUint(append(appendIP(dst, a.ip), '/'), uint64(a.bits), 10), nil
}

// valueInet is the value of inet and cidr. The address keeps the bits beyond
// the prefix.
func valueInet(v []byte, _ *Env) (any, error) {
	a, err := decodeAddress(v)
	if err != nil {
		return nil, err
	}
	ip, _ := netip.AddrFromSlice(a.ip)
	return netip.PrefixFrom(ip, int(a.bits)), nil
}

// appendIP appends an address of 4 or 16 bytes.
func appendIP(dst, ip []byte) []byte {
	if len(ip) == 4 {
		return appendIPv4(dst, ip)
	}
	start, end := longestZeros(ip)
	for i := 0; i < 8; i++ {
		if i == start {
			dst = append(dst, ':')
			if end == 8 {
				return append(dst, ':')
			}
			i = end
		}
		if i != 0 {
			dst = append(dst, ':')
		}
		if i == 6 && dottedTail(ip, start, end) {
			return appendIPv4(dst, ip[12:])
		}
		dst = strconv.AppendUint(dst, uint64(group(ip, i)), 16)
	}
	return dst
}

func appendIPv4(dst, ip []byte) []byte {
	for i, b := range ip {
		if i > 0 {
			dst = append(dst, '.')
		}
		dst = strconv.AppendUint(dst, uint64(b), 10)
	}
	return dst
}

// group returns the i-th 16-bit group of an IPv6 address.
func group(ip []byte, i int) uint16 { return uint16(ip[2*i])<<8 | uint16(ip[2*i+1]) }

// longestZeros finds the first longest run of two or more zero groups, which
// is printed as "::"; start is -1 if there is none.
func longestZeros(ip []byte) (start, end int) {
	start, end = -1, -1
	for i := 0; i < 8; i++ {
		j := i
		for j < 8 && group(ip, j) == 0 {
			j++
		}
		if j-i >= 2 && j-i > end-start {
			start, end = i, j
		}
		i = j
	}
	return start, end
}

// dottedTail says whether the last four bytes are printed as IPv4: behind six
// zero groups, and behind five and ffff.
func dottedTail(ip []byte, start, end int) bool {
	return start == 0 && (end == 6 || end == 5 && group(ip, 5) == 0xffff)
}

// appendMAC appends bytes in hexadecimal with colons between.
func appendMAC(dst, v []byte) []byte {
	for i := range v {
		if i > 0 {
			dst = append(dst, ':')
		}
		dst = hex.AppendEncode(dst, v[i:i+1])
	}
	return dst
}

func textMacaddr(dst, v []byte, _ *Env) ([]byte, error) {
	if len(v) != 6 {
		return dst, wrongLength("macaddr", 6, v)
	}
	return appendMAC(dst, v), nil
}

func valueMacaddr(v []byte, _ *Env) (any, error) {
	if len(v) != 6 {
		return nil, wrongLength("macaddr", 6, v)
	}
	return net.HardwareAddr(append([]byte{}, v...)), nil
}

func textMacaddr8(dst, v []byte, _ *Env) ([]byte, error) {
	if len(v) != 8 {
		return dst, wrongLength("macaddr8", 8, v)
	}
	return appendMAC(dst, v), nil
}

func valueMacaddr8(v []byte, _ *Env) (any, error) {
	if len(v) != 8 {
		return nil, wrongLength("macaddr8", 8, v)
	}
	return net.HardwareAddr(append([]byte{}, v...)), nil
}
