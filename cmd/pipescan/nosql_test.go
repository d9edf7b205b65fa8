package main

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestWithoutSQL builds the command without the parser: it has none of it, and
// says so where SQL text is given.
func TestWithoutSQL(t *testing.T) {
	deps, err := exec.Command("go", "list", "-deps", "-tags", "nosql", ".").Output()
	require.NoError(t, err)
	for _, parser := range []string{"pg_query", "pgquery", "sqlfront"} {
		require.NotContains(t, string(deps), parser)
	}
	bin := filepath.Join(t.TempDir(), "pipescan")
	out, err := exec.Command("go", "build", "-tags", "nosql", "-o", bin, ".").CombinedOutput()
	require.NoError(t, err, "%s", out)
	for _, args := range []string{"query SELECT", "explain SELECT", "scan t --where a"} {
		cmd := exec.Command(bin, strings.Fields("-D . "+args)...)
		out, err := cmd.CombinedOutput()
		require.Error(t, err)
		require.Equal(t, exitUnsupported, cmd.ProcessState.ExitCode())
		require.Contains(t, string(out), "built without the SQL parser")
	}
}
