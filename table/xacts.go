package table

import (
	"errors"
	"maps"
	"sync"

	"github.com/pipescan/pipescan/mvcc"
	"github.com/pipescan/pipescan/pgfile"
	"github.com/pipescan/pipescan/store"
)

// xactLog is the mvcc.XactStatus of a store: states by pages of
// store.XactsPerOwnPage. A page that is missing holds states of transactions
// that never committed.
type xactLog struct {
	mu    sync.RWMutex
	pages map[uint32][]byte // a page is replaced, never changed
}

var _ mvcc.XactStatus = (*xactLog)(nil)

// Statuses implements mvcc.XactStatus.
func (x *xactLog) Statuses(xids []uint32, out []pgfile.XactStatus) error {
	x.mu.RLock()
	defer x.mu.RUnlock()
	for i, xid := range xids {
		out[i] = pgfile.XactInProgress
		if p := x.pages[xid/store.XactsPerOwnPage]; p != nil {
			in := xid % store.XactsPerOwnPage
			out[i] = pgfile.XactStatus(p[in/4] >> (2 * (in % 4)) & 3)
		}
	}
	return nil
}

// Updater implements mvcc.XactStatus: own tables have no multixacts.
func (x *xactLog) Updater(multi uint32) (uint32, error) {
	return 0, &mvcc.UnknownXactError{XID: multi, Multi: true, Err: errors.New("own tables have none")}
}

// committed returns the page that holds xid with xid committed in it, by
// number.
func (x *xactLog) committed(xid uint32) map[uint32][]byte {
	x.mu.RLock()
	defer x.mu.RUnlock()
	n, in := xid/store.XactsPerOwnPage, xid%store.XactsPerOwnPage
	page := make([]byte, store.XactsPerOwnPage/4)
	copy(page, x.pages[n])
	page[in/4] |= byte(pgfile.XactCommitted) << (2 * (in % 4))
	return map[uint32][]byte{n: page}
}

// set replaces pages.
func (x *xactLog) set(pages map[uint32][]byte) {
	x.mu.Lock()
	defer x.mu.Unlock()
	maps.Copy(x.pages, pages)
}
