package tests

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const module = "github.com/pipescan/pipescan"

// A sourceFile is one Go file of the module.
type sourceFile struct {
	path string // from the module's root
	dir  string // its package's directory, "." for the root
	test bool   // ends in _test.go
	tree *ast.File
}

// rooms of the house that a nested module holds are not ours to judge.
func nestedModule(path string) bool {
	_, err := os.Stat(filepath.Join(path, "go.mod"))
	return err == nil
}

// parseHouse parses every Go file of the module, with comments.
func parseHouse(t *testing.T) (*token.FileSet, []sourceFile) {
	t.Helper()
	fset := token.NewFileSet()
	var files []sourceFile
	err := filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := d.Name()
		if d.IsDir() {
			hidden := path != ".." && (strings.HasPrefix(name, ".") || strings.HasPrefix(name, "_") || name == "testdata")
			if hidden || path != ".." && nestedModule(path) {
				return filepath.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(name, ".go") {
			return nil
		}
		tree, err := parser.ParseFile(fset, path, nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel("..", path)
		if err != nil {
			return err
		}
		files = append(files, sourceFile{rel, filepath.Dir(rel), strings.HasSuffix(name, "_test.go"), tree})
		return nil
	})
	require.NoError(t, err)
	require.NotEmpty(t, files)
	return fset, files
}

// roomOf returns the room that a package directory lies in: its first element, or two for internal, or "." for the root.
func roomOf(dir string) string {
	parts := strings.Split(filepath.ToSlash(dir), "/")
	if parts[0] == "internal" && len(parts) > 1 {
		return parts[0] + "/" + parts[1]
	}
	return parts[0]
}
