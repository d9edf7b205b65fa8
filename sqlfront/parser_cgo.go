//go:build cgo

package sqlfront

import (
	"errors"

	"github.com/pganalyze/pg_query_go/v6/parser"
)

// maxDepth bounds the depth of a text (see depthOf), because the C code's
// recursion over the tree is bounded by nothing but the stack of its thread:
// some 20,000 levels would end the process. PostgreSQL's own bound,
// max_stack_depth, lies between 5,000 and 10,000 levels.
const maxDepth = 4000

// SetCacheDir says where the parser keeps its compiled code; with cgo there is
// none, and it does nothing.
func SetCacheDir(string) {}

// parseJSON gives PostgreSQL's raw parse tree of a text as JSON, or a
// *parseError. The text has no zero bytes and its depth is bounded.
func parseJSON(text string) (string, error) {
	out, err := parser.ParseToJSON(text)
	var p *parser.Error
	if errors.As(err, &p) {
		return "", &parseError{message: p.Message, cursor: p.Cursorpos}
	}
	return out, err
}
