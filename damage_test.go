package pipescan_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/pipescan/pipescan"
	"github.com/pipescan/pipescan/pgfile"
)

// editPages lets edit change the pages of a file.
func editPages(t *testing.T, path string, edit func(pgfile.Page)) {
	t.Helper()
	b, err := os.ReadFile(path)
	require.NoError(t, err)
	for at := 0; at < len(b); at += pgfile.PageSize {
		edit(pgfile.Page(b[at : at+pgfile.PageSize]))
	}
	require.NoError(t, os.WriteFile(path, b, 0o600))
}

// TestColumnsOfOtherLayout: a column that pg_attribute cuts out otherwise than
// its type lies is damage, told before any value is made of the wrong bytes.
func TestColumnsOfOtherLayout(t *testing.T) {
	s := fixture(t)
	s.Start()
	oid := s.QueryValue("postgres", "SELECT 'many'::regclass::oid")
	file := s.QueryValue("postgres", "SELECT pg_relation_filepath('pg_attribute')")
	s.Stop()
	path := filepath.Join(s.Dir(), file)
	sound, err := os.ReadFile(path)
	require.NoError(t, err)
	// attrelid 0, attname 4, atttypid 68, attstattarget 72, attlen 76
	for what, damage := range map[string]func(attribute []byte){
		"length 4, alignment 'i', by value false; pg_type says -1": func(a []byte) { binary.LittleEndian.PutUint16(a[76:], 4) },
		"length 0, alignment 'i', by value false; pg_type says -1": func(a []byte) { binary.LittleEndian.PutUint16(a[76:], 0) },
		"length -1, alignment 'i', by value false; pg_type says 8": func(a []byte) { binary.LittleEndian.PutUint32(a[68:], 20) },
		"type 4123456 is not in pg_type (the catalogs of this":     func(a []byte) { binary.LittleEndian.PutUint32(a[68:], 4123456) },
	} {
		require.NoError(t, os.WriteFile(path, sound, 0o600))
		require.Equal(t, 1, editAttribute(t, path, oid, "note", damage))
		_, err := tableOf(t, open(t, s.Dir(), pipescan.Options{}), "many").Scan(context.Background(), pipescan.Request{})
		require.ErrorIs(t, err, pipescan.ErrCorrupt, what)
		require.ErrorContains(t, err, file+": ", what)
		require.ErrorContains(t, err, what)
	}
}

// editAttribute lets edit change the rows of pg_attribute of a column, dead or
// not, and counts them.
func editAttribute(t *testing.T, path, rel, column string, edit func(data []byte)) (rows int) {
	t.Helper()
	editPages(t, path, func(page pgfile.Page) {
		for n := 1; n <= page.NumItems(); n++ {
			id := page.Item(n)
			if id.State() != pgfile.ItemNormal {
				continue
			}
			tuple := pgfile.HeapTuple(page[id.Off() : id.Off()+id.Len()])
			data := tuple[tuple.Hoff():]
			if rel == strconv.Itoa(int(binary.LittleEndian.Uint32(data))) && bytes.HasPrefix(data[4:], []byte(column+"\x00")) {
				edit(data)
				rows++
			}
		}
	})
	return rows
}

// TestLostNames: a table whose row of pg_class may have been lost is not said
// not to exist.
func TestLostNames(t *testing.T) {
	s := fixture(t)
	s.Start()
	file := s.QueryValue("postgres", "SELECT pg_relation_filepath('pg_class')")
	s.Stop()
	editPages(t, filepath.Join(s.Dir(), file), func(page pgfile.Page) {
		if bytes.Contains(page, []byte("many\x00")) {
			page[12], page[13] = 0xff, 0xff // pd_lower
		}
	})
	db := open(t, s.Dir(), pipescan.Options{OnCorruption: pipescan.CorruptionSkip})
	_, err := db.Table(context.Background(), "many")
	require.ErrorIs(t, err, pipescan.ErrCorrupt)
	require.NotErrorIs(t, err, pipescan.ErrNotFound)
	require.ErrorContains(t, err, "losses in the catalogs may have taken it away")
	require.ErrorContains(t, err, file)
}

// TestLostTail: a page cut in two at a table's end is the table's loss, not the
// catalogs'.
func TestLostTail(t *testing.T) {
	s := fixture(t)
	s.Start()
	path := filepath.Join(s.Dir(), s.QueryValue("postgres", "SELECT pg_relation_filepath('many')"))
	s.Stop()
	st, err := os.Stat(path)
	require.NoError(t, err)
	require.NoError(t, os.Truncate(path, st.Size()-5000))
	db := open(t, s.Dir(), pipescan.Options{OnCorruption: pipescan.CorruptionSkip})
	for _, lanes := range []int{1, 2} {
		scan, err := tableOf(t, db, "many").Scan(context.Background(), pipescan.Request{Lanes: lanes})
		require.NoError(t, err)
		for _, err := range scan.Batches() {
			require.NoError(t, err)
		}
		require.EqualValues(t, 1, scan.LossCount())
		require.ErrorContains(t, scan.Losses()[0].Err, "partial page")
		require.Zero(t, db.CatalogLossCount())
	}
}
