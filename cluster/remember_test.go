package cluster

import (
	"bytes"
	"context"
	"encoding/binary"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/pipescan/pipescan/catalog"
	"github.com/pipescan/pipescan/internal/pgtest"
	"github.com/pipescan/pipescan/pgfile"
	"github.com/pipescan/pipescan/pipeline"
	"github.com/pipescan/pipescan/store"
)

// remembered counts what the store holds of a cluster's catalogs: facts that
// are found fresh.
func remembered(c *Cluster, d *Database) int {
	n := 0
	for _, oid := range []catalog.OID{oidClass, oidNamespace, oidType, oidIndex} {
		key := store.Key{Cluster: c.storeID(), Kind: store.Catalog, Database: d.info.OID, Object: oid}
		if _, ok := c.store.Get(key, c.fresh); ok {
			n++
		}
	}
	return n
}

// readAll reads four catalogs, and lists the tables of schema public.
func readAll(t *testing.T, c *Cluster) []string {
	t.Helper()
	ctx := context.Background()
	d := openTest(t, c, "postgres")
	rels, err := d.Relations(ctx)
	require.NoError(t, err)
	_, err = d.Namespaces(ctx)
	require.NoError(t, err)
	_, _, err = d.Type(catalog.Int4OID)
	require.NoError(t, err)
	_, err = d.Indexes(ctx, oidClass)
	require.NoError(t, err)
	var names []string
	for _, r := range rels {
		if r.OID >= firstUserOID && r.Kind == 'r' {
			names = append(names, r.Name)
		}
	}
	return names
}

func TestRemembersCatalogs(t *testing.T) {
	s := pgtest.New(t, newest(), pgtest.Options{Checksums: true})
	s.Start()
	s.SQL("postgres", "CREATE TABLE one(a int DEFAULT 1); INSERT INTO one VALUES (1); ALTER TABLE one ADD COLUMN b text DEFAULT 'x'")
	s.Stop()
	cache := t.TempDir()
	attach := func(o Options) *Cluster {
		o.CacheDir, o.CacheFrom = cache, -1
		return attachTest(t, s.Dir(), o)
	}
	c := attach(Options{})
	require.Equal(t, []string{"one"}, readAll(t, c))
	first := openTest(t, c, "postgres")
	require.Equal(t, 4, remembered(c, first))
	require.Empty(t, c.CacheNote())
	require.NoError(t, c.Close())

	c = attach(Options{})
	again := openTest(t, c, "postgres")
	require.Equal(t, 4, remembered(c, again), "for the next process")
	readAll(t, c)
	coreA, err := first.catalogs(context.Background())
	require.NoError(t, err)
	coreB, err := again.catalogs(context.Background())
	require.NoError(t, err)
	require.Equal(t, coreA.sorted, coreB.sorted, "the same from the store")
	require.NoError(t, c.Close())

	// A clone, with times kept, is another cluster.
	clone := filepath.Join(t.TempDir(), "clone")
	out, err := exec.Command("cp", "-a", s.Dir(), clone).CombinedOutput()
	require.NoError(t, err, string(out))
	c = attachTest(t, clone, Options{CacheDir: cache, CacheFrom: -1})
	require.Zero(t, remembered(c, openTest(t, c, "postgres")))
	readAll(t, c)
	require.NoError(t, c.Close())

	// What a server does makes all of it stale.
	s.Start()
	s.SQL("postgres", "CREATE TABLE two(a int)")
	s.Stop()
	c = attach(Options{})
	require.Zero(t, remembered(c, openTest(t, c, "postgres")))
	require.Equal(t, []string{"one", "two"}, readAll(t, c))
	require.NoError(t, c.Close())

	// The older copy put back into the same place, with the same times.
	out, err = exec.Command("sh", "-c", `rm -rf "$1"/* && cp -a "$0"/. "$1"`, clone, s.Dir()).CombinedOutput()
	require.NoError(t, err, string(out))
	c = attach(Options{})
	require.Equal(t, []string{"one"}, readAll(t, c))

	// Nothing is remembered over damage that is passed over, unverified, or unclean.
	require.False(t, attach(Options{OnLoss: (&lossList{}).add}).mayRemember())
	require.False(t, attach(Options{Checksums: ChecksumsOff}).mayRemember())
	require.NoError(t, os.WriteFile(filepath.Join(s.Dir(), "standby.signal"), nil, 0o600))
	require.False(t, attach(Options{AllowUnclean: true}).mayRemember())
}

// TestCommitPrepared changes rows without a byte of their file changing.
func TestCommitPrepared(t *testing.T) {
	s := pgtest.New(t, newest(), pgtest.Options{})
	s.Start()
	s.SQL("postgres", "CREATE TABLE one(a int); BEGIN; CREATE TABLE two(a int); PREPARE TRANSACTION 'p'")
	s.Stop()
	cache := t.TempDir()
	o := Options{CacheDir: cache, CacheFrom: -1}
	c := attachTest(t, s.Dir(), o)
	require.Equal(t, []string{"one"}, readAll(t, c))
	require.Zero(t, remembered(c, openTest(t, c, "postgres")), "its truth depends on a prepared transaction")
	require.NoError(t, c.Close())
	s.Start()
	s.SQL("postgres", "COMMIT PREPARED 'p'")
	s.Stop()
	c = attachTest(t, s.Dir(), o)
	require.Equal(t, []string{"one", "two"}, readAll(t, c))
}

// TestSmallCatalogsOpenNoCache leaves the cache alone where it does not pay.
func TestSmallCatalogsOpenNoCache(t *testing.T) {
	s := pgtest.New(t, newest(), pgtest.Options{})
	cache := filepath.Join(t.TempDir(), "cache")
	readAll(t, attachTest(t, s.Dir(), Options{CacheDir: cache}))
	_, err := os.Stat(cache)
	require.ErrorIs(t, err, os.ErrNotExist)
}

// TestVM imports a visibility map and reads it back from the store.
func TestVM(t *testing.T) {
	s := pgtest.New(t, newest(), pgtest.Options{Checksums: true})
	s.Start()
	s.SQL("postgres", "CREATE TABLE t(a int, b text); INSERT INTO t SELECT g, repeat('x', 500) FROM generate_series(1, 1000) g; VACUUM (FREEZE) t; "+
		"DELETE FROM t WHERE a = 1; CREATE TABLE none(a int)")
	vm := filepath.Join(s.Dir(), s.QueryValue("postgres", "SELECT pg_relation_filepath('t')")+"_vm")
	s.Stop()
	cache := t.TempDir()
	ctx := context.Background()
	for _, from := range []string{"file", "store"} {
		c := attachTest(t, s.Dir(), Options{CacheDir: cache, CacheFrom: -1})
		d := openTest(t, c, "postgres")
		rel, err := d.RelationByName(ctx, "public", "t")
		require.NoError(t, err)
		m, err := d.VM(ctx, rel)
		require.NoError(t, err, from)
		require.Zero(t, m.Bits(0), "a row of block 0 was deleted")
		require.Equal(t, pgfile.VMAllVisible|pgfile.VMAllFrozen, m.Bits(1))
		require.Zero(t, m.Bits(100_000_000))
		key := m.(*visibilityMap).key
		_, ok := c.store.Get(key, c.fresh)
		require.True(t, ok)
		none, err := d.RelationByName(ctx, "public", "none")
		require.NoError(t, err)
		m, err = d.VM(ctx, none)
		require.NoError(t, err)
		require.Nil(t, m)
		require.NoError(t, c.Close())
	}
	b, err := os.ReadFile(vm)
	require.NoError(t, err)
	b[100]++
	require.NoError(t, os.WriteFile(vm, b, 0o600))
	d := openTest(t, attachTest(t, s.Dir(), Options{CacheDir: cache, CacheFrom: -1}), "postgres")
	rel, err := d.RelationByName(ctx, "public", "t")
	require.NoError(t, err)
	_, err = d.VM(ctx, rel)
	require.ErrorIs(t, err, pgfile.ErrCorrupt)
	require.NoError(t, os.WriteFile(filepath.Join(s.Dir(), "standby.signal"), nil, 0o600))
	d = openTest(t, attachTest(t, s.Dir(), Options{AllowUnclean: true}), "postgres")
	m, err := d.VM(ctx, rel)
	require.NoError(t, err)
	require.Nil(t, m, "not to be trusted")
}

// TestHeapScan scans a table with what the catalogs add to its pages: missing
// values, dropped columns, wide values; and an unlogged one of an unclean
// cluster.
func TestHeapScan(t *testing.T) {
	s := pgtest.New(t, newest(), pgtest.Options{})
	s.Start()
	s.SQL("postgres", `CREATE TABLE t(gone int, a int); INSERT INTO t VALUES (7, 1);
		ALTER TABLE t ADD COLUMN b text DEFAULT 'missing', ADD COLUMN c float8 DEFAULT 2.5, ADD COLUMN d name DEFAULT 'nm', DROP COLUMN gone;
		INSERT INTO t VALUES (2, repeat('abc', 100000), 3);
		CREATE UNLOGGED TABLE u(a int); INSERT INTO u VALUES (1); CHECKPOINT`)
	scan := func(c *Cluster, name string) [][]string {
		ctx := context.Background()
		d := openTest(t, c, "postgres")
		rel, err := d.RelationByName(ctx, "public", name)
		require.NoError(t, err)
		hs, file, err := d.HeapScan(ctx, rel)
		require.NoError(t, err)
		defer func() { require.NoError(t, file.Close()) }()
		lanes, _, err := hs.Lanes(1, false)
		require.NoError(t, err)
		var rows [][]string
		for b, err := range pipeline.Run(ctx, pipeline.Options{}, lanes) {
			require.NoError(t, err)
			for i := range b.Rows() {
				var row []string
				for j := range b.Cols {
					v, _ := b.Cols[j].Value(i)
					row = append(row, string(v))
				}
				rows = append(rows, row)
			}
		}
		return rows
	}
	s.Kill()
	require.Empty(t, scan(attachTest(t, s.Dir(), Options{AllowUnclean: true}), "u"))
	s.Start()
	s.SQL("postgres", "INSERT INTO u VALUES (5)")
	s.Stop()
	c := attachTest(t, s.Dir(), Options{})
	require.Len(t, scan(c, "u"), 1)
	rows := scan(c, "t")
	require.Len(t, rows, 2)
	float := func(bits uint64) string { return string(binary.LittleEndian.AppendUint64(nil, bits)) }
	name := func(s string) string { return s + string(make([]byte, 64-len(s))) }
	require.Equal(t, []string{"\x01\x00\x00\x00", "missing", float(0x4004000000000000), name("nm")}, rows[0])
	require.Equal(t, []string{"\x02\x00\x00\x00", string(bytes.Repeat([]byte("abc"), 100000)), float(0x4008000000000000), name("nm")}, rows[1])
}

// FuzzMissingValue feeds arrays that no server wrote.
func FuzzMissingValue(f *testing.F) {
	one := []byte{1, 0, 0, 0, 0, 0, 0, 0, 23, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0}
	f.Add(append(one[:20:20], 42, 0, 0, 0), int16(4))
	f.Add(append(one[:20:20], 9, 'x', 'y', 'z'), int16(-1))
	f.Add(append(one[:20:20], 'x', 0), int16(-2))
	f.Add([]byte{}, int16(8))
	f.Fuzz(func(t *testing.T, b []byte, attlen int16) {
		v, err := missingValue(b, attlen)
		if err == nil && attlen > 0 {
			require.Len(t, v, int(attlen))
		}
		require.LessOrEqual(t, len(v), len(b))
	})
}
