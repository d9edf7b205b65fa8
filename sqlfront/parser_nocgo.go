//go:build !cgo

package sqlfront

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	_ "unsafe" // for linkname

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"
	"github.com/tetratelabs/wazero/imports/wasi_snapshot_preview1"
	_ "github.com/wasilibs/go-pgquery/parser" // has the three symbols below
	"github.com/wasilibs/wazero-helpers/allocator"
)

// go-pgquery compiles its module anew in every process, a second and a half,
// and has no way to keep the compiled code. So it is only asked for its module
// and the host functions the module calls, and run here with a cache.

//go:linkname pgQueryModule github.com/wasilibs/go-pgquery/internal/wasm.LibPGQuery
var pgQueryModule []byte

//go:linkname instantiateHost github.com/wasilibs/go-pgquery/internal/wasix32v1.Instantiate
func instantiateHost(ctx context.Context, r wazero.Runtime) (api.Closer, error)

//go:linkname hostContext github.com/wasilibs/go-pgquery/internal/wasix32v1.BackgroundContext
func hostContext() context.Context

// maxDepth bounds the depth of a text (see depthOf). The module's stack has 64 kB
// and nothing guards its end: what is called first takes 10 kB of it, and each
// level up to 128 bytes.
const maxDepth = 350

var wasmParser struct {
	sync.Mutex
	cacheDir string
	module   api.Module // nil: not loaded, or thrown away after a trap
	runtime  wazero.Runtime
}

// SetCacheDir says where the parser keeps its compiled code between runs, for
// the next load: "" is the user's cache directory, "none" is nowhere, which
// costs the first query of every process a second and a half. Where the
// directory cannot be used, nothing is kept. Nobody else may be able to write
// there: what is kept is machine code.
func SetCacheDir(dir string) {
	wasmParser.Lock()
	defer wasmParser.Unlock()
	wasmParser.cacheDir = dir
}

// parseJSON gives PostgreSQL's raw parse tree of a text as JSON, or a
// *parseError. The text has no zero bytes and its depth is bounded. The module
// has one thread; a text waits for the one before.
func parseJSON(text string) (string, error) {
	p := &wasmParser
	p.Lock()
	defer p.Unlock()
	if p.module == nil {
		if err := loadModule(); err != nil {
			return "", fmt.Errorf("load the SQL parser: %w", err)
		}
	}
	out, err := callParser(p.module, text)
	var bad *parseError
	if err != nil && !errors.As(err, &bad) {
		// A trap leaves the module's memory in any state.
		_ = p.runtime.Close(context.Background())
		p.module, p.runtime = nil, nil
		return "", fmt.Errorf("the SQL parser stopped: %w", err)
	}
	return out, err
}

// loadModule compiles the module, or takes it from the cache, and starts it.
func loadModule() error {
	ctx := context.Background()
	config := wazero.NewRuntimeConfig().
		WithCompilationCache(compilationCache()).
		WithCoreFeatures(api.CoreFeaturesV2 | experimental.CoreFeaturesThreads)
	rt := wazero.NewRuntimeWithConfig(ctx, config)
	module, err := startModule(ctx, rt)
	if err != nil {
		_ = rt.Close(ctx)
		return err
	}
	wasmParser.module, wasmParser.runtime = module, rt
	return nil
}

func startModule(ctx context.Context, rt wazero.Runtime) (api.Module, error) {
	if _, err := wasi_snapshot_preview1.Instantiate(ctx, rt); err != nil {
		return nil, err
	}
	if _, err := instantiateHost(ctx, rt); err != nil {
		return nil, err
	}
	code, err := rt.CompileModule(ctx, pgQueryModule)
	if err != nil {
		return nil, err
	}
	// The module's memory is shared between threads by declaration, and such
	// memory must not move.
	ctx = experimental.WithMemoryAllocator(ctx, allocator.NewNonMoving())
	module, err := rt.InstantiateModule(ctx, code, wazero.NewModuleConfig().WithSysNanotime().WithStartFunctions("_initialize"))
	if err != nil {
		return nil, err
	}
	_, err = module.ExportedFunction("pg_query_init").Call(ctx)
	return module, err
}

// compilationCache is a cache on disk, or in memory where that cannot be.
func compilationCache() wazero.CompilationCache {
	dir := wasmParser.cacheDir
	if dir == "" {
		if base, err := os.UserCacheDir(); err == nil {
			dir = filepath.Join(base, "pipescan")
		}
	}
	if dir != "" && dir != "none" {
		if err := os.MkdirAll(dir, 0o700); err == nil {
			if cache, err := wazero.NewCompilationCacheWithDir(filepath.Join(dir, "sqlparser")); err == nil {
				return cache
			}
		}
	}
	return wazero.NewCompilationCache()
}

// callParser calls pg_query_parse(text), a function that returns the structure
// PgQueryParseResult of three pointers: the tree, messages, and the error.
func callParser(m api.Module, text string) (string, error) {
	c := &wasmCall{ctx: hostContext(), module: m}
	input := c.alloc(uint64(len(text) + 1))
	result := c.alloc(12)
	if c.err == nil && !(m.Memory().WriteString(input, text) && m.Memory().WriteByte(input+uint32(len(text)), 0)) {
		c.err = errModuleMemory
	}
	c.call("pg_query_parse", uint64(result), uint64(input))
	out := c.text(result)
	bad := c.parseError(c.word(result + 8))
	c.call("pg_query_free_parse_result", uint64(result))
	c.call("free", uint64(result))
	c.call("free", uint64(input))
	if c.err != nil {
		return "", c.err
	}
	if bad != nil {
		return "", bad
	}
	return out, nil
}

var errModuleMemory = errors.New("sql parser: its memory cannot be read")

// wasmCall is a series of calls of the module; after an error nothing more
// happens.
type wasmCall struct {
	ctx    context.Context
	module api.Module
	err    error
}

func (c *wasmCall) call(name string, args ...uint64) uint32 {
	if c.err != nil {
		return 0
	}
	out, err := c.module.ExportedFunction(name).Call(c.ctx, args...)
	if c.err = err; err != nil || len(out) == 0 {
		return 0
	}
	return uint32(out[0])
}

func (c *wasmCall) alloc(n uint64) uint32 {
	p := c.call("malloc", n)
	if c.err == nil && p == 0 {
		c.err = errModuleMemory
	}
	return p
}

// word is the 32-bit word at an address.
func (c *wasmCall) word(at uint32) uint32 {
	b := c.read(at, 4)
	if c.err != nil {
		return 0
	}
	return binary.LittleEndian.Uint32(b)
}

func (c *wasmCall) read(at, n uint32) []byte {
	if c.err != nil {
		return nil
	}
	b, ok := c.module.Memory().Read(at, n)
	if !ok {
		c.err = errModuleMemory
	}
	return b
}

// text is the string whose pointer lies at an address; a null pointer is "".
func (c *wasmCall) text(at uint32) string {
	start := c.word(at)
	if c.err != nil || start == 0 {
		return ""
	}
	rest := c.read(start, c.module.Memory().Size()-start)
	for i := range rest {
		if rest[i] == 0 {
			return string(rest[:i])
		}
	}
	c.err = errModuleMemory
	return ""
}

// parseError reads a PgQueryError: pointers to the message, function, file; then
// the line and the cursor.
func (c *wasmCall) parseError(at uint32) *parseError {
	if c.err != nil || at == 0 {
		return nil
	}
	return &parseError{message: c.text(at), cursor: int(int32(c.word(at + 16)))}
}
