package aggregate

import (
	"fmt"
	"sync/atomic"

	"github.com/pipescan/pipescan/stages"
)

// Key is a group key.
type Key struct {
	Expr stages.Expr
	// Hash appends bytes that are the same for equal values (ordering.Key).
	Hash func(dst, v []byte) []byte
}

// Aggregate is one aggregate of a lane.
type Aggregate struct {
	Function *Function
	Arg      stages.Expr      // nil: count(*)
	Filter   stages.Condition // nil: all rows
	Width    int              // vector width of the result
}

// Spec is what a lane aggregates. Its expressions belong to the lane.
type Spec struct {
	Keys       []Key
	Aggregates []Aggregate
	// Backward says that rows come from the last to the first.
	Backward bool
	Memory   *Memory
}

// Memory is what the partials of a query may take together. It is safe for
// concurrent use.
type Memory struct {
	Limit int64
	used  atomic.Int64
}

// MemoryError says that grouping, or DISTINCT, or a sort would take more than
// it may.
type MemoryError struct {
	What   string // "grouping"
	Limit  int64
	Remedy string
}

// Error names the limit and what to do.
func (e *MemoryError) Error() string {
	return fmt.Sprintf("%s needs more memory than the %d bytes it may have: %s", e.What, e.Limit, e.Remedy)
}

// SQLState is out_of_memory.
func (e *MemoryError) SQLState() string { return "53200" }

// take books a change of n bytes.
func (m *Memory) take(n int64) error {
	if m.used.Add(n) > m.Limit {
		return &MemoryError{What: "grouping", Limit: m.Limit, Remedy: "raise the budget with --memory (Options.Memory), or make fewer groups with WHERE"}
	}
	return nil
}
