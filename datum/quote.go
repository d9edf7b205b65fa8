package datum

import "slices"

// Output functions of containers append the text of a part to the output as it
// is and then quote it where it lies, if it needs that. These are the rules of
// when and how.

// isSpace is what array, record and range output take for white space.
func isSpace(c byte) bool { return c == ' ' || c >= '\t' && c <= '\r' }

// arrayNeedsQuotes is array_out's rule.
func arrayNeedsQuotes(s []byte, delim byte) bool {
	if len(s) == 0 || len(s) == 4 && s[0]|0x20 == 'n' && s[1]|0x20 == 'u' && s[2]|0x20 == 'l' && s[3]|0x20 == 'l' {
		return true
	}
	for _, c := range s {
		switch {
		case c == '"', c == '\\', c == '{', c == '}', c == delim, isSpace(c):
			return true
		}
	}
	return false
}

// recordNeedsQuotes is record_out's rule.
func recordNeedsQuotes(s []byte) bool {
	for _, c := range s {
		switch {
		case c == '"', c == '\\', c == '(', c == ')', c == ',', isSpace(c):
			return true
		}
	}
	return len(s) == 0
}

// rangeNeedsQuotes is range_out's rule for bounds.
func rangeNeedsQuotes(s []byte) bool {
	for _, c := range s {
		switch {
		case c == '"', c == '\\', c == '(', c == ')', c == '[', c == ']', c == ',', isSpace(c):
			return true
		}
	}
	return len(s) == 0
}

// quoteTail puts dst[start:] in double quotes. Double quotes and backslashes
// in it get a backslash before them, or are doubled.
func quoteTail(dst []byte, start int, doubled bool) []byte {
	escapes := 0
	for _, c := range dst[start:] {
		if c == '"' || c == '\\' {
			escapes++
		}
	}
	from := len(dst)
	dst = slices.Grow(dst, escapes+2)[:len(dst)+escapes+2]
	// From the end, so that nothing is overwritten before it has moved.
	to := len(dst) - 1
	dst[to] = '"'
	for from > start {
		from--
		to--
		c := dst[from]
		dst[to] = c
		if c == '"' || c == '\\' {
			to--
			dst[to] = '\\'
			if doubled {
				dst[to] = c
			}
		}
	}
	dst[start] = '"'
	return dst
}
