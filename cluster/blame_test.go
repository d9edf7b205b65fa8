package cluster

import (
	"context"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/pipescan/pipescan/internal/pgtest"
	"github.com/pipescan/pipescan/pgfile"
	"github.com/pipescan/pipescan/stages"
)

// rewriteTuples calls change with the data of each normal tuple of a file and
// writes the file back.
func rewriteTuples(t *testing.T, path string, change func(data []byte)) {
	t.Helper()
	b, err := os.ReadFile(path)
	require.NoError(t, err)
	for at := 0; at < len(b); at += pgfile.PageSize {
		page := pgfile.Page(b[at : at+pgfile.PageSize])
		for n := 1; n <= page.NumItems(); n++ {
			if id := page.Item(n); id.State() == pgfile.ItemNormal {
				tuple := pgfile.HeapTuple(page[id.Off() : id.Off()+id.Len()])
				change(tuple[tuple.Hoff():])
			}
		}
	}
	require.NoError(t, os.WriteFile(path, b, 0o600))
}

// TestBadCatalogRows: a row of pg_index whose vector makes no sense is named by
// file, block and line pointer, or is the only one that is lost.
func TestBadCatalogRows(t *testing.T) {
	s := pgtest.New(t, newest(), pgtest.Options{})
	s.Start()
	s.SQL("postgres", "CREATE TABLE public.t (a int PRIMARY KEY, b text); CREATE INDEX ti ON public.t (b); CREATE TABLE public.u (a int PRIMARY KEY)")
	oid := s.QueryValue("postgres", "SELECT 'ti'::regclass::oid")
	file := s.QueryValue("postgres", "SELECT pg_relation_filepath('pg_index')")
	s.Stop()
	rewriteTuples(t, filepath.Join(s.Dir(), file), func(data []byte) {
		if fmt.Sprint(binary.LittleEndian.Uint32(data)) == oid {
			// indkey is the first column of variable width: its dimension lies behind
			// 8 bytes of oids, 4 of int2s, the bools, and 16 of its own.
			at := 12 + 11
			at = (at+3)&^3 + 4
			require.EqualValues(t, 1, binary.LittleEndian.Uint32(data[at:]), "ndim")
			binary.LittleEndian.PutUint32(data[at+12:], 9)
		}
	})
	ctx := context.Background()

	d := openTest(t, attachTest(t, s.Dir(), Options{CacheDir: "none"}), "postgres")
	t1, err := d.RelationByName(ctx, "public", "t")
	require.NoError(t, err)
	_, err = d.Indexes(ctx, t1.OID)
	var c *pgfile.CorruptError
	require.ErrorAs(t, err, &c)
	require.Equal(t, file, c.File)
	require.NotZero(t, c.Item)
	require.Contains(t, c.Remedy, "--on-corruption skip")
	_, again := d.Indexes(ctx, t1.OID)
	require.Same(t, err, again, "damage is found once, not for every value that needs the catalog")

	losses := &lossList{}
	d = openTest(t, attachTest(t, s.Dir(), Options{CacheDir: "none", OnLoss: losses.add}), "postgres")
	indexes, err := d.Indexes(ctx, t1.OID)
	require.NoError(t, err)
	require.Len(t, indexes, 1)
	require.Len(t, losses.all(), 1)
	require.Equal(t, stages.LostTuple, losses.all()[0].Kind)
	require.Equal(t, file, losses.all()[0].File)
}

// TestPartitionOfTwo: a partition that two rows of pg_inherits name is not
// scanned twice.
func TestPartitionOfTwo(t *testing.T) {
	s := pgtest.New(t, newest(), pgtest.Options{})
	s.Start()
	s.SQL("postgres", `CREATE TABLE public.p (a int) PARTITION BY RANGE (a); CREATE TABLE public.p1 PARTITION OF p FOR VALUES FROM (1) TO (2);
		CREATE TABLE public.p2 PARTITION OF p FOR VALUES FROM (2) TO (3)`)
	file := s.QueryValue("postgres", "SELECT pg_relation_filepath('pg_inherits')")
	s.Stop()
	first := uint32(0)
	rewriteTuples(t, filepath.Join(s.Dir(), file), func(data []byte) {
		if first == 0 {
			first = binary.LittleEndian.Uint32(data)
		}
		binary.LittleEndian.PutUint32(data, first)
	})
	ctx := context.Background()
	d := openTest(t, attachTest(t, s.Dir(), Options{CacheDir: "none"}), "postgres")
	p, err := d.RelationByName(ctx, "public", "p")
	require.NoError(t, err)
	_, err = d.Expand(ctx, p)
	require.ErrorIs(t, err, pgfile.ErrCorrupt)
	require.ErrorContains(t, err, file+`: pg_inherits makes "p1" a partition of more than one table`)
}

// TestMissingColumnIsPlaced: an error found by comparing catalogs names the
// file that must be damaged.
func TestMissingColumnIsPlaced(t *testing.T) {
	s := pgtest.New(t, newest(), pgtest.Options{})
	s.Start()
	s.SQL("postgres", "CREATE TABLE public.t (a int, b text)")
	oid := s.QueryValue("postgres", "SELECT 't'::regclass::oid")
	file := s.QueryValue("postgres", "SELECT pg_relation_filepath('pg_attribute')")
	s.Stop()
	rewriteTuples(t, filepath.Join(s.Dir(), file), func(data []byte) {
		if fmt.Sprint(binary.LittleEndian.Uint32(data)) == oid {
			binary.LittleEndian.PutUint32(data, 1) // attrelid
		}
	})
	ctx := context.Background()
	d := openTest(t, attachTest(t, s.Dir(), Options{CacheDir: "none"}), "postgres")
	rel, err := d.RelationByName(ctx, "public", "t")
	require.NoError(t, err)
	_, _, err = d.HeapScan(ctx, rel)
	require.ErrorContains(t, err, file+`: pg_attribute does not hold column 1 of the 2 of "t" exactly once`)
	require.ErrorContains(t, err, remedyCatalog)
}
