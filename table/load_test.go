package table

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"

	"github.com/pipescan/pipescan/catalog"
	"github.com/pipescan/pipescan/datum"
	"github.com/pipescan/pipescan/pgfile"
)

func TestLoadAndScan(t *testing.T) {
	s, rel := newTable(t, "a int, b text, c numeric(8,2)[]")
	want := ""
	for i, frozen := range []bool{false, true, false} {
		rows := fmt.Sprintf("%d\tload\\t%d\t{1.50,NULL}\n\\N\t\\N\t\\N\n", i, i)
		n, err := s.Load(ctx, rel, LoadOptions{Frozen: frozen}, strings.NewReader(rows))
		require.NoError(t, err)
		require.EqualValues(t, 2, n)
		want += rows
		require.Equal(t, want, copyOut(t, s, rel))
	}
	require.Equal(t, 6, count(t, s, rel))
	rows, err := s.Rows(rel)
	require.NoError(t, err)
	require.EqualValues(t, 6, rows)

	vm, err := s.VM(ctx, rel)
	require.NoError(t, err)
	require.Equal(t, []pgfile.VMBits{0, 3, 0, 0}, []pgfile.VMBits{vm.Bits(0), vm.Bits(1), vm.Bits(2), vm.Bits(3)})

	again := reopen(t, s)
	require.Equal(t, want, copyOut(t, again, rel))
	vm, err = again.VM(ctx, rel)
	require.NoError(t, err)
	require.Equal(t, pgfile.VMBits(3), vm.Bits(1))
}

// reopen closes a store and opens it again, until the test's end.
func reopen(t *testing.T, s *Store) *Store {
	t.Helper()
	require.NoError(t, s.Close())
	again, err := Open(s.Dir(), Options{Checksums: true})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, again.Close()) })
	return again
}

// TestHeaders: what the headers of loaded tuples say of transactions.
func TestHeaders(t *testing.T) {
	for _, frozen := range []bool{false, true} {
		s, rel := newTable(t, "a int, b text")
		_, err := s.LoadGenerated(ctx, rel, "rows = 300, a = series(1, 5), b = null(0.5, text(1, 3))", GenerateOptions{Frozen: frozen})
		require.NoError(t, err)
		content, err := os.ReadFile(filepath.Join(s.Dir(), fileName(rel.OID, 0)))
		require.NoError(t, err)
		for block := range len(content) / pageSize {
			p := pgfile.Page(content[block*pageSize : (block+1)*pageSize])
			require.NoError(t, pgfile.ValidatePage(p))
			_, err := pgfile.ValidateItems(p)
			require.NoError(t, err)
			require.Equal(t, pgfile.PageChecksum(p, uint32(block)), p.Checksum())
			require.Equal(t, frozen, p.AllVisible())
			for i := 1; i <= p.NumItems(); i++ {
				tuple := p.Tuple(i)
				require.NoError(t, pgfile.ValidateHeapTuple(tuple))
				want := uint16(pgfile.HeapXmaxInvalid)
				if frozen {
					want |= pgfile.HeapXminFrozen
				}
				require.Equal(t, want, tuple.Infomask()&0xfff0)
				require.Equal(t, uint32(firstXID), tuple.Xmin())
				require.Equal(t, pgfile.TID{Block: uint32(block), Offset: uint16(i)}, tuple.CTID())
			}
		}
	}
}

// TestFailedLoadLeavesNothing: whatever goes wrong, the table is as before, and
// so is its file.
func TestFailedLoadLeavesNothing(t *testing.T) {
	s, rel := newTable(t, "a int NOT NULL, b varchar(5)")
	_, err := s.Load(ctx, rel, LoadOptions{}, strings.NewReader("1\tx\n"))
	require.NoError(t, err)
	many := strings.Repeat("7\tseven\n", 100000)
	cancelled, cancel := context.WithCancel(ctx)
	cancel()
	for name, load := range map[string]func() error{
		"a bad integer": func() error { return loadErr(ctx, s, rel, strings.NewReader(many+"x\ty\n")) },
		"a null":        func() error { return loadErr(ctx, s, rel, strings.NewReader(many+"\\N\ty\n")) },
		"a long text":   func() error { return loadErr(ctx, s, rel, strings.NewReader(many+"1\tsixsix\n")) },
		"the reader": func() error {
			return loadErr(ctx, s, rel, io.MultiReader(strings.NewReader(many), iotest.ErrReader(io.ErrNoProgress)))
		},
		"cancellation": func() error { return loadErr(cancelled, s, rel, strings.NewReader(many)) },
	} {
		require.Error(t, load(), name)
		require.Equal(t, "1\tx\n", copyOut(t, s, rel), name)
		info, err := os.Stat(filepath.Join(s.Dir(), fileName(rel.OID, 0)))
		require.NoError(t, err)
		require.EqualValues(t, pageSize, info.Size(), name)
	}
	_, err = s.Load(ctx, rel, LoadOptions{}, strings.NewReader("2\ty\n"))
	require.NoError(t, err)
	require.Equal(t, "1\tx\n2\ty\n", copyOut(t, s, rel))
}

func loadErr(ctx context.Context, s *Store, rel *catalog.Relation, r io.Reader) error {
	_, err := s.Load(ctx, rel, LoadOptions{}, r)
	return err
}

func TestLoadErrors(t *testing.T) {
	s, rel := newTable(t, "a int NOT NULL, b varchar(5)")
	for input, want := range map[string]string{
		"1\tx\n2x\ty\n":         `COPY t, line 2, column a: invalid input syntax for type integer: "2x" 22P02`,
		"99999999999\ty\n":      `COPY t, line 1, column a: value "99999999999" is out of range for type integer 22003`,
		"\\N\ty\n":              `COPY t, line 1: null value in column "a" of relation "t" violates not-null constraint 23502`,
		"1\tabcdef\n":           `COPY t, line 1, column b: value too long for type character varying(5) 22001`,
		"1\n":                   `COPY t, line 1: missing data for column "b" 22P04`,
		"1\tx\ty\n":             `COPY t, line 1: extra data after last expected column 22P04`,
		"1\t\xff\n":             `COPY t, line 1: invalid byte sequence for encoding "UTF8": 0xff 22021`,
		"1\t\\377\n":            `COPY t, line 1: invalid byte sequence for encoding "UTF8": 0xff 22021`,
		"1\t\\0\n":              `COPY t, line 1: invalid byte sequence for encoding "UTF8": 0x00 22021`,
		"1\tx\r\n2\ty\n":        `COPY t, line 2: literal newline found in data 22P04`,
		"1\tx\n2\ty\rz\n":       `COPY t, line 2: literal carriage return found in data 22P04`,
		"1\tx\n2\ta\\.\n3\tb\n": `COPY t, line 2: end-of-copy marker is not alone on its line 22P04`,
	} {
		err := loadErr(ctx, s, rel, strings.NewReader(input))
		var e *datum.InputError
		require.ErrorAs(t, err, &e, "%q", input)
		require.Equal(t, want, err.Error()+" "+e.SQLState(), "%q", input)
	}
	s, rel = newTable(t, "a text")
	err := loadErr(ctx, s, rel, strings.NewReader("x\n"+strings.Repeat("y", 9000)+"\n"))
	require.ErrorIs(t, err, pgfile.ErrUnsupported)
	require.ErrorContains(t, err, "line 2")
	require.NoError(t, loadErr(ctx, s, rel, strings.NewReader(strings.Repeat("y", pgfile.MaxHeapTupleSize-24-4)+"\n")))
}

// TestEndedProcess: what a load that was cut short leaves is cut off.
func TestEndedProcess(t *testing.T) {
	s, rel := newTable(t, "a int")
	_, err := s.Load(ctx, rel, LoadOptions{}, strings.NewReader("1\n"))
	require.NoError(t, err)
	name := filepath.Join(s.Dir(), fileName(rel.OID, 0))
	f, err := os.OpenFile(name, os.O_APPEND|os.O_WRONLY, 0)
	require.NoError(t, err)
	_, err = f.Write(make([]byte, 3*pageSize+17))
	require.NoError(t, err)
	require.NoError(t, f.Close())
	require.Equal(t, "1\n", copyOut(t, s, rel), "behind the end while it is open")
	orphan := filepath.Join(s.Dir(), fileName(99999, 1))
	require.NoError(t, os.WriteFile(orphan, []byte("x"), 0o600))
	next := filepath.Join(s.Dir(), fileName(rel.OID, 1))
	require.NoError(t, os.WriteFile(next, []byte("x"), 0o600))
	foreign := filepath.Join(s.Dir(), baseDir, "1", "notes.txt")
	require.NoError(t, os.WriteFile(foreign, []byte("x"), 0o600))

	s = reopen(t, s)
	require.Equal(t, "1\n", copyOut(t, s, rel))
	info, err := os.Stat(name)
	require.NoError(t, err)
	require.EqualValues(t, pageSize, info.Size())
	require.NoFileExists(t, orphan)
	require.NoFileExists(t, next)
	require.FileExists(t, foreign)
}

func TestMissingPages(t *testing.T) {
	s, rel := newTable(t, "a int")
	_, err := s.LoadGenerated(ctx, rel, "a = series(1, 1000)", GenerateOptions{})
	require.NoError(t, err)
	require.NoError(t, os.Truncate(filepath.Join(s.Dir(), fileName(rel.OID, 0)), 2*pageSize))
	s = reopen(t, s)
	_, _, err = s.HeapScan(ctx, rel)
	require.ErrorIs(t, err, pgfile.ErrCorrupt)
	require.ErrorContains(t, err, "block 2")
}

func TestCreateOpenDrop(t *testing.T) {
	dir := t.TempDir()
	_, err := Open(dir, Options{})
	require.ErrorIs(t, err, ErrNoStore)
	s, err := Create(filepath.Join(dir, "new", "store"))
	require.NoError(t, err)
	require.True(t, IsStore(s.Dir()))
	_, err = Create(s.Dir())
	require.ErrorIs(t, err, ErrExists)
	_, err = Create(dir)
	require.ErrorContains(t, err, "not empty")
	_, err = Open(s.Dir(), Options{})
	require.ErrorIs(t, err, ErrInUse)

	a, err := s.CreateTable(ctx, "public", "a", "x int")
	require.NoError(t, err)
	_, err = s.CreateTable(ctx, "public", "a", "x int")
	require.ErrorIs(t, err, ErrExists)
	b, err := s.CreateTable(ctx, "Other", "a", "x int")
	require.NoError(t, err)
	_, err = s.CreateTable(ctx, "public", strings.Repeat("n", 64), "x int")
	require.Error(t, err)
	_, err = s.CreateTable(ctx, "public", "bad", "x nosuch")
	require.Error(t, err)

	found, err := s.RelationByName(ctx, "Other", "a")
	require.NoError(t, err)
	require.Equal(t, b, found)
	_, err = s.RelationByName(ctx, "other", "a")
	require.ErrorIs(t, err, catalog.ErrNotFound)
	require.ErrorContains(t, err, "Other")
	_, err = s.RelationByName(ctx, "public", "aa")
	require.ErrorContains(t, err, `"public.a"`)

	require.NoError(t, s.Drop(ctx, a))
	require.ErrorIs(t, s.Drop(ctx, a), catalog.ErrNotFound)
	require.NoFileExists(t, filepath.Join(s.Dir(), fileName(a.OID, 0)))
	_, _, err = s.HeapScan(ctx, a)
	require.ErrorIs(t, err, catalog.ErrNotFound)
	require.NoError(t, s.Close())
	require.ErrorIs(t, loadErr(ctx, s, b, strings.NewReader("1\n")), ErrClosed)

	s, err = Open(s.Dir(), Options{})
	require.NoError(t, err)
	all, err := s.Relations(ctx)
	require.NoError(t, err)
	require.Equal(t, []*catalog.Relation{b}, all)
	require.NoError(t, s.Close())
	require.NoError(t, os.WriteFile(filepath.Join(s.Dir(), MarkerFile), []byte("pipescan store 99\n"), 0o600))
	_, err = Open(s.Dir(), Options{})
	require.ErrorIs(t, err, ErrNoStore)
	require.ErrorContains(t, err, "store 99")
	require.False(t, errors.Is(err, ErrInUse))
}
