package toast

import "github.com/pipescan/pipescan/pgfile"

// DecompressPGLZ fills dst exactly from the pglz stream src, which must be
// used up by it; everything else is a *pgfile.CorruptError with the offset in
// src. Like the server it lets the last match be longer than what dst has room
// for. dst and src must not overlap.
//
// The stream is groups of one control byte and eight items, its bits telling,
// lowest first, what each item is:
//
//	bit 0   one byte as it is
//	bit 1   a match: copy len bytes from off bytes back
//	        +-----------------------+----------+   +-----------------+
//	        | off bits 8-11 | len-3 | off 0-7  |   | len-18 if len-3 |
//	        |    4 bits     | 4 bits|          |   | is 15           |
//	        +-----------------------+----------+   +-----------------+
func DecompressPGLZ(dst, src []byte) error {
	sp, dp := 0, 0
	for sp < len(src) && dp < len(dst) {
		control := src[sp]
		sp++
		if control == 0 && len(src)-sp >= 8 && len(dst)-dp >= 8 {
			copy(dst[dp:dp+8], src[sp:sp+8])
			sp, dp = sp+8, dp+8
			continue
		}
		for bits := 8; bits > 0 && sp < len(src) && dp < len(dst); bits-- {
			if control&1 == 0 {
				dst[dp] = src[sp]
				sp, dp = sp+1, dp+1
			} else {
				n, off, size := pglzMatch(src[sp:])
				if size == 0 {
					return pgfile.Corruptf(sp, "pglz stream ends inside a match")
				}
				if off == 0 || off > dp {
					return pgfile.Corruptf(sp, "pglz match %d bytes back, with %d bytes written", off, dp)
				}
				n = min(n, len(dst)-dp)
				copyMatch(dst[:dp+n], dp, off)
				sp, dp = sp+size, dp+n
			}
			control >>= 1
		}
	}
	if sp != len(src) {
		return pgfile.Corruptf(sp, "pglz stream goes on after the %d bytes of its value", len(dst))
	}
	if dp != len(dst) {
		return pgfile.Corruptf(sp, "pglz stream ends after %d of %d bytes", dp, len(dst))
	}
	return nil
}

// pglzMatch reads a match's length, distance and own size, 0 if it is cut off.
func pglzMatch(b []byte) (n, off, size int) {
	if len(b) < 2 {
		return 0, 0, 0
	}
	n, off, size = int(b[0]&0x0f)+3, int(b[0]&0xf0)<<4|int(b[1]), 2
	if n == 18 {
		if len(b) < 3 {
			return 0, 0, 0
		}
		n, size = n+int(b[2]), 3
	}
	return n, off, size
}

// copyMatch fills dst from dp on with what lies off bytes back. When the two
// overlap the copied part repeats, so each copy may take twice as much.
func copyMatch(dst []byte, dp, off int) {
	from := dp - off
	for dp < len(dst) {
		dp += copy(dst[dp:], dst[from:dp])
	}
}
