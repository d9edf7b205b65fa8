package cluster

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"sync"

	"github.com/pipescan/pipescan/catalog"
	"github.com/pipescan/pipescan/fileio"
	"github.com/pipescan/pipescan/pgfile"
	"github.com/pipescan/pipescan/stages"
	"github.com/pipescan/pipescan/store"
)

// vmPageBits is what a page of the map holds: everything behind its header.
const vmPageBits = pgfile.PageSize - pgfile.PageHeaderSize

// VM is the relation's visibility map, nil when there is none or it may not be
// trusted (an unclean cluster). It is safe for concurrent use until the cluster
// is closed.
func (d *Database) VM(ctx context.Context, rel *catalog.Relation) (stages.VisibilityMap, error) {
	if !d.c.Clean() {
		return nil, nil
	}
	loc, err := d.locator(ctx, rel)
	if err != nil {
		return nil, err
	}
	file, err := d.c.openMain(loc, fileio.VM)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("visibility map of %q: %w", rel.Name, err)
	}
	v := &visibilityMap{
		c: d.c, file: file, pages: map[uint32][]byte{},
		key: store.Key{Cluster: d.c.storeID(), Kind: store.VisibilityMap, Database: loc.Database, Object: loc.Node},
		// A map's bits are final: they are set for transactions that ended. Only
		// a map that takes long to read is worth a place in the store.
		keep: d.c.mayRemember() && int64(file.NBlocks())*pgfile.PageSize >= d.c.o.CacheFrom,
	}
	return v, v.importPages(ctx)
}

// visibilityMap is an imported VM fork. Pages are read on first use, at most
// maxVMPages are kept.
type visibilityMap struct {
	c    *Cluster
	file *fileio.Relation
	key  store.Key
	keep bool

	mu    sync.RWMutex
	pages map[uint32][]byte // bits behind the header; nil: no bit is set
}

// maxVMPages bounds the pages in memory: 1 MB, the map of 32 GB of heap.
const maxVMPages = 128

// importPages reads every page once, so that damage is found before the map is
// trusted; unless the store holds what was found the last time.
func (v *visibilityMap) importPages(ctx context.Context) error {
	for p := range v.file.NBlocks() {
		if _, err := v.page(ctx, p); err != nil {
			return err
		}
	}
	return nil
}

// Bits are the two bits of a heap block. A page that can no longer be read has
// none set, which is always safe.
func (v *visibilityMap) Bits(block uint32) pgfile.VMBits {
	num, off, shift := pgfile.VMLocation(block)
	if num >= v.file.NBlocks() {
		return 0
	}
	bits, err := v.page(context.Background(), num)
	if err != nil || bits == nil {
		return 0
	}
	return pgfile.VMBits(bits[off-pgfile.PageHeaderSize]>>shift) & (pgfile.VMAllVisible | pgfile.VMAllFrozen)
}

// page returns the bits of a page of the map, nil when none is set.
func (v *visibilityMap) page(ctx context.Context, num uint32) ([]byte, error) {
	v.mu.RLock()
	bits, ok := v.pages[num]
	v.mu.RUnlock()
	if ok {
		return bits, nil
	}
	bits, err := v.load(ctx, num)
	if err != nil {
		return nil, err
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	if len(v.pages) >= maxVMPages {
		clear(v.pages)
	}
	v.pages[num] = bits
	return bits, nil
}

// load takes a page from the store or from the file.
func (v *visibilityMap) load(ctx context.Context, num uint32) ([]byte, error) {
	key := v.key
	key.Part = num
	if v.keep {
		if bits, ok := v.c.store.Get(key, v.c.fresh); ok && len(bits) == vmPageBits {
			return bits, nil
		}
	}
	page := make([]byte, pgfile.PageSize)
	if err := v.file.ReadBlocks(ctx, num, page); err != nil {
		return nil, err
	}
	if err := checkPage(page, num, v.file, v.c.Checksums()); err != nil {
		return nil, err
	}
	if isZero(page[pgfile.PageHeaderSize:]) {
		return nil, nil
	}
	bits := page[pgfile.PageHeaderSize:]
	if v.keep {
		from := append(v.c.sourcesOf(v.file), store.Source{Name: pgfile.ControlFile, ID: v.c.controlID})
		_ = v.c.store.Put(key, from, bits) // not kept: read again next time
	}
	return bits, nil
}
