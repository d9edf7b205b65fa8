package batch

import "sync/atomic"

// refcount counts the holders of a buffer.
type refcount struct{ n atomic.Int32 }
