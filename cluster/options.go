package cluster

import (
	"time"

	"github.com/pipescan/pipescan/pipeline"
	"github.com/pipescan/pipescan/stages"
)

// ChecksumMode says whether page checksums are verified.
type ChecksumMode uint8

// The checksum modes. Auto verifies them when pg_control says that the cluster
// has them; On also warns when it has none.
const (
	ChecksumsAuto ChecksumMode = iota
	ChecksumsOn
	ChecksumsOff
)

// DefaultMemory is the memory budget when none is given.
const DefaultMemory = 128 << 20

// Options of Attach; the zero value is ready for use.
type Options struct {
	CacheDir     string           // where catalogs are remembered; "": the user's cache directory, "none": in memory
	AllowUnclean bool             // read a directory that needs WAL replay
	OnLoss       stages.LossFunc  // told of damage that is passed over; nil: damage is an error
	Checksums    ChecksumMode     //
	Memory       int64            // budget in bytes for single values; 0: DefaultMemory
	Warn         func(msg string) // told of what the user should know; nil: dropped
	ReadPool     *pipeline.ReadPool
	LockWait     time.Duration // how long to wait for a cache that another process holds; 0: 200 ms

	// CacheFrom is the size in bytes of a catalog's file from which on it is
	// worth remembering; 0: 1 MB, negative: always. Opening the cache costs
	// more than reading small catalogs.
	CacheFrom int64
}

func (o Options) withDefaults() Options {
	if o.Memory == 0 {
		o.Memory = DefaultMemory
	}
	if o.Warn == nil {
		o.Warn = func(string) {}
	}
	if o.CacheFrom == 0 {
		o.CacheFrom = 1 << 20
	}
	return o
}
