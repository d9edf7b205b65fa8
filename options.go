package pipescan

import (
	"runtime"

	"github.com/pipescan/pipescan/cluster"
)

// ChecksumMode says when page checksums are verified.
type ChecksumMode = cluster.ChecksumMode

// The checksum modes. ChecksumsAuto verifies when pg_control says that the
// cluster has checksums.
const (
	ChecksumsAuto = cluster.ChecksumsAuto
	ChecksumsOn   = cluster.ChecksumsOn
	ChecksumsOff  = cluster.ChecksumsOff
)

// CorruptionPolicy says what a scan does about bytes that are not what their
// format allows.
type CorruptionPolicy int

// The policies. CorruptionFail ends the scan with an error that names the
// place; CorruptionSkip goes on without the page, tuple or value and keeps a
// ledger (Scan.Losses).
const (
	CorruptionFail CorruptionPolicy = iota
	CorruptionSkip
)

// Options of Open; the zero value is ready for use.
type Options struct {
	// Database to use first; "" means postgres, or the only connectable
	// database when there is no such one.
	Database string
	// CacheDir holds what is remembered between scans: "" means the user's
	// cache directory, "none" means memory only.
	CacheDir string
	// AllowUnclean goes on when the cluster was not shut down cleanly: hint
	// bits and pg_xact decide, pages may be torn and commits missing.
	AllowUnclean bool
	// OnCorruption is the policy for damaged bytes.
	OnCorruption CorruptionPolicy
	// Checksums says when page checksums are verified.
	Checksums ChecksumMode
	// Workers is the budget of lanes that all scans of the DB share; 0 means
	// GOMAXPROCS.
	Workers int
	// ReadWorkers is the number of blocking reads in flight; 0 means 4.
	ReadWorkers int
	// Memory bounds the buffers of a scan, in bytes, besides one value; 0
	// means 128 MB.
	Memory int64
	// VirtualColumns says what * makes of virtual generated columns.
	VirtualColumns VirtualColumns
	// Warn gets warnings, a line each, without a newline; nil drops them.
	Warn func(message string)
}

func (o Options) withDefaults() Options {
	if o.Workers <= 0 {
		o.Workers = runtime.GOMAXPROCS(0)
	}
	if o.ReadWorkers <= 0 {
		o.ReadWorkers = 4
	}
	if o.Memory <= 0 {
		o.Memory = 128 << 20
	}
	if o.Warn == nil {
		o.Warn = func(string) {}
	}
	return o
}
