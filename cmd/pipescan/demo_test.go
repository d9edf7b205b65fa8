package main

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestDemo runs the demo on a small table, and wants its temporary store gone.
func TestDemo(t *testing.T) {
	tmp := t.TempDir()
	t.Setenv("TMPDIR", tmp)
	got := invoke("", "demo", "--rows", "20000")
	require.Zero(t, got.code, got.err)
	for _, want := range []string{
		"table unfrozen: 20000 rows in 89 pages", "table frozen: 20000 rows in 89 pages",
		"SELECT * FROM unfrozen WHERE a = 0\n", "Rows Removed by Filter: 20000\n", "SELECT count(*) FROM frozen\n",
		"1 lane(s): ", "2 lane(s): ", "What next:",
	} {
		require.Contains(t, got.out, want)
	}
	left, err := os.ReadDir(tmp)
	require.NoError(t, err)
	require.Empty(t, left)
	require.Equal(t, exitUsage, invoke("", "demo", "--rows", "0").code)
}
