package tests

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/pipescan/pipescan/internal/pgtest"
)

// damagesPerCluster times two clusters (with and without checksums) times six versions is the number of damages of a full run: 204.
const damagesPerCluster = 17

const (
	pageSize = 8192
	// damageLimit is how long a run on a damaged cluster may take, and damageMemoryKB how much memory it may hold: --memory's 64 MB, the
	// program itself and what the collector has not taken back yet.
	damageLimit    = 10 * time.Second
	damageMemoryKB = 300 << 10
)

const damageScript = `
	CREATE TABLE plain (a int, b text, c numeric, d timestamptz); INSERT INTO plain SELECT i, 'row ' || i, i * 1.5, '2020-01-01'::timestamptz + i * interval '1 hour' FROM generate_series(1, 2000) i;
	DELETE FROM plain WHERE a % 5 = 0; BEGIN; DELETE FROM plain WHERE a % 7 = 0; ROLLBACK; UPDATE plain SET b = NULL WHERE a % 11 = 0;
	CREATE TABLE wide (a int, b text, c jsonb, d int[]); INSERT INTO wide SELECT i, (SELECT string_agg(md5((i * k)::text), '') FROM generate_series(1, 200) k), jsonb_build_object('k', repeat('v', 3000), 'n', i), ARRAY[i, NULL, i] FROM generate_series(1, 60) i;
	CREATE TABLE vacuumed (a int); INSERT INTO vacuumed SELECT generate_series(1, 3000); VACUUM FREEZE vacuumed;
	CREATE TYPE mood AS ENUM ('a', 'b'); CREATE TABLE enums (a mood, b mood[]); INSERT INTO enums VALUES ('a', '{b,a}');
	CREATE SEQUENCE seq; SELECT nextval('seq');`

// A damagedCluster is a stopped cluster that is damaged and repaired over and over.
type damagedCluster struct {
	*pgtest.Server
	pristine map[string][]byte // COPY text of each table
	targets  []string          // files worth damaging, from the data directory
}

// TestDamage does 204 seeded damages to clusters: the dump must give the undamaged rows, or the rows of a server that starts on the
// damaged copy, or a typed error; and never crash, hang or swell.
func TestDamage(t *testing.T) {
	eachVersion(t, func(t *testing.T, major int) {
		for _, checksums := range []bool{true, false} {
			c := newDamagedCluster(t, major, checksums)
			for i := range damagesPerCluster {
				seed := uint64(major)<<32 | uint64(i)<<1
				if checksums {
					seed |= 1
				}
				c.damageOnce(t, rand.New(rand.NewPCG(seed, 1)), fmt.Sprintf("version %d, checksums %v, damage %d", major, checksums, i))
			}
		}
	})
}

func newDamagedCluster(t *testing.T, major int, checksums bool) *damagedCluster {
	t.Helper()
	c := &damagedCluster{Server: pgtest.New(t, major, pgtest.Options{Checksums: checksums}), pristine: map[string][]byte{}}
	c.Start()
	c.SQL("postgres", damageScript)
	fillRowLocks(t, c.Server, "postgres")
	c.SQL("postgres", "BEGIN; INSERT INTO plain VALUES (-1); SAVEPOINT s; DELETE FROM plain WHERE a = 1; PREPARE TRANSACTION 'p'")
	for _, row := range c.Query("postgres", `SELECT pg_relation_filepath(c.oid) FROM pg_class c WHERE relkind IN ('r', 't', 'S', 'i')
		AND (relnamespace = 'public'::regnamespace OR relname ~ '^pg_(class|attribute|type|namespace|enum|database|index|tablespace|authid|proc|statistic|toast_.*)$') AND pg_relation_size(c.oid) > 0`) {
		c.targets = append(c.targets, *row[0])
	}
	c.targets = append(c.targets, c.QueryValue("postgres", "SELECT pg_relation_filepath('vacuumed') || '_vm'"))
	o := c.Oracle("postgres")
	for _, r := range relations(c.Server, "postgres") {
		c.pristine[r.String()] = o.Copy(r.sql())
	}
	c.Stop()
	for _, pattern := range []string{"pg_xact/*", "pg_multixact/*/*", "pg_twophase/*", "global/pg_control", "global/pg_filenode.map", "PG_VERSION", "base/*/pg_filenode.map", "base/*/PG_VERSION"} {
		found, err := filepath.Glob(filepath.Join(c.Dir(), pattern))
		require.NoError(t, err)
		for _, f := range found {
			rel, err := filepath.Rel(c.Dir(), f)
			require.NoError(t, err)
			// Small files are few beside the tables; they get their share by being listed thrice.
			c.targets = append(c.targets, rel, rel, rel)
		}
	}
	require.Greater(t, len(c.targets), 30)
	return c
}

// damageOnce damages one file, judges a dump, and repairs the file.
func (c *damagedCluster) damageOnce(t *testing.T, rnd *rand.Rand, what string) {
	t.Helper()
	target := c.targets[rnd.IntN(len(c.targets))]
	path := filepath.Join(c.Dir(), target)
	sound := fileBytes(t, path)
	damaged, how := damage(rnd, sound)
	what = fmt.Sprintf("%s: %s: %s", what, target, how)
	require.NoError(t, os.WriteFile(path, damaged, 0o600))
	defer func() { require.NoError(t, os.WriteFile(path, sound, 0o600)) }()

	out := t.TempDir()
	args := []string{"dump", "-D", c.Dir(), "--cache", "none", "--memory", "64MB", "--catalogs", "-d", "postgres"}
	r := run(t, append(args, "-o", out)...)
	checkCost(t, what, r)
	if r.code == 1 || r.code == 2 {
		t.Errorf("%s: exit %d is not a typed error: %s", what, r.code, tail(r.stderr))
	}
	if r.code == 0 || r.code == exitFailed || r.code == exitLosses {
		c.judge(t, what, out)
	}
	r = run(t, append(args, "--on-corruption", "skip", "-o", t.TempDir())...)
	checkCost(t, what+" (skip)", r)
}

func checkCost(t *testing.T, what string, r result) {
	t.Helper()
	if r.took > damageLimit {
		t.Errorf("%s: took %v", what, r.took)
	}
	if r.peakKB > damageMemoryKB {
		t.Errorf("%s: %d MB of memory", what, r.peakKB>>10)
	}
}

// judge compares the tables that were dumped without an error, first with the undamaged rows and only then with a server's.
func (c *damagedCluster) judge(t *testing.T, what, out string) {
	t.Helper()
	differ := map[string][]byte{}
	for name, d := range readManifest(t, out)["postgres"] {
		if d.Error != "" {
			continue
		}
		if d.problem != "" {
			t.Errorf("%s: %s: %s", what, name, d.problem)
		} else if string(c.pristine[name]) != string(d.raw) {
			differ[name] = d.raw
		}
	}
	if len(differ) == 0 {
		return
	}
	judge := c.Clone(t)
	// The server looks names up through the catalogs' indexes, which still point to where rows were before the damage.
	judge.AppendConf("ignore_system_indexes = on\n")
	if !judge.TryStart() {
		return // no server can say what the rows are
	}
	defer judge.Kill()
	for name, got := range differ {
		schema, table, _ := strings.Cut(name, ".")
		want, err := judge.TryOracleCopy("postgres", qualified(schema, table))
		if err != nil {
			continue
		}
		for _, d := range differences(nil, got, want, 2) {
			t.Errorf("%s: %s: neither the undamaged rows nor the server's: %s", what, name, d)
		}
	}
}

// damage returns damaged bytes and says what was done to them.
func damage(rnd *rand.Rand, sound []byte) ([]byte, string) {
	b := append([]byte(nil), sound...)
	pages := len(b) / pageSize
	if len(b) == 0 {
		return []byte{byte(rnd.Uint32())}, "a byte where there was none"
	}
	page := func() int { return rnd.IntN(max(pages, 1)) * pageSize }
	switch kind := rnd.IntN(10); {
	case kind < 3:
		at := spot(rnd, b, page())
		b[at] ^= 1 << rnd.IntN(8)
		return b, fmt.Sprintf("bit flipped at %d", at)
	case kind == 3:
		at := spot(rnd, b, page())
		n := min(len(b)-at, 1+rnd.IntN(8))
		for i := range n {
			b[at+i] = byte(rnd.Uint32())
		}
		return b, fmt.Sprintf("%d bytes at %d", n, at)
	case kind == 4 && pages > 0:
		at := page()
		clear(b[at : at+pageSize])
		return b, fmt.Sprintf("page at %d zeroed", at)
	case kind == 5 && pages > 1:
		x, y := page(), page()
		if x == y {
			y = (x + pageSize) % (pages * pageSize)
		}
		copy(b[x:x+pageSize], sound[y:y+pageSize])
		copy(b[y:y+pageSize], sound[x:x+pageSize])
		return b, fmt.Sprintf("pages at %d and %d swapped", x, y)
	case kind == 6:
		n := rnd.IntN(len(b))
		return b[:n], fmt.Sprintf("truncated from %d to %d", len(b), n)
	case kind == 7 && pages > 0:
		n := rnd.IntN(pages) * pageSize
		return b[:n], fmt.Sprintf("truncated from %d to %d", len(b), n)
	case kind == 8:
		at := spot(rnd, b, page())
		return append(append(append([]byte(nil), b[:at]...), "\x01\x02\x03\x04\x05\x06"...), b[at:]...), fmt.Sprintf("6 bytes inserted at %d", at)
	default:
		at := page()
		n := min(len(b)-at, pageSize)
		for i := range n {
			b[at+i] = byte(rnd.Uint32())
		}
		return b, fmt.Sprintf("%d bytes of noise at %d", n, at)
	}
}

// spot picks an offset at or after page, mostly in page header, line pointers or tuple headers.
func spot(rnd *rand.Rand, b []byte, page int) int {
	reach := []int{24, 64, 400, pageSize}[rnd.IntN(4)]
	return min(page+rnd.IntN(reach), len(b)-1)
}
