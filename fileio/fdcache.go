package fileio

import (
	"errors"
	"io/fs"
	"os"
	"sync"
)

// DefaultMaxFiles is how many descriptors of relations a Dir keeps open. More
// are open only while more reads than that are under way.
const DefaultMaxFiles = 128

// fdCache keeps segments' descriptors open, the least recently used idle one
// being closed when there are too many.
type fdCache struct {
	max int

	mu   sync.Mutex
	tick uint64
	open []*segment // those whose file is not nil
	shut bool
}

// SetMaxFiles sets how many descriptors of relations d keeps open, at least 1.
func (d *Dir) SetMaxFiles(n int) {
	d.files.mu.Lock()
	defer d.files.mu.Unlock()
	d.files.max = max(n, 1)
}

// acquire returns the segment's open file, which stays open until release.
// A file that is no longer the one first seen is a *ChangedError.
func (c *fdCache) acquire(d *Dir, s *segment) (*os.File, error) {
	c.mu.Lock()
	if s.dead || c.shut {
		c.mu.Unlock()
		return nil, d.pathError("read", s.name, fs.ErrClosed)
	}
	if s.file != nil {
		defer c.mu.Unlock()
		return c.use(s), nil
	}
	c.mu.Unlock()

	f, err := d.openUnchanged(s)
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if s.dead || c.shut {
		return nil, errors.Join(d.pathError("read", s.name, fs.ErrClosed), f.Close())
	}
	if s.file != nil { // another reader was faster
		_ = f.Close()
		return c.use(s), nil
	}
	s.file = f
	c.open = append(c.open, s)
	defer c.evict()
	return c.use(s), nil
}

// use counts one more user; the lock is held.
func (c *fdCache) use(s *segment) *os.File {
	c.tick++
	s.refs++
	s.lastUse = c.tick
	return s.file
}

// release ends one use of the segment's file.
func (c *fdCache) release(s *segment) {
	c.mu.Lock()
	defer c.mu.Unlock()
	s.refs--
	if s.refs == 0 && (s.dead || c.shut) {
		_ = c.closeSegment(s)
		return
	}
	c.evict()
}

// evict closes idle files until few enough are open. A linear search does: it
// runs once an open, which costs far more.
func (c *fdCache) evict() {
	for len(c.open) > c.max {
		var oldest *segment
		for _, s := range c.open {
			if s.refs == 0 && (oldest == nil || s.lastUse < oldest.lastUse) {
				oldest = s
			}
		}
		if oldest == nil {
			return
		}
		_ = c.closeSegment(oldest)
	}
}

// closeSegment closes s's file and forgets it; the lock is held.
func (c *fdCache) closeSegment(s *segment) error {
	for i, o := range c.open {
		if o == s {
			last := len(c.open) - 1
			c.open[i], c.open[last] = c.open[last], nil
			c.open = c.open[:last]
			err := s.file.Close()
			s.file = nil
			return err
		}
	}
	return nil
}

// drop closes the files of these segments for good; one in use is closed by
// its last release.
func (c *fdCache) drop(segs []*segment) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	var errs error
	for _, s := range segs {
		s.dead = true
		if s.refs == 0 {
			errs = errors.Join(errs, c.closeSegment(s))
		}
	}
	return errs
}

// closeAll closes every idle file; later acquires fail.
func (c *fdCache) closeAll() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.shut = true
	var errs error
	for i := len(c.open) - 1; i >= 0; i-- {
		if s := c.open[i]; s.refs == 0 {
			errs = errors.Join(errs, c.closeSegment(s))
		}
	}
	return errs
}

// openUnchanged opens the segment's file and compares it with what was seen
// when the relation was opened.
func (d *Dir) openUnchanged(s *segment) (*os.File, error) {
	f, err := d.OpenFile(s.name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, &ChangedError{File: s.name, Reason: "it is gone"}
	}
	if err != nil {
		return nil, err
	}
	id, err := identityOfFile(f)
	if err == nil && !d.unchanged(s.id, id) {
		err = &ChangedError{File: s.name, Reason: describeChange(s.id, id)}
	}
	if err != nil {
		_ = f.Close()
		return nil, err
	}
	return f, nil
}
