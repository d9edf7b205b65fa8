// Package datum gives meaning to one value: bytes as they lie on disk become
// the text that COPY prints, or a Go value.
package datum
