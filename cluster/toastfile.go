package cluster

import (
	"context"
	"sync"

	"github.com/pipescan/pipescan/catalog"
	"github.com/pipescan/pipescan/fileio"
	"github.com/pipescan/pipescan/pgfile"
	"github.com/pipescan/pipescan/toast"
)

// toastFile is a toast.BlockReader over a TOAST table or its index; safe for
// concurrent use.
type toastFile struct {
	rel       *fileio.Relation
	checksums bool
}

var _ toast.BlockReader = (*toastFile)(nil)

// NBlocks is the number of blocks.
func (f *toastFile) NBlocks() uint32 { return f.rel.NBlocks() }

// ReadBlock reads one page and checks its header, and its checksum if the
// cluster's are verified.
func (f *toastFile) ReadBlock(ctx context.Context, block uint32, page []byte) error {
	if err := f.rel.ReadBlocks(ctx, block, page); err != nil {
		return err
	}
	return checkPage(page, block, f.rel, f.checksums)
}

// checkPage validates a page read outside of a scan.
func checkPage(page []byte, block uint32, rel *fileio.Relation, checksums bool) error {
	p := pgfile.Page(page)
	if p.IsNew() && isZero(page) {
		return nil
	}
	if err := pgfile.ValidatePage(p); err != nil {
		return pgfile.At(err, rel.BlockName(block), block)
	}
	if checksums {
		if sum := pgfile.PageChecksum(p, block); sum != p.Checksum() {
			e := pgfile.Corruptf(8, "checksum 0x%04x, the page gives 0x%04x", p.Checksum(), sum)
			e.Remedy = "restore the file from a backup, or go on by --on-corruption skip; --checksums off reads it unverified"
			return pgfile.At(e, rel.BlockName(block), block)
		}
	}
	return nil
}

func isZero(b []byte) bool {
	for _, c := range b {
		if c != 0 {
			return false
		}
	}
	return true
}

// maxToasts bounds the TOAST tables and indexes kept at hand. The directory
// bounds the descriptors, so one that is forgotten needs no closing.
const maxToasts = 256

// toastCache keeps TOAST tables and their indexes at hand between scans.
type toastCache struct {
	mu    sync.Mutex
	files map[fileio.RelLocator]*toastFile
}

// open returns the relation's file, opening it when it is not at hand.
func (t *toastCache) open(ctx context.Context, d *Database, rel *catalog.Relation) (*toastFile, error) {
	loc, err := d.locator(ctx, rel)
	if err != nil {
		return nil, err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if f := t.files[loc]; f != nil {
		return f, nil
	}
	opened, err := d.c.openMain(loc, d.forkOf(rel))
	if err != nil {
		return nil, err
	}
	if t.files == nil || len(t.files) >= maxToasts {
		t.files = map[fileio.RelLocator]*toastFile{}
	}
	f := &toastFile{rel: opened, checksums: d.c.Checksums()}
	t.files[loc] = f
	return f, nil
}
