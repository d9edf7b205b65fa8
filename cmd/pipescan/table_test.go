package main

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestPrintable wants no byte through that a terminal would obey.
func TestPrintable(t *testing.T) {
	for text, want := range map[string]string{
		"plain":       "plain",
		"ä 中":         "ä 中",
		"a\nb\tc":     `a\nb\tc`,
		"\x1b[31mred": `\x1b[31mred`,
		"\u202edlrow": `\x202edlrow`,
		"\x7f\u009b":  `\x7f\x9b`,
	} {
		require.Equal(t, want, printable(text))
	}
}
