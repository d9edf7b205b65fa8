package table

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/pipescan/pipescan/catalog"
	"github.com/pipescan/pipescan/datum"
	"github.com/pipescan/pipescan/pgfile"
	"github.com/pipescan/pipescan/store"
)

// Format is how the rows of a load are written.
type Format uint8

// The formats of COPY.
const (
	FormatText Format = iota
	FormatCSV
)

// LoadOptions say how to load; the zero value is COPY's text format, not
// frozen.
type LoadOptions struct {
	// Frozen stores the rows as VACUUM FREEZE would leave them: visible to
	// everybody for ever, with the pages' and the visibility map's bits set.
	Frozen bool
	Format Format
	// Header leaves the first line out.
	Header bool
	// Delimiter between columns; 0: a tab, or a comma in CSV.
	Delimiter byte
	// Null is how NULL is written; nil: \N, or nothing in CSV.
	Null *string
	// Quote and Escape of CSV; 0: a double quote, and what Quote is.
	Quote, Escape byte
}

// LoadError is a row that could not be loaded. Nothing of its load is kept.
type LoadError struct {
	Table  string
	Line   int64  // of the input, or the row's number when it was generated; from 1
	Column string // "" when it is about the row
	Err    error  // often a *datum.InputError, with an SQLSTATE
}

// Error gives the place as the server's COPY does.
func (e *LoadError) Error() string {
	if e.Column == "" {
		return fmt.Sprintf("COPY %s, line %d: %v", e.Table, e.Line, e.Err)
	}
	return fmt.Sprintf("COPY %s, line %d, column %s: %v", e.Table, e.Line, e.Column, e.Err)
}

// Unwrap returns the cause.
func (e *LoadError) Unwrap() error { return e.Err }

// rowSource gives the rows of a load one by one.
type rowSource interface {
	// next fills row; io.EOF is the end. Other errors are *LoadErrors without
	// Table, or come from the reader.
	next(row *rowBuffer) error
	// line is the line that next read last.
	line() int64
}

// rowBuffer is one row's payloads, one after another in an arena.
type rowBuffer struct {
	arena  []byte
	ends   []int  // where each column's payload ends
	nulls  []bool // by column
	values []pgfile.Datum
}

func newRowBuffer(columns int) *rowBuffer {
	return &rowBuffer{
		arena: make([]byte, 0, 1024), ends: make([]int, 0, columns), nulls: make([]bool, 0, columns), values: make([]pgfile.Datum, columns),
	}
}

// reset empties the row.
func (r *rowBuffer) reset() { r.arena, r.ends, r.nulls = r.arena[:0], r.ends[:0], r.nulls[:0] }

// done ends a column, whose payload was appended to the arena.
func (r *rowBuffer) done(null bool) {
	r.ends, r.nulls = append(r.ends, len(r.arena)), append(r.nulls, null)
}

// datums are the columns' payloads, nil for NULL, until the next reset.
func (r *rowBuffer) datums() []pgfile.Datum {
	from := 0
	for i, end := range r.ends {
		r.values[i] = nil
		if !r.nulls[i] {
			r.values[i] = pgfile.Datum(r.arena[from:end:end])
		}
		from = end
	}
	return r.values
}

// Load appends the rows that r holds, in COPY's text or CSV format, UTF-8. It
// is all or nothing: when it returns an error, or the process ends before it
// returns, the table is as it was. Errors: *LoadError, those of r, those of the
// disk; a row over 8160 bytes is pgfile.ErrUnsupported.
func (s *Store) Load(ctx context.Context, rel *catalog.Relation, o LoadOptions, r io.Reader) (rows int64, err error) {
	parsers, err := parsersOf(rel)
	if err != nil {
		return 0, err
	}
	source, err := newCopySource(rel, o, parsers, r)
	if err != nil {
		return 0, err
	}
	return s.load(ctx, rel, o.Frozen, source)
}

// parsersOf are the input functions of a table's columns.
func parsersOf(rel *catalog.Relation) ([]datum.Parser, error) {
	e := newEnv()
	out := make([]datum.Parser, len(rel.Columns))
	for i, c := range rel.Columns {
		var err error
		if out[i], err = datum.ParserOf(c.Type, c.Typmod, e); err != nil {
			return nil, fmt.Errorf("column %q: %w", c.Name, err)
		}
	}
	return out, nil
}

// load appends a source's rows.
func (s *Store) load(ctx context.Context, rel *catalog.Relation, frozen bool, source rowSource) (int64, error) {
	s.writing.Lock()
	defer s.writing.Unlock()
	if s.closed.Load() {
		return 0, ErrClosed
	}
	st := s.current()
	t, err := st.table(rel)
	if err != nil {
		return 0, err
	}
	if st.nextXID >= maxXID {
		return 0, fmt.Errorf("store %s has no transaction ids left: load its tables into a new one: %w", s.path, pgfile.ErrUnsupported)
	}
	l := &loader{rel: t.rel, source: source, frozen: frozen, xid: uint32(st.nextXID)}
	l.out = pageWriter{dir: s.path, oid: rel.OID, first: t.blocks, frozen: frozen}
	rows, err := l.run(ctx)
	if err == nil && rows > 0 {
		err = s.commitLoad(st, t, l, rows)
	}
	if err != nil || rows == 0 {
		return 0, errors.Join(err, s.truncate(rel.OID, int64(t.blocks)))
	}
	return rows, nil
}

// maxXID leaves half of the circle of transaction ids unused, so that no id is
// ever in another's future.
const maxXID = 1 << 31

// commitLoad makes the pages that a load has written count. They are on disk;
// one synced batch moves the known end over them.
func (s *Store) commitLoad(st *state, t *ownTable, l *loader, rows int64) error {
	end := ownTable{rel: t.rel, record: t.record, blocks: l.out.end(), rows: t.rows + uint64(rows)}
	next := st.with(t.rel.OID, &end)
	next.nextXID++
	change := store.OwnChange{
		NextXID: next.nextXID, Xacts: s.xacts.committed(l.xid),
		Tables: []store.OwnTable{{OID: t.rel.OID, Record: t.record, Blocks: end.blocks, Rows: end.rows}},
	}
	if l.frozen {
		var err error
		if change.VM, err = s.frozenVM(t.rel.OID, t.blocks, end.blocks); err != nil {
			return err
		}
	}
	return s.publish(change, next)
}

// frozenVM is the visibility map's pages with both bits of blocks first to
// end-1 set.
func (s *Store) frozenVM(oid catalog.OID, first, end uint32) ([]store.OwnVMPage, error) {
	pages, err := s.own.VM(oid)
	if err != nil {
		return nil, err
	}
	var out []store.OwnVMPage
	for block := first; block < end; {
		num := block / pgfile.HeapBlocksPerVMPage
		page := make([]byte, pageSize)
		copy(page[pgfile.PageHeaderSize:], pages[num])
		for ; block < end && block/pgfile.HeapBlocksPerVMPage == num; block++ {
			pgfile.SetVMBits(page, block, pgfile.VMAllVisible|pgfile.VMAllFrozen)
		}
		out = append(out, store.OwnVMPage{Table: oid, Page: num, Bits: page[pgfile.PageHeaderSize:]})
	}
	return out, nil
}

// loader turns rows into pages.
type loader struct {
	rel    *catalog.Relation
	source rowSource
	frozen bool
	xid    uint32
	out    pageWriter
}

// run writes all rows and syncs the file.
func (l *loader) run(ctx context.Context) (rows int64, err error) {
	defer func() { err = errors.Join(err, l.out.close()) }()
	storage := make([]byte, len(l.rel.Columns))
	for i, c := range l.rel.Columns {
		storage[i] = c.Storage
	}
	former, err := pgfile.NewTupleFormer(attrsOf(l.rel.Columns), storage)
	if err != nil {
		return 0, err
	}
	head := pgfile.TupleHeader{Xmin: l.xid, Infomask: pgfile.HeapXmaxInvalid}
	if l.frozen {
		head.Infomask |= pgfile.HeapXminFrozen
	}
	row := newRowBuffer(len(l.rel.Columns))
	var tuple []byte
	for {
		row.reset()
		err := l.source.next(row)
		if errors.Is(err, io.EOF) {
			return rows, l.out.finish()
		}
		if err != nil {
			return 0, l.placed(err)
		}
		values := row.datums()
		if err := l.check(values); err != nil {
			return 0, err
		}
		if tuple, err = former.Form(tuple[:0], values, head); err != nil {
			return 0, l.failed("", err)
		}
		if len(tuple) > pgfile.MaxHeapTupleSize {
			return 0, l.tooLong(len(tuple))
		}
		full, err := l.out.add(tuple)
		if err == nil && full {
			err = ctx.Err()
		}
		if err != nil {
			return 0, err
		}
		rows++
	}
}

// check holds the row against NOT NULL.
func (l *loader) check(values []pgfile.Datum) error {
	for i, v := range values {
		if v == nil && l.rel.Columns[i].NotNull {
			return l.failed("", &datum.InputError{State: "23502", Message: fmt.Sprintf(
				`null value in column "%s" of relation "%s" violates not-null constraint`, l.rel.Columns[i].Name, l.rel.Name)})
		}
	}
	return nil
}

func (l *loader) failed(column string, err error) error {
	return &LoadError{Table: l.rel.Name, Line: l.source.line(), Column: column, Err: err}
}

func (l *loader) tooLong(size int) error {
	return l.failed("", fmt.Errorf("the row has %d bytes, and rows of own tables have at most %d: %w", size, pgfile.MaxHeapTupleSize, pgfile.ErrUnsupported))
}

// placed adds the table's name to an error of the source.
func (l *loader) placed(err error) error {
	if e, ok := err.(*LoadError); ok {
		e.Table = l.rel.Name
	}
	return err
}
