package table

import (
	"errors"
	"os"
	"path/filepath"

	"github.com/pipescan/pipescan/catalog"
	"github.com/pipescan/pipescan/pgfile"
)

// writePages is how many pages are written with one call: 256 KB.
const writePages = 32

// pageWriter fills pages and appends them to a table's file, from block first
// on. It knows nothing of rows.
//
//	first        block
//	  ▼            ▼
//	--+---+--- ~ --+---+---+---+      buffer: written when full
//	  |            | full  |cur|
//	--+---+--- ~ --+---+---+---+
type pageWriter struct {
	dir    string
	oid    catalog.OID
	first  uint32
	frozen bool

	buffer  []byte
	filled  int         // whole pages in buffer, before cur
	cur     pgfile.Page // nil: none was begun
	block   uint32      // of the first page in buffer
	segment uint32      // of file
	file    *os.File
	made    bool // a file was made
}

// end is the block behind the last one written.
func (w *pageWriter) end() uint32 { return w.block + uint32(w.filled) }

// maxBlocks is MaxBlockNumber, the number of blocks that a table may have.
const maxBlocks = 0xFFFFFFFE

// add puts a tuple on the page, or on the next. full says that a page was
// ended.
func (w *pageWriter) add(tuple pgfile.HeapTuple) (full bool, err error) {
	if w.cur == nil {
		if err := w.begin(); err != nil {
			return false, err
		}
	}
	if _, ok := w.cur.AddTuple(tuple, w.end()); ok {
		return false, nil
	}
	if err := w.endPage(); err != nil {
		return true, err
	}
	if err := w.begin(); err != nil {
		return true, err
	}
	if _, ok := w.cur.AddTuple(tuple, w.end()); !ok {
		return true, errors.New("a tuple that fits no page")
	}
	return true, nil
}

// begin starts the next page.
func (w *pageWriter) begin() error {
	if w.buffer == nil {
		w.buffer, w.block = make([]byte, writePages*pageSize), w.first
	}
	if w.end() >= maxBlocks {
		return errors.New("the table has as many blocks as a table can")
	}
	w.cur = pgfile.Page(w.buffer[w.filled*pageSize : (w.filled+1)*pageSize])
	pgfile.InitPage(w.cur)
	return nil
}

// endPage finishes the page at hand.
func (w *pageWriter) endPage() error {
	if w.frozen {
		w.cur.SetFlags(pgfile.PageAllVisible)
	}
	w.cur.SetChecksum(w.end())
	w.cur = nil
	if w.filled++; w.filled < writePages {
		return nil
	}
	return w.flush()
}

// flush writes the whole pages in the buffer.
func (w *pageWriter) flush() error {
	for from := 0; from < w.filled; {
		block := w.block + uint32(from)
		if err := w.open(block / segmentBlocks); err != nil {
			return err
		}
		in := block % segmentBlocks
		n := min(w.filled-from, segmentBlocks-int(in))
		if _, err := w.file.WriteAt(w.buffer[from*pageSize:(from+n)*pageSize], int64(in)*pageSize); err != nil {
			return err
		}
		from += n
	}
	w.block += uint32(w.filled)
	w.filled = 0
	return nil
}

// open makes a segment the one to write to.
func (w *pageWriter) open(segment uint32) error {
	if w.file != nil && w.segment == segment {
		return nil
	}
	if err := w.syncFile(); err != nil {
		return err
	}
	name := filepath.Join(w.dir, fileName(w.oid, segment))
	flags := os.O_WRONLY
	if segment > 0 { // the first one was made with the table
		flags |= os.O_CREATE
		w.made = true
	}
	f, err := os.OpenFile(name, flags, 0o600)
	w.file, w.segment = f, segment
	if err != nil {
		w.file = nil
	}
	return err
}

// syncFile puts the segment on disk and closes it.
func (w *pageWriter) syncFile() error {
	if w.file == nil {
		return nil
	}
	err := errors.Join(w.file.Sync(), w.file.Close())
	w.file = nil
	return err
}

// finish writes what is left, and returns when all is on disk.
func (w *pageWriter) finish() error {
	if w.cur != nil {
		if err := w.endPage(); err != nil {
			return err
		}
	}
	if err := w.flush(); err != nil {
		return err
	}
	if err := w.syncFile(); err != nil || !w.made {
		return err
	}
	return syncDir(filepath.Join(w.dir, filepath.Dir(fileName(w.oid, 0))))
}

// close gives the file up after a failure.
func (w *pageWriter) close() error {
	if w.file == nil {
		return nil
	}
	return w.file.Close()
}
