package cluster

import (
	"container/list"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"sync"

	"github.com/pipescan/pipescan/fileio"
	"github.com/pipescan/pipescan/pgfile"
)

// slruPages is how many pages of each log are kept: 2 MB.
const slruPages = 256

// slru reads one of the logs that PostgreSQL keeps in files of 32 pages. It
// keeps the pages used last; safe for concurrent use.
type slru struct {
	dir    *fileio.Dir
	folder string

	mu    sync.Mutex
	pages map[slruPage]*list.Element // of *slruEntry
	used  list.List                  // most recent first
}

// slruPage names a page: the segment's file, and where the page begins in it.
type slruPage struct {
	segment string
	off     int64
}

type slruEntry struct {
	at   slruPage
	data []byte
}

func newSLRU(dir *fileio.Dir, folder string) *slru {
	return &slru{dir: dir, folder: folder, pages: map[slruPage]*list.Element{}}
}

// page returns the page that holds byte off of a segment. It is shared: do not
// change it. A page that is not wholly there is an error that says how much of
// it is.
func (s *slru) page(segment string, off int64) ([]byte, error) {
	at := slruPage{segment, off - off%pgfile.PageSize}
	s.mu.Lock()
	defer s.mu.Unlock()
	if e := s.pages[at]; e != nil {
		s.used.MoveToFront(e)
		return e.Value.(*slruEntry).data, nil
	}
	data, err := s.read(at)
	if err != nil {
		return nil, err
	}
	if s.used.Len() >= slruPages {
		last := s.used.Back()
		delete(s.pages, last.Value.(*slruEntry).at)
		s.used.Remove(last)
	}
	s.pages[at] = s.used.PushFront(&slruEntry{at, data})
	return data, nil
}

// read reads one page from its file.
func (s *slru) read(at slruPage) ([]byte, error) {
	name := path.Join(s.folder, at.segment)
	lost := func(format string, args ...any) error {
		e := pgfile.Corruptf(int(at.off), format, args...)
		e.File = name
		e.Remedy = "restore the file from a backup of the same moment, or leave out the rows that need it by --on-corruption skip"
		return e
	}
	f, err := s.dir.OpenFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, lost("the file is missing: read only 0 of %d bytes", pgfile.PageSize)
	}
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	data := make([]byte, pgfile.PageSize)
	n, err := f.ReadAt(data, at.off)
	switch {
	case n == len(data):
		return data, nil
	case errors.Is(err, io.EOF):
		return nil, lost("the file ends too early: read only %d of %d bytes", n, pgfile.PageSize)
	default:
		return nil, &fileio.ReadError{File: name, Block: pgfile.NoBlock, Offset: at.off + int64(n), Err: fmt.Errorf("%w", err)}
	}
}
