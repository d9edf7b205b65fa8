package cluster

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/pipescan/pipescan/catalog"
	"github.com/pipescan/pipescan/fileio"
	"github.com/pipescan/pipescan/internal/pgtest"
	"github.com/pipescan/pipescan/pgfile"
)

// TestDamagedCatalogs damages the files that a database is found through. The
// catalogs are read, or a typed error says why not; nothing panics or hangs.
func TestDamagedCatalogs(t *testing.T) {
	s := pgtest.New(t, newest(), pgtest.Options{})
	s.Start()
	s.SQL("postgres", trouble)
	s.SQL("postgres", "CREATE SCHEMA trees; SET search_path = trees; "+trees)
	files := []string{"global/pg_control", "global/pg_filenode.map", "pg_xact/0000", "pg_multixact/offsets/0000"}
	for _, rel := range []string{"pg_class", "pg_attribute", "pg_type", "pg_namespace", "pg_index", "pg_inherits", "pg_proc", "pg_database", "pg_authid"} {
		files = append(files, s.QueryValue("postgres", "SELECT pg_relation_filepath('pg_catalog."+rel+"')"))
	}
	s.Stop()
	rnd := rand.New(rand.NewPCG(1, 2))
	for i := range 120 {
		file := filepath.Join(s.Dir(), files[i%len(files)])
		sound, err := os.ReadFile(file)
		require.NoError(t, err)
		damaged, how := damage(rnd, sound)
		require.NoError(t, os.WriteFile(file, damaged, 0o600))
		for _, skip := range []bool{false, true} {
			o := Options{CacheDir: "none"}
			if skip {
				o.OnLoss = (&lossList{}).add
			}
			began := time.Now()
			for _, err := range walk(s.Dir(), o) {
				var attach *AttachError
				typed := errors.Is(err, pgfile.ErrCorrupt) || errors.Is(err, pgfile.ErrUnsupported) || errors.Is(err, ErrNotFound) ||
					errors.Is(err, ErrNoStorage) || errors.As(err, &attach) || errors.Is(err, fileio.ErrChanged)
				require.True(t, typed, "%d: %s, %s: %v", i, file, how, err)
			}
			require.Less(t, time.Since(began), 10*time.Second, "%d: %s, %s", i, file, how)
		}
		require.NoError(t, os.WriteFile(file, sound, 0o600))
	}
}

// damage returns a damaged copy of a file.
func damage(rnd *rand.Rand, sound []byte) ([]byte, string) {
	b := append([]byte(nil), sound...)
	at := rnd.IntN(len(b))
	switch rnd.IntN(5) {
	case 0:
		return b[:at], fmt.Sprintf("cut at %d", at)
	case 1:
		page := at / pgfile.PageSize * pgfile.PageSize
		clear(b[page:min(page+pgfile.PageSize, len(b))])
		return b, fmt.Sprintf("zeroed from %d", page)
	case 2:
		for range 200 {
			b[rnd.IntN(len(b))] = byte(rnd.Uint32())
		}
		return b, "200 bytes anywhere"
	case 3:
		n := min(64, len(b)-at)
		for i := range n {
			b[at+i] = byte(rnd.Uint32())
		}
		return b, fmt.Sprintf("64 bytes from %d", at)
	}
	b[at] ^= 1 << rnd.IntN(8)
	return b, fmt.Sprintf("a bit of byte %d", at)
}

// walk does with a directory all that needs catalogs.
func walk(dir string, o Options) (errs []error) {
	add := func(err error) {
		if err != nil {
			errs = append(errs, err)
		}
	}
	ctx := context.Background()
	c, err := Attach(ctx, dir, o)
	if err != nil {
		return []error{err}
	}
	defer func() { _ = c.Close() }() // read only
	d, err := c.Database(ctx, "postgres")
	if err != nil {
		return []error{err}
	}
	rels, err := d.Relations(ctx)
	if err != nil {
		return []error{err}
	}
	_, err = c.Tablespaces(ctx)
	add(err)
	for _, k := range regKinds {
		_, _, err := d.RegName(k.kind, 1259)
		add(err)
	}
	for _, r := range rels {
		parts, err := d.Expand(ctx, r)
		add(err)
		for _, p := range parts {
			if p.Kind == 'p' {
				panic("a partitioned table has no rows of its own")
			}
		}
		if _, file, err := d.HeapScan(ctx, r); err == nil {
			add(file.Close())
		} else if !errors.Is(err, ErrNoStorage) {
			add(err)
		}
		m, err := d.VM(ctx, r)
		if err == nil && m != nil {
			m.Bits(0)
		}
	}
	_, _, err = d.Range(catalog.Int4OID)
	add(err)
	return errs
}
