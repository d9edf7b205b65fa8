package toast

import (
	"context"
	"crypto/md5"
	"encoding/hex"
	"fmt"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/pipescan/pipescan/fileio"
	"github.com/pipescan/pipescan/internal/pgtest"
	"github.com/pipescan/pipescan/pgfile"
)

// fill makes a table whose values take every way: plain out of line,
// compressed in place, compressed out of line, of all sizes round the chunk's;
// with chunks of aborted, deleted and updated rows among them, and enough of
// them that the index has inner pages.
const fill = `
create table t (id int4, v text) tablespace %[1]s;
alter table t alter v set storage external;
insert into t select i, repeat(md5(i::text), 200) from generate_series(1, 1500) i;
insert into t select 2000 + i, left(repeat(md5(i::text), 300), 1990 * (i / 10) + i %% 10) from generate_series(10, 49) i;
begin;
insert into t select 5000 + i, repeat(md5(i::text), 300) from generate_series(1, 100) i;
rollback;
insert into t select 2100, string_agg(md5(i::text), '') from generate_series(1, 40000) i;
delete from t where id between 100 and 300;
update t set v = v || 'more' where id between 400 and 500;
vacuum t;
insert into t select 3000 + i, repeat(md5(i::text), 190) from generate_series(1, 300) i;
alter table t alter v set storage extended;
insert into t select 6000 + i, repeat(md5(i::text), i * 50) from generate_series(1, 100) i;
insert into t select 6200 + i, (select string_agg(md5((j * i)::text), '') from generate_series(1, 100 * i) j) || repeat('x', 9000) from generate_series(1, 20) i;
delete from t where id %% 11 = 0;
`

// fillLZ4 adds values compressed by lz4, in place and out of line.
const fillLZ4 = `
alter table t alter v set compression lz4;
insert into t select 7000 + i, repeat(md5(i::text), i * 50) from generate_series(1, 100) i;
insert into t select 7200 + i, (select string_agg(md5((j * i)::text), '') from generate_series(1, 100 * i) j) || repeat('x', 9000) from generate_series(1, 20) i;
`

// blocks is a BlockReader over a relation's files.
type blocks struct{ *fileio.Relation }

func (b blocks) ReadBlock(ctx context.Context, block uint32, page []byte) error {
	if err := b.ReadBlocks(ctx, block, page); err != nil {
		return err
	}
	return pgfile.At(pgfile.ValidatePage(page), b.BlockName(block), block)
}

// TestServers reads every value of a table that each version of the server
// made, and compares it with what that server says.
func TestServers(t *testing.T) {
	for _, major := range pgtest.Versions() {
		t.Run(strconv.Itoa(major), func(t *testing.T) {
			s := pgtest.New(t, major, pgtest.Options{})
			space := s.TablespaceDir("wide")
			s.Start()
			s.SQL("postgres", "create tablespace wide location '"+space+"'")
			s.SQL("postgres", fmt.Sprintf(fill, "wide"))
			if major == 15 { // the only one built with it
				s.SQL("postgres", fillLZ4)
			}
			rows := s.Query("postgres", "select ctid, id, length(v), md5(v) from t order by id")
			heap := locate(t, s, "'t'::regclass")
			wide := locate(t, s, "(select reltoastrelid from pg_class where oid = 't'::regclass)")
			index := locate(t, s, "(select indexrelid from pg_index where indrelid = (select reltoastrelid from pg_class where oid = 't'::regclass))")
			s.Stop()

			d, err := fileio.OpenDir(s.Dir())
			require.NoError(t, err)
			defer func() { require.NoError(t, d.Close()) }()
			b, _, err := d.ReadFile("global/pg_control", 8192)
			require.NoError(t, err)
			control, err := pgfile.ParseControl(b)
			require.NoError(t, err)
			require.Equal(t, major, control.Major)
			layout := fileio.Layout{Major: control.Major, CatVersion: control.CatalogVersion, SegmentBlocks: control.SegmentBlocks}
			open := func(loc fileio.RelLocator) blocks {
				r, err := d.OpenRelation(layout, loc, fileio.Main)
				require.NoError(t, err)
				require.NoError(t, r.Changed())
				return blocks{r}
			}
			x := open(index)
			detoaster := &Detoaster{Fetcher: &RelationFetcher{
				Heap: open(wide), Index: x, HeapName: "pg_toast", IndexName: "pg_toast_index", ChunkSize: control.ToastChunkSize,
			}}
			requireLevels(t, x)
			kinds := compareRows(t, open(heap), detoaster, rows)
			want := []string{"0 false 0", "1 false 0", "2 false 0", "2 true 0"}
			if major == 15 {
				want = append(want, "1 false 1", "2 true 1")
			}
			for _, k := range want {
				require.Positive(t, kinds[k], "no value of kind %s among %v", k, kinds)
			}
		})
	}
}

// locate asks the server where a relation's files are.
func locate(t *testing.T, s *pgtest.Server, oid string) fileio.RelLocator {
	var l fileio.RelLocator
	row := s.Query("postgres", "select reltablespace, (select oid from pg_database where datname = current_database()), pg_relation_filenode(oid) from pg_class where oid = "+oid)[0]
	for i, to := range []*uint32{&l.Tablespace, &l.Database, &l.Node} {
		n, err := strconv.ParseUint(*row[i], 10, 32)
		require.NoError(t, err)
		*to = uint32(n)
	}
	return l
}

// requireLevels makes sure that the test descends at all.
func requireLevels(t *testing.T, index blocks) {
	page := make(pgfile.Page, pgfile.PageSize)
	require.NoError(t, index.ReadBlock(t.Context(), 0, page))
	meta, err := pgfile.ParseBTreeMeta(page)
	require.NoError(t, err)
	require.GreaterOrEqual(t, meta.Level, uint32(1))
}

// compareRows detoasts the value of each row the server named by its ctid. It
// counts the values by kind of varlena, whether their chunks are compressed,
// and method.
func compareRows(t *testing.T, heap blocks, d *Detoaster, rows [][]*string) map[string]int {
	plan, err := pgfile.NewDeformPlan([]pgfile.Attr{{Len: 4, Align: 'i', ByVal: true}, {Len: -1, Align: 'i'}}, []int{0, 1})
	require.NoError(t, err)
	kinds := map[string]int{}
	page := make(pgfile.Page, pgfile.PageSize)
	var dst []byte
	for _, row := range rows {
		var tid pgfile.TID
		_, err := fmt.Sscanf(*row[0], "(%d,%d)", &tid.Block, &tid.Offset)
		require.NoError(t, err)
		require.NoError(t, heap.ReadBlock(t.Context(), tid.Block, page))
		var cols [2]pgfile.Datum
		require.NoError(t, plan.Deform(page.Tuple(int(tid.Offset)), cols[:]))

		size, err := d.Size(cols[1])
		require.NoError(t, err, "id %s", *row[1])
		require.Equal(t, *row[2], strconv.Itoa(size), "id %s", *row[1])
		dst, err = d.Append(t.Context(), dst[:0], cols[1])
		require.NoError(t, err, "id %s", *row[1])
		sum := md5.Sum(dst)
		require.Equal(t, *row[3], hex.EncodeToString(sum[:]), "id %s", *row[1])

		v, err := pgfile.ParseVarlena(cols[1])
		require.NoError(t, err)
		kinds[fmt.Sprint(v.Kind, v.Pointer.Compressed() && v.Kind == pgfile.VarlenaExternal, max(v.Method, v.Pointer.Method))]++
	}
	require.Greater(t, len(rows), 1500)
	return kinds
}
