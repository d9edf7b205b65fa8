package export

import (
	"fmt"

	"github.com/pipescan/pipescan/datum"
)

// Format is a text format.
type Format int

// The formats: what the server's COPY prints as text and as CSV, and an object
// a line.
const (
	CopyText Format = iota
	CSV
	JSONLines
)

// ParseFormat finds a format by its name on the command line: copy, csv, jsonl.
func ParseFormat(name string) (Format, error) {
	switch name {
	case "copy":
		return CopyText, nil
	case "csv":
		return CSV, nil
	case "jsonl":
		return JSONLines, nil
	}
	return 0, fmt.Errorf("unknown format %q: use copy, csv or jsonl", name)
}

// String is the format's name on the command line.
func (f Format) String() string { return [...]string{"copy", "csv", "jsonl"}[f] }

// Extension is the ending of a file of this format, without the dot.
func (f Format) Extension() string { return f.String() }

// Column is one column to write.
type Column struct {
	Name  string
	Codec datum.Codec
}

// Options of the formats; the zero value is the server's defaults.
type Options struct {
	// Header makes CSV begin with a line of column names; Header then returns it.
	Header bool
}

// Header returns what stands before the first row, nil when nothing does.
func Header(f Format, columns []Column, o Options) []byte {
	if f != CSV || !o.Header {
		return nil
	}
	var dst []byte
	for i, c := range columns {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = appendCSV(dst, []byte(c.Name), len(columns) == 1)
	}
	return append(dst, '\n')
}
