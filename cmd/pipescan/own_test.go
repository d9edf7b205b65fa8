package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestOwnTables makes, loads, reads and drops a table of a store.
func TestOwnTables(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "store")
	require.Equal(t, outcome{}, invoke(dir, "create", `"T 1"`, "a int NOT NULL, b text"))
	file := filepath.Join(t.TempDir(), "rows.csv")
	require.NoError(t, os.WriteFile(file, []byte("a,b\n1,one\n2,\n"), 0o600))
	require.Equal(t, outcome{err: "pipescan: 2 rows\n"}, invoke(dir, "load", `"T 1"`, file, "--format", "csv", "--header"))
	require.Equal(t, outcome{err: "pipescan: 3 rows\n"}, invoke(dir, "load", `public."T 1"`, "--generate", "a = series(10, 12), b = const('x')", "--frozen"))
	require.Equal(t, outcome{out: "1\tone\n2\t\\N\n10\tx\n11\tx\n12\tx\n"}, invoke(dir, "scan", `"T 1"`))

	require.NoError(t, os.WriteFile(file, []byte("7\tx\nseven\tx\n"), 0o600))
	got := invoke(dir, "load", `"T 1"`, file)
	require.Equal(t, exitOther, got.code)
	require.Contains(t, got.err, "line 2, column a")
	require.Equal(t, outcome{out: "1\n2\n10\n11\n12\n"}, invoke(dir, "scan", `"T 1"`, "--columns", "a"), "a load is whole or not there")

	require.Contains(t, invoke(dir, "tables").out, "T 1")
	require.Contains(t, invoke(dir, "doctor").out, "a store of own tables")
	out := t.TempDir()
	require.Zero(t, invoke(dir, "dump", "-o", out).code)
	require.FileExists(t, filepath.Join(out, "public.T%201.copy"))
	require.Equal(t, outcome{}, invoke(dir, "drop", `"T 1"`))
	require.Equal(t, exitNotFound, invoke(dir, "scan", `"T 1"`).code)
}

func TestOwnTableMistakes(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "store")
	require.Equal(t, exitUsage, invoke(dir, "create", "t", "a foo").code)
	require.NoDirExists(t, dir, "a mistake makes no store")
	require.Equal(t, exitUsage, invoke(dir, "create", "t").code)
	require.Equal(t, exitNoCluster, invoke(dir, "load", "t", "-").code)
	require.Zero(t, invoke(dir, "create", "t", "a int").code)
	require.Equal(t, exitUsage, invoke(dir, "load", "t").code)
	require.Equal(t, exitUsage, invoke(dir, "load", "t", "-", "--generate", "a = series(1,2)").code)
	require.Equal(t, exitOther, invoke(dir, "create", "t", "a int").code)
	require.Equal(t, exitNotFound, invoke(dir, "drop", "u").code)
}
