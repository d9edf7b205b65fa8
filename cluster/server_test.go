package cluster

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/pipescan/pipescan/catalog"
	"github.com/pipescan/pipescan/internal/pgtest"
)

// eachVersion runs a test for every version of PostgreSQL.
func eachVersion(t *testing.T, fn func(t *testing.T, major int)) {
	for _, v := range pgtest.Versions() {
		t.Run(strconv.Itoa(v), func(t *testing.T) { fn(t, v) })
	}
}

// attachTest attaches a directory without a cache, and detaches it at the
// test's end.
func attachTest(t *testing.T, dir string, o Options) *Cluster {
	t.Helper()
	if o.CacheDir == "" {
		o.CacheDir = "none"
	}
	c, err := Attach(context.Background(), dir, o)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, c.Close()) })
	return c
}

func openTest(t *testing.T, c *Cluster, name string) *Database {
	t.Helper()
	d, err := c.Database(context.Background(), name)
	require.NoError(t, err)
	return d
}

// trouble makes names that search paths and quoting treat differently.
const trouble = `
CREATE SCHEMA postgres;
CREATE SCHEMA "Odd ""one""";
CREATE TABLE public.t(a int PRIMARY KEY, b text);
CREATE INDEX ON public.t ((a + 1), b) WHERE a > 1;
CREATE TABLE postgres.t(a int);
CREATE TABLE "Odd ""one"""."T"(a int);
CREATE TABLE public.pg_class(a int);
CREATE TABLE public."order"(a int, "select" text);
CREATE TYPE public.int4 AS (x int, y text);
CREATE TYPE public.mood AS ENUM ('sad', 'ok');
CREATE TYPE postgres.mood AS ENUM ('other');
CREATE DOMAIN "Odd ""one""".dom AS numeric(10,2);
CREATE FUNCTION public.f(int) RETURNS int LANGUAGE sql AS 'SELECT 1';
CREATE FUNCTION public.f(text) RETURNS int LANGUAGE sql AS 'SELECT 1';
CREATE FUNCTION postgres.f(int) RETURNS int LANGUAGE sql AS 'SELECT 2';
CREATE FUNCTION public.g(public.mood, postgres.mood, int[]) RETURNS int LANGUAGE sql AS 'SELECT 1';
CREATE FUNCTION public.abs(int) RETURNS int LANGUAGE sql AS 'SELECT 1';
CREATE FUNCTION public.h() RETURNS int LANGUAGE sql AS 'SELECT 1';
CREATE FUNCTION postgres.h() RETURNS int LANGUAGE sql AS 'SELECT 1';
CREATE FUNCTION "Odd ""one""".k(VARIADIC int[]) RETURNS int LANGUAGE sql AS 'SELECT 1';
CREATE OPERATOR public.@#@ (LEFTARG = int, RIGHTARG = int, FUNCTION = int4pl);
CREATE OPERATOR postgres.@#@ (LEFTARG = int, RIGHTARG = int, FUNCTION = int4pl);
CREATE OPERATOR "Odd ""one""".#@# (RIGHTARG = int, FUNCTION = int4abs);
CREATE OPERATOR public.+ (LEFTARG = int, RIGHTARG = int, FUNCTION = int4pl);
CREATE COLLATION public.mine (provider = libc, locale = 'C');
CREATE COLLATION postgres.mine (provider = libc, locale = 'POSIX');
CREATE TEXT SEARCH CONFIGURATION public.english (COPY = pg_catalog.english);
CREATE TEXT SEARCH DICTIONARY public.simple (TEMPLATE = pg_catalog.simple);
CREATE ROLE "Strange Role";
CREATE ROLE plain;
INSERT INTO public.t SELECT g, repeat('x', 100) FROM generate_series(1, 3) g;
ALTER TABLE public.t ADD COLUMN c int DEFAULT 42, ADD COLUMN d text DEFAULT 'hello', ADD COLUMN e numeric DEFAULT 1.5, ADD COLUMN f name DEFAULT 'nm';
ALTER TABLE public.t DROP COLUMN b;
VACUUM FULL pg_catalog.pg_class; VACUUM FULL pg_attribute; VACUUM FULL pg_type; VACUUM FULL pg_proc; VACUUM FULL pg_database;
BEGIN; CREATE TABLE public.gone(a int); ALTER TABLE public.t RENAME TO renamed; ROLLBACK;
CREATE TABLE public.dropped(a int); DROP TABLE public.dropped;
`

// wideIndex makes an index whose expression lies in pg_index's TOAST table,
// which it has since 18.
const wideIndex = `DO $$ BEGIN EXECUTE format('CREATE INDEX ON public.t ((left(d || %L, 5)))', (SELECT string_agg(md5(i::text), '') FROM generate_series(1, 800) i)); END $$`

// regKinds are the reg* types and the catalogs that hold their objects.
var regKinds = []struct {
	kind  catalog.RegKind
	name  string
	table string
}{
	{catalog.RegProc, "regproc", "pg_proc"},
	{catalog.RegProcedure, "regprocedure", "pg_proc"},
	{catalog.RegOper, "regoper", "pg_operator"},
	{catalog.RegOperator, "regoperator", "pg_operator"},
	{catalog.RegClass, "regclass", "pg_class"},
	{catalog.RegType, "regtype", "pg_type"},
	{catalog.RegConfig, "regconfig", "pg_ts_config"},
	{catalog.RegDictionary, "regdictionary", "pg_ts_dict"},
	{catalog.RegNamespace, "regnamespace", "pg_namespace"},
	{catalog.RegRole, "regrole", "pg_authid"},
	{catalog.RegCollation, "regcollation", "pg_collation"},
}

// TestCatalogs holds every relation, column, type, index and name against what
// a server says about them.
func TestCatalogs(t *testing.T) {
	eachVersion(t, func(t *testing.T, major int) {
		s := pgtest.New(t, major, pgtest.Options{Checksums: true})
		s.Start()
		s.SQL("postgres", trouble)
		if major >= 18 {
			s.SQL("postgres", wideIndex)
		}
		o := s.Oracle("postgres")
		regs := map[string][][]*string{}
		for _, k := range regKinds {
			regs[k.name] = o.Query("SELECT oid, oid::" + k.name + "::text FROM pg_catalog." + k.table)
		}
		rels := o.Query(`SELECT oid, relname, relnamespace, reltype, reloftype, relowner, relam, relfilenode, reltablespace, relpages, reltuples, reltoastrelid,
			relhasindex, relisshared, relpersistence, relkind, relnatts, relispartition, relfrozenxid, relminmxid FROM pg_catalog.pg_class ORDER BY oid`)
		compression := "attcompression"
		if major < 14 {
			compression = "''::\"char\""
		}
		atts := o.Query(`SELECT attrelid, attnum, attname, atttypid, attlen, attndims, atttypmod, attbyval, attstorage, attalign, ` + compression + `, attnotnull,
			atthasdef, atthasmissing, attidentity, attgenerated, attisdropped, attislocal, attinhcount, attcollation
			FROM pg_attribute WHERE attnum > 0 ORDER BY attrelid, attnum`)
		types := o.Query(`SELECT oid, typname, typnamespace, typlen, typbyval, typtype, typcategory, typdelim, typrelid, typelem, typarray, typalign, typstorage,
			typbasetype, typtypmod, typndims, typcollation, typoutput::oid, pg_type_is_visible(oid) FROM pg_type ORDER BY oid`)
		indexes := o.Query(`SELECT indexrelid, indrelid, indnatts, indnkeyatts, indisunique, indisprimary, indisvalid, indisready, indislive, indkey, indcollation,
			indclass, indoption, coalesce(indexprs::text, ''), coalesce(indpred::text, '') FROM pg_index ORDER BY indrelid, indexrelid`)
		databases := o.Query(`SELECT oid, datname, datdba, encoding, datcollate, datctype, datistemplate, datallowconn, datconnlimit, dattablespace FROM pg_database ORDER BY datname COLLATE "C"`)
		o.Close()
		s.Stop()

		c := attachTest(t, s.Dir(), Options{})
		d := openTest(t, c, "postgres")
		ctx := context.Background()
		for _, k := range regKinds {
			for _, row := range regs[k.name] {
				text, ok, err := d.RegName(k.kind, parseOID(t, *row[0]))
				require.NoError(t, err)
				require.True(t, ok, "%s %s", k.name, *row[0])
				require.Equal(t, *row[1], text, "%s %s", k.name, *row[0])
			}
		}
		core, err := d.catalogs(ctx)
		require.NoError(t, err)
		equalRows(t, rels, core.sorted, func(r *catalog.Relation) []any {
			return []any{
				r.OID, r.Name, r.Namespace, r.RowType, r.OfType, r.Owner, r.AM, r.FileNode, r.Tablespace, r.Pages, r.Tuples, r.Toast,
				r.HasIndex, r.Shared, ch(r.Persistence), ch(r.Kind), r.Natts, r.IsPartition, r.FrozenXID, r.MinMulti,
			}
		})
		var cols []catalog.Column
		var of []catalog.OID
		for _, r := range core.sorted {
			for _, col := range r.Columns {
				cols, of = append(cols, col), append(of, r.OID)
			}
		}
		i := 0
		equalRows(t, atts, cols, func(a catalog.Column) []any {
			i++
			return []any{
				of[i-1], a.Num, a.Name, a.Type, a.Len, a.Ndims, a.Typmod, a.ByVal, ch(a.Storage), ch(a.Align), ch(a.Compression), a.NotNull, a.HasDefault,
				a.HasMissing, ch(a.Identity), ch(a.Generated), a.Dropped, a.IsLocal, a.InhCount, a.Collation,
			}
		})
		var typs []*catalog.Type
		for _, row := range types {
			typ, ok, err := d.Type(parseOID(t, *row[0]))
			require.NoError(t, err)
			require.True(t, ok)
			typs = append(typs, typ)
		}
		equalRows(t, types, typs, func(x *catalog.Type) []any {
			visible, err := d.TypeVisible(x.OID)
			require.NoError(t, err)
			return []any{
				x.OID, x.Name, x.Namespace, x.Len, x.ByVal, ch(x.Kind), ch(x.Category), ch(x.Delim), x.RelID, x.Elem, x.Array, ch(x.Align),
				ch(x.Storage), x.BaseType, x.Typmod, x.Ndims, x.Collation, x.Output, visible,
			}
		})
		var idx []catalog.Index
		for _, r := range core.sorted {
			of, err := d.Indexes(ctx, r.OID)
			require.NoError(t, err)
			idx = append(idx, of...)
		}
		equalRows(t, indexes, idx, func(x catalog.Index) []any {
			return []any{
				x.OID, x.Table, x.Natts, x.KeyNatts, x.Unique, x.Primary, x.Valid, x.Ready, x.Live, joined(x.Keys), joined(x.Collations), joined(x.Classes),
				joined(x.Options), x.Exprs, x.Predicate,
			}
		})
		dbs, err := c.Databases(ctx)
		require.NoError(t, err)
		equalRows(t, databases, dbs, func(x catalog.Database) []any {
			return []any{x.OID, x.Name, x.Owner, x.Encoding, x.Collate, x.CType, x.IsTemplate, x.AllowConn, x.ConnLimit, x.Tablespace}
		})
		require.NoError(t, c.CheckUnchanged())
	})
}

func parseOID(t *testing.T, s string) catalog.OID {
	t.Helper()
	n, err := strconv.ParseUint(s, 10, 32)
	require.NoError(t, err)
	return catalog.OID(n)
}

// ch prints a "char" as the server does.
func ch(b byte) string {
	if b == 0 {
		return ""
	}
	return string(rune(b))
}

// joined prints an oidvector or int2vector.
func joined[T any](v []T) string {
	return strings.Trim(fmt.Sprint(v), "[]")
}

// equalRows compares the rows of a query with values.
func equalRows[T any](t *testing.T, want [][]*string, got []T, fields func(T) []any) {
	t.Helper()
	require.Equal(t, len(want), len(got))
	for i, row := range want {
		values := fields(got[i])
		require.Equal(t, len(row), len(values))
		for j, v := range values {
			text := fmt.Sprint(v)
			if b, ok := v.(bool); ok {
				text = map[bool]string{true: "t", false: "f"}[b]
			}
			require.NotNil(t, row[j])
			require.Equal(t, *row[j], text, "row %d, field %d of %v", i, j, values)
		}
	}
}

// TestManyAsk looks everything up from many goroutines of a fresh database, and
// with contexts that end.
func TestManyAsk(t *testing.T) {
	s := pgtest.New(t, newest(), pgtest.Options{})
	c := attachTest(t, s.Dir(), Options{CacheDir: t.TempDir(), CacheFrom: -1})
	ended, end := context.WithCancel(context.Background())
	end()
	d := openTest(t, c, "postgres")
	_, err := d.Relations(ended)
	require.ErrorIs(t, err, context.Canceled)
	var wg sync.WaitGroup
	for range 8 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			d, err := c.Database(context.Background(), "postgres")
			if err != nil {
				t.Error(err)
				return
			}
			for _, k := range regKinds {
				if _, _, err := d.RegName(k.kind, 1259); err != nil {
					t.Error(err)
				}
			}
			if rels, err := d.Relations(context.Background()); err != nil || len(rels) < 300 {
				t.Error(len(rels), err)
			}
		}()
	}
	wg.Wait()
}
