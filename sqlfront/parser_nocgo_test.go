//go:build !cgo

package sqlfront

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/tetratelabs/wazero/api"
)

// unload makes the next text load the module again, with its cache in dir.
func unload(t *testing.T, dir string) {
	SetCacheDir(dir)
	wasmParser.Lock()
	defer wasmParser.Unlock()
	if wasmParser.module != nil {
		require.NoError(t, wasmParser.runtime.Close(context.Background()))
	}
	wasmParser.module, wasmParser.runtime = nil, nil
}

func TestCompiledModuleIsKept(t *testing.T) {
	dir := t.TempDir()
	defer unload(t, "")
	unload(t, dir)
	_, err := Where("a = 1")
	require.NoError(t, err)
	var kept []string
	require.NoError(t, filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			kept = append(kept, path)
		}
		return err
	}))
	require.NotEmpty(t, kept)
	info, err := os.Stat(filepath.Join(dir, "sqlparser"))
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o700), info.Mode().Perm())

	before, err := os.Stat(kept[0])
	require.NoError(t, err)
	unload(t, dir)
	_, err = Where("a = 1")
	require.NoError(t, err)
	after, err := os.Stat(kept[0])
	require.NoError(t, err)
	require.Equal(t, before.ModTime(), after.ModTime(), "compiled again")
}

func TestCacheThatCannotBeUsed(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	defer unload(t, "")
	unload(t, filepath.Join(file, "sub"))
	_, err := Where("a = 1")
	require.NoError(t, err)
}

// broken is a module whose functions fail, as they do after a trap.
type broken struct{ api.Module }

func (b broken) ExportedFunction(string) api.Function { return brokenFunction{} }

type brokenFunction struct{ api.Function }

func (brokenFunction) Call(context.Context, ...uint64) ([]uint64, error) {
	return nil, errors.New("unreachable")
}

// A module that stopped is thrown away; the next text gets a new one.
func TestParserAfterATrap(t *testing.T) {
	_, err := Where("a = 1")
	require.NoError(t, err)
	wasmParser.Lock()
	wasmParser.module = broken{wasmParser.module}
	wasmParser.Unlock()
	_, err = Where("a = 1")
	require.ErrorContains(t, err, "the SQL parser stopped")
	_, err = Where("a = 1")
	require.NoError(t, err)
}
