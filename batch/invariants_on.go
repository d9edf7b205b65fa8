//go:build invariants

package batch

// invariants is whether released buffers are poisoned from the start.
const invariants = true
