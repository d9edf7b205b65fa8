package cluster

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/pipescan/pipescan/catalog"
	"github.com/pipescan/pipescan/internal/pgtest"
	"github.com/pipescan/pipescan/pipeline"
)

// countRows counts a table's rows.
func countRows(t *testing.T, d *Database, rel *catalog.Relation) int {
	t.Helper()
	ctx := context.Background()
	hs, file, err := d.HeapScan(ctx, rel)
	require.NoError(t, err)
	defer func() { require.NoError(t, file.Close()) }()
	lanes, _, err := hs.Lanes(1, false)
	require.NoError(t, err)
	n := 0
	for b, err := range pipeline.Run(ctx, pipeline.Options{}, lanes) {
		require.NoError(t, err)
		n += b.Rows()
	}
	return n
}

// TestTablespaces finds relations of every combination of a database's default
// tablespace with a relation's own.
func TestTablespaces(t *testing.T) {
	eachVersion(t, func(t *testing.T, major int) {
		s := pgtest.New(t, major, pgtest.Options{})
		s.Start()
		s.SQL("postgres", "CREATE TABLESPACE ts LOCATION '"+s.TablespaceDir("ts")+"'; CREATE DATABASE away TABLESPACE ts; "+
			"CREATE TABLE t(a int) TABLESPACE ts; INSERT INTO t VALUES (1)")
		s.SQL("away", "CREATE TABLE home(a int); INSERT INTO home VALUES (1), (2); CREATE TABLE back(a int) TABLESPACE pg_default; INSERT INTO back VALUES (1), (2), (3); "+
			"VACUUM FULL pg_class")
		spaces := []string{"pg_default", "pg_global", "ts"}
		inPlace := major >= 15
		if inPlace {
			s.SQL("postgres", "SET allow_in_place_tablespaces = on; CREATE TABLESPACE here LOCATION ''; CREATE TABLE h(a int) TABLESPACE here; INSERT INTO h VALUES (1), (2), (3), (4)")
			spaces = []string{"here", "pg_default", "pg_global", "ts"}
		}
		s.Stop()
		c := attachTest(t, s.Dir(), Options{})
		check := func(db, table string, want int) {
			d := openTest(t, c, db)
			rel, err := d.RelationByName(context.Background(), "public", table)
			require.NoError(t, err)
			require.Equal(t, want, countRows(t, d, rel), table)
			class, ok, err := d.Relation(oidDatabase)
			require.NoError(t, err)
			require.True(t, ok)
			require.GreaterOrEqual(t, countRows(t, d, class), 4, "a shared catalog, from any database")
		}
		check("postgres", "t", 1)
		check("away", "home", 2)
		check("away", "back", 3)
		if inPlace {
			check("postgres", "h", 4)
		}
		all, err := c.Tablespaces(context.Background())
		require.NoError(t, err)
		var names []string
		for _, ts := range all {
			names = append(names, ts.Name)
		}
		require.Equal(t, spaces, names)
	})
}

// TestDetachingPartition leaves out a partition whose DETACH CONCURRENTLY was
// broken off, as a server does.
func TestDetachingPartition(t *testing.T) {
	s := pgtest.New(t, newest(), pgtest.Options{})
	s.Start()
	s.SQL("postgres", `CREATE TABLE p(a int) PARTITION BY LIST (a); CREATE TABLE p2 PARTITION OF p FOR VALUES IN (2); CREATE TABLE p1 PARTITION OF p FOR VALUES IN (1);
		CREATE TABLE lang(a text COLLATE "en-x-icu") PARTITION BY LIST (a); CREATE TABLE lang2 PARTITION OF lang FOR VALUES IN ('b'); CREATE TABLE lang1 PARTITION OF lang FOR VALUES IN ('a')`)
	holder, detacher := s.Conn("postgres"), s.Conn("postgres")
	s.RunOn(holder, "BEGIN; SELECT * FROM p")
	s.RunOn(detacher, "SET lock_timeout = '300ms'")
	_, err := detacher.Exec(context.Background(), "ALTER TABLE p DETACH PARTITION p1 CONCURRENTLY")
	require.Error(t, err, "the other session holds it up")
	s.RunOn(holder, "COMMIT")
	s.Stop()
	var warned []string
	d := openTest(t, attachTest(t, s.Dir(), Options{Warn: func(m string) { warned = append(warned, m) }}), "postgres")
	expand := func(name string) (names []string) {
		rel, err := d.RelationByName(context.Background(), "public", name)
		require.NoError(t, err)
		parts, err := d.Expand(context.Background(), rel)
		require.NoError(t, err)
		for _, p := range parts {
			names = append(names, p.Name)
		}
		return names
	}
	require.Equal(t, []string{"p2"}, expand("p"))
	require.Empty(t, warned)
	require.Equal(t, []string{"lang2", "lang1"}, expand("lang"), "by OID")
	require.Len(t, warned, 1)
	require.Contains(t, warned[0], `partitions of "lang"`)
}
