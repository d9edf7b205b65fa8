package export

import "bytes"

// copyEscape maps a byte to the letter that follows the backslash in COPY
// text, 0 for bytes that stand for themselves.
var copyEscape = [256]byte{'\b': 'b', '\f': 'f', '\n': 'n', '\r': 'r', '\t': 't', '\v': 'v', '\\': '\\'}

// copyNull is COPY text's NULL.
const copyNull = `\N`

// escapeCopy escapes dst[from:] in place as COPY text does, growing dst. Most
// values need nothing, so the common case is one look at each byte.
func escapeCopy(dst []byte, from int) []byte {
	extra := 0
	for _, c := range dst[from:] {
		if copyEscape[c] != 0 {
			extra++
		}
	}
	if extra == 0 {
		return dst
	}
	n := len(dst)
	for range extra {
		dst = append(dst, 0)
	}
	// Walk backwards so that bytes move only once.
	w := len(dst)
	for r := n - 1; r >= from; r-- {
		c := dst[r]
		if e := copyEscape[c]; e != 0 {
			dst[w-1], dst[w-2] = e, '\\'
			w -= 2
			continue
		}
		w--
		dst[w] = c
	}
	return dst
}

// needsCSVQuote says whether a CSV value must be quoted. A single column's \.
// would read as the end of the data; an empty string as NULL.
func needsCSVQuote(v []byte, single bool) bool {
	return len(v) == 0 || bytes.ContainsAny(v, ",\"\n\r") || single && string(v) == `\.`
}

// appendCSV appends a non-null value as CSV.
func appendCSV(dst, v []byte, single bool) []byte {
	if !needsCSVQuote(v, single) {
		return append(dst, v...)
	}
	dst = append(dst, '"')
	for _, c := range v {
		if c == '"' {
			dst = append(dst, '"')
		}
		dst = append(dst, c)
	}
	return append(dst, '"')
}
