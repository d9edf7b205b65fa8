package pipescan_test

import (
	"context"
	"errors"
	"os"
	"testing"

	"github.com/panjf2000/ants/v2"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/pipescan/pipescan"
	"github.com/pipescan/pipescan/internal/pgtest"
	"github.com/pipescan/pipescan/pipeline"
)

func TestMain(m *testing.M) {
	ants.Release() // its default pool keeps two goroutines
	goleak.VerifyTestMain(m, goleak.IgnoreCurrent())
}

// fixture is a stopped cluster with a table of many pages, one of wide values,
// and a partitioned one.
func fixture(t *testing.T) *pgtest.Server {
	t.Helper()
	s := pgtest.New(t, 15, pgtest.Options{})
	s.Start()
	s.SQL("postgres", `
		CREATE TABLE many (id int, half float8, note text);
		INSERT INTO many SELECT i, i / 2.0, CASE WHEN i % 3 = 0 THEN NULL ELSE 'n' || i END FROM generate_series(1, 60000) i;
		DELETE FROM many WHERE id % 5 = 0;
		CREATE TABLE wide (id int, big text);
		ALTER TABLE wide ALTER big SET STORAGE EXTERNAL;
		INSERT INTO wide SELECT i, repeat(md5(i::text), 2000) FROM generate_series(1, 50) i;
		CREATE TABLE parts (a int, b text) PARTITION BY LIST (a);
		CREATE TABLE parts_2 PARTITION OF parts FOR VALUES IN (1);
		CREATE TABLE parts_1 (b text, a int);
		ALTER TABLE parts ATTACH PARTITION parts_1 FOR VALUES IN (2);
		INSERT INTO parts VALUES (2, 'two'), (1, 'one');`)
	s.Stop()
	return s
}

// open opens a directory without a cache.
func open(t *testing.T, dir string, o pipescan.Options) *pipescan.DB {
	t.Helper()
	o.CacheDir = "none"
	db, err := pipescan.Open(context.Background(), dir, o)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	return db
}

// tableOf finds a table.
func tableOf(t *testing.T, db *pipescan.DB, name string) *pipescan.Table {
	t.Helper()
	table, err := db.Table(context.Background(), name)
	require.NoError(t, err)
	return table
}

// texts scans and returns each row's columns as text, joined by |.
func texts(t *testing.T, table *pipescan.Table, r pipescan.Request) []string {
	t.Helper()
	scan, err := table.Scan(context.Background(), r)
	require.NoError(t, err)
	var out []string
	for row, err := range scan.Rows() {
		require.NoError(t, err)
		line := ""
		for i := range row.Len() {
			text, ok, err := row.Text(i)
			require.NoError(t, err)
			require.Equal(t, !ok, row.IsNull(i))
			if i > 0 {
				line += "|"
			}
			line += text
		}
		out = append(out, line)
	}
	require.Equal(t, int64(len(out)), scan.Stats().Rows)
	return out
}

func TestScan(t *testing.T) {
	db := open(t, fixture(t).Dir(), pipescan.Options{Workers: 4})
	t.Run("configurations", func(t *testing.T) { testConfigurations(t, db) })
	t.Run("limits", func(t *testing.T) { testLimits(t, db) })
	t.Run("values", func(t *testing.T) { testValues(t, db) })
	t.Run("partitions", func(t *testing.T) { testPartitions(t, db) })
	t.Run("stages", func(t *testing.T) { testStages(t, db) })
	t.Run("stops", func(t *testing.T) { testStops(t, db) })
	t.Run("use", func(t *testing.T) { testUse(t, db) })
}

// testConfigurations scans in every topology, with lanes and batch sizes, and
// wants the same rows each time.
func testConfigurations(t *testing.T, db *pipescan.DB) {
	many := tableOf(t, db, "many")
	want := texts(t, many, pipescan.Request{})
	require.Len(t, want, 48000)
	require.Equal(t, "1|0.5|n1", want[0])
	backward := texts(t, many, pipescan.Request{Order: pipescan.OrderBackward, Lanes: 3})
	for i := range want {
		require.Equal(t, want[i], backward[len(want)-1-i])
	}
	for _, topology := range []pipescan.Topology{pipescan.Fused, pipescan.Actors, pipescan.Pulled} {
		for lanes := 1; lanes <= 4; lanes++ {
			for _, pages := range []int{1, 3, 32} {
				for _, io := range []pipescan.IOOptions{{Method: pipescan.IOMmap}, {Method: pipescan.IOPread}} {
					r := pipescan.Request{Topology: topology, Lanes: lanes, BatchPages: pages, IO: io}
					require.Equal(t, want, texts(t, many, r), "%+v", r)
					r.Order = pipescan.OrderAny
					require.ElementsMatch(t, want[:100], first(texts(t, many, r), want[:100]), "%+v", r)
					n, err := many.Count(context.Background(), r)
					require.NoError(t, err)
					require.Equal(t, int64(len(want)), n)
				}
			}
		}
	}
}

// first picks from rows those that are among some.
func first(rows, some []string) []string {
	in := map[string]bool{}
	for _, s := range some {
		in[s] = true
	}
	var out []string
	for _, r := range rows {
		if in[r] {
			out = append(out, r)
		}
	}
	return out
}

func testLimits(t *testing.T, db *pipescan.DB) {
	many := tableOf(t, db, "many")
	all := texts(t, many, pipescan.Request{Columns: []string{"id"}})
	for _, c := range []struct{ offset, limit int }{{0, 0}, {0, 1}, {5, 3}, {0, 1000}, {20000, 5000}, {47990, 100}, {50000, 5}} {
		limit := int64(c.limit)
		r := pipescan.Request{Columns: []string{"id"}, Offset: int64(c.offset), Limit: &limit, Lanes: 2}
		from := min(c.offset, len(all))
		want := append([]string(nil), all[from:min(from+c.limit, len(all))]...)
		require.Equal(t, want, texts(t, many, r), "%+v", c)
		n, err := many.Count(context.Background(), r)
		require.NoError(t, err)
		require.Equal(t, int64(len(want)), n)
	}
	minus := int64(-1)
	_, err := many.Scan(context.Background(), pipescan.Request{Limit: &minus})
	require.Error(t, err)
}

func testValues(t *testing.T, db *pipescan.DB) {
	scan, err := tableOf(t, db, "many").Scan(context.Background(), pipescan.Request{Columns: []string{"ctid", "*", "id"}})
	require.NoError(t, err)
	require.Equal(t, []string{"ctid", "id", "half", "note", "id"}, scan.Schema().Names())
	for row, err := range scan.Rows() {
		require.NoError(t, err)
		id, err := row.Value(1)
		require.NoError(t, err)
		require.Equal(t, int32(1), id)
		half, err := row.Value(2)
		require.NoError(t, err)
		require.InDelta(t, 0.5, half, 0)
		note, err := row.Value(3)
		require.NoError(t, err)
		require.Equal(t, "n1", note)
		break
	}
	for _, err := range scan.Rows() {
		require.Error(t, err, "a scan is iterated once")
	}
	wide := texts(t, tableOf(t, db, "wide"), pipescan.Request{Lanes: 2})
	require.Len(t, wide, 50)
	require.Len(t, wide[49], 64003)
}

func testPartitions(t *testing.T, db *pipescan.DB) {
	parts := tableOf(t, db, "parts")
	require.Empty(t, texts(t, parts, pipescan.Request{}))
	require.Equal(t, []string{"1|one", "2|two"}, texts(t, parts, pipescan.Request{Descend: true}))
	require.Empty(t, texts(t, tableOf(t, db, "ONLY parts"), pipescan.Request{Descend: true}))
	n, err := parts.Count(context.Background(), pipescan.Request{Descend: true})
	require.NoError(t, err)
	require.Equal(t, int64(2), n)
}

// stageFunc is a stage of one function.
type stageFunc func(b *pipescan.Batch, emit pipeline.Emit[*pipescan.Batch]) error

func (f stageFunc) Process(_ context.Context, b *pipescan.Batch, emit pipeline.Emit[*pipescan.Batch]) error {
	return f(b, emit)
}

func (f stageFunc) Flush(context.Context, pipeline.Emit[*pipescan.Batch]) error { return nil }

// spec makes a StageSpec of f.
func spec(serial bool, f stageFunc) pipescan.StageSpec {
	return pipescan.StageSpec{Name: "test", Serial: serial, New: func(pipescan.Lane) (pipescan.Stage, error) { return f, nil }}
}

func testStages(t *testing.T, db *pipescan.DB) {
	many := tableOf(t, db, "many")
	odd := func(b *pipescan.Batch, emit pipeline.Emit[*pipescan.Batch]) error {
		ids := b.Cols[0].Int32s()
		b.Select(func(row int) bool { return ids[row]%2 == 1 })
		return emit(b)
	}
	boom := errors.New("boom")
	for _, serial := range []bool{false, true} {
		r := pipescan.Request{Lanes: 2, Columns: []string{"id"}, Stages: []pipescan.StageSpec{spec(serial, odd)}}
		require.Len(t, texts(t, many, r), 24000)
		stop := spec(serial, func(b *pipescan.Batch, _ pipeline.Emit[*pipescan.Batch]) error {
			b.Release()
			return pipeline.ErrStop
		})
		require.Empty(t, texts(t, many, pipescan.Request{Lanes: 2, Stages: []pipescan.StageSpec{stop}}))
		fail := spec(serial, func(b *pipescan.Batch, _ pipeline.Emit[*pipescan.Batch]) error {
			b.Release()
			return boom
		})
		require.ErrorIs(t, lastError(t, many, pipescan.Request{Lanes: 2, Stages: []pipescan.StageSpec{fail}}), boom)
	}
	panics := spec(false, func(*pipescan.Batch, pipeline.Emit[*pipescan.Batch]) error { panic("boom") })
	var p *pipeline.PanicError
	require.ErrorAs(t, lastError(t, many, pipescan.Request{Lanes: 2, Stages: []pipescan.StageSpec{panics}}), &p)
}

// lastError scans and returns the error that ends the iteration.
func lastError(t *testing.T, table *pipescan.Table, r pipescan.Request) error {
	t.Helper()
	scan, err := table.Scan(context.Background(), r)
	require.NoError(t, err)
	for b, err := range scan.Batches() {
		if err != nil {
			require.Nil(t, b)
			return err
		}
	}
	return nil
}

func testStops(t *testing.T, db *pipescan.DB) {
	many := tableOf(t, db, "many")
	for _, topology := range []pipescan.Topology{pipescan.Fused, pipescan.Actors, pipescan.Pulled} {
		r := pipescan.Request{Topology: topology, Lanes: 3, BatchPages: 1}
		scan, err := many.Scan(context.Background(), r)
		require.NoError(t, err)
		var kept *pipescan.Batch
		for b, err := range scan.Batches() {
			require.NoError(t, err)
			b.Retain()
			kept = b
			break
		}
		require.Equal(t, int32(1), kept.Cols[0].Int32s()[0], "a retained batch outlives the scan")
		kept.Release()

		ctx, cancel := context.WithCancel(context.Background())
		scan, err = many.Scan(ctx, r)
		require.NoError(t, err)
		var last error
		for _, err := range scan.Batches() {
			cancel()
			last = err
		}
		require.ErrorIs(t, last, context.Canceled)
		cancel()
	}
}

func testUse(t *testing.T, db *pipescan.DB) {
	ctx := context.Background()
	other, err := db.Use(ctx, "template1")
	require.NoError(t, err)
	require.Equal(t, "template1", other.Name())
	_, err = other.Table(ctx, "many")
	require.ErrorIs(t, err, pipescan.ErrNotFound)
	require.NoError(t, other.Close(), "closing it leaves the first one open")
	require.Len(t, texts(t, tableOf(t, db, "wide"), pipescan.Request{Columns: []string{"id"}}), 50)
	_, err = db.Use(ctx, "nowhere")
	require.ErrorIs(t, err, pipescan.ErrNotFound)
	tables, err := db.Tables(ctx, pipescan.TableFilter{Pattern: "public.[mw]*"})
	require.NoError(t, err)
	require.Len(t, tables, 2)
	require.Equal(t, "public.many", tables[0].Name())
}

func TestChangedUnderTheScan(t *testing.T) {
	s := fixture(t)
	db := open(t, s.Dir(), pipescan.Options{})
	many := tableOf(t, db, "many")
	rel, err := many.Open(context.Background())
	require.NoError(t, err)
	file := s.Dir() + "/" + rel.BlockName(0)
	require.NoError(t, rel.Close())
	for _, io := range []pipescan.IOOptions{{Method: pipescan.IOMmap}, {Method: pipescan.IOPread}} {
		st, err := os.Stat(file)
		require.NoError(t, err)
		scan, err := many.Scan(context.Background(), pipescan.Request{BatchPages: 1, IO: io})
		require.NoError(t, err)
		var last error
		for b, err := range scan.Batches() {
			if last = err; err == nil && b.Seq == 0 {
				require.NoError(t, os.Truncate(file, st.Size()-8192))
			}
		}
		require.ErrorIs(t, last, pipescan.ErrChanged)
	}
}
