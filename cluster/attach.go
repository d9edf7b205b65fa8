package cluster

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"sync"

	"github.com/pipescan/pipescan/catalog"
	"github.com/pipescan/pipescan/fileio"
	"github.com/pipescan/pipescan/mvcc"
	"github.com/pipescan/pipescan/pgfile"
	"github.com/pipescan/pipescan/store"
)

// Cluster is an attached data directory; safe for concurrent use.
type Cluster struct {
	o       Options
	dir     *fileio.Dir
	control *pgfile.Control
	// controlID is the control file's identity at Attach: a server that starts
	// rewrites the file first of all.
	controlID fileio.Identity
	major     int
	unclean   []string // why the directory is not clean; empty: it is
	layout    fileio.Layout
	xacts     *xactLog
	snapshot  *mvcc.Snapshot
	prepared  bool // pg_twophase has files: nothing is remembered
	store     *store.Store
	toasts    toastCache

	globalMap  lazy[relMap]
	databases  lazy[[]catalog.Database]
	roles      lazy[[]catalog.Role]
	tablespace lazy[[]catalog.Tablespace]
	roleName   lazy[map[catalog.OID]string]

	mu struct {
		sync.Mutex
		open map[catalog.OID]*Database
	}
}

// Attach opens the data directory dir, which it checks in this order: that it
// is a cluster of a known version, that no server runs on it, that it is clean
// or may be unclean. ctx bounds Attach alone. An error is an *AttachError, or
// tells which file is damaged.
func Attach(ctx context.Context, dir string, o Options) (*Cluster, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	d, err := fileio.OpenDir(dir)
	if err != nil {
		return nil, &AttachError{
			Kind: ErrNoCluster, Dir: dir, Found: "nothing that can be opened", Err: err,
			Need: "a directory with PG_VERSION and global/pg_control", Remedy: "give the data directory with -D or PGDATA",
		}
	}
	c := &Cluster{o: o.withDefaults(), dir: d}
	c.mu.open = map[catalog.OID]*Database{}
	if err := c.attach(); err != nil {
		_ = d.Close() // the first error counts
		return nil, err
	}
	return c, nil
}

func (c *Cluster) attach() error {
	if err := c.readVersion(); err != nil {
		return err
	}
	if err := c.readControl(); err != nil {
		return err
	}
	if err := c.checkRunning(); err != nil {
		return err
	}
	if err := c.checkClean(); err != nil {
		return err
	}
	if c.o.Checksums == ChecksumsOn && c.control.DataChecksums == 0 {
		c.o.Warn(c.dir.Path() + ": the cluster was made without page checksums: there are none to verify")
	}
	c.layout = fileio.Layout{Major: c.major, CatVersion: c.control.CatalogVersion, SegmentBlocks: c.control.SegmentBlocks}
	c.xacts = newXactLog(c.dir, c.control, c.Clean())
	if err := c.takeSnapshot(); err != nil {
		return err
	}
	c.store = store.New(store.Options{Dir: c.o.CacheDir, LockWait: c.o.LockWait})
	return nil
}

// maxSmallFile bounds the files that are read whole: PG_VERSION, pg_control,
// relation maps, postmaster.pid.
const maxSmallFile = 64 << 10

// readVersion reads PG_VERSION.
func (c *Cluster) readVersion() error {
	b, _, err := c.dir.ReadFile(pgfile.VersionFile, maxSmallFile)
	if err != nil {
		return c.noCluster(pgfile.VersionFile, err)
	}
	c.major, err = pgfile.ParseVersionFile(b)
	if err != nil {
		return c.unknownVersion(pgfile.VersionFile, err)
	}
	return nil
}

// noCluster explains why a file that makes a directory a cluster was not read.
func (c *Cluster) noCluster(file string, err error) error {
	e := &AttachError{
		Kind: ErrNoCluster, Dir: c.dir.Path(), Found: "no " + file,
		Need:   "PG_VERSION and global/pg_control in the directory itself",
		Remedy: "give the data directory with -D or PGDATA; in a backup it may lie deeper (Debian: /var/lib/postgresql/15/main)",
	}
	if !errors.Is(err, fs.ErrNotExist) {
		e.Found, e.Err = "a "+file+" that cannot be read", err
		if errors.Is(err, fs.ErrPermission) {
			e.Remedy = "read it as the user who owns it"
		}
	}
	return e
}

// unknownVersion wraps a parser's refusal of PG_VERSION or pg_control.
func (c *Cluster) unknownVersion(file string, err error) error {
	if !errors.Is(err, pgfile.ErrUnsupported) {
		return pgfile.At(err, file, pgfile.NoBlock)
	}
	return &AttachError{
		Kind: ErrVersion, Dir: c.dir.Path(), Found: "in " + file + ": " + err.Error(),
		Need: "a cluster of PostgreSQL 13 to 18, of a little-endian 64-bit machine", Remedy: "use a pipescan that knows this version",
	}
}

// readControl reads pg_control and holds it against PG_VERSION and against
// what pages this program can read.
func (c *Cluster) readControl() error {
	b, id, err := c.dir.ReadFile(pgfile.ControlFile, maxSmallFile)
	if err != nil {
		return c.noCluster(pgfile.ControlFile, err)
	}
	ctl, err := pgfile.ParseControl(b)
	if err != nil {
		return c.unknownVersion(pgfile.ControlFile, err)
	}
	c.control, c.controlID = ctl, id
	refuse := func(found, need string) error {
		return &AttachError{Kind: ErrVersion, Dir: c.dir.Path(), Found: found, Need: need, Remedy: "nothing here can be read by this program"}
	}
	switch {
	case ctl.Major != c.major:
		return &AttachError{
			Kind: ErrVersion, Dir: c.dir.Path(),
			Found: fmt.Sprintf("PG_VERSION of %d and a pg_control of %d", c.major, ctl.Major),
			Need:  "both of one version", Remedy: "the directory mixes two clusters: restore it whole",
		}
	case ctl.BlockSize != pgfile.PageSize:
		return refuse(fmt.Sprintf("a block size of %d", ctl.BlockSize), "8192")
	case ctl.MaxAlign != 8:
		return refuse(fmt.Sprintf("an alignment of %d", ctl.MaxAlign), "8")
	case ctl.SegmentBlocks == 0:
		return refuse("segments of 0 blocks", "a segment size")
	}
	return nil
}

// Close gives files and cache back. It must come after the last use of the
// cluster, its databases and its scans.
func (c *Cluster) Close() error { return errors.Join(c.store.Close(), c.dir.Close()) }

// Dir is the directory as given to Attach.
func (c *Cluster) Dir() string { return c.dir.Path() }

// Control is the control file as read at Attach; do not change it.
func (c *Cluster) Control() *pgfile.Control { return c.control }

// Major is PostgreSQL's major version.
func (c *Cluster) Major() int { return c.major }

// Checksums says whether pages are verified against their checksums. A cluster
// without any has none to verify, whatever the options say.
func (c *Cluster) Checksums() bool {
	return c.o.Checksums != ChecksumsOff && c.control.DataChecksums != 0
}

// Layout is what the names and sizes of files depend on.
func (c *Cluster) Layout() fileio.Layout { return c.layout }

// Xacts is the transaction log.
func (c *Cluster) Xacts() mvcc.XactStatus { return c.xacts }

// Snapshot is what a server started on the directory would give a new
// transaction; do not change it.
func (c *Cluster) Snapshot() *mvcc.Snapshot { return c.snapshot }

// CacheNote says in a sentence why the cache is not where it should be, "" when
// it is or was not needed yet.
func (c *Cluster) CacheNote() string { return c.store.Note() }

// CheckUnchanged is nil while the cluster is as it was at Attach. Else it is a
// *fileio.ChangedError, or an ErrRunning.
func (c *Cluster) CheckUnchanged() error {
	id, err := c.dir.Stat(pgfile.ControlFile)
	if err != nil {
		return &fileio.ChangedError{File: pgfile.ControlFile, Reason: err.Error()}
	}
	if id != c.controlID {
		return &fileio.ChangedError{File: pgfile.ControlFile, Reason: "the control file was written since the directory was opened"}
	}
	return c.checkRunning()
}
