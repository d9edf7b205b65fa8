package datum

import (
	"encoding/binary"
	"math"
	"net/netip"
	"strconv"
	"strings"
)

// Input of inet, cidr, macaddr and macaddr8, and of points.

const (
	familyIPv4 = 2
	familyIPv6 = 3
)

func inputInet(dst, text []byte, _ int32, _ *Env) ([]byte, error) { return parseInet(dst, text, false) }

func inputCIDR(dst, text []byte, _ int32, _ *Env) ([]byte, error) { return parseInet(dst, text, true) }

func parseInet(dst, text []byte, cidr bool) ([]byte, error) {
	typ := "inet"
	if cidr {
		typ = "cidr"
	}
	host, width, hasWidth := strings.Cut(string(text), "/")
	var ip []byte
	family := byte(familyIPv4)
	if strings.IndexByte(host, ':') >= 0 {
		family = familyIPv6
		a, err := netip.ParseAddr(host)
		if err != nil || a.Zone() != "" {
			return dst, badSyntax(typ, text)
		}
		b := a.As16()
		ip = b[:]
	} else {
		var ok bool
		if ip, ok = parseIPv4(host); !ok {
			return dst, badSyntax(typ, text)
		}
	}
	bits := 8 * len(ip)
	switch {
	case hasWidth:
		n, err := strconv.ParseUint(width, 10, 8)
		padded := family == familyIPv6 && len(width) > 1 && width[0] == '0'
		if err != nil || int(n) > bits || !isDigit(width[0]) || padded {
			return dst, badSyntax(typ, text)
		}
		bits = int(n)
	case cidr && family == familyIPv4:
		bits = classBits(ip, 8*(strings.Count(host, ".")+1))
	}
	if written := strings.Count(host, ".") + 1; len(ip) == 4 && !cidr && (!hasWidth && written != 4 || bits/8 > written) {
		return dst, badSyntax(typ, text)
	}
	if cidr && !zeroBehind(ip, bits) {
		err := inputErrorf(StateInvalidText, `invalid cidr value: "%s"`, text)
		err.Detail = "Value has bits set to right of mask."
		return dst, err
	}
	return append(append(dst, family, byte(bits)), ip...), nil
}

// parseIPv4 reads up to four decimal parts; those left out are zero.
func parseIPv4(s string) ([]byte, bool) {
	parts := strings.Split(s, ".")
	if len(parts) > 4 {
		return nil, false
	}
	ip := make([]byte, 4)
	for i, p := range parts {
		n, err := strconv.ParseUint(p, 10, 16)
		if err != nil || n > 255 {
			return nil, false
		}
		ip[i] = byte(n)
	}
	return ip, true
}

// classBits is the prefix that an address without one has by its class, but
// never shorter than the parts that were written.
func classBits(ip []byte, written int) int {
	bits := 0
	switch {
	case ip[0] >= 240:
		bits = 32
	case ip[0] >= 224:
		bits = 8
	case ip[0] >= 192:
		bits = 24
	case ip[0] >= 128:
		bits = 16
	default:
		bits = 8
	}
	bits = max(bits, written)
	if bits == 8 && ip[0] == 224 { // multicast without a part behind: the whole class D
		return 4
	}
	return bits
}

// zeroBehind says that no bit behind the prefix is set.
func zeroBehind(ip []byte, bits int) bool {
	for i := bits; i < 8*len(ip); i++ {
		if ip[i/8]>>(7-i%8)&1 != 0 {
			return false
		}
	}
	return true
}

func inputMacaddr(dst, text []byte, _ int32, _ *Env) ([]byte, error) {
	mac, ok := parseMAC(text, true)
	if !ok || len(mac) != 6 {
		return dst, badSyntax("macaddr", text)
	}
	return append(dst, mac...), nil
}

// inputMacaddr8 also reads six bytes, between whose halves it puts ff:fe.
func inputMacaddr8(dst, text []byte, _ int32, _ *Env) ([]byte, error) {
	mac, ok := parseMAC(text, false)
	switch {
	case ok && len(mac) == 8:
		return append(dst, mac...), nil
	case ok && len(mac) == 6:
		dst = append(append(dst, mac[:3]...), 0xff, 0xfe)
		return append(dst, mac[3:]...), nil
	}
	return dst, badSyntax("macaddr8", text)
}

// parseMAC reads hexadecimal digits, in groups with one kind of separator.
// short allows groups of one digit, and only the layouts of macaddr: six
// groups, three, two or one.
func parseMAC(text []byte, short bool) (mac []byte, ok bool) {
	s := strings.TrimSpace(string(text))
	sep := strings.IndexAny(s, ":-.")
	if sep < 0 {
		return hexBytes(s)
	}
	parts := strings.Split(s, s[sep:sep+1])
	size := 12 / len(parts)
	for _, part := range parts {
		if short && len(parts) == 6 && len(part) == 1 {
			part = "0" + part
		}
		if short && len(part) != size {
			return nil, false
		}
		b, ok := hexBytes(part)
		if !ok {
			return nil, false
		}
		mac = append(mac, b...)
	}
	dots := s[sep] == '.'
	return mac, !short || dots == (len(parts) == 3) || s[sep] == '-'
}

func hexBytes(s string) (out []byte, ok bool) {
	for i := 0; i+1 < len(s); i += 2 {
		hi, lo := digitOf(s[i]), digitOf(s[i+1])
		if hi > 15 || lo > 15 {
			return nil, false
		}
		out = append(out, hi<<4|lo)
	}
	return out, len(s)%2 == 0 && len(s) > 0
}

// inputPoint reads (x,y), the parentheses being optional.
func inputPoint(dst, text []byte, _ int32, e *Env) ([]byte, error) {
	s := strings.TrimSpace(string(text))
	if rest, ok := strings.CutPrefix(s, "("); ok {
		if s, ok = strings.CutSuffix(rest, ")"); !ok {
			return dst, badSyntax("point", text)
		}
	}
	x, y, ok := strings.Cut(s, ",")
	if !ok {
		return dst, badSyntax("point", text)
	}
	for _, part := range [...]string{x, y} {
		f, err := parseFloat([]byte(part), 64, "double precision", e)
		if err != nil {
			if bad, ok := err.(*InputError); ok && bad.State == StateInvalidText {
				err = badSyntax("point", text)
			}
			return dst, err
		}
		dst = binary.LittleEndian.AppendUint64(dst, math.Float64bits(f))
	}
	return dst, nil
}
