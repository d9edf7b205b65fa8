package store

import (
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"
	"github.com/stretchr/testify/require"

	"github.com/pipescan/pipescan/pgfile"
)

func ownChange() OwnChange {
	xacts := make([]byte, XactsPerOwnPage/4)
	xacts[0] = 0x40
	vm := make([]byte, pgfile.PageSize-pgfile.PageHeaderSize)
	vm[1] = 3
	return OwnChange{
		NextOID: 16385, NextXID: 4,
		Schemas: map[uint32]string{2200: "public"},
		Tables:  []OwnTable{{OID: 16384, Record: []byte("t"), Blocks: 7, Rows: 100}},
		Xacts:   map[uint32][]byte{0: xacts},
		VM:      []OwnVMPage{{Table: 16384, Page: 0, Bits: vm}},
	}
}

func TestOwnRoundTrip(t *testing.T) {
	dir := t.TempDir() + "/pebble"
	c := ownChange()
	require.NoError(t, CreateOwn(dir, c))
	for range 2 { // what was read once is still there
		o, err := OpenOwn(dir)
		require.NoError(t, err)
		s, err := o.State()
		require.NoError(t, err)
		require.Equal(t, &OwnState{NextOID: 16385, NextXID: 4, Schemas: c.Schemas, Tables: c.Tables, Xacts: c.Xacts}, s)
		vm, err := o.VM(16384)
		require.NoError(t, err)
		require.Equal(t, map[uint32][]byte{0: c.VM[0].Bits}, vm)
		_, err = OpenOwn(dir)
		require.ErrorIs(t, err, ErrInUse)
		require.NoError(t, o.Close())
		require.NoError(t, o.Close())
		require.ErrorIs(t, o.Apply(OwnChange{NextOID: 1}), ErrClosed)
	}
	o, err := OpenOwn(dir)
	require.NoError(t, err)
	require.NoError(t, o.Apply(OwnChange{Dropped: []uint32{16384}}))
	s, err := o.State()
	require.NoError(t, err)
	require.Empty(t, s.Tables)
	vm, err := o.VM(16384)
	require.NoError(t, err)
	require.Empty(t, vm)
	require.NoError(t, o.Close())
}

func TestOwnMustExist(t *testing.T) {
	_, err := OpenOwn(t.TempDir() + "/none")
	require.Error(t, err)
	_, err = OpenOwn(t.TempDir()) // there, but empty
	require.Error(t, err)
}

func TestOwnDamage(t *testing.T) {
	for name, kv := range map[string][2]string{
		"an unknown key":   {"zzzzzz", ""},
		"a short key":      {"r", ""},
		"an odd counter":   {"cq", "1234"},
		"a short end":      {"e\x00\x00\x40\x00", "123"},
		"a short xact":     {"x\x00\x00\x00\x00", "123"},
		"a table, no end":  {"r\x00\x00\x50\x00", "t"},
		"a counter, short": {"co", "1"},
	} {
		dir := t.TempDir() + "/pebble"
		require.NoError(t, CreateOwn(dir, ownChange()))
		o, err := OpenOwn(dir)
		require.NoError(t, err)
		require.NoError(t, o.db.Set([]byte(kv[0]), []byte(kv[1]), nil))
		_, err = o.State()
		require.ErrorIs(t, err, pgfile.ErrCorrupt, name)
		require.NoError(t, o.Close())
	}
}

// TestOwnFailedSync: a change whose sync failed is an error, though Pebble goes
// on, and so is everything after it.
func TestOwnFailedSync(t *testing.T) {
	mem := vfs.NewMem()
	require.NoError(t, createOwn("/s", ownChange(), mem))
	fail := errorfs.Toggle{Injector: errorfs.ErrInjected.If(errorfs.Writes)}
	o, err := openOwn("/s", errorfs.Wrap(mem, &fail), true)
	require.NoError(t, err)
	fail.On()
	require.Error(t, o.Apply(OwnChange{NextOID: 99999}))
	fail.Off()
	require.Error(t, o.Apply(OwnChange{NextOID: 99999}))
	_, err = o.State()
	require.Error(t, err)
	_ = o.Close()
}

// TestOwnPowerLoss: what Apply has returned from survives the loss of all that
// was not synced.
func TestOwnPowerLoss(t *testing.T) {
	mem := vfs.NewCrashableMem()
	require.NoError(t, mem.MkdirAll("/s", 0o700))
	require.NoError(t, createOwn("/s", ownChange(), mem))
	o, err := openOwn("/s", mem, true)
	require.NoError(t, err)
	for i := range 20 {
		require.NoError(t, o.Apply(OwnChange{NextOID: uint32(20000 + i)}))
		crashed, err := openOwn("/s", mem.CrashClone(vfs.CrashCloneCfg{}), true)
		require.NoError(t, err)
		s, err := crashed.State()
		require.NoError(t, err)
		require.Equal(t, uint32(20000+i), s.NextOID)
		require.Len(t, s.Tables, 1)
		require.NoError(t, crashed.Close())
	}
	require.NoError(t, o.Close())
}
