package fileio

import (
	"errors"
	"io"
	"io/fs"
	"math"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// segment is one file of a fork.
type segment struct {
	name   string // path inside the data directory
	num    uint32 // 0 for the file without a suffix
	first  uint32 // its first block
	blocks uint32 // whole blocks at opening
	id     Identity

	// Owned by the fdCache's lock.
	file    *os.File
	refs    int
	lastUse uint64
	dead    bool
}

// listing is what the directory of a database says about segments: which
// numbers exist of those files that have more than one.
type listing struct {
	dir  Identity
	nums map[string][]uint32
}

// Bounds of the listings' cache, and of how old a change of a directory must
// be for its time stamp to tell the next change.
const (
	maxListings = 64
	racyAge     = 2 * time.Second
)

// segmentsOf lists the numbers, ascending, of the segments after the first of
// base (a name without directory) in dir. Listings are remembered while the
// directory does not change: a database of many tables is read once.
func (d *Dir) segmentsOf(dir, base string) ([]uint32, error) {
	id, err := d.Stat(dir)
	if err != nil {
		return nil, err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if l := d.mu.listings[dir]; l != nil && l.dir == id {
		return l.nums[base], nil
	}
	nums, err := d.list(dir)
	if err != nil {
		return nil, err
	}
	delete(d.mu.listings, dir)
	if time.Since(time.Unix(0, id.MtimeNs)) > racyAge {
		if len(d.mu.listings) >= maxListings {
			clear(d.mu.listings)
		}
		d.mu.listings[dir] = &listing{dir: id, nums: nums}
	}
	return nums[base], nil
}

// list reads a directory for names like 16384.1.
func (d *Dir) list(dir string) (map[string][]uint32, error) {
	f, err := d.openDir(dir)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	nums := map[string][]uint32{}
	for {
		names, err := f.Readdirnames(1024)
		for _, name := range names {
			if base, num, ok := splitSegment(name); ok {
				nums[base] = append(nums[base], num)
			}
		}
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, d.pathError("read", dir, unwrapPath(err))
		}
	}
	for _, n := range nums {
		slices.Sort(n)
	}
	return nums, nil
}

// splitSegment splits 16384_vm.2 into its parts, as a server would write them.
func splitSegment(name string) (base string, num uint32, ok bool) {
	base, suffix, found := strings.Cut(name, ".")
	if !found || base == "" || suffix == "" || suffix[0] == '0' {
		return "", 0, false
	}
	n, err := strconv.ParseUint(suffix, 10, 32)
	return base, uint32(n), err == nil
}

// findSegments stats every segment of the fork whose first one is name. It
// returns them ascending, those that can hold a block number only.
func (d *Dir) findSegments(name string, segBlocks uint32) ([]*segment, error) {
	dir, base := path.Split(name)
	dir = strings.TrimSuffix(dir, "/")
	more, err := d.segmentsOf(dir, base)
	if err != nil {
		return nil, d.missingDir(name, dir, err)
	}
	var segs []*segment
	for i := -1; i < len(more); i++ {
		s := &segment{name: name}
		if i >= 0 {
			s.num = more[i]
			s.name = segmentName(name, s.num)
		}
		if uint64(s.num)*uint64(segBlocks) >= math.MaxUint32 {
			break // no server counts so far
		}
		s.first = s.num * segBlocks
		id, mode, err := d.stat(s.name)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			continue // the first, or gone since the listing: found as a gap
		case err != nil:
			return nil, err
		case mode != unix.S_IFREG:
			return nil, notRegular(s.name, mode)
		}
		s.id = id
		segs = append(segs, s)
	}
	if len(segs) == 0 {
		return nil, &missingFile{corruptFile(name, "the file is missing", "restore it from a backup")}
	}
	return segs, nil
}

// missingDir explains why the directory of a relation cannot be read.
func (d *Dir) missingDir(name, dir string, err error) error {
	if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if link, _, ok := strings.Cut(strings.TrimPrefix(dir, "pg_tblspc/"), "/"); ok && strings.HasPrefix(dir, "pg_tblspc/") {
		return &missingFile{corruptFile(name, "the directory "+dir+" of its tablespace is missing",
			"copy the tablespace beside the data directory and let the link pg_tblspc/"+link+" lead to it")}
	}
	return &missingFile{corruptFile(name, "the directory "+dir+" is missing", "restore it from a backup")}
}

// segmentName is the path of segment num of a fork.
func segmentName(name string, num uint32) string {
	if num == 0 {
		return name
	}
	return name + "." + strconv.FormatUint(uint64(num), 10)
}
