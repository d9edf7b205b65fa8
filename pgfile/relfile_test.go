package pgfile

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestParseRelPath(t *testing.T) {
	for path, want := range map[string]RelFile{
		"global/1262":          {Tablespace: 1664, Node: 1262},
		"global/1262_vm":       {Tablespace: 1664, Node: 1262, Fork: ForkVM},
		"base/5/16384":         {Tablespace: 1663, Database: 5, Node: 16384},
		"base/5/16384.1":       {Tablespace: 1663, Database: 5, Node: 16384, Segment: 1},
		"base/5/16384_vm.12":   {Tablespace: 1663, Database: 5, Node: 16384, Fork: ForkVM, Segment: 12},
		"base/5/16384_fsm":     {Tablespace: 1663, Database: 5, Node: 16384, Fork: ForkFSM},
		"base/5/16384_init":    {Tablespace: 1663, Database: 5, Node: 16384, Fork: ForkInit},
		"base/5/t3_16384":      {Tablespace: 1663, Database: 5, Node: 16384, Temp: true, Backend: 3},
		"base/5/t0_16384_fsm":  {Tablespace: 1663, Database: 5, Node: 16384, Temp: true, Fork: ForkFSM},
		"base/1/4294967295":    {Tablespace: 1663, Database: 1, Node: 4294967295},
		"base/5/16384.4294967": {Tablespace: 1663, Database: 5, Node: 16384, Segment: 4294967},
		"pg_tblspc/16400/PG_15_202209061/5/16384_vm": {Tablespace: 16400, Version: "PG_15_202209061", Database: 5, Node: 16384, Fork: ForkVM},
	} {
		got, ok := ParseRelPath(path)
		require.True(t, ok, path)
		require.Equal(t, want, got, path)
		require.Equal(t, path, got.Path())
	}
	for _, path := range []string{
		"", "/", "base", "base/5", "base/5/", "base/5/PG_VERSION", "base/5/pg_filenode.map", "base/5/pg_internal.init",
		"base/pgsql_tmp/pgsql_tmp1.0", "base/05/1", "base/5/01", "base/5/0", "base/5/4294967296", "base/5/1.0", "base/5/1.01", "base/5/1.",
		"base/5/1_", "base/5/1_xx", "base/5/1_vm_fsm", "base/5/1.1_vm", "base/5/t_1", "base/5/t1", "base/5/t1_", "base/5/t01_1", "base/5/-1",
		"base/5/1 ", "global/pg_control", "global/5/1", "pg_tblspc/1/5/1", "pg_tblspc/1/XX_15_1/5/1", "pg_tblspc/x/PG_15_1/5/1", "pg_tblspc/1/PG_15_1/x/1",
		"pg_xact/0000",
	} {
		got, ok := ParseRelPath(path)
		require.False(t, ok, path)
		require.Equal(t, RelFile{}, got, path)
	}
	f, ok := ParseRelFileName("16384_vm.1")
	require.True(t, ok)
	require.Equal(t, RelFile{Node: 16384, Fork: ForkVM, Segment: 1}, f)
	_, ok = ParseRelFileName("pg_filenode.map")
	require.False(t, ok)
	require.Equal(t, "PG_18_202506291", TablespaceDir(18, 202506291))
}

// TestRealFileNames: among a real cluster's files, exactly the known strangers
// are not a relation's.
func TestRealFileNames(t *testing.T) {
	eachMajor(t, func(t *testing.T, major int) {
		parsed := 0
		for _, path := range goldenLines(t, major, "filelist.txt") {
			f, ok := ParseRelPath(path)
			name := path[strings.LastIndexByte(path, '/')+1:]
			stranger := name == "PG_VERSION" || name == "pg_control" || name == "pg_filenode.map" || name == "pg_internal.init"
			require.Equal(t, !stranger, ok, path)
			if ok {
				require.Equal(t, path, f.Path())
				parsed++
			}
		}
		require.Greater(t, parsed, 900)
	})
}

func TestParseVersionFile(t *testing.T) {
	eachMajor(t, func(t *testing.T, major int) {
		got, err := ParseVersionFile(goldenFile(t, major, "PG_VERSION"))
		require.NoError(t, err)
		require.Equal(t, major, got)
	})
	for in, want := range map[string]error{
		"12\n": ErrUnsupported, "19\n": ErrUnsupported, "9.6\n": ErrUnsupported, "": ErrCorrupt, "\n": ErrCorrupt,
		"fifteen": ErrCorrupt, "-15": ErrCorrupt, "15 16": ErrCorrupt, strings.Repeat("1", 1000): ErrCorrupt, "x.1": ErrCorrupt,
	} {
		_, err := ParseVersionFile([]byte(in))
		require.ErrorIs(t, err, want, "%q", in)
	}
	got, err := ParseVersionFile([]byte("15"))
	require.NoError(t, err)
	require.Equal(t, 15, got)
}

func TestParsePostmasterPID(t *testing.T) {
	got, err := ParsePostmasterPID([]byte("17817\n/var/lib/postgresql/15/main\n1796066729\n5433\n/run/postgresql\nlocalhost\n 10021386     98304\nready   \n"))
	require.NoError(t, err)
	require.Equal(t, PostmasterPID{PID: 17817, DataDir: "/var/lib/postgresql/15/main", Port: 5433, SocketDir: "/run/postgresql", Status: "ready"}, got)
	got, err = ParsePostmasterPID([]byte("-42\n/data"))
	require.NoError(t, err)
	require.Equal(t, PostmasterPID{PID: 42, Standalone: true, DataDir: "/data"}, got)
	for _, in := range []string{"", "\n", "0\n", "x\n", "99999999999999\n", "\n17\n"} {
		_, err := ParsePostmasterPID([]byte(in))
		requireCorrupt(t, err)
	}
}

func TestFlagNames(t *testing.T) {
	require.Equal(t, "-", InfomaskString(0))
	require.Equal(t, "has-null,xmin-frozen,xmax-invalid", InfomaskString(HeapHasNull|HeapXminFrozen|HeapXmaxInvalid))
	require.Equal(t, "xmax-shr-lock,xmax-lock-only,xmin-committed", InfomaskString(HeapXmaxKeyShr|HeapXmaxExcl|HeapXmaxLockOnly|HeapXminCommitted))
	require.Equal(t, "xmax-keyshr-lock,xmin-invalid", InfomaskString(HeapXmaxKeyShr|HeapXminInvalid))
	require.Equal(t, "hot-updated,heap-only", Infomask2String(HeapHotUpdated|HeapOnly|7))
	require.Equal(t, "all-visible,0x8", PageFlagsString(PageAllVisible|8))
	require.Equal(t, "leaf,has-garbage", BTreeFlagsString(BTreeLeaf|BTreeHasGarbage))
	require.Equal(t, "redirect", ItemStateString(ItemRedirect))
	require.Equal(t, "state 4", ItemStateString(4))
	require.Equal(t, "fork 9", Fork(9).String())
}
