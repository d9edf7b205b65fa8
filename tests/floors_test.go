package tests

import (
	"go/ast"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// floors is the house: a package imports from lower floors and from its own room only. A new room needs a line here.
var floors = map[string]int{
	"pgfile": 0, "internal/simd": 0, "internal/invariants": 0,
	"batch": 1, "pipeline": 1, "catalog": 1, "fileio": 1,
	"mvcc": 2, "datum": 2, "store": 2, "toast": 2,
	"qual":    3,
	"stages":  4,
	"cluster": 5, "table": 5, "export": 5,
	".":        6,
	"sqlfront": 7, "serve": 7, "dump": 7, "inspect": 7,
	"cmd": 8, "examples": 8, "tests": 8, "bench": 8,
	// Rooms of test helpers; testRooms says who may enter.
	"internal/stagetest": 5, "internal/pgtest": 0,
}

// testRooms are imported by tests only, and by one another.
var testRooms = map[string]bool{"internal/stagetest": true, "internal/pgtest": true}

// banned are imports that the floors alone would allow.
var banned = map[string][]string{
	".": {"export", "sqlfront"}, // users of the library shall not compile writers and parsers they do not use
}

// holders says which rooms alone may import a dependency, so that it can be replaced.
var holders = map[string][]string{
	"github.com/cockroachdb/pebble":    {"store"},
	"github.com/panjf2000/ants":        {"pipeline"},
	"github.com/pganalyze/pg_query_go": {"sqlfront"},
	"github.com/wasilibs/go-pgquery":   {"sqlfront"},
	"github.com/tetratelabs/wazero":    {"sqlfront"},
	"github.com/spf13/cobra":           {"cmd"},
	"github.com/vbauerster/mpb":        {"cmd"},
	"github.com/jedib0t/go-pretty":     {"cmd"},
	"github.com/apache/arrow-go":       {"export"},
	"github.com/parquet-go/parquet-go": {"export"},
	"github.com/jackc/pgx":             {"serve", "internal/pgtest", "bench"},
	"github.com/stretchr/testify":      {"internal/stagetest", "internal/pgtest", "tests"},
	"go.uber.org/goleak":               {"internal/stagetest"},
}

func TestFloors(t *testing.T) {
	_, files := parseHouse(t)
	for _, f := range files {
		if f.test {
			continue
		}
		room := roomOf(f.dir)
		floor, known := floors[room]
		if !known {
			t.Errorf("%s: room %q is not in the floors; add it with its floor", f.path, room)
			continue
		}
		for _, path := range importsOf(f) {
			inside, ours := strings.CutPrefix(path+"/", module+"/")
			switch {
			case !ours:
				checkHolder(t, f, room, path)
			case inside == "":
				checkImport(t, f, room, floor, ".")
			default:
				checkImport(t, f, room, floor, roomOf(strings.TrimSuffix(inside, "/")))
			}
		}
	}
}

// checkImport reports an import of a room that is not below.
func checkImport(t *testing.T, f sourceFile, room string, floor int, target string) {
	t.Helper()
	if target == room {
		return
	}
	if testRooms[target] {
		if !testRooms[room] && room != "tests" && room != "bench" {
			t.Errorf("%s imports %s, which is for tests only", f.path, target)
		}
		return
	}
	if to, ok := floors[target]; !ok || to >= floor {
		t.Errorf("%s: %q on floor %d imports %q on floor %d: imports go strictly downward", f.path, room, floor, target, to)
	}
	if slices.Contains(banned[room], target) {
		t.Errorf("%s: %q must not import %q", f.path, room, target)
	}
}

// checkHolder reports the import of a foreign package by a room that shall not know it.
func checkHolder(t *testing.T, f sourceFile, room, path string) {
	t.Helper()
	longest := ""
	for dep := range holders {
		if (path == dep || strings.HasPrefix(path, dep+"/")) && len(dep) > len(longest) {
			longest = dep
		}
	}
	if longest == "" {
		return
	}
	if !slices.Contains(holders[longest], room) {
		t.Errorf("%s: %q imports %s, which only %v may", f.path, room, path, holders[longest])
	}
}

func importsOf(f sourceFile) []string {
	var paths []string
	for _, s := range f.tree.Imports {
		path, err := strconv.Unquote(s.Path.Value)
		if err == nil {
			paths = append(paths, path)
		}
	}
	return paths
}

// goers are the rooms whose code may say `go`: all other goroutines are asked of pipeline, which joins them.
var goers = map[string]bool{"pipeline": true, "internal/stagetest": true}

// TestGoStatements keeps goroutines in one place. A server's accept loop is the one exception.
func TestGoStatements(t *testing.T) {
	fset, files := parseHouse(t)
	for _, f := range files {
		if f.test || goers[roomOf(f.dir)] || f.path == "serve/accept.go" {
			continue
		}
		ast.Inspect(f.tree, func(n ast.Node) bool {
			if g, ok := n.(*ast.GoStmt); ok {
				t.Errorf("%s: a go statement outside of pipeline; use pipeline.Group", fset.Position(g.Pos()))
			}
			return true
		})
	}
}

// TestNothingSkipped: a test that can be skipped is a test that can be forgotten.
func TestNothingSkipped(t *testing.T) {
	fset, files := parseHouse(t)
	for _, f := range files {
		if !f.test {
			continue
		}
		ast.Inspect(f.tree, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			sel, ok := call.Fun.(*ast.SelectorExpr)
			if ok && (sel.Sel.Name == "SkipNow" || sel.Sel.Name == "Skipf" || sel.Sel.Name == "Skip" && isTB(sel.X)) {
				// A fuzz target skips inputs that are not of its kind.
				if !insideFuzz(f.tree, call) {
					t.Errorf("%s: a skipped test", fset.Position(call.Pos()))
				}
			}
			return true
		})
	}
}

// isTB says whether x looks like the test's own handle.
func isTB(x ast.Expr) bool {
	id, ok := x.(*ast.Ident)
	return ok && (id.Name == "t" || id.Name == "b" || id.Name == "tb" || id.Name == "f")
}

func insideFuzz(tree *ast.File, n ast.Node) bool {
	for _, d := range tree.Decls {
		fn, ok := d.(*ast.FuncDecl)
		if ok && strings.HasPrefix(fn.Name.Name, "Fuzz") && fn.Pos() <= n.Pos() && n.End() <= fn.End() {
			return true
		}
	}
	return false
}

func TestRoomOf(t *testing.T) {
	for dir, want := range map[string]string{".": ".", "export/arrowio": "export", "internal/pgtest/cmd/x": "internal/pgtest", "cmd/pipescan": "cmd"} {
		require.Equal(t, want, roomOf(dir))
	}
}
